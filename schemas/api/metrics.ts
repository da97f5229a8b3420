/** Platform metrics as the API shows them. */

import { z } from "zod";
import { instant } from "../envelope.ts";
import { digest, releaseExcerpt } from "../release.ts";
import { publicVersion } from "../rubric.ts";
import { count, meta, percentage, scoreDistribution } from "./common.ts";

const mean = z.number().min(0);
const bucketMean = z.number().min(0).max(20).nullable();

const means = {
  meanShareScore: percentage.nullable().describe("Mean total of the scored records."),
  meanStewardship: bucketMean.describe("Mean of the bucket S."),
  meanHarmonization: bucketMean.describe("Mean of the bucket H."),
  meanAccess: bucketMean.describe("Mean of the bucket A."),
  meanEngagement: bucketMean.describe("Mean of the bucket E."),
  meanReuse: bucketMean.describe(
    "Observed use: the mean bucket R of SHARE 1.0, under either version, reported apart from the total of 2.0.",
  ),
  meanReusability: bucketMean.describe("Mean of the bucket R of SHARE 2.0; null under 1.0."),
};

const indices = {
  meanSIndex: mean.nullable().describe("Mean S-Index; researchers known by a name alone are left out."),
  maxSIndex: count.nullable().describe("Greatest S-Index; researchers known by a name alone are left out."),
};

const totals = {
  totalRecords: count.describe("Scored and failed records."),
  totalAuthors: count.describe("Researchers."),
  repositoryCount: count,
};

export const liveMetrics = z
  .object({
    ...totals,
    ...means,
    medianShareScore: percentage.nullable().describe("Median total of the scored records."),
    pctAbove70: percentage.nullable().describe("Percentage, 0 to 100, of scored records with a total of 70 or more."),
    ...indices,
    scoreDistribution,
    repositoryBreakdown: z
      .array(z.object({ repository: z.string(), count, meanScore: percentage.nullable() }))
      .describe("Records and mean total of each repository."),
    sampling: z
      .object({ method: z.literal("census"), fraction: z.literal(1) })
      .describe("Which records the figures are of: all of them."),
    release: releaseExcerpt,
    _meta: meta,
  })
  .describe("Figures of the whole platform, from the active release.");
export type LiveMetrics = z.infer<typeof liveMetrics>;

export const metricsSnapshot = z
  .object({
    scoreReleaseVersion: z.string(),
    releaseDigest: digest,
    publishedAt: instant,
    rubric: publicVersion,
    ...totals,
    ...means,
    ...indices,
    scoreDistribution,
  })
  .describe("The figures of one release, as they were when it was published.");
export type MetricsSnapshot = z.infer<typeof metricsSnapshot>;

export const metricsHistory = z.array(metricsSnapshot).describe("Oldest first, the current release included.");
