/** Pages of researchers: detail under each version with the best hundred datasets, and the badge. */

import { researcherBadge } from "../../api-static/badge.ts";
import { pageText } from "../../api-static/page.ts";
import { recordRow } from "../../api-static/record.ts";
import { researcherDetail } from "../../api-static/researcher.ts";
import { pageOf, pagePath } from "../../api-static/route.ts";
import { routeNamed } from "../../api-static/routes.ts";
import type { ListedRecord, ListedScore, ResearcherData } from "../../api-static/rows.ts";
import type { PublicVersion } from "../../schemas/rubric.ts";
import type { Database } from "../duckdb/open.ts";
import { objectOf, select } from "./columns.ts";
import { Cursor } from "./cursor.ts";
import type { PageSink } from "./page-sink.ts";
import type { IdRange } from "./record-pages.ts";

export const RESEARCHER = [
  "id",
  "slug",
  "name",
  "affiliation",
  "orcid",
  "identity_basis",
  "s_index",
  "s_impact",
  "dataset_count",
  "max_score",
  "mean_score",
  "mean_s",
  "mean_h",
  "mean_a",
  "mean_r",
  "mean_e",
  "tier",
  "quadrant",
] as const satisfies readonly (keyof ResearcherData)[];

export const LISTED_RECORD = [
  "id",
  "doi",
  "repository",
  "title",
  "pub_date",
  "status",
] as const satisfies readonly (keyof ListedRecord)[];
export const LISTED_SCORE = ["total", "s", "h", "a", "r", "e"] as const satisfies readonly (keyof ListedScore)[];

/** Writes the pages of the researchers in `range` under one version. */
export async function writeResearcherPages(
  db: Database,
  sink: PageSink,
  range: IdRange,
  version: PublicVersion,
): Promise<void> {
  const detail = routeNamed("author");
  const badge = routeNamed("researcher-badge");
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
  for await (const batch of researchers) {
    for (const row of batch) {
      const researcher = objectOf<ResearcherData>(RESEARCHER, row);
      const records = (await datasets.take(researcher.id)).map((dataset) =>
        recordRow(
          objectOf<ListedRecord>(LISTED_RECORD, dataset, 1),
          objectOf<ListedScore>(LISTED_SCORE, dataset, 1 + LISTED_RECORD.length),
          version,
        ),
      );
      sink.write(
        pagePath(detail, pageOf(detail, version), researcher.slug),
        pageText(researcherDetail(researcher, records)),
      );
      if (version !== "2.0") continue;
      sink.write(
        pagePath(badge, pageOf(badge, version), researcher.slug),
        researcherBadge(researcher.s_index, researcher.tier),
      );
    }
  }
}
