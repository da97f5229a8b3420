/** The pages of one range of records or researchers, in the order of their places. */

import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Database } from "../engine/open.ts";
import type { PlaceRange } from "../packs/format.ts";
import { explanationsOf, writeRecordPages } from "./record-pages.ts";
import { writeResearcherPages } from "./researcher-pages.ts";
import type { PageSink } from "./routed-page.ts";

export interface RangeOfPages {
  readonly subject: "record" | "researcher";
  readonly range: PlaceRange;
  readonly versions: readonly PublicVersion[];
  /** Where researchers and their lists are laid down (listings.ts). */
  readonly listings: string;
}

export async function writePages(
  db: Database,
  sink: PageSink,
  { subject, range, versions, listings }: RangeOfPages,
): Promise<void> {
  if (subject === "record") {
    const ids = { from: `r${range.from}`, to: `r${range.to}` };
    await writeRecordPages(db, sink, ids, await explanationsOf(versions));
    return;
  }
  for (const version of versions) await writeResearcherPages(db, sink, { folder: listings, range }, version);
}
