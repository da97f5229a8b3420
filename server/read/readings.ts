/** Reads records and metrics of a release as values, for the views of the site. The API responds with the same pages as bytes. */

import { readPage } from "../../api-static/pages/read-page.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import { type LiveMetrics, liveMetrics } from "../../schemas/public/api/metrics.ts";
import { type RecordDetail, recordDetail, recordId } from "../../schemas/public/api/record.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { type Standing, withoutHidden } from "../accounts/standings.ts";
import type { OpenRelease } from "./open-release.ts";
import { type FormerRecords, pageFromTables, storedPage, supersedingRecord } from "./page-by-query.ts";
import { requirePublished } from "./pages.ts";

const RECORD = routeNamed("record");
const METRICS = routeNamed("metrics");

/**
 * Returns a record without hidden creators, or the ID of the record that supersedes it.
 * @throws ProblemError `dataset-not-found`, or `rubric-not-published`; DatasetLeft if an earlier release has it
 */
export async function readRecord(
  id: string,
  version: PublicVersion,
  release: OpenRelease,
  standing: Standing,
  past: FormerRecords,
): Promise<RecordDetail | string> {
  requirePublished(release.receipt, RECORD, version);
  const page = recordId.safeParse(id).success ? storedPage(RECORD, release, id, version) : null;
  const superseding = page === null ? await supersedingRecord(id, release, past) : null;
  if (superseding !== null) return superseding;
  const record = await readPageContent(RECORD, page, release, id, version);
  // An earlier version of the program may have made the page, with fewer fields.
  return readPage(recordDetail, withoutHidden(record, standing));
}

/** The metrics of each release under each version. They are cached as values, because the page can be large. */
const METRICS_OF_RELEASE = new WeakMap<Receipt, Map<PublicVersion, LiveMetrics>>();

/**
 * Reads the metrics of a release under a version.
 * @throws ProblemError `rubric-not-published`
 */
export async function readMetrics(version: PublicVersion, release: OpenRelease): Promise<LiveMetrics> {
  requirePublished(release.receipt, METRICS, version);
  const known = METRICS_OF_RELEASE.get(release.receipt) ?? new Map<PublicVersion, LiveMetrics>();
  METRICS_OF_RELEASE.set(release.receipt, known);
  const before = known.get(version);
  if (before !== undefined) return before;
  const page = storedPage(METRICS, release, "", version);
  const metrics = readPage(liveMetrics, await readPageContent(METRICS, page, release, "", version));
  known.set(version, metrics);
  return metrics;
}

/** Returns the content of `page`. If there is no page, the content is made from the tables. */
async function readPageContent(
  route: Route,
  page: Uint8Array | null,
  release: OpenRelease,
  key: string,
  version: PublicVersion,
): Promise<unknown> {
  const bytes = page ?? (await pageFromTables(route.name, release, key, version));
  if (bytes === null)
    throw new Error(
      `release ${release.digest} lists ${key}, but has no rows of it; \`share-release release verify\` lists all damage`,
    );
  return JSON.parse(Buffer.from(bytes).toString("utf8"));
}
