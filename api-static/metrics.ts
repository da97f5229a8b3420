/** Pages of platform figures: live metrics and their history. */

import type { LiveMetrics, MetricsSnapshot } from "../schemas/api/metrics.ts";
import type { Receipt, ReleaseExcerpt } from "../schemas/release.ts";
import type { PublicVersion } from "../schemas/rubric.ts";
import { distributionOf, meanOf } from "./numbers.ts";
import type { MetricsData, RepositoryData } from "./rows.ts";

export function liveMetrics(
  row: MetricsData,
  repositories: readonly RepositoryData[],
  version: PublicVersion,
  release: ReleaseExcerpt,
): LiveMetrics {
  return {
    totalRecords: row.total_records,
    totalAuthors: row.total_authors,
    repositoryCount: row.repository_count,
    ...meansOf(row, version),
    medianShareScore: meanOf(row.median_score),
    pctAbove70: meanOf(row.pct_above_70),
    meanSIndex: meanOf(row.mean_s_index),
    maxSIndex: row.max_s_index,
    scoreDistribution: distributionOf(row),
    repositoryBreakdown: repositories.map((repository) => ({
      repository: repository.repository,
      count: repository.record_count,
      meanScore: meanOf(repository.mean_score),
    })),
    // Every record is counted: interface.md allows sampling, this service does none.
    sampling: { method: "census", fraction: 1 },
    release,
    _meta: {
      scoreRelease: { scoreReleaseVersion: release.scoreReleaseVersion, releaseDigest: release.releaseDigest },
    },
  };
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
  };
}

/** What history keeps of a release's metrics. */
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
    scoreDistribution: distributionOf(row),
  };
}
