/**
 * Writes the files that describe a release: its report, its gates, and its metadata as Data Package, RO-Crate and
 * Croissant.
 */

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DIFF_FILE, DIFF_TABLE_FILES, DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { citationText, DESCRIPTORS, PUBLICATION } from "../../schemas/public/descriptors.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { Gate, GateLimits } from "../../schemas/public/gates.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import type { PublicVersion, ReleasedRubric } from "../../schemas/public/rubric.ts";
import { STATES } from "../../schemas/public/signal.ts";
import {
  type ColumnType,
  OPTIONAL_TABLES,
  publishedName,
  RELEASE_TABLES,
  type Table,
  TOTALS,
} from "../../schemas/public/tables.ts";
import { VALIDATION_FILE, VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import type { Figures, ReportData, RubricFigures, SignalFigures, SourceMean } from "../../web/report/data.ts";
import { reportPage } from "../../web/report/index.ts";
import { compare, type ReleaseSide, readSide } from "../diff/compare.ts";
import { currentRules, RULE_FILES, writeRules } from "../diff/rules.ts";
import { writeDiff } from "../diff/summary.ts";
import type { Cell, Database } from "../engine/open.ts";
import { readHarvests } from "../store/harvest-log.ts";
import { detectReleaseFormat, readReceipt } from "../store/releases.ts";
import type { Store } from "../store/store.ts";
import { writeValidation } from "../validation/index.ts";
import { citationFile, licenceIn } from "./citation.ts";
import { judgeGates, type LastHarvest } from "./gates.ts";
import type { Describe, UnsealedRelease } from "./index.ts";

export interface DescribeOptions {
  readonly limits: GateLimits;
  readonly threads: number;
  readonly memory: string;
  /** Set in a rebuild: the original release. Its receipt and files replace inputs that the rebuild does not have. */
  readonly stated?: StatedRelease;
}

export interface StatedRelease {
  readonly folder: string;
  readonly gates: readonly Gate[];
  /** Sources whose harvest log is missing. For them, the gate `harvested` is copied from the original release. */
  readonly harvested: readonly string[];
  /**
   * True if the release before the original one is missing. The gates of sources and the files of changes are then
   * copied from `folder`.
   */
  readonly difference: boolean;
}

/**
 * Returns the step of stage 6 that describes a release. It compares the release with the one that is active at that time.
 */
export function describeWith(store: Store, options: DescribeOptions): Describe {
  return async (release) => {
    const rules = await currentRules();
    await writeRules(release.tree, rules);
    const { threads, memory, stated } = options;
    const after: ReleaseSide = { receipt: release.receipt, tables: release.tables, rules };
    await writeValidation(
      release.tree,
      { receipt: release.receipt, tables: release.tables, rules },
      { threads, memory, spill: release.spill },
    );
    const gates =
      stated?.difference === true
        ? await copyChanges(release, after, stated, options)
        : await describeChanges(store, release, after, options);
    const lines = await makeLines(release, [
      ...Object.values(RULE_FILES),
      VALIDATION_FILE,
      DIFF_FILE,
      ...DIFF_TABLE_FILES,
    ]);
    await writeDescriptors(release.tree, release.receipt, [...release.data, ...lines]);
    return {
      lines: [...lines, ...(await makeLines(release, [...Object.values(DESCRIPTORS), VALIDATION_PAGE]))],
      gates,
      limits: options.limits,
    };
  };
}

/** Compares the release with the previous one, judges the gates, and writes the report. */
async function describeChanges(
  store: Store,
  release: UnsealedRelease,
  after: ReleaseSide,
  { limits, threads, memory, stated }: DescribeOptions,
): Promise<readonly Gate[]> {
  const before = await previousSide(store, release.receipt.previousReleaseDigest);
  const comparison = await compare(before, after, { threads, memory, spill: release.spill });
  try {
    const harvests = await lastHarvests(store, release);
    const judged = await judgeGates(comparison.db, { before, after }, release.receipt.coverage, limits, harvests);
    const known = (stated?.gates ?? []).filter(({ gate }) => gate === "harvested");
    const gates = judged.map((gate) => {
      const { source } = gate;
      if (gate.gate !== "harvested" || source === null || stated?.harvested.includes(source) !== true) return gate;
      return known.find((each) => each.source === source) ?? gate;
    });
    const diff = await writeDiff(comparison, before, after, release.tree);
    await writeReport(comparison.db, release.tree, { receipt: release.receipt, after, gates, diff });
    return gates;
  } finally {
    comparison.db.close();
  }
}

/**
 * Copies the files that describe changes from the original release, because the rebuild lacks the previous release and
 * cannot compare. The gates of the whole release are judged again, and the gates of its sources are copied. Returns
 * both.
 */
async function copyChanges(
  release: UnsealedRelease,
  after: ReleaseSide,
  { folder, gates }: StatedRelease,
  { limits, threads, memory }: DescribeOptions,
): Promise<readonly Gate[]> {
  for (const path of CHANGE_FILES) {
    await mkdir(dirname(join(release.tree, path)), { recursive: true });
    await copyFile(join(folder, path), join(release.tree, path));
  }
  const { db } = await compare(null, after, { threads, memory, spill: release.spill });
  try {
    const judged = await judgeGates(db, { before: null, after }, release.receipt.coverage, limits, new Map());
    return [...judged.filter(({ source }) => source === null), ...gates.filter(({ source }) => source !== null)];
  } finally {
    db.close();
  }
}

/** Files that describe the changes since the previous release. They are computed from the tables of both releases. */
export const CHANGE_FILES: readonly string[] = [DIFF_FILE, ...DIFF_TABLE_FILES, DESCRIPTORS.report];

/**
 * Reads how the last harvest of each source ended. If the parts of a source are harvested separately, one incomplete
 * harvest makes the source incomplete.
 */
async function lastHarvests(store: Store, { receipt }: UnsealedRelease): Promise<Map<string, LastHarvest>> {
  const last = new Map<string, LastHarvest>();
  for (const { source, scopes = [] } of receipt.sources) {
    const harvests = await readHarvests(store.raw(source));
    const ofParts = scopes.flatMap(
      (scope) =>
        harvests.findLast((line) => (line.only ?? null) === scope.only && line.service === scope.service) ?? [],
    );
    last.set(source, ofParts.find(({ complete }) => !complete) ?? harvests.at(-1) ?? null);
  }
  return last;
}

async function previousSide(store: Store, digest: string | null): Promise<ReleaseSide | null> {
  if (digest === null) return null;
  const folder = store.release(digest);
  const receipt = await readReceipt(folder);
  // If the active release has another format, the new one is described as the first.
  return receipt === null || detectReleaseFormat(receipt) === 1 ? null : readSide(folder, receipt);
}

/** Returns the manifest lines of files. Reads one file after the other, because tables may be large. */
async function makeLines(release: UnsealedRelease, paths: readonly string[]): Promise<ManifestLine[]> {
  const lines: ManifestLine[] = [];
  for (const path of paths) lines.push(await release.makeLine(path));
  return lines;
}

/**
 * Writes the descriptors, which list the files under data/ with their digests. They leave out history.json, because it
 * contains the time of publication, and two builds of one release would then differ.
 */
export async function writeDescriptors(
  tree: string,
  receipt: UnsealedRelease["receipt"],
  lines: readonly ManifestLine[],
): Promise<void> {
  const files = describeFiles(lines);
  const write = (path: string, text: string) => writeFile(join(tree, path), text);
  const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;
  await write(DESCRIPTORS.datapackage, json(datapackage(receipt, files)));
  await write(DESCRIPTORS.roCrate, json(roCrate(receipt, files)));
  await write(DESCRIPTORS.croissant, json(croissant(receipt, files)));
  await write(DESCRIPTORS.citation, citationFile(receipt));
}

interface Reported extends Pick<ReportData, "receipt" | "gates" | "diff"> {
  readonly after: ReleaseSide;
}

/** Writes the report. `db` is the database of the comparison with the previous release. */
export async function writeReport(
  db: Database,
  tree: string,
  { receipt, gates, diff, after }: Reported,
): Promise<void> {
  const rubrics = await rubricFigures(db, after);
  const sources = new Map([...(after.rules?.pledges ?? [])].map(([source, { name }]) => [source, name]));
  const sourceMeans = await readSourceMeans(db);
  const page = reportPage({ receipt, citation: citationText(receipt), gates, diff, rubrics, sources, sourceMeans });
  await writeFile(join(tree, DESCRIPTORS.report), page);
}

type StatisticsRow = Readonly<Record<string, Cell>>;

/** Returns the figures that the report of the new release shows for each public version. */
async function rubricFigures(db: Database, after: ReleaseSide): Promise<RubricFigures[]> {
  await db.runFile(new URL("./report.sql", import.meta.url));
  const figures = await db.rows("select * from figure");
  const states = await db.rows("select * from state_count");
  return after.receipt.rubrics.map(({ version, contract }) => {
    const found = (release: string) => figures.find((row) => row.rubric === version && row.release === release);
    const [before, now] = [found("before"), found("after")];
    if (now === undefined)
      throw new Error(`the table metrics of the new release has no row for SHARE ${version}; report this`);
    return {
      version,
      contract,
      before: before === undefined ? null : readFigures(before),
      after: readFigures(now),
      signals: listSignals(version, after.rules?.contracts.get(contract), states),
    };
  });
}

async function readSourceMeans(db: Database): Promise<SourceMean[]> {
  const rows = await db.rows("select * from source_points");
  return rows.map((row) => ({
    source: String(row.source),
    rubric: String(row.rubric),
    before: { sum: Number(row.sum_before), count: Number(row.count_before) },
    after: { sum: Number(row.sum_after), count: Number(row.count_after) },
  }));
}

function readFigures(row: StatisticsRow): Figures {
  const mean = (name: string) => (row[name] === null ? null : Number(row[name]));
  const exact = (name: string) => ({ sum: Number(row[name] ?? 0), count: Number(row.scored_records) });
  return {
    scored: Number(row.scored_records),
    insufficient: Number(row.insufficient_records ?? 0),
    cap: mean("mean_cap"),
    passedOfEvaluable: mean("passed_of_evaluable"),
    mean: exact("sum_total"),
    median: mean("median_score"),
    above70: mean("pct_above_70"),
    buckets: { S: exact("sum_s"), H: exact("sum_h"), A: exact("sum_a"), R: exact("sum_r"), E: exact("sum_e") },
    totals: row.t0 === null ? null : TOTALS.map((name) => Number(row[name])),
  };
}

function listSignals(
  version: PublicVersion,
  contract: ReleasedRubric | undefined,
  counts: readonly StatisticsRow[],
): SignalFigures[] {
  return (contract?.signals ?? []).map(({ id, bit, name }) => {
    const ofSignal = counts.filter((row) => row.rubric === version && row.bit === bit);
    const count = (state: string) => Number(ofSignal.find((row) => row.state === state)?.records ?? 0);
    return { id, name, states: Object.fromEntries(STATES.map((state) => [state, count(state)])) };
  });
}

export interface DescribedFile extends ManifestLine {
  /** The content of the file, as a phrase without a full stop. */
  readonly holds: string;
  readonly mediaType: string;
  /** The table in the file; null for other files. */
  readonly table: Table | null;
}

const OTHERS: Readonly<Record<string, string>> = {
  [RULE_FILES.contracts]: "The rubric contracts: every signal with its rule over evidence",
  [RULE_FILES.pledges]: "The pledges: which signals the payload of each source can carry, and in which field",
  [RULE_FILES.vocabularies]: "The word lists of the readers, as CSV texts by file name",
  [VALIDATION_FILE]: "Evidence for the meaning of the scores, in figures of the harvested records",
  [DIFF_FILE]: "Changes since the release before and their causes, in figures",
};

const TABLES = new Map<string, Table>(
  [...RELEASE_TABLES, ...OPTIONAL_TABLES, ...Object.values(DIFF_TABLES)].map((table) => [publishedName(table), table]),
);

/** Describes the files that the lines of a manifest list, sorted by path. */
function describeFiles(lines: readonly ManifestLine[]): DescribedFile[] {
  return lines.map(describeFile).sort((one, other) => (one.path < other.path ? -1 : 1));
}

function describeFile(line: ManifestLine): DescribedFile {
  const [, name = "", end = ""] = /^data\/([^./]+)(?:\/part-\d+)?\.(.+)$/.exec(line.path) ?? [];
  const table = TABLES.get(name) ?? null;
  const holds = table === null || end === "json" ? OTHERS[line.path] : `Rows: ${table.grain}`;
  if (holds === undefined)
    throw new Error(`the file ${line.path} of the release has no description; add one to OTHERS in describe.ts`);
  return {
    ...line,
    holds,
    mediaType: MEDIA_TYPES[end] ?? "application/octet-stream",
    table: end === "json" ? null : table,
  };
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  parquet: "application/vnd.apache.parquet",
  json: "application/json",
};

const FACTS = new Map<string, string>(EVIDENCE.map(({ name, fact }) => [name, fact]));

/** The type of a column in the Frictionless schema, by its type here. Averages are decimals with two places. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: "string",
  int: "integer",
  bigint: "integer",
  bool: "boolean",
  hundredths: "number",
};

const NUMBERS: ReadonlySet<string> = new Set(["integer", "number"]);

/** Identifier of Data Package 2.0. */
const PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json";

function datapackage(receipt: UnsealedRelease["receipt"], files: readonly DescribedFile[]) {
  const { scoreReleaseVersion, releaseDigest, publishedAt } = receipt;
  const licence = licenceIn(receipt);
  return {
    $schema: PROFILE,
    name: PUBLICATION.name,
    id: releaseDigest,
    title: `${PUBLICATION.title} ${scoreReleaseVersion}`,
    description: PUBLICATION.summary,
    version: scoreReleaseVersion,
    created: publishedAt,
    keywords: PUBLICATION.keywords,
    licenses: [{ name: licence.id, title: licence.title, path: licence.url }],
    contributors: [{ title: PUBLICATION.publisher, roles: ["publisher"] }],
    resources: files.map(describeResource),
  };
}

function describeResource({ path, bytes, sha256, holds, mediaType, table }: DescribedFile) {
  return {
    name: path.replace(/^data\//, "").replaceAll(/[./]/g, "-"),
    title: holds,
    path,
    format: path.split(".").at(-1) ?? "",
    mediatype: mediaType,
    hash: `sha256:${sha256}`,
    // Tables have no size here. Frictionless would compare it with the number of rows, and report it as wrong.
    ...(table === null ? { bytes } : { type: "table", schema: tableSchema(table) }),
  };
}

function tableSchema({ columns, key }: Table) {
  return {
    fields: Object.entries(columns).map(([name, type]) => ({
      name,
      type: TYPES[type],
      ...(FACTS.has(name) ? { description: FACTS.get(name) } : {}),
      // Frictionless reads Parquet through a data frame, in which a missing number is nan.
      ...(NUMBERS.has(TYPES[type]) ? { missingValues: ["nan"] } : {}),
      ...(key.includes(name) ? { constraints: { required: true } } : {}),
    })),
    // An empty text is a value, because Parquet has nulls for missing ones.
    missingValues: [],
    primaryKey: key,
  };
}

const VERSION = "https://w3id.org/ro/crate/1.2";

function roCrate(receipt: UnsealedRelease["receipt"], files: readonly DescribedFile[]) {
  const { publisher } = PUBLICATION;
  const licence = licenceIn(receipt);
  const parts = files.map(fileEntity);
  const { name, version } = receipt.tool;
  // The program has no website. A package URL identifies its version.
  const tool = `pkg:generic/${name}@${version}`;
  return {
    "@context": `${VERSION}/context`,
    "@graph": [
      {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        conformsTo: { "@id": VERSION },
        about: { "@id": "./" },
      },
      {
        "@id": "./",
        "@type": "Dataset",
        name: `${PUBLICATION.title} ${receipt.scoreReleaseVersion}`,
        description: PUBLICATION.summary,
        identifier: receipt.releaseDigest,
        version: receipt.scoreReleaseVersion,
        datePublished: receipt.publishedAt,
        temporalCoverage: receipt.asOf,
        keywords: PUBLICATION.keywords.join(", "),
        license: { "@id": licence.url },
        publisher: { "@id": "#publisher" },
        author: { "@id": "#publisher" },
        hasPart: parts.map((part) => ({ "@id": part["@id"] })),
        mentions: { "@id": "#build" },
      },
      { "@id": licence.url, "@type": "CreativeWork", name: licence.title, identifier: licence.id },
      { "@id": "#publisher", "@type": "Organization", name: publisher },
      { "@id": tool, "@type": "SoftwareApplication", name, version, url: tool },
      {
        "@id": "#build",
        "@type": "CreateAction",
        name: `Build as of ${receipt.asOf}`,
        description: `Scored under ${receipt.rubrics.map(({ contract }) => contract).join(" and ")} with ${receipt.tool.engine}`,
        instrument: { "@id": tool },
        result: { "@id": "./" },
        endTime: receipt.publishedAt,
      },
      ...parts,
    ],
  };
}

function fileEntity({ path, bytes, sha256, holds, mediaType }: DescribedFile) {
  return {
    "@id": path,
    "@type": "File",
    name: path.replace(/^data\//, ""),
    description: holds,
    encodingFormat: mediaType,
    contentSize: String(bytes),
    sha256,
  };
}

/**
 * The complete context of Croissant 1.0. It includes terms that no release uses, because tools warn if any term is
 * missing.
 */
const CONTEXT = {
  "@language": "en",
  "@vocab": "https://schema.org/",
  sc: "https://schema.org/",
  cr: "http://mlcommons.org/croissant/",
  rai: "http://mlcommons.org/croissant/RAI/",
  dct: "http://purl.org/dc/terms/",
  conformsTo: "dct:conformsTo",
  data: { "@id": "cr:data", "@type": "@json" },
  dataType: { "@id": "cr:dataType", "@type": "@vocab" },
  examples: { "@id": "cr:examples", "@type": "@json" },
  ...termsOfCroissant(
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset jsonPath",
    "key md5 parentField path recordSet references regex repeated replace samplingRate separator source subField transform",
  ),
} as const;

function termsOfCroissant(...lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.flatMap((line) => line.split(" ")).map((term) => [term, `cr:${term}`]));
}

const CROISSANT_TYPES: Readonly<Record<ColumnType, string>> = {
  text: "sc:Text",
  int: "sc:Integer",
  bigint: "sc:Integer",
  bool: "sc:Boolean",
  hundredths: "sc:Float",
};

function croissant(receipt: UnsealedRelease["receipt"], files: readonly DescribedFile[]) {
  const tables = files.filter(({ path }) => path.endsWith(".parquet"));
  return {
    "@context": CONTEXT,
    "@type": "sc:Dataset",
    conformsTo: "http://mlcommons.org/croissant/1.0",
    name: PUBLICATION.name,
    alternateName: `${PUBLICATION.title} ${receipt.scoreReleaseVersion}`,
    description: PUBLICATION.summary,
    identifier: receipt.releaseDigest,
    // The URL of the server is unknown during a build, so the digest identifies the release.
    url: `urn:${receipt.releaseDigest}`,
    version: semanticVersion(receipt.scoreReleaseVersion),
    datePublished: receipt.publishedAt,
    license: licenceIn(receipt).url,
    creator: { "@type": "sc:Organization", name: PUBLICATION.publisher },
    keywords: PUBLICATION.keywords,
    citeAs: citationText(receipt),
    distribution: files.map(fileObject),
    recordSet: tables.map(recordSet),
  };
}

/**
 * Converts a version such as `2026.11.01.2` to `2026.11.1+2`. Croissant requires MAJOR.MINOR.PATCH without leading zeros.
 */
export function semanticVersion(version: string): string {
  const [year, month, day, more] = version.split(".").map(Number);
  return `${year}.${month}.${day}${more === undefined ? "" : `+${more}`}`;
}

function fileObject({ path, bytes, sha256, holds, mediaType }: DescribedFile) {
  return {
    "@type": "cr:FileObject",
    "@id": path,
    name: path,
    description: holds,
    contentUrl: path,
    contentSize: `${bytes} B`,
    encodingFormat: chooseEncodingFormat(path, mediaType),
    sha256,
  };
}

/** Returns the media type for Croissant. Its tools expect a type for Parquet that is not registered. */
function chooseEncodingFormat(path: string, mediaType: string): string {
  return path.endsWith(".parquet") ? "application/x-parquet" : mediaType;
}

function recordSet({ path, holds, table }: DescribedFile) {
  const name = path.replace(/^data\/(.+?)(?:\/part-\d+)?\.parquet$/, "$1");
  return {
    "@type": "cr:RecordSet",
    "@id": name,
    name,
    description: holds,
    key: (table?.key ?? []).map((column) => ({ "@id": `${name}/${column}` })),
    field: Object.entries(table?.columns ?? {}).map(([column, type]) => ({
      "@type": "cr:Field",
      "@id": `${name}/${column}`,
      name: `${name}/${column}`,
      description: FACTS.get(column) ?? column.replaceAll("_", " "),
      dataType: CROISSANT_TYPES[type],
      source: { fileObject: { "@id": path }, extract: { column } },
    })),
  };
}
