/** Researchers as the API shows them. */

import { z } from "zod";
import { bucketMeans, count, listOf, percentage } from "./common.ts";
import { recordRow } from "./record.ts";

export const IDENTITY_BASES = ["orcid", "name_affiliation", "name"] as const;
export const RESEARCHER_TIERS = ["exceptional", "strong", "developing", "early", "beginning", "none"] as const;
export const QUADRANTS = [
  "high_sharing_high_impact",
  "high_sharing_low_impact",
  "low_sharing_high_impact",
  "low_sharing_low_impact",
] as const;

export const slug = z.string().regex(/^[A-Za-z0-9._~-]{1,160}$/);

export const researcherRow = z.object({
  id: z.string().regex(/^a[0-9a-f]{24}$/),
  name: z.string(),
  slug,
  affiliation: z.string().nullable(),
  sIndex: count,
  sImpact: count,
  datasetCount: count,
  avgScore: percentage,
  maxScore: percentage,
  /** Equal to avgScore: the mean total of the scored datasets. */
  shareScore: percentage,
  /** What tells this researcher from another: the strongest first. */
  identityBasis: z.enum(IDENTITY_BASES),
  orcid: z.string().nullable(),
});
export type ResearcherRow = z.infer<typeof researcherRow>;
export const researcherList = listOf(researcherRow);

export const researcherDetail = researcherRow.extend({
  bucketMeans,
  quadrant: z.enum(QUADRANTS),
  tier: z.enum(RESEARCHER_TIERS),
  /** The best hundred by total, one a version family. */
  datasets: z.array(recordRow).max(100),
});
export type ResearcherDetail = z.infer<typeof researcherDetail>;
