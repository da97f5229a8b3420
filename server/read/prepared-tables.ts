/**
 * The prepared tables of a release. They are in files, so that memory does not grow with the corpus: three files of
 * DuckDB to find rows, and one of SQLite to read the found rows. The first server makes them in its scratch folder and
 * moves them into the store's `prepared/` with one rename. Every later start and every other server only opens them.
 * Finished files are never written to.
 */

import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { DEFAULT_MEMORY, memoryFor } from "../../pipeline/engine/memory.ts";
import { type Database, quote } from "../../pipeline/engine/open.ts";
import { filesDigest } from "../../pipeline/files/code-digest.ts";
import { publishFile, replaceFile } from "../../pipeline/files/durable.ts";
import { dataBytes, openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { PROGRAM_FOLDERS } from "../../pipeline/reuse.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { prepare } from "./prepare.ts";
import type { QueryOptions } from "./query-engine.ts";
import { DamagedRows, RowStore } from "./row-store.ts";
import type { Scratch } from "./scratch.ts";

export interface PreparedTables {
  /** A database with the tables of the release, under their names, and the prepared tables. */
  readonly db: Database;
  /** The rows that lists show. */
  readonly rows: RowStore;
  /** Makes sure that the next opening prepares the tables again. Call it if a query finds damage. */
  discard(): Promise<void>;
}

/**
 * Number of rows in a row group of each file. DuckDB reads or skips a row group as a whole. Narrow tables are scanned,
 * so they have DuckDB's default. A query reads only the first groups of a sorted table and single rows of wide tables,
 * so these have smaller groups, but even smaller ones would cost more to write.
 */
const FILES = { narrow: 122_880, sorted: 32_768, wide: 4096 } as const;

const fileName = (name: string) => `${name}.duckdb`;

/** Name of the file with the rows that lists show. */
const ROWS = "rows.sqlite";

const ALL_FILES = [...Object.keys(FILES).map(fileName), ROWS];

/**
 * Compression methods that are switched off, because they double the time of preparation and save only a tenth of the
 * space.
 */
const TOO_SLOW = "fsst,dict_fsst,zstd";

/**
 * Name of the file that says for which release and by which program the tables were made. If either differs, the tables
 * are made again.
 */
const ORIGIN = "prepared.json";
const origin = z.object({
  releaseDigest: z.string(),
  program: z.string(),
  /** A new id each time that tables are made. */
  id: z.string(),
  bytes: z.record(z.string(), z.int()),
});
type Origin = z.infer<typeof origin>;

/** Folders of the files that decide, together with the release, the content of prepared tables. */
export const PREPARING_FOLDERS = [...PROGRAM_FOLDERS, "server/read"];

let program: Promise<string> | null = null;

/**
 * Returns a digest of the code, word lists, pledges and libraries that make the tables. The Unicode version of Node.js
 * counts too, because it decides how search terms are folded.
 */
function preparingProgram(): Promise<string> {
  program ??= filesDigest(PREPARING_FOLDERS, () => true).then((code) =>
    hash("sha256", `${code} ${process.versions.unicode}`),
  );
  return program;
}

/**
 * Ids of tables that this process found damaged and must not open again. In a read-only store it cannot remove them.
 */
const damaged = new Set<string>();

/**
 * Opens the prepared tables of a release. Makes them first if the store has none, or if its tables are incomplete,
 * damaged or made by another program.
 * @throws errors of DuckDB for release tables it cannot read; `signal` cancels between two statements
 */
export async function openPrepared(
  store: Store,
  receipt: Receipt,
  options: QueryOptions,
  scratch: Scratch,
  signal: AbortSignal,
): Promise<PreparedTables> {
  const release = new ReleaseTables(store, receipt, options, scratch);
  const inStore = store.prepared(receipt.releaseDigest);
  // If the tables cannot be opened for any reason, they are made again.
  const openInStore = () => release.openReadOnly(inStore).catch(() => null);
  const found = await openInStore();
  if (found !== null) return found;
  const made = join(scratch.folder, "prepared");
  await mkdir(made);
  const tables = await release.make(made, signal);
  if (!scratch.isInStore) return tables;
  closeTables(tables);
  await release.writeOrigin(made);
  // Another server may have been faster.
  const theirs = await openInStore();
  if (theirs !== null) return theirs;
  await moveIntoStore(made, inStore, store.release(receipt.releaseDigest));
  return (await openInStore()) ?? release.openReadOnly(made);
}

class ReleaseTables {
  readonly #store: Store;
  readonly #receipt: Receipt;
  readonly #options: QueryOptions;
  readonly #scratch: Scratch;

  constructor(store: Store, receipt: Receipt, options: QueryOptions, scratch: Scratch) {
    this.#store = store;
    this.#receipt = receipt;
    this.#options = options;
    this.#scratch = scratch;
  }

  /**
   * Opens finished tables. DuckDB verifies the checksum of each block when it reads the block.
   * @throws Error if the tables are incomplete, or were made for another release or by another program
   */
  async openReadOnly(folder: string): Promise<PreparedTables> {
    const { id } = await this.#requireOrigin(folder);
    const rows = new RowStore(join(folder, ROWS), this.#versions, "read");
    try {
      return { db: await this.#open(folder, () => "read_only"), rows, discard: () => discard(folder, id) };
    } catch (error) {
      rows.close();
      throw error;
    }
  }

  get #versions() {
    return this.#receipt.rubrics.map(({ version }) => version);
  }

  /**
   * Makes the tables in an empty folder. If the folder is outside the store, its files are unlinked at once, so that a
   * crash leaves nothing.
   */
  async make(folder: string, signal: AbortSignal): Promise<PreparedTables> {
    const { queryMemory } = this.#options;
    const db = await this.#open(folder, (rows) => `row_group_size ${rows}, recovery_mode no_wal_writes`);
    const rows = new RowStore(join(folder, ROWS), this.#versions, "write");
    const made = { db, rows, discard: async () => {} };
    try {
      if (!this.#scratch.isInStore) for (const name of ALL_FILES) await rm(join(folder, name));
      await db.run(`set disabled_compression_methods = ${quote(TOO_SLOW)}`);
      // Joins of a very large release need more memory than its queries, unless the operator chose the memory. With a quarter
      // of the tables' bytes, ten million records were prepared as fast as with all of them.
      const tables = await dataBytes(this.#store.release(this.#receipt.releaseDigest));
      if (queryMemory === DEFAULT_MEMORY) await db.run(`set memory_limit = ${quote(memoryFor(tables / 4))}`);
      await prepare(db, this.#receipt, signal);
      for (const name of Object.keys(FILES)) await db.run(`checkpoint ${name}`);
      await rows.write(db, signal);
      await db.run(`set memory_limit = ${quote(queryMemory)}`);
      return made;
    } catch (error) {
      closeTables(made);
      throw error;
    }
  }

  async #open(folder: string, attachOptions: (rows: number) => string): Promise<Database> {
    const paths = releaseTablePaths(this.#store.release(this.#receipt.releaseDigest));
    const { queryThreads: threads, queryMemory: memory } = this.#options;
    const db = await openTables(paths, { threads, memory, spill: this.#scratch.spill, isOlder: true });
    try {
      // The footers never change, so read them once.
      await db.run("set parquet_metadata_cache = true");
      for (const [name, rows] of Object.entries(FILES))
        await db.run(`attach ${quote(join(folder, fileName(name)))} as ${name} (${attachOptions(rows)})`);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  async #requireOrigin(folder: string): Promise<Origin> {
    const found = await readOrigin(folder);
    const wanted = await this.#origin(folder, found.id);
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      throw new Error(`${folder} has query tables of another release or program version, so they are made again`);
    if (damaged.has(found.id)) throw new Error(`the query tables in ${folder} are damaged, so they are made again`);
    return found;
  }

  async writeOrigin(folder: string): Promise<void> {
    const made = await this.#origin(folder, basename(this.#scratch.folder));
    await replaceFile(join(folder, ORIGIN), `${JSON.stringify(made)}\n`);
  }

  async #origin(folder: string, id: string): Promise<Origin> {
    const sizes = ALL_FILES.map(async (name) => [name, (await stat(join(folder, name))).size]);
    return {
      releaseDigest: this.#receipt.releaseDigest,
      program: await preparingProgram(),
      id,
      bytes: Object.fromEntries(await Promise.all(sizes)),
    };
  }
}

export function closeTables({ db, rows }: PreparedTables): void {
  db.close();
  rows.close();
}

async function readOrigin(folder: string): Promise<Origin> {
  return origin.parse(JSON.parse(await readFile(join(folder, ORIGIN), "utf8")));
}

/**
 * Replaces the tables in the store by finished ones. If that fails, for example because another server was faster or
 * because the scratch folder is on another disk, the finished tables stay in the scratch folder.
 */
async function moveIntoStore(made: string, folder: string, release: string): Promise<void> {
  try {
    await mkdir(dirname(folder), { recursive: true });
    // The former tables are renamed first, so that a kill never leaves half of them in the store.
    const former = `${made}-before`;
    await rename(folder, former).catch(() => {});
    await publishFile(made, folder);
    await rm(former, { recursive: true, force: true });
    // A release that was pruned meanwhile must leave nothing, because it may name hidden researchers.
    if (!existsSync(release)) await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

async function discard(folder: string, id: string): Promise<void> {
  damaged.add(id);
  try {
    // Another server may have replaced the tables already.
    if ((await readOrigin(folder)).id === id) await rm(folder, { recursive: true });
  } catch {
    // This process does not open the tables again, even if they remain.
  }
}

/** Error codes of SQLite for a file that is damaged or is not a database. */
const SQLITE_DAMAGE = [11, 26];

/**
 * True if an error means that a file of prepared tables is damaged. Damage in release tables, which are Parquet files,
 * does not count.
 */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DamagedRows || ("errcode" in error && SQLITE_DAMAGE.includes(Number(error.errcode))))
    return true;
  return /^IO Error: (?:Corrupt database file|Could not read .*\.duckdb")/.test(error.message);
}
