/** Pages of platform figures: live metrics and their history. */

import type { LiveMetrics, MetricsSnapshot } from "../../schemas/public/api/metrics.ts";
import type { Receipt, ReleaseExcerpt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { besideMeansOf, distributionOf, meanOf, totalsOf } from "./numbers.ts";
import type { MetricsData, RepositoryData, RepositorySourceData } from "./rows.ts";

/** Rows of live metrics under one version; repositories in their order. */
export interface MetricsRows {
  readonly metrics: MetricsData;
  readonly repositories: readonly RepositoryData[];
  readonly repositorySources: readonly RepositorySourceData[];
}

/** A researcher is of high impact from here (4-aggregate/20-indices.sql), and has no quadrant below so many datasets. */
const HIGH_IMPACT = 1;
const LEAST_DATASETS = 3;

export function liveMetrics(
  { metrics: row, repositories, repositorySources }: MetricsRows,
  version: PublicVersion,
  release: ReleaseExcerpt,
  sampling: LiveMetrics["sampling"],
): LiveMetrics {
  const bySource = Map.groupBy(repositorySources, ({ repository }) => repository);
  const labelled = (repository: RepositoryData) => ({
    ...figuresOf(repository),
    bySource: (bySource.get(repository.repository) ?? []).map((entry) => ({
      source: entry.source,
      ...figuresOf(entry),
    })),
  });
  return {
    totalRecords: row.total_records,
    totalAuthors: row.total_authors,
    repositoryCount: row.repository_count,
    ...meansOf(row, version),
    medianShareScore: meanOf(row.median_score),
    pctAbove70: meanOf(row.pct_above_70),
    meanSIndex: meanOf(row.mean_s_index),
    maxSIndex: row.max_s_index,
    authorsByBasis: authorsByBasisOf(row),
    quadrantCutOffs: { sIndex: meanOf(row.s_index_median), sImpact: HIGH_IMPACT, leastDatasets: LEAST_DATASETS },
    scoreDistribution: distributionOf(row),
    totalDistribution: totalsOf(row),
    repositoryBreakdown: repositories
      .filter(({ repository }) => repository !== UNLABELLED)
      .map((repository) => ({ repository: repository.repository, ...labelled(repository) })),
    withoutRepository: labelled(repositories.find(({ repository }) => repository === UNLABELLED) ?? NO_RECORDS),
    // interface.md allows sampling, this service counts every record it has; whether those are all is another matter.
    sampling,
    release,
    _meta: {
      scoreRelease: { scoreReleaseVersion: release.scoreReleaseVersion, releaseDigest: release.releaseDigest },
    },
  };
}

const UNLABELLED = "";
const NO_RECORDS: RepositoryData = {
  repository: UNLABELLED,
  record_count: 0,
  scored_count: 0,
  mean_score: null,
  mean_cap: null,
  passed_of_evaluable: null,
};

function figuresOf(row: RepositoryData) {
  return {
    count: row.record_count,
    scoredCount: row.scored_count,
    meanScore: meanOf(row.mean_score),
    ...besideMeansOf(row),
    totalDistribution: totalsOf(row),
  };
}

function authorsByBasisOf(row: MetricsData) {
  return { orcid: row.authors_orcid, name_affiliation: row.authors_name_affiliation, name: row.authors_name };
}

/** meanReuse is observed use under either version; only 2.0 has a reusability bucket (decisions.md, "Rows"). */
function meansOf(row: MetricsData, version: PublicVersion) {
  return {
    meanShareScore: meanOf(row.mean_score),
    meanStewardship: meanOf(row.mean_s),
    meanHarmonization: meanOf(row.mean_h),
    meanAccess: meanOf(row.mean_a),
    meanEngagement: meanOf(row.mean_e),
    meanReuse: meanOf(row.mean_observed_use),
    meanReusability: version === "2.0" ? meanOf(row.mean_r) : null,
    ...besideMeansOf(row),
  };
}

/** The part of a release's metrics that history keeps. */
export function metricsSnapshot(
  row: MetricsData,
  version: PublicVersion,
  release: Pick<Receipt, "scoreReleaseVersion" | "releaseDigest" | "publishedAt">,
): MetricsSnapshot {
  return {
    scoreReleaseVersion: release.scoreReleaseVersion,
    releaseDigest: release.releaseDigest,
    publishedAt: release.publishedAt,
    rubric: version,
    totalRecords: row.total_records,
    totalAuthors: row.total_authors,
    repositoryCount: row.repository_count,
    ...meansOf(row, version),
    meanSIndex: meanOf(row.mean_s_index),
    maxSIndex: row.max_s_index,
    authorsByBasis: authorsByBasisOf(row),
    scoreDistribution: distributionOf(row),
    totalDistribution: totalsOf(row),
  };
}
