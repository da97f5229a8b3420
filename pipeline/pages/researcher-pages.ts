/** Pages of researchers: detail under each version with the best hundred datasets, and the badge. */

import { researcherBadge } from "../../api-static/pages/badge.ts";
import { pageText } from "../../api-static/pages/page.ts";
import { researcherDetail, sIndexBasisOf } from "../../api-static/pages/researcher.ts";
import type { ResearcherData } from "../../api-static/pages/rows.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Database } from "../engine/open.ts";
import { type PlaceRange, pageAddress } from "../packs/pack-names.ts";
import { PLACE_BYTES } from "../packs/place.ts";
import { objectOf, select } from "./columns.ts";
import { Cursor } from "./cursor.ts";
import { LISTED_RECORD, LISTED_SCORE, RESEARCHER, recordRowOf } from "./list-rows.ts";
import type { PageSink } from "./page-sink.ts";

/** A researcher under one version with the rows of their best hundred datasets, in order. */
export interface ListedResearcher {
  readonly researcher: ResearcherData;
  readonly records: readonly RecordRow[];
}

/** Which researchers: those whose slugs have places within a range, or one by id. */
export type WhichResearchers = Omit<PlaceRange, "name"> | { readonly id: string };

const PLACE = `substr(sha256(slug), 1, ${2 * PLACE_BYTES})`;

/** Everything the pages of those researchers show, in the order of their pages. */
export async function* listedResearchers(
  db: Database,
  which: WhichResearchers,
  version: PublicVersion,
): AsyncGenerator<ListedResearcher> {
  const bounds = { rubric: version, ...("id" in which ? { id: which.id } : { from: which.from, to: which.to }) };
  const condition = "id" in which ? "id = $id" : `${PLACE} >= $from and ${PLACE} < $to`;
  const person = `(select *, ${PLACE} as place from researcher where rubric = $rubric and ${condition})`;
  const datasets = new Cursor(
    db.stream(
      `select person.place, ${select("record", LISTED_RECORD)}, ${select("score", LISTED_SCORE)}
       from ${person} as person
       join researcher_dataset as listed on listed.researcher_id = person.id and listed.rubric = $rubric
       join record on record.id = listed.id
       join score on score.id = listed.id and score.rubric = $rubric
       order by person.place, listed.place`,
      bounds,
    ),
  );
  const researchers = db.stream(`select place, ${RESEARCHER.join(", ")} from ${person} order by place`, bounds);
  try {
    for await (const batch of researchers) {
      for (const row of batch) {
        const researcher = objectOf<ResearcherData>(RESEARCHER, row, 1);
        const records = (await datasets.take(String(row[0]))).map((dataset) => recordRowOf(dataset, version, 1));
        yield { researcher, records };
      }
    }
  } finally {
    await datasets.close();
  }
}

/** The text of each page of a researcher, by the name of its route. */
export const RESEARCHER_PAGES = {
  author: ({ researcher, records }, version) => pageText(researcherDetail(researcher, records, version)),
  "researcher-badge": ({ researcher }, version) =>
    researcherBadge(researcher.s_index, researcher.tier, sIndexBasisOf(researcher, version)),
} as const satisfies Record<string, (listed: ListedResearcher, version: PublicVersion) => string>;

/** Writes the pages of the researchers in `range` under one version. */
export async function writeResearcherPages(
  db: Database,
  sink: PageSink,
  range: WhichResearchers,
  version: PublicVersion,
): Promise<void> {
  const pages = (["author", "researcher-badge"] as const).flatMap((name) => {
    const route: Route = routeNamed(name);
    const file = route.pages.find((page) => page.version === version);
    return file === undefined ? [] : [{ route, file, text: RESEARCHER_PAGES[name] }];
  });
  for await (const listed of listedResearchers(db, range, version)) {
    for (const { route, file, text } of pages) {
      sink.write(pageAddress(route, file, listed.researcher.slug), text(listed, version));
    }
  }
}
