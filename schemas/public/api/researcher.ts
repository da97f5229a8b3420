/** Researchers as the API shows them. */

import { z } from "zod";
import { named } from "../named.ts";
import { publicVersion } from "../rubric.ts";
import { isoDate } from "../scalars.ts";
import { besideMeans, bucketMeans, count, listOf, percentage, queriedListOf, total } from "./common.ts";
import { recordRow } from "./record.ts";

export const IDENTITY_BASES = ["orcid", "name_affiliation", "name"] as const;
export const RESEARCHER_TIERS = ["exceptional", "strong", "developing", "early", "beginning", "none"] as const;
export const QUADRANTS = [
  "high_sharing_high_impact",
  "high_sharing_low_impact",
  "low_sharing_high_impact",
  "low_sharing_low_impact",
] as const;

export const researcherTier = z.enum(RESEARCHER_TIERS);
export const quadrant = z.enum(QUADRANTS);

export const slug = z.string().regex(/^[A-Za-z0-9._~-]{1,160}$/);

/** The basis that an S-Index is never shown without. */
export const sIndexBasis = z
  .object({
    datasets: count.describe(
      "Datasets with a total, the versions of one counted once: the S-Index is never above it, and grows with it.",
    ),
    rubric: publicVersion,
    date: isoDate
      .nullable()
      .describe("Newest day that one of them was retrieved on, or changed at its source where that is not known."),
    median: z
      .number()
      .min(0)
      .nullable()
      .describe("Median S-Index of the release's researchers who are known by more than a name."),
    cap: percentage.nullable().describe("Mean of the highest totals that these datasets can reach at their sources."),
  })
  .describe("The figures that the S-Index rests on, and is to be read with.");

export const researcherRow = named(
  "ResearcherRow",
  z
    .object({
      id: z.string().regex(/^a[0-9a-f]{24}$/),
      name: z.string(),
      slug: slug.describe("Address of the researcher below `/authors`."),
      affiliation: z.string().describe("The one reported most often; empty where none was reported."),
      sIndex: count.describe("Largest k such that k of the datasets have a total of at least k."),
      sIndexBasis,
      sImpact: count.describe(
        "Largest k such that k of the datasets have at least k citations; unknown ones do not count.",
      ),
      citedBasis: z
        .object({
          known: count.describe("Datasets whose citations are known."),
          datasets: count.describe("Datasets, also those without a total."),
        })
        .describe("The number of datasets whose citations are known: an S-Impact of 0 with none known says nothing."),
      datasetCount: count.describe("Datasets with a total, the versions of one counted once."),
      avgScore: percentage.describe("Mean total of the scored datasets."),
      ...besideMeans,
      maxScore: total.describe("Greatest total of the scored datasets."),
      shareScore: percentage.describe("Equal to `avgScore`."),
      identityBasis: z
        .enum(IDENTITY_BASES)
        .describe("The mark that tells this researcher from others; the strongest is an ORCID iD, the weakest a name."),
      orcid: z.string().nullable(),
    })
    .describe("One researcher with their indices."),
);
export type ResearcherRow = z.infer<typeof researcherRow>;
export type SIndexBasis = z.infer<typeof sIndexBasis>;
export const researcherList = listOf(researcherRow);
export const queriedResearcherList = named("ResearcherList", queriedListOf(researcherRow));

export const researcherDetail = named(
  "ResearcherDetail",
  researcherRow
    .extend({
      verified: z
        .boolean()
        .describe(
          "True where the researcher has claimed this page and the claim was approved. Claims belong to no release: its files always say false.",
        ),
      bucketMeans,
      quadrant: quadrant
        .nullable()
        .describe(
          "High sharing: an S-Index at or above the release's median. High impact: an S-Impact of at least 1. Null below three datasets, or where no citation figure is known; `/metrics/live` has the cut-offs.",
        ),
      tier: researcherTier
        .nullable()
        .describe(
          "A name for a range of S-Indices, from 50, 30, 15, 5 and 1 on; to be read with `sIndexBasis`, and null where that has no date.",
        ),
      datasets: z.array(recordRow).max(100).describe("The best hundred by total, one a version family."),
    })
    .describe("One researcher with their best datasets."),
);
export type ResearcherDetail = z.infer<typeof researcherDetail>;
