/** Stage 2: raw payloads → record, evidence, creator, affiliation and facet rows, one record a dataset. */

import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { CAPTURE_TABLES, RECORD_TABLES, type Table } from "../../schemas/public/tables.ts";
import type { Engine } from "../engine/engine.ts";
import { runtimeOf } from "../engine/local-runtime.ts";
import type { Runtime } from "../engine/runtime.ts";
import { readPledges } from "../pledges/index.ts";
import { SOURCES } from "../sources/index.ts";
import type { Effects } from "../stage/effects.ts";
import { runStage, type StageManifest } from "../stage/stage.ts";
import { StepProgress } from "../stage/step-progress.ts";
import { listParts } from "../store/raw/parts.ts";
import type { Store } from "../store/store.ts";
import { loadEnrichment } from "./enrich.ts";
import { joinPieces } from "./join-pieces.ts";
import type { PartCache } from "./kept-parts.ts";
import type { NormaliseTask, PartDone } from "./worker.ts";

const WORKER = new URL("./worker.ts", import.meta.url);

/** Each source has numbers of its own, so that a part keeps its number whatever other sources are built with it. */
const FIRST_PART = 100_000_000;

export interface NormaliseOptions {
  readonly sources: readonly string[];
  /** The day the build pretends it is (ISO date). */
  readonly asOf: string;
  /** Path of a file of citations and mentions by DOI, or null. */
  readonly citations: string | null;
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB. */
  readonly memory: string;
  /** Where normalised parts are kept for the next build; everything is normalised without. */
  readonly keptParts?: PartCache | null;
  /** This machine, if left out. */
  readonly runtime?: Runtime;
}

/** Reads raw/<source> of the store, writes `folder`. Memory grows with neither parts nor payloads. */
export function normalise(
  store: Store,
  folder: string,
  options: NormaliseOptions,
  effects: Effects,
): Promise<StageManifest> {
  return runStage(folder, "2-normalise", async (draft) => {
    const captures = join(draft, "captures");
    const tasks = await partTasks(store, captures, options);
    let bytes = 0;
    const done = await runtimeOf(options).runPool<NormaliseTask, PartDone>(WORKER, tasks, (task) => {
      bytes += task.bytes;
      effects.progress({ stage: "normalise", step: "payloads", done: bytes, total: total(tasks), unit: "bytes" });
    });
    const resolved = await resolve(draft, captures, tasks, options, effects);
    const kept = done.filter((part) => part.kept).length;
    return { ...resolved, facts: { ...resolved.facts, reused: { parts: kept, normalised: done.length - kept } } };
  });
}

/** Returns one task a raw part, in order of source and part. Makes the folders of `captures`, one a table. */
async function partTasks(store: Store, captures: string, options: NormaliseOptions): Promise<NormaliseTask[]> {
  for (const table of Object.keys(CAPTURE_TABLES)) await mkdir(join(captures, table), { recursive: true });
  const tasks: NormaliseTask[] = [];
  const { asOf, keptParts: cache = null } = options;
  for (const source of options.sources) {
    const first = FIRST_PART * SOURCES.findIndex(({ name }) => name === source);
    for (const { path, bytes, number } of await listParts(store.raw(source))) {
      if (number >= FIRST_PART) throw new Error(`${path}: parts are numbered below ${FIRST_PART}`);
      tasks.push({ source, path, bytes, part: first + number, captures, asOf, cache });
    }
  }
  return tasks;
}

function total(tasks: readonly NormaliseTask[]): number {
  return tasks.reduce((sum, task) => sum + task.bytes, 0);
}

/** Of all captures of a record the latest, of all records of a DOI the one nearest to the data. */
async function resolve(
  folder: string,
  captures: string,
  tasks: readonly NormaliseTask[],
  options: NormaliseOptions,
  effects: Effects,
): Promise<Omit<StageManifest, "stage">> {
  const outputs = Object.values(RECORD_TABLES);
  const steps = new StepProgress("normalise", 2 + outputs.length, effects);
  const db = await runtimeOf(options).open(join(folder, "spill"), steps.share);
  try {
    steps.begin("captures");
    await readCaptures(db, folder, captures, tasks, options);
    const kinds = [...(await readPledges())].map(([source, { kind }]) => ({ source, preference: PREFERENCE[kind] }));
    await db.fill(SOURCE_KIND, kinds);
    await loadEnrichment(db, options.citations, { ...options, folder: join(folder, "enrichment") });
    steps.begin("resolve");
    await db.runFile(new URL("./resolve.sql", import.meta.url), { as_of: options.asOf });
    await db.check(new URL("./checks.sql", import.meta.url));
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

/** The captures of all parts, those that are pieces of one record joined. */
async function readCaptures(
  db: Engine,
  folder: string,
  captures: string,
  tasks: readonly NormaliseTask[],
  { asOf, threads, memory }: NormaliseOptions,
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

/** How near each source is to the data. */
const SOURCE_KIND = { name: "source_kind", columns: { source: "text", preference: "int" } } as const;

/** Native source over DOI registry over aggregator (decisions.md, "Identity of records"). */
const PREFERENCE = { native: 0, registry: 1, aggregator: 2 } as const;
