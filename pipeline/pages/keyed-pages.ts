/**
 * Writes the pages of records and researchers: details, impact and badges. Also finds the route to which a page
 * belongs.
 */

import {
  type BadgeScore,
  type BadgeWords,
  buildBadgeScore,
  datasetWords,
  drawBadge,
  researcherWords,
} from "../../api-static/pages/badge.ts";
import { type PageText, pageText } from "../../api-static/pages/read-page.ts";
import {
  besideTotal,
  type Explanation,
  findPoints,
  getScoreStatus,
  recordImpact,
  recordText,
} from "../../api-static/pages/record.ts";
import { buildSIndexBasis, researcherDetail } from "../../api-static/pages/researcher.ts";
import type {
  AuthorData,
  RecordBundle,
  RecordData,
  ResearcherData,
  ScoreData,
  ValueData,
} from "../../api-static/pages/rows.ts";
import { ROUTES, routeNamed } from "../../api-static/routes/index.ts";
import { getPageFile, type PageFile, type PageSubject, pagePath, type Route } from "../../api-static/routes/route.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import { EVIDENCE_NAMES, type Evidence } from "../../schemas/public/evidence.ts";
import { DETAIL_COLUMNS } from "../../schemas/public/record-columns.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { Cell, Database } from "../engine/open.ts";
import { type PageAddress, type PlaceRange, pageAddress, RELEASE_FAMILY } from "../packs/format.ts";
import { publicContracts } from "../rubrics/contracts.ts";
import { readPledges } from "../sources/pledges.ts";
import { select, textAfter, textOfRow, toRowObject } from "./columns.ts";
import { Cursor, listingsIn, ONE_RESEARCHER, RESEARCHER, readRecordRow } from "./listings.ts";

/** Columns of the table `record` that pages show. Also used to show a single capture in the same way. */
export const RECORD = DETAIL_COLUMNS satisfies readonly (keyof RecordData)[];

export const SCORE = [
  "total",
  "s",
  "h",
  "a",
  "r",
  "e",
  "supported_mask",
  "evaluable_mask",
  "passed_mask",
  "source_missing_mask",
  "failed_mask",
] as const satisfies readonly (keyof ScoreData)[];

export const AUTHOR = [
  "name",
  "affiliation",
  "orcid",
  "researcher_id",
  "slug",
] as const satisfies readonly (keyof AuthorData)[];

const VALUE = ["evidence", "value", "counts", "found_in"] as const satisfies readonly (keyof ValueData)[];

/** The range of record ids for one task, from `from` up to but not including `to`. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

/** A record and its scores by public version. The score is null if the record failed. */
export interface ScoredRecord {
  readonly bundle: RecordBundle;
  readonly scores: ReadonlyMap<PublicVersion, ScoreData | null>;
}

/** Yields the records in `range`, sorted by id, with the data that their pages show. */
export async function* scoredRecords(
  db: Database,
  range: IdRange,
  versions: readonly PublicVersion[],
): AsyncGenerator<ScoredRecord> {
  const bounds = { from: range.from, to: range.to };
  const within = (id: string) => `${id} >= $from and ${id} < $to`;
  const scores = versions.map((version, i) => ({ version, alias: `score${i}` }));
  const cells = [
    select("record", RECORD),
    select("evidence", EVIDENCE_NAMES),
    ...scores.map(({ alias }) => select(alias, SCORE)),
  ];
  const main = db.streamTexts(
    `select ${textOfRow(cells)}
     from record
     left join evidence on evidence.id = record.id
     ${scores.map(({ version, alias }) => `left join score as ${alias} on ${alias}.id = record.id and ${alias}.rubric = '${version}'`).join("\n")}
     where ${within("record.id")}
     order by record.id`,
    bounds,
  );
  const authors = new Cursor(
    db.streamTexts(
      `select ${textOfRow(["id", ...AUTHOR])} from authorship where ${within("id")} order by id, position`,
      bounds,
    ),
  );
  const facets = new Cursor(
    db.streamTexts(
      `select ${textOfRow(["id", "kind", "value"])} from facet where ${within("id")} order by id, kind, place`,
      bounds,
    ),
  );
  const aliases = new Cursor(
    db.streamTexts(
      `select ${textOfRow(["id", "alias_id", "alias_identifier"])} from alias where ${within("id")} order by id, alias_id`,
      bounds,
    ),
  );
  const values = (await hasTable(db, "value"))
    ? new Cursor(
        db.streamTexts(
          `select ${textOfRow(["id", ...VALUE])} from value where ${within("id")} order by id, evidence, place`,
          bounds,
        ),
      )
    : null;
  try {
    for await (const batch of main) {
      for (const row of batch) {
        const record = toRowObject<RecordData>(RECORD, row);
        const bundle: RecordBundle = {
          record,
          evidence: record.status === "failed" ? null : toRowObject<Evidence>(EVIDENCE_NAMES, row, RECORD.length),
          authors: (await authors.take(record.id)).map((author) => toRowObject<AuthorData>(AUTHOR, author, 1)),
          facets: (await facets.take(record.id)).map((facet) =>
            toRowObject<{ kind: string; value: string }>(["kind", "value"], facet, 1),
          ),
          aliases: (await aliases.take(record.id)).map((alias) =>
            toRowObject<RecordBundle["aliases"][number]>(["alias_id", "alias_identifier"], alias, 1),
          ),
          values: (await values?.take(record.id))?.map((value) => toRowObject<ValueData>(VALUE, value, 1)) ?? null,
        };
        yield { bundle, scores: new Map(scores.map(({ version }, i) => [version, scoreAt(row, i)])) };
      }
    }
  } finally {
    await Promise.all([authors, facets, aliases, values].map((cursor) => cursor?.close()));
  }
}

async function hasTable(db: Database, name: string): Promise<boolean> {
  const rows = await db.rows(
    "select 1 from duckdb_tables() where table_name = $name union all select 1 from duckdb_views() where view_name = $name",
    { name },
  );
  return rows.length > 0;
}

/**
 * Position of a column that every score fills, even one without a total. If the cell is null, the record has no score.
 */
const SCORED = SCORE.indexOf("supported_mask");

function scoreAt(row: readonly Cell[], index: number): ScoreData | null {
  const offset = RECORD.length + EVIDENCE_NAMES.length + index * SCORE.length;
  return row[offset + SCORED] === null ? null : toRowObject<ScoreData>(SCORE, row, offset);
}

/** Functions that render the pages of a record under one version. The key is the name of the route. */
export const RECORD_PAGES = {
  record: (scored, explanation) => recordText(scored.bundle, scoreUnder(scored, explanation), explanation),
  impact: (scored, explanation) => pageText(recordImpact(scored.bundle, scoreUnder(scored, explanation), explanation)),
  "dataset-badge": (scored, explanation) => drawBadge(datasetBadgeWords(scored, explanation)),
} as const satisfies Record<string, (scored: ScoredRecord, explanation: Explanation) => PageText>;

export function datasetBadgeWords(scored: ScoredRecord, explanation: Explanation): BadgeWords {
  return datasetWords(badgeScore(scored, explanation));
}

function badgeScore(scored: ScoredRecord, explanation: Explanation): BadgeScore {
  const score = scoreUnder(scored, explanation);
  const points = findPoints(score);
  const scoreStatus = getScoreStatus(scored.bundle.record, points);
  return buildBadgeScore({ scoreStatus, score: points, cap: besideTotal(score).cap });
}

function scoreUnder({ scores }: ScoredRecord, { version }: Explanation): ScoreData | null {
  return scores.get(version) ?? null;
}

export async function writeRecordPages(
  db: Database,
  sink: PageSink,
  range: IdRange,
  explanations: readonly Explanation[],
): Promise<void> {
  const versions = explanations.map(({ version }) => version);
  const pages = (["record", "impact", "dataset-badge"] as const).flatMap((name) => {
    const route: Route = routeNamed(name);
    return explanations
      .filter(({ version }) => route.pages.some((page) => page.version === version))
      .map((explanation) => ({
        route,
        file: getPageFile(route, explanation.version),
        text: RECORD_PAGES[name],
        explanation,
      }));
  });
  for await (const scored of scoredRecords(db, range, versions)) {
    for (const { route, file, text, explanation } of pages) {
      sink.write(pageAddress(route, file, scored.bundle.record.id), text(scored, explanation));
    }
  }
}

/** Returns the contracts and pledges that explain scores, for the given versions. The default version comes first. */
export async function readExplanations(versions: readonly PublicVersion[]): Promise<Explanation[]> {
  const pledges = await readPledges();
  const contracts = await publicContracts();
  return contracts.filter(({ version }) => versions.includes(version)).map((entry) => ({ ...entry, pledges }));
}

/** Returns the families of pages about records or researchers under the given versions, such as `2.0/record`. */
export function listFamilies(subject: Exclude<PageSubject, "release">, versions: readonly PublicVersion[]): string[] {
  const families = ROUTES.filter((route) => route.subject === subject).flatMap((route) =>
    route.pages
      .filter(({ version }) => version !== null && versions.includes(version))
      .map((page) => pageAddress(route, page, "").family),
  );
  return [...new Set(families)];
}

/** A researcher under one version, with the rows of the list of datasets: the hundred best, in order. */
export interface ListedResearcher {
  readonly researcher: ResearcherData;
  readonly records: readonly RecordRow[];
}

/**
 * Selects researchers: either one by id, or those whose pages are in a range. The latter are read from files that
 * {@link writeListings} wrote below `folder`.
 */
type WhichResearchers =
  | { readonly folder: string; readonly range: Pick<PlaceRange, "from" | "to"> }
  | { readonly id: string };

const PLACED = textAfter("place", "row");

/** Yields the selected researchers with the data that their pages show, in the order of these pages. */
export async function* listedResearchers(
  db: Database,
  which: WhichResearchers,
  version: PublicVersion,
): AsyncGenerator<ListedResearcher> {
  const { persons, listings } = "id" in which ? ONE_RESEARCHER : listingsIn(which.folder, version);
  const bounds = "id" in which ? { id: which.id } : { from: which.range.from, to: which.range.to };
  const parameters = { rubric: version, ...bounds };
  const rows = new Cursor(db.streamTexts(`select ${PLACED} from (${listings}) order by place, position`, parameters));
  const researchers = db.streamTexts(`select ${PLACED} from (${persons}) order by place`, parameters);
  try {
    for await (const batch of researchers) {
      for (const row of batch) {
        const listed = await rows.take(String(row[0]));
        yield {
          researcher: toRowObject<ResearcherData>(RESEARCHER, row, 1),
          records: listed.map((cells) => readRecordRow(cells, version, 1)),
        };
      }
    }
  } finally {
    await rows.close();
  }
}

/** Functions that render the pages of a researcher under one version. The key is the name of the route. */
export const RESEARCHER_PAGES = {
  author: ({ researcher, records }, version) => pageText(researcherDetail(researcher, records, version)),
  "researcher-badge": (listed, version) => drawBadge(researcherBadgeWords(listed, version)),
} as const satisfies Record<string, (listed: ListedResearcher, version: PublicVersion) => string>;

export function researcherBadgeWords({ researcher }: ListedResearcher, version: PublicVersion): BadgeWords {
  return researcherWords(researcher.s_index, buildSIndexBasis(researcher, version));
}

export async function writeResearcherPages(
  db: Database,
  sink: PageSink,
  which: WhichResearchers,
  version: PublicVersion,
): Promise<void> {
  const pages = (["author", "researcher-badge"] as const).flatMap((name) => {
    const route: Route = routeNamed(name);
    const file = route.pages.find((page) => page.version === version);
    return file === undefined ? [] : [{ route, file, text: RESEARCHER_PAGES[name] }];
  });
  for await (const listed of listedResearchers(db, which, version)) {
    for (const { route, file, text } of pages) {
      sink.write(pageAddress(route, file, listed.researcher.slug), text(listed, version));
    }
  }
}

/** A page, described by its route. */
interface RoutedPage {
  readonly route: Route;
  readonly file: PageFile;
  /** Value of the path parameter; empty for a path without parameters. */
  readonly key: string;
}

const PAGES = ROUTES.flatMap((route) => route.pages.map((file) => ({ route, file })));

const BY_FAMILY = new Map(
  PAGES.filter(({ route }) => route.subject !== "release").map((page) => [
    pageAddress(page.route, page.file, "").family,
    page,
  ]),
);

/**
 * Pages about the release itself. Fixed paths come before paths with a key, because a key could make a path look like a
 * fixed one.
 */
const OF_RELEASE = PAGES.filter(({ route }) => route.subject === "release").sort(
  (one, other) => Number(one.route.key !== null) - Number(other.route.key !== null),
);

/**
 * Finds the route and the file of a page, and the value of its path parameter.
 * @throws Error if no route has the page
 */
export function routedPage({ family, key }: PageAddress): RoutedPage {
  const page = BY_FAMILY.get(family);
  if (page !== undefined) return { ...page, key };
  for (const { route, file } of family === RELEASE_FAMILY ? OF_RELEASE : []) {
    const [before = "", after = ""] = file.path.split("{key}");
    const inside = route.key === null ? "" : key.slice(before.length, key.length - after.length);
    if (pagePath(route, file, inside) === key) return { route, file, key: inside };
  }
  throw new Error(`no route of the API has the page ${key} of ${family}; report this`);
}

/** Receives rendered pages: a build writes them to packs, a comparison computes their digests. */
export interface PageSink {
  /** Writes one page. The pages of a family must be sorted by the places of their keys (pipeline/packs/format.ts). */
  write(page: PageAddress, text: PageText): void;
}

export interface RangeOfPages {
  readonly subject: "record" | "researcher";
  readonly range: PlaceRange;
  readonly versions: readonly PublicVersion[];
  /** Folder with the researchers and their lists of datasets, which {@link writeListings} wrote. */
  readonly listings: string;
}

export async function writePages(
  db: Database,
  sink: PageSink,
  { subject, range, versions, listings }: RangeOfPages,
): Promise<void> {
  if (subject === "record") {
    const ids = { from: `r${range.from}`, to: `r${range.to}` };
    await writeRecordPages(db, sink, ids, await readExplanations(versions));
    return;
  }
  for (const version of versions) await writeResearcherPages(db, sink, { folder: listings, range }, version);
}
