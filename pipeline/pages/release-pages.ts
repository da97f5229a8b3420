/** Pages that name the release: first pages of lists, metrics, history, rubrics, institutions, geography. */

import { listPage } from "../../api-static/list.ts";
import { liveMetrics, metricsSnapshot } from "../../api-static/metrics.ts";
import { pageText } from "../../api-static/page.ts";
import { countryRow, institutionRow } from "../../api-static/place.ts";
import { recordRow } from "../../api-static/record.ts";
import { researcherRow } from "../../api-static/researcher.ts";
import { type PageFile, pageOf, pagePath, type Route } from "../../api-static/route.ts";
import { routeNamed } from "../../api-static/routes.ts";
import type {
  CountryData,
  InstitutionData,
  ListedRecord,
  ListedScore,
  MetricsData,
  RepositoryData,
  ResearcherData,
} from "../../api-static/rows.ts";
import { rubricDescriptor, rubricListOf } from "../../api-static/rubric.ts";
import type { MetricsSnapshot } from "../../schemas/api/metrics.ts";
import { DEFAULT_LIMITS } from "../../schemas/api/queries.ts";
import type { ReleaseExcerpt } from "../../schemas/release.ts";
import type { PublicVersion } from "../../schemas/rubric.ts";
import { AGGREGATE_TABLES } from "../../schemas/tables.ts";
import type { Database } from "../duckdb/open.ts";
import { contractDigest, publicContracts, readContracts } from "../rubrics.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { objectOf, select } from "./columns.ts";
import type { PageSink } from "./page-sink.ts";
import { LISTED_RECORD, LISTED_SCORE, RESEARCHER } from "./researcher-pages.ts";

/** What these pages say of the release they are part of, by public version. */
export interface ReleaseFacts {
  readonly excerpts: readonly (readonly [PublicVersion, ReleaseExcerpt])[];
  readonly attribution: boolean;
  /** Snapshots of earlier releases, oldest first; null where the release has no history. */
  readonly history: readonly MetricsSnapshot[] | null;
}

/** Writes them all; gives back the history with this release's snapshots at its end. */
export async function writeReleasePages(db: Database, sink: PageSink, facts: ReleaseFacts): Promise<MetricsSnapshot[]> {
  const snapshots: MetricsSnapshot[] = [];
  for (const [version, excerpt] of facts.excerpts) {
    await writeLists(db, sink, version, excerpt);
    if (facts.attribution) await writePlaces(db, sink, version, excerpt);
    snapshots.push(await writeMetrics(db, sink, version, excerpt));
  }
  const history = [...(facts.history ?? []), ...snapshots];
  if (facts.history !== null) {
    for (const [version] of facts.excerpts) {
      const page = history.filter((snapshot) => snapshot.rubric === version);
      sink.write(fileOf("history", version), pageText(page));
    }
  }
  await writeRubrics(sink, db);
  return history;
}

function fileOf(name: string, version: PublicVersion): string {
  const route = routeNamed(name);
  return pagePath(route, pageOf(route, version));
}

/** The pages of a list under one version: the default order, and the order its canonical query names. */
function listFiles(name: string, version: PublicVersion): { readonly byDefault: PageFile; readonly sorted: PageFile } {
  const route: Route = routeNamed(name);
  const files = route.pages.filter((page) => page.version === version);
  const byDefault = files.find((page) => !page.query.includes("sortBy"));
  const sorted = files.find((page) => page.query.includes("sortBy"));
  if (byDefault === undefined || sorted === undefined) throw new Error(`route ${name} has no two orders`);
  return { byDefault, sorted };
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
    const data = rows.map((row) => {
      const score =
        row[LISTED_RECORD.length] === null ? null : objectOf<ListedScore>(LISTED_SCORE, row, LISTED_RECORD.length);
      return recordRow(objectOf<ListedRecord>(LISTED_RECORD, row), score, version);
    });
    sink.write(file.path, pageText(listPage(data, { total, page: 1, limit: DEFAULT_LIMITS.records }, release)));
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
    const data = rows.map((row) => researcherRow(objectOf<ResearcherData>(RESEARCHER, row)));
    sink.write(file.path, pageText(listPage(data, { total: people, page: 1, limit: DEFAULT_LIMITS.authors }, release)));
  }
}

async function writePlaces(
  db: Database,
  sink: PageSink,
  version: PublicVersion,
  release: ReleaseExcerpt,
): Promise<void> {
  const { countries } = await loadVocabularies();
  const institutionColumns = columnsOf<InstitutionData>(AGGREGATE_TABLES.institution.columns);
  const institutions = await all(
    db,
    `select ${institutionColumns.join(", ")} from institution where rubric = $version
     order by label, id limit ${DEFAULT_LIMITS.institutions}`,
    { version },
  );
  const texts = await count(db, "institution", "rubric = $version", { version });
  const institutionData = institutions.map((row) => institutionRow(objectOf<InstitutionData>(institutionColumns, row)));
  sink.write(
    fileOf("institutions", version),
    pageText(listPage(institutionData, { total: texts, page: 1, limit: DEFAULT_LIMITS.institutions }, release)),
  );
  const countryColumns = columnsOf<CountryData>(AGGREGATE_TABLES.country.columns);
  const rows = await all(
    db,
    `select ${countryColumns.join(", ")} from country where rubric = $version order by country_code limit ${DEFAULT_LIMITS.geography}`,
    { version },
  );
  const total = await count(db, "country", "rubric = $version", { version });
  const countryData = rows
    .map((row) => objectOf<CountryData>(countryColumns, row))
    .map((row) => countryRow(row, countries.nameOf(row.country_code) ?? row.country_code));
  sink.write(
    fileOf("geography", version),
    pageText(listPage(countryData, { total, page: 1, limit: DEFAULT_LIMITS.geography }, release)),
  );
}

async function writeMetrics(
  db: Database,
  sink: PageSink,
  version: PublicVersion,
  release: ReleaseExcerpt,
): Promise<MetricsSnapshot> {
  const columns = columnsOf<MetricsData>(AGGREGATE_TABLES.metrics.columns);
  const [row] = await all(db, `select ${columns.join(", ")} from metrics where rubric = $version`, { version });
  if (row === undefined) throw new Error(`there are no metrics under ${version}`);
  const metrics = objectOf<MetricsData>(columns, row);
  const repositoryColumns = columnsOf<RepositoryData>(AGGREGATE_TABLES.repository.columns);
  const repositories = await all(
    db,
    `select ${repositoryColumns.join(", ")} from repository where rubric = $version
     order by record_count desc, repository`,
    { version },
  );
  const breakdown = repositories.map((entry) => objectOf<RepositoryData>(repositoryColumns, entry));
  sink.write(fileOf("metrics", version), pageText(liveMetrics(metrics, breakdown, version, release)));
  return metricsSnapshot(metrics, version, release);
}

async function writeRubrics(sink: PageSink, db: Database): Promise<void> {
  const scored = new Map<string, number>();
  for (const [rubric, records] of await all(db, "select rubric, scored_records from metrics order by rubric")) {
    if (typeof rubric === "string" && typeof records === "number") scored.set(rubric, records);
  }
  const versions = (await publicContracts()).map((entry) => ({ ...entry, digest: contractDigest(entry.contract) }));
  const list = routeNamed("rubrics");
  const one = routeNamed("rubric");
  sink.write(pagePath(list, pageOf(list, null)), pageText(rubricListOf(versions, scored)));
  for (const contract of (await readContracts()).values()) {
    const text = pageText(rubricDescriptor(contract, contractDigest(contract)));
    sink.write(pagePath(one, pageOf(one, null), contract.contract), text);
    if (contract.publicVersion !== null) sink.write(pagePath(one, pageOf(one, null), contract.publicVersion), text);
  }
}

/** The page's columns of a table; `rubric` is the version asked for. */
function columnsOf<T>(columns: Readonly<Record<string, unknown>>): (keyof T & string)[] {
  return Object.keys(columns).filter((name) => name !== "rubric") as (keyof T & string)[];
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
