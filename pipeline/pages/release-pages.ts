/**
 * Writes the pages about the release itself: first pages of lists, metrics, history, contracts, institutions and
 * countries.
 */

import { repositoryBadge } from "../../api-static/pages/badge.ts";
import { liveMetrics, metricsSnapshot } from "../../api-static/pages/metrics.ts";
import type { ExactMean } from "../../api-static/pages/numbers.ts";
import { listPage, pageText } from "../../api-static/pages/read-page.ts";
import type { MetricsData, RepositoryData, RepositorySourceData } from "../../api-static/pages/rows.ts";
import { buildRubricList, rubricDescriptor } from "../../api-static/pages/rubric.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { getPageFile, hasPage, type PageFile, type Route } from "../../api-static/routes/route.ts";
import type { LiveMetrics, MetricsSnapshot } from "../../schemas/public/api/metrics.ts";
import { DEFAULT_LIMITS } from "../../schemas/public/api/queries.ts";
import type { ReleaseExcerpt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { AGGREGATE_TABLES, type Table, TOTALS } from "../../schemas/public/tables.ts";
import type { Database } from "../engine/open.ts";
import { jsonDigest } from "../files/json-digest.ts";
import { computePlace, type PageAddress, pageAddress } from "../packs/format.ts";
import { publicContracts, readContracts } from "../rubrics/contracts.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { select, toRowObject } from "./columns.ts";
import type { PageSink } from "./keyed-pages.ts";
import {
  COUNTRY,
  INSTITUTION,
  LISTED_RECORD,
  LISTED_SCORE,
  listShownColumns,
  RESEARCHER,
  readCountryRow,
  readInstitutionRow,
  readRecordRow,
  readResearcherRow,
} from "./listings.ts";

/** Facts about the release that its pages show. */
export interface ReleaseFacts {
  readonly excerpts: readonly (readonly [PublicVersion, ReleaseExcerpt])[];
  readonly sampling: LiveMetrics["sampling"];
  readonly attribution: boolean;
  /** Metrics of earlier releases, oldest first; null if the release has no history. */
  readonly history: readonly MetricsSnapshot[] | null;
}

/** Writes all pages about the release itself. Returns the history, which ends with the metrics of this release. */
export async function writeReleasePages(db: Database, sink: PageSink, facts: ReleaseFacts): Promise<MetricsSnapshot[]> {
  const snapshots: MetricsSnapshot[] = [];
  for (const [version, excerpt] of facts.excerpts) {
    if (facts.attribution) await writePlaces(db, sink, version, excerpt);
    const metrics = await metricsPage(db, version, excerpt, facts.sampling);
    // Requests for a version without a scored record get a 409 (interface.md, "Errors").
    if (metrics === null) continue;
    await writeLists(db, sink, version, excerpt);
    sink.write(buildPageAddress("metrics", version), metrics.text);
    snapshots.push(metrics.snapshot);
  }
  const history = [...(facts.history ?? []), ...snapshots];
  if (facts.history !== null) {
    for (const [version] of facts.excerpts) {
      const page = historyPage(history, version);
      if (page !== null) sink.write(buildPageAddress("history", version), page);
    }
  }
  await writeRubrics(sink, db);
  return history;
}

function buildPageAddress(name: string, version: PublicVersion): PageAddress {
  const route = routeNamed(name);
  return pageAddress(route, getPageFile(route, version), "");
}

/**
 * Returns the addresses of two first pages of a list under one version: in the default order, and in the order that the
 * query parameter `sortBy` selects.
 */
function listFiles(
  name: string,
  version: PublicVersion,
): { readonly byDefault: PageAddress; readonly sorted: PageAddress } {
  const route: Route = routeNamed(name);
  const files = route.pages.filter((page) => page.version === version);
  const byDefault = files.find((page) => !page.query.includes("sortBy"));
  const sorted = files.find((page) => page.query.includes("sortBy"));
  if (byDefault === undefined || sorted === undefined)
    throw new Error(`the route ${name} needs one page with the query parameter sortBy and one without; report this`);
  const address = (file: PageFile) => pageAddress(route, file, "");
  return { byDefault: address(byDefault), sorted: address(sorted) };
}

async function writeLists(
  db: Database,
  sink: PageSink,
  version: PublicVersion,
  release: ReleaseExcerpt,
): Promise<void> {
  const records = listFiles("records", version);
  const total = await count(db, "record", "true");
  const orders = [
    [records.byDefault, "record.id"],
    [records.sorted, "score.total desc nulls last, record.id"],
  ] as const;
  for (const [file, order] of orders) {
    const rows = await all(
      db,
      `select ${select("record", LISTED_RECORD)}, ${select("score", LISTED_SCORE)}
       from record left join score on score.id = record.id and score.rubric = $version
       order by ${order} limit ${DEFAULT_LIMITS.records}`,
      { version },
    );
    const data = rows.map((row) => readRecordRow(row, version));
    sink.write(file, pageText(listPage(data, { total, page: 1, limit: DEFAULT_LIMITS.records }, release)));
  }
  const authors = listFiles("authors", version);
  const people = await count(db, "researcher", "rubric = $version", { version });
  for (const [file, order] of [
    [authors.byDefault, "name, id"],
    [authors.sorted, "s_index desc, id"],
  ] as const) {
    const rows = await all(
      db,
      `select ${RESEARCHER.join(", ")} from researcher where rubric = $version order by ${order} limit ${DEFAULT_LIMITS.authors}`,
      { version },
    );
    const data = rows.map((row) => readResearcherRow(row, version));
    sink.write(file, pageText(listPage(data, { total: people, page: 1, limit: DEFAULT_LIMITS.authors }, release)));
  }
}

async function writePlaces(
  db: Database,
  sink: PageSink,
  version: PublicVersion,
  release: ReleaseExcerpt,
): Promise<void> {
  const { countries } = await loadVocabularies();
  const institutions = await all(
    db,
    `select ${INSTITUTION.join(", ")} from institution where rubric = $version
     order by label, id limit ${DEFAULT_LIMITS.institutions}`,
    { version },
  );
  const texts = await count(db, "institution", "rubric = $version", { version });
  const institutionData = institutions.map(readInstitutionRow);
  sink.write(
    buildPageAddress("institutions", version),
    pageText(listPage(institutionData, { total: texts, page: 1, limit: DEFAULT_LIMITS.institutions }, release)),
  );
  const rows = await all(
    db,
    `select ${COUNTRY.join(", ")} from country where rubric = $version order by country_code limit ${DEFAULT_LIMITS.geography}`,
    { version },
  );
  const total = await count(db, "country", "rubric = $version", { version });
  const countryData = rows.map((row) => readCountryRow(row, countries));
  sink.write(
    buildPageAddress("geography", version),
    pageText(listPage(countryData, { total, page: 1, limit: DEFAULT_LIMITS.geography }, release)),
  );
}

export async function metricsPage(
  db: Database,
  version: PublicVersion,
  release: ReleaseExcerpt,
  sampling: LiveMetrics["sampling"],
): Promise<{ readonly text: string; readonly snapshot: MetricsSnapshot } | null> {
  const columns = listShownColumns<MetricsData>(AGGREGATE_TABLES.metrics.columns);
  const [row] = await all(db, `select ${columns.join(", ")} from metrics where rubric = $version`, { version });
  if (row === undefined) throw new Error(`the table metrics has no row for SHARE ${version}; report this`);
  const metrics = toRowObject<MetricsData>(columns, row);
  if (metrics.scored_records === 0) return null;
  const repositories = await rowsUnder<RepositoryData>(
    db,
    AGGREGATE_TABLES.repository,
    version,
    "record_count desc, repository",
  );
  const repositorySources = await rowsUnder<RepositorySourceData>(
    db,
    AGGREGATE_TABLES.repository_source,
    version,
    "repository, record_count desc, source",
  );
  return {
    text: pageText(liveMetrics({ metrics, repositories, repositorySources }, version, release, sampling)),
    snapshot: metricsSnapshot(metrics, version, release),
  };
}

async function rowsUnder<T>(db: Database, table: Table, version: PublicVersion, order: string): Promise<T[]> {
  const columns = listShownColumns<T>(table.columns);
  const sql = `select ${columns.join(", ")} from ${table.name} where rubric = $version order by ${order}`;
  return (await all(db, sql, { version })).map((row) => toRowObject<T>(columns, row));
}

/** Returns the history page of one version, oldest release first; null if the history is empty. */
export function historyPage(history: readonly MetricsSnapshot[], version: PublicVersion): string | null {
  const snapshots = history.filter((snapshot) => snapshot.rubric === version);
  return snapshots.length === 0 ? null : pageText(snapshots);
}

/** Returns the page that lists the public versions, each with its number of scored records. */
export async function rubricListPage(db: Database): Promise<string> {
  const scored = new Map<string, number>();
  for (const [rubric, records] of await all(db, "select rubric, scored_records from metrics order by rubric")) {
    if (typeof rubric === "string" && typeof records === "number") scored.set(rubric, records);
  }
  const versions = (await publicContracts()).map((entry) => ({ ...entry, digest: jsonDigest(entry.contract) }));
  return pageText(buildRubricList(versions, scored));
}

/**
 * Returns a page for each contract, by the identifier of the contract. Public versions are keys too, for the contract
 * of that version.
 */
export async function rubricPages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  for (const contract of (await readContracts()).values()) {
    const text = pageText(rubricDescriptor(contract, jsonDigest(contract)));
    pages.set(contract.contract, text);
    if (contract.publicVersion !== null) pages.set(contract.publicVersion, text);
  }
  return pages;
}

async function writeRubrics(sink: PageSink, db: Database): Promise<void> {
  const list = routeNamed("rubrics");
  const one = routeNamed("rubric");
  sink.write(pageAddress(list, getPageFile(list, null), ""), await rubricListPage(db));
  for (const [name, text] of await rubricPages()) sink.write(pageAddress(one, getPageFile(one, null), name), text);
}

async function all(db: Database, sql: string, parameters: Record<string, string> = {}) {
  const rows = [];
  for await (const batch of db.stream(sql, parameters)) rows.push(...batch);
  return rows;
}

async function count(
  db: Database,
  table: string,
  where: string,
  parameters: Record<string, string> = {},
): Promise<number> {
  const [row] = await all(db, `select cast(count(*) as integer) from ${table} where ${where}`, parameters);
  return Number(row?.[0] ?? 0);
}

export interface ExactRepositoryFigures {
  readonly repository: string;
  /** The average score; null if no record is scored. */
  readonly mean: ExactMean | null;
  readonly cap: ExactMean | null;
}

const SUM = TOTALS.map((name) => `${name.slice(1)} * repository.${name}`).join(" + ");

/**
 * SQL of the rows for {@link readRepositoryFigures}, with the parameter `version`. The average of the possible points
 * (`mean_cap`) of a source is a whole number, because all its records have the same possible points.
 */
export const REPOSITORY_FIGURES = `
  select repository.repository, cast(${SUM} as integer) as sum, cast(repository.scored_count as integer) as count,
    (select cast(sum(source.mean_cap * source.scored_count) as integer) from repository_source as source
     where source.rubric = repository.rubric and source.repository = repository.repository) as cap
  from repository where repository.rubric = $version`;

export function readRepositoryFigures(row: readonly unknown[]): ExactRepositoryFigures {
  const [repository, sum, count, cap] = row;
  const scored = typeof sum === "number" && typeof count === "number" && count > 0;
  return {
    repository: String(repository),
    mean: scored ? { sum, count } : null,
    cap: scored && typeof cap === "number" ? { sum: cap, count } : null,
  };
}

/**
 * Writes the badge of each repository whose name can be the key of a page. For other names, the server computes the
 * response.
 */
export async function writeRepositoryPages(
  db: Database,
  sink: PageSink,
  versions: readonly PublicVersion[],
): Promise<void> {
  const route: Route = routeNamed("repository-badge");
  const file = route.pages.find(({ version }) => version !== null && versions.includes(version));
  if (file === undefined) return;
  const rows = await db.rows(REPOSITORY_FIGURES, { version: file.version });
  const badges = rows.flatMap(({ repository: label, sum, count, cap: caps }) => {
    const { repository, mean, cap } = readRepositoryFigures([label, sum, count, caps]);
    return hasPage(repository) ? [{ repository, text: repositoryBadge(mean, cap) }] : [];
  });
  badges.sort((one, other) => computePlace(one.repository).compare(computePlace(other.repository)));
  for (const { repository, text } of badges) sink.write(pageAddress(route, file, repository), text);
}
