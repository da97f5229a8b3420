/** Pages of researchers: detail under each version with the best hundred datasets, and the badge. */

import { type BadgeWords, drawBadge, researcherWords } from "../../api-static/pages/badge.ts";
import { pageText } from "../../api-static/pages/read-page.ts";
import { researcherDetail, sIndexBasisOf } from "../../api-static/pages/researcher.ts";
import type { ResearcherData } from "../../api-static/pages/rows.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Database } from "../engine/open.ts";
import { type PlaceRange, pageAddress } from "../packs/format.ts";
import { objectOf, textAfter } from "./columns.ts";
import { Cursor, laidDownIn, ONE_RESEARCHER, RESEARCHER, recordRowOf } from "./listings.ts";
import type { PageSink } from "./routed-page.ts";

/** A researcher under one version with the rows of their best hundred datasets, in order. */
export interface ListedResearcher {
  readonly researcher: ResearcherData;
  readonly records: readonly RecordRow[];
}

/** Which researchers: those laid down below `folder` whose slugs have places within a range, or one by id. */
export type WhichResearchers =
  | { readonly folder: string; readonly range: Pick<PlaceRange, "from" | "to"> }
  | { readonly id: string };

const PLACED = textAfter("place", "row");

/** Everything the pages of those researchers show, in the order of their pages. */
export async function* listedResearchers(
  db: Database,
  which: WhichResearchers,
  version: PublicVersion,
): AsyncGenerator<ListedResearcher> {
  const { persons, listings } = "id" in which ? ONE_RESEARCHER : laidDownIn(which.folder, version);
  const bounds = "id" in which ? { id: which.id } : { from: which.range.from, to: which.range.to };
  const parameters = { rubric: version, ...bounds };
  const rows = new Cursor(db.streamTexts(`select ${PLACED} from (${listings}) order by place, position`, parameters));
  const researchers = db.streamTexts(`select ${PLACED} from (${persons}) order by place`, parameters);
  try {
    for await (const batch of researchers) {
      for (const row of batch) {
        const listed = await rows.take(String(row[0]));
        yield {
          researcher: objectOf<ResearcherData>(RESEARCHER, row, 1),
          records: listed.map((cells) => recordRowOf(cells, version, 1)),
        };
      }
    }
  } finally {
    await rows.close();
  }
}

/** The text of each page of a researcher, by the name of its route. */
export const RESEARCHER_PAGES = {
  author: ({ researcher, records }, version) => pageText(researcherDetail(researcher, records, version)),
  "researcher-badge": (listed, version) => drawBadge(researcherBadgeWords(listed, version)),
} as const satisfies Record<string, (listed: ListedResearcher, version: PublicVersion) => string>;

/** What a researcher's badge says under one version, however it is drawn. */
export function researcherBadgeWords({ researcher }: ListedResearcher, version: PublicVersion): BadgeWords {
  return researcherWords(researcher.s_index, researcher.tier, sIndexBasisOf(researcher, version));
}

/** Writes their pages under one version. */
export async function writeResearcherPages(
  db: Database,
  sink: PageSink,
  which: WhichResearchers,
  version: PublicVersion,
): Promise<void> {
  const pages = (["author", "researcher-badge"] as const).flatMap((name) => {
    const route: Route = routeNamed(name);
    const file = route.pages.find((page) => page.version === version);
    return file === undefined ? [] : [{ route, file, text: RESEARCHER_PAGES[name] }];
  });
  for await (const listed of listedResearchers(db, which, version)) {
    for (const { route, file, text } of pages) {
      sink.write(pageAddress(route, file, listed.researcher.slug), text(listed, version));
    }
  }
}
