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

export const researcherRow = z
  .object({
    id: z.string().regex(/^a[0-9a-f]{24}$/),
    name: z.string(),
    slug: slug.describe("Address of the researcher below `/authors`."),
    affiliation: z.string().describe("The one reported most often; empty where none was reported."),
    sIndex: count.describe("Largest k such that k of the datasets have a total of at least k."),
    sImpact: count.describe("Largest k such that k of the datasets have at least k citations."),
    datasetCount: count.describe("Datasets, the versions of one counted once."),
    avgScore: percentage.describe("Mean total of the scored datasets."),
    maxScore: percentage,
    shareScore: percentage.describe("Equal to `avgScore`."),
    identityBasis: z
      .enum(IDENTITY_BASES)
      .describe("What tells this researcher from others; the strongest is an ORCID iD, the weakest a name."),
    orcid: z.string().nullable(),
  })
  .describe("One researcher with their indices.");
export type ResearcherRow = z.infer<typeof researcherRow>;
export const researcherList = listOf(researcherRow);

export const researcherDetail = researcherRow
  .extend({
    verified: z
      .boolean()
      .describe(
        "Whether the researcher has claimed this page and the claim was approved. Claims belong to no release: its files always say false.",
      ),
    bucketMeans,
    quadrant: z
      .enum(QUADRANTS)
      .describe("High sharing: an S-Index at or above the release's median. High impact: an S-Impact of at least 1."),
    tier: z.enum(RESEARCHER_TIERS).describe("By S-Index: 50, 30, 15, 5, 1."),
    datasets: z.array(recordRow).max(100).describe("The best hundred by total, one a version family."),
  })
  .describe("One researcher with their best datasets.");
export type ResearcherDetail = z.infer<typeof researcherDetail>;
