/** Platform metrics as the API shows them. */

import { z } from "zod";
import { instant } from "../envelope.ts";
import { digest, releaseExcerpt } from "../release.ts";
import { publicVersion } from "../rubric.ts";
import { count, meta, percentage, scoreDistribution } from "./common.ts";

const mean = z.number().min(0);
const bucketMean = z.number().min(0).max(20).nullable();

const means = {
  meanShareScore: percentage.nullable(),
  meanStewardship: bucketMean,
  meanHarmonization: bucketMean,
  meanAccess: bucketMean,
  meanEngagement: bucketMean,
  /** Observed use: the mean R bucket of 1.0, under either version reported apart from the 2.0 total. */
  meanReuse: bucketMean,
  /** The mean R bucket of 2.0; null under 1.0. */
  meanReusability: bucketMean,
};

const indices = { meanSIndex: mean.nullable(), maxSIndex: count.nullable() };

export const liveMetrics = z.object({
  totalRecords: count,
  totalAuthors: count,
  repositoryCount: count,
  ...means,
  medianShareScore: percentage.nullable(),
  pctAbove70: percentage.nullable(),
  ...indices,
  scoreDistribution,
  repositoryBreakdown: z.array(z.object({ repository: z.string(), count, meanScore: percentage.nullable() })),
  sampling: z.object({ method: z.literal("census"), fraction: z.literal(1) }),
  release: releaseExcerpt,
  _meta: meta,
});
export type LiveMetrics = z.infer<typeof liveMetrics>;

export const metricsSnapshot = z.object({
  scoreReleaseVersion: z.string(),
  releaseDigest: digest,
  publishedAt: instant,
  rubric: publicVersion,
  totalRecords: count,
  totalAuthors: count,
  repositoryCount: count,
  ...means,
  ...indices,
  scoreDistribution,
});
export type MetricsSnapshot = z.infer<typeof metricsSnapshot>;

/** Oldest first, the current release included. */
export const metricsHistory = z.array(metricsSnapshot);
