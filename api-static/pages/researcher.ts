/** Pages of researchers: row and detail. */

import type { RecordRow } from "../../schemas/public/api/record.ts";
import {
  IDENTITY_BASES,
  type ResearcherDetail,
  type ResearcherRow,
  type SIndexBasis,
} from "../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { getNumbersBesideMean, readBucketMeans, readMean } from "./numbers.ts";
import type { ResearcherData } from "./rows.ts";

export function researcherRow(row: ResearcherData, version: PublicVersion): ResearcherRow {
  const average = readMean(row.mean_score) ?? 0;
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    // interface.md requires a text. The tables have null without an affiliation.
    affiliation: row.affiliation ?? "",
    sIndex: row.s_index,
    sIndexBasis: buildSIndexBasis(row, version),
    sImpact: row.s_impact,
    citedBasis: { known: row.cited_known, datasets: row.cited_datasets },
    datasetCount: row.dataset_count,
    avgScore: average,
    ...getNumbersBesideMean(row),
    maxScore: row.max_score,
    shareScore: average,
    identityBasis: requireWord(IDENTITY_BASES, row.identity_basis),
    orcid: row.orcid,
  };
}

export function buildSIndexBasis(row: ResearcherData, version: PublicVersion): ResearcherRow["sIndexBasis"] {
  return {
    datasets: row.dataset_count,
    rubric: version,
    date: row.data_date,
    median: readMean(row.s_index_median),
    cap: readMean(row.mean_cap),
  };
}

/** Returns the page of a researcher. `datasets` are at most 100, highest totals first. */
export function researcherDetail(
  row: ResearcherData,
  datasets: readonly RecordRow[],
  version: PublicVersion,
): ResearcherDetail {
  return {
    ...researcherRow(row, version),
    verified: false,
    bucketMeans: readBucketMeans(row),
    datasets: [...datasets],
  };
}

function requireWord<const T extends string>(words: readonly T[], word: string): T {
  const found = words.find((entry) => entry === word);
  if (found === undefined)
    throw new Error(
      `a researcher in the tables has the identity basis "${word}"; expected one of ${words.join(", ")}. Report this.`,
    );
  return found;
}

/** Returns texts such as `of 12 datasets`, `SHARE 2.0`, `as of 2026-05-01`, `mean cap 84.5`. Missing values are `unknown`. */
export function sIndexWords({ datasets, rubric, date, cap }: SIndexBasis): string[] {
  return [
    `of ${datasets} ${datasets === 1 ? "dataset" : "datasets"}`,
    `SHARE ${rubric}`,
    date === null ? "date unknown" : `as of ${date}`,
    `mean cap ${cap ?? "unknown"}`,
  ];
}
