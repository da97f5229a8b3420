/** Pages of researchers: row and detail. */

import type { RecordRow } from "../schemas/api/record.ts";
import {
  IDENTITY_BASES,
  QUADRANTS,
  RESEARCHER_TIERS,
  type ResearcherDetail,
  type ResearcherRow,
} from "../schemas/api/researcher.ts";
import { bucketMeansOf, meanOf } from "./numbers.ts";
import type { ResearcherData } from "./rows.ts";

export function researcherRow(row: ResearcherData): ResearcherRow {
  const average = meanOf(row.mean_score) ?? 0;
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    // A text by interface.md; the tables tell "none reported" from an empty one by null.
    affiliation: row.affiliation ?? "",
    sIndex: row.s_index,
    sImpact: row.s_impact,
    datasetCount: row.dataset_count,
    avgScore: average,
    maxScore: row.max_score,
    shareScore: average,
    identityBasis: oneOf(IDENTITY_BASES, row.identity_basis),
    orcid: row.orcid,
  };
}

/** `datasets`: the researcher's best hundred, in order. */
export function researcherDetail(row: ResearcherData, datasets: readonly RecordRow[]): ResearcherDetail {
  return {
    ...researcherRow(row),
    verified: false,
    bucketMeans: bucketMeansOf(row),
    quadrant: oneOf(QUADRANTS, row.quadrant),
    tier: oneOf(RESEARCHER_TIERS, row.tier),
    datasets: [...datasets],
  };
}

function oneOf<const T extends string>(words: readonly T[], word: string): T {
  const found = words.find((entry) => entry === word);
  if (found === undefined) throw new Error(`"${word}" is none of ${words.join(", ")}`);
  return found;
}
