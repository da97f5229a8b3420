/** Researchers as the API shows them. */

import { z } from "zod";
import { named } from "../named.ts";
import { publicVersion } from "../rubric.ts";
import { isoDate } from "../scalars.ts";
import { besideMeans, bucketMeans, count, defineList, defineQueriedList, percentage, total } from "./common.ts";
import { recordRow } from "./record.ts";

export const IDENTITY_BASES = ["orcid", "name_affiliation", "name"] as const;
export const slug = z.string().regex(/^[A-Za-z0-9._~-]{1,160}$/);

/** The numbers that accompany every S-Index. */
export const sIndexBasis = z
  .object({
    datasets: count.describe(
      "Datasets with a total; versions of one dataset count once. The S-Index cannot exceed this number.",
    ),
    rubric: publicVersion,
    date: isoDate
      .nullable()
      .describe("The newest retrieval date of the datasets; if unknown, their newest modification date."),
    median: z
      .number()
      .min(0)
      .nullable()
      .describe(
        "Median S-Index of the researchers of the release whom an ORCID iD or an affiliation identifies, not a name alone.",
      ),
    cap: percentage.nullable().describe("Mean cap of these datasets."),
  })
  .describe("The basis of the S-Index, to read with it.");

export const researcherRow = named(
  "ResearcherRow",
  z
    .object({
      id: z.string().regex(/^a[0-9a-f]{24}$/),
      name: z.string(),
      slug: slug.describe("Slug of the researcher in `/authors/{slug}`."),
      affiliation: z.string().describe("The most frequent one; empty if none was reported."),
      sIndex: count.describe("Largest k such that k of the datasets have a total of at least k."),
      sIndexBasis,
      sImpact: count.describe("Largest k such that k of the datasets have at least k known citations."),
      citedBasis: z
        .object({
          known: count.describe("Datasets with known citations."),
          datasets: count.describe("All datasets, with or without a total."),
        })
        .describe("The number of datasets with known citations. If it is 0, an S-Impact of 0 means unknown."),
      datasetCount: count.describe("Datasets with a total; versions of one dataset count once."),
      avgScore: percentage.describe("Mean total of the scored datasets."),
      ...besideMeans,
      maxScore: total.describe("Greatest total of the scored datasets."),
      shareScore: percentage.describe("Equal to `avgScore`."),
      identityBasis: z
        .enum(IDENTITY_BASES)
        .describe("The basis of the identity, from strongest to weakest: ORCID iD, name and affiliation, name."),
      orcid: z.string().nullable(),
    })
    .describe("One researcher with their indices."),
);
export type ResearcherRow = z.infer<typeof researcherRow>;
export type SIndexBasis = z.infer<typeof sIndexBasis>;
export const researcherList = defineList(researcherRow);
export const queriedResearcherList = named("ResearcherList", defineQueriedList(researcherRow));

export const researcherDetail = named(
  "ResearcherDetail",
  researcherRow
    .extend({
      verified: z
        .boolean()
        .describe(
          "True if the researcher has an approved claim. Claims are not part of releases, so their files always have false.",
        ),
      bucketMeans,
      datasets: z
        .array(recordRow)
        .max(100)
        .describe("The 100 datasets with the highest totals, one for each version family."),
    })
    .describe("One researcher with their datasets."),
);
export type ResearcherDetail = z.infer<typeof researcherDetail>;
