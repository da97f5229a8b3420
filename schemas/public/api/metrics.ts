/** Platform metrics as the API shows them. */

import { z } from "zod";
import { named } from "../named.ts";
import { digest, releaseExcerpt } from "../release.ts";
import { publicVersion } from "../rubric.ts";
import { instant } from "../scalars.ts";
import { besideMeans, count, meta, percentage, scoreDistribution, totalDistribution } from "./common.ts";

const mean = z.number().min(0);
const bucketMean = z.number().min(0).max(20);

function meansAs<Total extends z.ZodType, Bucket extends z.ZodType>(total: Total, bucket: Bucket) {
  return {
    meanShareScore: total.describe("Mean total of the scored records."),
    meanStewardship: bucket.describe("Mean of the bucket S."),
    meanHarmonization: bucket.describe("Mean of the bucket H."),
    meanAccess: bucket.describe("Mean of the bucket A."),
    meanEngagement: bucket.describe("Mean of the bucket E."),
    meanReuse: bucket.describe(
      "Observed use: for both versions, the mean of the bucket R of SHARE 1.0 over the datasets with a total under 1.0, even if the release does not publish 1.0. It is not part of the total of 2.0. It is 0 if no dataset has a total under 1.0.",
    ),
    meanReusability: bucketMean.nullable().describe("Mean of the bucket R of SHARE 2.0; null under 1.0."),
    ...besideMeans,
  };
}

function indicesAs<Mean extends z.ZodType, Max extends z.ZodType>(average: Mean, greatest: Max) {
  const of = "it excludes researchers known only by name, and is 0 without others";
  return {
    meanSIndex: average.describe(`Mean S-Index; ${of}.`),
    maxSIndex: greatest.describe(`Greatest S-Index; ${of}.`),
  };
}

const totals = {
  totalRecords: count.describe("Records that are scored, have too little evidence for a total, or failed."),
  totalAuthors: count.describe("Researchers with a dataset that has a total."),
  repositoryCount: count.describe("Number of repository labels."),
};

const authorsByBasis = z
  .object({ orcid: count, name_affiliation: count, name: count })
  .describe(
    "Researchers by the basis of their identity. A name alone identifies a person only within one dataset, so one person can count several times.",
  );

/** Metrics of the records with one label of a repository, or of those among them that come from one source. */
const labelled = {
  count: count.describe("Records."),
  scoredCount: count.describe("Records with a total; the mean is over these."),
  meanScore: percentage.nullable().describe("Mean total of the scored records; null if there are none."),
  ...besideMeans,
  totalDistribution,
};

const bySource = z
  .array(z.object({ source: z.string(), ...labelled }))
  .describe("The same by source, because each source has its own cap.");

const sampling = z
  .object({
    method: z
      .enum(["census", "as_harvested"])
      .describe(
        "`census`: every source is known to be complete. `as_harvested`: all harvested records count, but some source is incomplete or unknown.",
      ),
    frame: z
      .string()
      .nullable()
      .describe(
        "The datasets that a complete harvest would contain, in words; null if a source does not report their number.",
      ),
    fraction: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe("Harvested share of these datasets, rounded down to four decimals; null if unknown."),
    bySource: z.array(
      z.object({
        source: z.string(),
        expected: count.nullable().describe("Records that the source reports; null if it does not."),
        got: count.nullable().describe("Records of the last full harvest."),
        complete: z.boolean().nullable().describe("Null if the expected number is unknown."),
      }),
    ),
  })
  .describe("The basis of the metrics.");

export const liveMetrics = named(
  "LiveMetrics",
  z
    .object({
      ...totals,
      ...meansAs(percentage, bucketMean),
      medianShareScore: percentage.describe("Median total of the scored records."),
      pctAbove70: percentage.describe("Percentage, 0 to 100, of scored records with a total of 70 or more."),
      ...indicesAs(mean, count),
      authorsByBasis,
      scoreDistribution,
      totalDistribution,
      repositoryBreakdown: z
        .array(
          z.object({
            repository: z.string(),
            ...labelled,
            meanScore: percentage.describe("Mean total of the scored records."),
            bySource,
          }),
        )
        .describe("Records and mean total of each repository that has a scored record."),
      unscoredRepositories: z
        .array(z.object({ repository: z.string(), ...labelled, bySource }))
        .describe("Repositories without a scored record; `meanScore` is null."),
      withoutRepository: z
        .object({ ...labelled, bySource })
        .describe("Records without a repository label. With all repositories, these are all records."),
      sampling,
      release: releaseExcerpt,
      _meta: meta,
    })
    .describe("Metrics of the active release."),
);
export type LiveMetrics = z.infer<typeof liveMetrics>;
export type RepositoryFigures = LiveMetrics["unscoredRepositories"][number];

export const metricsSnapshot = named(
  "MetricsSnapshot",
  z
    .object({
      scoreReleaseVersion: z.string(),
      releaseDigest: digest,
      publishedAt: instant,
      rubric: publicVersion,
      ...totals,
      ...meansAs(percentage.nullable(), bucketMean.nullable()),
      meanCap: besideMeans.meanCap.default(null),
      passedOfEvaluable: besideMeans.passedOfEvaluable.default(null),
      ...indicesAs(mean.nullable(), count.nullable()),
      authorsByBasis: authorsByBasis.nullable().default(null),
      scoreDistribution,
      totalDistribution: totalDistribution.nullable().default(null),
    })
    .describe("Metrics of one release, as published."),
);
export type MetricsSnapshot = z.infer<typeof metricsSnapshot>;

/** Metrics of earlier releases. Numbers that an old release did not have are null. */
export const metricsHistory = named(
  "MetricsHistory",
  z.array(metricsSnapshot).describe("Oldest first, including the current release."),
);
