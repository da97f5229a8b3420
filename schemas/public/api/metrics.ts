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
      "Observed use: under either version, the mean of the bucket R of SHARE 1.0 over the datasets with a total there, whether or not the release publishes 1.0. It is no part of the total of 2.0. It is 0 if no dataset has a total under 1.0.",
    ),
    meanReusability: bucketMean.nullable().describe("Mean of the bucket R of SHARE 2.0; null under 1.0."),
    ...besideMeans,
  };
}

function indicesAs<Mean extends z.ZodType, Max extends z.ZodType>(average: Mean, greatest: Max) {
  const of = "researchers known by a name alone are left out, and it is 0 if there are no others";
  return {
    meanSIndex: average.describe(`Mean S-Index; ${of}.`),
    maxSIndex: greatest.describe(`Greatest S-Index; ${of}.`),
  };
}

const totals = {
  totalRecords: count.describe("Records that are scored, have too little evidence for a total, or failed."),
  totalAuthors: count.describe("Researchers with a dataset that has a total."),
  repositoryCount: count.describe("Repository labels there are."),
};

const authorsByBasis = z
  .object({ orcid: count, name_affiliation: count, name: count })
  .describe(
    "Researchers by what tells them from others. A name alone is told apart within one dataset only, so that one person can be many of these.",
  );

/** Figures of the records of one label, or of one source under it. */
const labelled = {
  count: count.describe("Records."),
  scoredCount: count.describe("Those of them that have a total, and so are in the mean."),
  meanScore: percentage.nullable().describe("Mean total of the scored records; null if there are none."),
  ...besideMeans,
  totalDistribution,
};

const bySource = z
  .array(z.object({ source: z.string(), ...labelled }))
  .describe("The same by source: one repository is seen through several pledges, and so under several caps.");

const sampling = z
  .object({
    method: z
      .enum(["census", "as_harvested"])
      .describe(
        "`census`: every source is known to have given all it says it holds. `as_harvested`: every record that was harvested is counted, and that these are all is not known, or known to be untrue.",
      ),
    frame: z
      .string()
      .nullable()
      .describe(
        "The number of datasets that the figures are a sample of; null where a source does not say how much it holds.",
      ),
    fraction: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe("The share of the frame that was got, to four decimals, rounded down; null where that is not known."),
    bySource: z.array(
      z.object({
        source: z.string(),
        expected: count.nullable().describe("Records the source says it holds; null where it does not say."),
        got: count.nullable().describe("Records the last harvest of everything got."),
        complete: z.boolean().nullable().describe("Null where nothing is expected: nothing can be said then."),
      }),
    ),
  })
  .describe("The records that the figures are of.");

const quadrantCutOffs = z
  .object({
    sIndex: mean.nullable().describe("Median S-Index of the release; high sharing begins here."),
    sImpact: count.describe("High impact begins here."),
    leastDatasets: count.describe("Below so many datasets a researcher has no quadrant."),
  })
  .describe(
    "The bounds at which the quadrants of researchers begin. Researchers known by a name alone have no say in the median.",
  );

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
      quadrantCutOffs,
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
        .describe("The same of the repositories that have none; `meanScore` is null."),
      withoutRepository: z
        .object({ ...labelled, bySource })
        .describe("The same of records without a repository label; with those of all labels they are all records."),
      sampling,
      release: releaseExcerpt,
      _meta: meta,
    })
    .describe("Figures of the whole platform, from the active release."),
);
export type LiveMetrics = z.infer<typeof liveMetrics>;
/** The figures of one repository, whether or not it has a scored record. */
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
    .describe("The figures of one release, as they were when it was published."),
);
export type MetricsSnapshot = z.infer<typeof metricsSnapshot>;

/** A figure is null in the snapshot of a release that was built before snapshots had it as a number. */
export const metricsHistory = named(
  "MetricsHistory",
  z.array(metricsSnapshot).describe("Oldest first, the current release included."),
);
