/** Pages of metrics: live metrics and history. */

import type { LiveMetrics, MetricsSnapshot } from "../../schemas/public/api/metrics.ts";
import type { Coverage, Receipt, ReleaseExcerpt, RubricReceipt, SourceReceipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { getNumbersBesideMean, readDistribution, readMean, readTotals, requireMean } from "./numbers.ts";
import type { MetricsData, RepositoryData, RepositorySourceData } from "./rows.ts";

/** Table rows of the live metrics under one version. */
export interface MetricsRows {
  readonly metrics: MetricsData;
  readonly repositories: readonly RepositoryData[];
  readonly repositorySources: readonly RepositorySourceData[];
}

/** Returns the page of live metrics. @throws Error if no record has a total under the version */
export function liveMetrics(
  { metrics: row, repositories, repositorySources }: MetricsRows,
  version: PublicVersion,
  release: ReleaseExcerpt,
  sampling: LiveMetrics["sampling"],
): LiveMetrics {
  const bySource = Map.groupBy(repositorySources, ({ repository }) => repository);
  const labelled = (repository: RepositoryData) => ({
    ...buildFigures(repository),
    bySource: (bySource.get(repository.repository) ?? []).map((entry) => ({
      source: entry.source,
      ...buildFigures(entry),
    })),
  });
  const named = repositories
    .filter(({ repository }) => repository !== UNLABELLED)
    .map((repository) => ({ repository: repository.repository, ...labelled(repository) }));
  return {
    totalRecords: row.total_records,
    totalAuthors: row.total_authors,
    repositoryCount: row.repository_count,
    ...readMeans(row, version),
    medianShareScore: requireMean(row.median_score),
    pctAbove70: requireMean(row.pct_above_70),
    ...readIndices(row),
    authorsByBasis: countAuthorsByBasis(row),
    scoreDistribution: readDistribution(row),
    totalDistribution: readTotals(row),
    repositoryBreakdown: named.flatMap(({ meanScore, ...rest }) =>
      meanScore === null ? [] : [{ ...rest, meanScore }],
    ),
    unscoredRepositories: named.filter(({ meanScore }) => meanScore === null),
    withoutRepository: labelled(repositories.find(({ repository }) => repository === UNLABELLED) ?? NO_RECORDS),
    // interface.md allows samples. This service counts all records it has; `sampling` states if these are all of the
    // source.
    sampling,
    release,
    _meta: {
      scoreRelease: { scoreReleaseVersion: release.scoreReleaseVersion, releaseDigest: release.releaseDigest },
    },
  };
}

/** Returns the metrics of every repository, whether or not it has a scored record. */
export function listRepositories({ repositoryBreakdown, unscoredRepositories }: LiveMetrics) {
  return [...repositoryBreakdown, ...unscoredRepositories];
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

function buildFigures(row: RepositoryData) {
  return {
    count: row.record_count,
    scoredCount: row.scored_count,
    meanScore: readMean(row.mean_score),
    ...getNumbersBesideMean(row),
    totalDistribution: readTotals(row),
  };
}

function countAuthorsByBasis(row: MetricsData) {
  return { orcid: row.authors_orcid, name_affiliation: row.authors_name_affiliation, name: row.authors_name };
}

/**
 * Returns the means of a row. Under every version, `meanReuse` is the mean of the observed use. The tables have null for
 * this mean if no dataset has a total under 1.0, but interface.md requires a number, so it becomes 0. Only 2.0 has a
 * reusability bucket (decisions.md, "Rows").
 */
function readMeans(row: MetricsData, version: PublicVersion) {
  return {
    meanShareScore: requireMean(row.mean_score),
    meanStewardship: requireMean(row.mean_s),
    meanHarmonization: requireMean(row.mean_h),
    meanAccess: requireMean(row.mean_a),
    meanEngagement: requireMean(row.mean_e),
    meanReuse: readMean(row.mean_observed_use) ?? 0,
    meanReusability: version === "2.0" ? readMean(row.mean_r) : null,
    ...getNumbersBesideMean(row),
  };
}

/**
 * Returns mean and maximum of the S-Index. The tables have null if there are no researchers, but interface.md requires
 * numbers, so null becomes 0.
 */
function readIndices(row: MetricsData) {
  return { meanSIndex: readMean(row.mean_s_index) ?? 0, maxSIndex: row.max_s_index ?? 0 };
}

/** Returns the metrics of a release for its history. @throws Error if no record has a total under the version */
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
    ...readMeans(row, version),
    ...readIndices(row),
    authorsByBasis: countAuthorsByBasis(row),
    scoreDistribution: readDistribution(row),
    totalDistribution: readTotals(row),
  };
}

/**
 * Returns the coverage under one version. Versions differ only in the number of records with too little evidence for a total.
 */
export function coverageUnder(coverage: Coverage, { insufficient }: Pick<RubricReceipt, "insufficient">): Coverage {
  return { ...coverage, insufficient, scored: coverage.scored + coverage.insufficient - insufficient };
}

type Sampling = LiveMetrics["sampling"];

const FRAME = "every record that the sources say they hold";
const FRAME_OF_PARTS = "every record that the sources say they hold in the harvested parts";

/**
 * Returns how complete the harvest of each source was. A source without harvested records is included if the source states
 * that it has records.
 */
export function buildSampling(
  sources: readonly Pick<SourceReceipt, "source" | "coverage" | "completeness" | "scopes">[],
): Sampling {
  const bySource = sources
    .filter(({ coverage, completeness }) => coverage.harvested > 0 || (completeness?.expected ?? 0) > 0)
    .map(({ source, completeness }) => ({
      source,
      expected: completeness?.expected ?? null,
      got: completeness?.got ?? null,
      complete: completeness?.complete ?? null,
    }));
  const isPart = sources.some(({ scopes = [] }) => scopes.some(({ only }) => only !== null));
  const frame = isPart ? FRAME_OF_PARTS : FRAME;
  const census = bySource.length > 0 && bySource.every(({ complete }) => complete === true);
  return {
    method: census ? "census" : "as_harvested",
    frame: bySource.length > 0 && bySource.every(({ expected }) => expected !== null) ? frame : null,
    fraction: computeFraction(bySource),
    bySource,
  };
}

/**
 * Returns how many of the expected records were received, as a fraction rounded down to four decimals, so that 1 means
 * complete. Null if the expected number is unknown.
 */
function computeFraction(sources: Sampling["bySource"]): number | null {
  let [got, expected] = [0, 0];
  for (const source of sources) {
    if (source.expected === null || source.got === null) return null;
    got += Math.min(source.got, source.expected);
    expected += source.expected;
  }
  return expected === 0 ? null : Math.floor((10_000 * got) / expected) / 10_000;
}
