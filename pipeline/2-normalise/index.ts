/**
 * Stage 2: reads the raw payloads and writes rows of records, evidence, creators, affiliations and facets. A dataset has
 * only one record, however many payloads describe it.
 */

import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { CAPTURE_TABLES, RECORD_TABLES, type Table } from "../../schemas/public/tables.ts";
import type { Engine } from "../engine/open.ts";
import { type Database, openDuckDB, quote } from "../engine/open.ts";
import type { Runtime } from "../engine/runtime.ts";
import { getRuntime, type LocalOptions } from "../engine/runtime.ts";
import { CheckError } from "../engine/sql-text.ts";
import { SOURCES } from "../sources/index.ts";
import { readPledges } from "../sources/pledges.ts";
import type { Effects } from "../stage/effects.ts";
import { runStage, type StageManifest, StepProgress } from "../stage/stage.ts";
import { listParts } from "../store/raw-parts.ts";
import type { Store } from "../store/store.ts";
import { joinPieces } from "./join-pieces.ts";
import type { PartCache } from "./part-cache.ts";
import type { NormalisedPart, NormaliseTask } from "./worker.ts";

const WORKER = new URL("./worker.ts", import.meta.url);

/**
 * Total size of the raw parts, in bytes, up to which the stage runs in this process. Starting workers would take longer.
 */
const SMALL = 2 * 1024 * 1024;

/**
 * Distance between the first part numbers of two sources. Each source has its own range of numbers, so a part keeps its
 * number if other sources are added or removed.
 */
const FIRST_PART = 100_000_000;

export interface NormaliseStageOptions {
  readonly sources: readonly string[];
  /** The as-of date, which decides whether an embargo has ended (ISO date). */
  readonly asOf: string;
  /** Path of a file with the numbers of citations and mentions for DOIs; null if there is none. */
  readonly citations: string | null;
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB. */
  readonly memory: string;
  /** Cache of normalised parts; without it, every part is normalised. */
  readonly partCache?: PartCache | null;
  readonly runtime?: Runtime;
}

export function normalise(
  store: Store,
  folder: string,
  options: NormaliseStageOptions,
  effects: Effects,
): Promise<StageManifest> {
  return runStage(folder, "2-normalise", async (draft) => {
    const captures = join(draft, "captures");
    const tasks = await partTasks(store, captures, options);
    const total = totalBytes(tasks);
    let bytes = 0;
    const onDone = (task: NormaliseTask) => {
      bytes += task.bytes;
      effects.progress({ stage: "normalise", step: "payloads", done: bytes, total, unit: "bytes" });
    };
    const done = await getRuntime(options).runPool<NormaliseTask, NormalisedPart>(
      WORKER,
      tasks,
      onDone,
      total <= SMALL,
    );
    const resolved = await resolve(draft, captures, tasks, options, effects);
    // No later stage reads the captures, which take half as much space as the tables.
    await rm(captures, { recursive: true });
    const cachedCount = done.filter((part) => part.kept).length;
    return {
      ...resolved,
      facts: { ...resolved.facts, reused: { parts: cachedCount, normalised: done.length - cachedCount } },
    };
  });
}

/** Returns one task for each raw part, in order of source and part. Makes one folder for each table in `captures`. */
async function partTasks(store: Store, captures: string, options: NormaliseStageOptions): Promise<NormaliseTask[]> {
  for (const table of Object.keys(CAPTURE_TABLES)) await mkdir(join(captures, table), { recursive: true });
  const tasks: NormaliseTask[] = [];
  const { asOf, partCache: cache = null } = options;
  for (const source of options.sources) {
    const first = FIRST_PART * SOURCES.findIndex(({ name }) => name === source);
    for (const { path, bytes, number } of await listParts(store.raw(source))) {
      if (number >= FIRST_PART)
        throw new Error(
          `${path}: the number in the name of a raw part must be below ${FIRST_PART}; harvest this source into a new store`,
        );
      tasks.push({ source, path, bytes, part: first + number, captures, asOf, cache });
    }
  }
  return tasks;
}

function totalBytes(tasks: readonly NormaliseTask[]): number {
  return tasks.reduce((sum, task) => sum + task.bytes, 0);
}

/** Selects the latest capture of each record and the preferred record of each DOI. */
async function resolve(
  folder: string,
  captures: string,
  tasks: readonly NormaliseTask[],
  options: NormaliseStageOptions,
  effects: Effects,
): Promise<Omit<StageManifest, "stage">> {
  const outputs = Object.values(RECORD_TABLES);
  const steps = new StepProgress("normalise", 2 + outputs.length, effects);
  const db = await getRuntime(options).open(join(folder, "spill"), steps.share);
  try {
    steps.begin("captures");
    await readCaptures(db, folder, captures, tasks, options);
    const kinds = [...(await readPledges())].map(([source, { kind }]) => ({ source, preference: PREFERENCE[kind] }));
    await db.fill(SOURCE_KIND, kinds);
    await loadEnrichment(db, options.citations, { ...options, folder: join(folder, "enrichment") });
    steps.begin("resolve");
    await db.runFile(new URL("./resolve.sql", import.meta.url), { as_of: options.asOf });
    await db.check(new URL("./checks.sql", import.meta.url));
    await db.check(new URL("./join-checks.sql", import.meta.url));
    const tables: Record<string, number> = {};
    for (const table of outputs) {
      steps.begin(table.name);
      tables[table.name] = await db.output(table, join(folder, table.name));
    }
    const [coverage] = await db.rows("select * from coverage");
    const sources = await db.rows("select * from source_coverage order by source");
    steps.share(1);
    const parts = tasks.map(({ source, path }) => `${source}/${basename(path)}`);
    return { tables, facts: { coverage, sources, parts } };
  } finally {
    await db.close();
  }
}

async function readCaptures(
  db: Engine,
  folder: string,
  captures: string,
  tasks: readonly NormaliseTask[],
  { asOf, threads, memory }: NormaliseStageOptions,
): Promise<void> {
  const tables = Object.values(CAPTURE_TABLES);
  const read = (table: Table, prefix: string, parent: string, count: number) => {
    const copy = { ...table, name: `${prefix}_${table.name}` };
    return count === 0 ? db.fill(copy, []) : db.input(copy, join(parent, table.name));
  };
  for (const table of tables) await read(table, "parted", captures, tasks.length);
  const joined = join(folder, "joined");
  const parts = new Map(tasks.map(({ part, path }) => [part, path]));
  const records = await joinPieces(db, { folder: joined, parts, asOf, threads, memory });
  for (const table of tables) await read(table, "joined", joined, records);
  await db.runFile(new URL("./joined.sql", import.meta.url));
}

/** The table of sources, each with the rank of its kind ({@link PREFERENCE}). Rank 0 is preferred. */
const SOURCE_KIND = { name: "source_kind", columns: { source: "text", preference: "int" } } as const;

/**
 * Ranks of the kinds of sources. If records from several sources have the same DOI, the record from the kind with the
 * lowest rank is published (decisions.md, "Identity of records").
 */
const PREFERENCE = { native: 0, registry: 1, aggregator: 2 } as const;

/** The error for an enrichment file that cannot be read. */
class EnrichmentUnreadable extends Error {
  readonly code = "enrichment-unreadable";
  constructor(file: string, what: string, options?: ErrorOptions) {
    super(`${file}: ${what}; use CSV or Parquet with the columns doi, citations and mentions`, options);
    this.name = "EnrichmentUnreadable";
  }
}

const CHECK = new URL("./enrichment-checks.sql", import.meta.url);
const LOAD = new URL("./enrichment.sql", import.meta.url);

const ENRICHMENT = {
  name: "enrichment",
  grain: "one DOI that counts from elsewhere are known of",
  key: ["doi"],
  columns: { doi: "text", citations: "int", mentions: "int" },
} as const satisfies Table;

interface EnrichmentOptions extends LocalOptions {
  /** Folder for temporary files of this step. Other steps do not write to it. */
  readonly folder: string;
}

/**
 * Makes the table `enrichment` (doi, citations, mentions) with one row for each DOI. Without a file, the table is
 * empty. DuckDB reads the file even if Spark computes the other tables, so that both spell DOIs in the same way. If the
 * file lacks a column, its values are unknown (null) and not zero.
 *
 * @throws EnrichmentUnreadable with the file and its first invalid row
 */
async function loadEnrichment(engine: Engine, file: string | null, options: EnrichmentOptions): Promise<void> {
  if (file === null) return engine.fill(ENRICHMENT, []);
  const { threads, memory, folder } = options;
  const db = await openDuckDB({ threads, memory, spill: join(folder, "spill") });
  try {
    await readEnrichment(db, file);
    await db.output(ENRICHMENT, join(folder, ENRICHMENT.name));
  } finally {
    db.close();
  }
  await engine.input(ENRICHMENT, join(folder, ENRICHMENT.name));
}

async function readEnrichment(db: Database, file: string): Promise<void> {
  const columns = await readColumnNames(db, file);
  if (!columns.includes("doi")) throw new EnrichmentUnreadable(file, "the column doi is missing");
  const presentColumns = ["citations", "mentions"].filter((name) => columns.includes(name));
  if (presentColumns.length === 0)
    throw new EnrichmentUnreadable(file, "both columns citations and mentions are missing");
  const select = ["citations", "mentions"].map((name) => (presentColumns.includes(name) ? `"${name}"` : "null"));
  await db.run(
    `create view enrichment_row as select cast(doi as varchar) as doi, cast(${select[0]} as varchar) as citations,
       cast(${select[1]} as varchar) as mentions from ${relation(file)}`,
  );
  try {
    await db.check(CHECK);
    await db.runFile(LOAD);
  } catch (cause) {
    throw new EnrichmentUnreadable(file, cause instanceof CheckError ? cause.message : "the file is not readable", {
      cause,
    });
  }
}

async function readColumnNames(db: Database, file: string): Promise<string[]> {
  try {
    return (await db.rows(`describe select * from ${relation(file)}`)).map(({ column_name: name }) => String(name));
  } catch (cause) {
    throw new EnrichmentUnreadable(file, "the file is not readable", { cause });
  }
}

/**
 * Returns SQL that reads every value of the file as text. The checks of this stage then reject values that are not counts.
 */
function relation(file: string): string {
  return /\.parquet$/i.test(file)
    ? `read_parquet(${quote(file)})`
    : `read_csv(${quote(file)}, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"')`;
}
