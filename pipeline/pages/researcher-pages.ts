/** Pages of researchers: detail under each version with the best hundred datasets, and the badge. */

import { researcherBadge } from "../../api-static/pages/badge.ts";
import { pageText } from "../../api-static/pages/page.ts";
import { researcherDetail, sIndexBasisOf } from "../../api-static/pages/researcher.ts";
import type { ResearcherData } from "../../api-static/pages/rows.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { pagePath } from "../../api-static/routes/route.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Database } from "../engine/open.ts";
import { objectOf, select } from "./columns.ts";
import { Cursor } from "./cursor.ts";
import { LISTED_RECORD, LISTED_SCORE, RESEARCHER, recordRowOf } from "./list-rows.ts";
import type { PageSink } from "./page-sink.ts";
import type { IdRange } from "./record-pages.ts";

/** A researcher under one version with the rows of their best hundred datasets, in order. */
export interface ListedResearcher {
  readonly researcher: ResearcherData;
  readonly records: readonly RecordRow[];
}

/** Everything the pages of the researchers in `range` show, by ascending id. */
export async function* listedResearchers(
  db: Database,
  range: IdRange,
  version: PublicVersion,
): AsyncGenerator<ListedResearcher> {
  const bounds = { from: range.from, to: range.to, rubric: version };
  const datasets = new Cursor(
    db.stream(
      `select listed.researcher_id, ${select("record", LISTED_RECORD)}, ${select("score", LISTED_SCORE)}
       from researcher_dataset as listed
       join record on record.id = listed.id
       join score on score.id = listed.id and score.rubric = $rubric
       where listed.rubric = $rubric and listed.researcher_id >= $from and listed.researcher_id < $to
       order by listed.researcher_id, listed.place`,
      bounds,
    ),
  );
  const researchers = db.stream(
    `select ${RESEARCHER.join(", ")} from researcher
     where rubric = $rubric and id >= $from and id < $to order by id`,
    bounds,
  );
  try {
    for await (const batch of researchers) {
      for (const row of batch) {
        const researcher = objectOf<ResearcherData>(RESEARCHER, row);
        const records = (await datasets.take(researcher.id)).map((dataset) => recordRowOf(dataset, version, 1));
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
  range: IdRange,
  version: PublicVersion,
): Promise<void> {
  const pages = (["author", "researcher-badge"] as const).flatMap((name) => {
    const route = routeNamed(name);
    const file = route.pages.find((page) => page.version === version);
    return file === undefined ? [] : [{ route, file, text: RESEARCHER_PAGES[name] }];
  });
  for await (const listed of listedResearchers(db, range, version)) {
    for (const { route, file, text } of pages) {
      sink.write(pagePath(route, file, listed.researcher.slug), text(listed, version));
    }
  }
}
