/** The pages of one range of records or researchers, in the order of their places. */

import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Database } from "../engine/open.ts";
import type { PlaceRange } from "../packs/pack-names.ts";
import { explanationsOf } from "./explanations.ts";
import type { PageSink } from "./page-sink.ts";
import { writeRecordPages } from "./record-pages.ts";
import { writeResearcherPages } from "./researcher-pages.ts";

export async function writePages(
  db: Database,
  sink: PageSink,
  subject: "record" | "researcher",
  range: PlaceRange,
  versions: readonly PublicVersion[],
): Promise<void> {
  if (subject === "record") {
    const ids = { from: `r${range.from}`, to: `r${range.to}` };
    await writeRecordPages(db, sink, ids, await explanationsOf(versions));
    return;
  }
  for (const version of versions) await writeResearcherPages(db, sink, range, version);
}
