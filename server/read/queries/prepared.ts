/**
 * The tables of one open release, prepared for queries when it becomes active: in two files of DuckDB, compressed and
 * read through its buffer, so that memory does not grow with the corpus. Both files lose their names as soon as they
 * are open: whatever ends this process, nothing of them is left.
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Cell, type Database, quote } from "../../../pipeline/engine/open.ts";
import { openTables, releaseTablePaths } from "../../../pipeline/pages/tables.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import type { QueryOptions } from "./engine-bounds.ts";
import { interruptible } from "./interruptible.ts";
import { prepareAggregates } from "./prepare-aggregates.ts";
import { prepareRecords } from "./prepare-records.ts";
import { prepareSearch } from "./prepare-search.ts";
import { makeScratch, type Scratch } from "./scratch.ts";
import { Totals } from "./totals.ts";
import { Turns } from "./turns.ts";

/**
 * Rows of a group, DuckDB's unit of skipping: narrow tables are scanned, for which its default is best; of wide ones a few
 * rows far apart are fetched, and smaller groups are skipped more precisely. Still smaller ones cost more to write.
 */
const FILES = { narrow: 122_880, wide: 4096 } as const;

/** Ways to pack texts that take half of the time it takes to get ready, for a tenth of the space. */
const TOO_SLOW = "fsst,dict_fsst,zstd";

export type Parameters = Readonly<Record<string, string | number>>;

/** What an open release has once, whoever asks. */
interface Held {
  readonly db: Database;
  readonly scratch: Scratch;
  readonly turns: Turns;
  readonly totals: Totals;
  readonly milliseconds: number;
}

/** Whoever asks: a request, of which no signal is made until it is waited for. */
export interface Asking {
  readonly signal: AbortSignal;
}

export class Prepared {
  readonly #held: Held;
  readonly #asking: Asking | null;

  private constructor(held: Held, asking: Asking | null) {
    this.#held = held;
    this.#asking = asking;
  }

  /** @throws whatever DuckDB says of tables it cannot read; `signal` ends the work between two statements */
  static async open(store: Store, receipt: Receipt, options: QueryOptions, signal: AbortSignal): Promise<Prepared> {
    const scratch = await makeScratch(store);
    try {
      const db = await prepare(store, receipt, options, scratch, signal);
      // Statements beyond this would wait for the engine's threads, each holding memory; they wait here, holding none.
      const turns = new Turns({ atOnce: 2 * options.queryThreads, waiting: options.queryWaiting });
      const milliseconds = options.queryMilliseconds;
      return new Prepared({ db, scratch, turns, totals: new Totals(), milliseconds }, null);
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  }

  /** The same for one request: what it asks ends when its signal fires, whether it waits or runs. */
  for(asking: Asking): Prepared {
    return new Prepared(this.#held, asking);
  }

  /** Totals of the lists of this release. */
  get totals(): Totals {
    return this.#held.totals;
  }

  /**
   * Runs work over the tables of the release, which bear their names and are read from its Parquet files, and over the
   * prepared ones. Work waits where as much as the engine can do at a time is under way.
   * @throws ProblemError `overloaded` where too much waits, or where it takes too long
   */
  use<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const { db, turns, milliseconds } = this.#held;
    const signal = this.#asking?.signal ?? null;
    return turns.take(signal, () => interruptible(db, { milliseconds, signal }, work));
  }

  /** All rows of a statement; values in select order. */
  rows(sql: string, parameters: Parameters = {}): Promise<Cell[][]> {
    return this.use(async (db) => {
      const rows: Cell[][] = [];
      for await (const batch of db.stream(sql, parameters)) rows.push(...batch);
      return rows;
    });
  }

  async close(): Promise<void> {
    this.#held.db.close();
    await this.#held.scratch.remove();
  }
}

async function prepare(
  store: Store,
  receipt: Receipt,
  { queryThreads: threads, queryMemory: memory }: QueryOptions,
  { folder, spill }: Scratch,
  signal: AbortSignal,
): Promise<Database> {
  const paths = releaseTablePaths(store.release(receipt.releaseDigest));
  const db = await openTables(paths, { threads, memory, spill, asMade: true });
  try {
    await attach(db, folder);
    await prepareRecords(db, receipt, signal);
    await prepareAggregates(db, receipt, signal);
    await prepareSearch(db, signal);
    for (const file of Object.keys(FILES)) await db.run(`checkpoint ${file}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

async function attach(db: Database, folder: string): Promise<void> {
  // The release's files never change: their footers are read once.
  await db.run("set parquet_metadata_cache = true");
  await db.run(`set disabled_compression_methods = ${quote(TOO_SLOW)}`);
  for (const [name, rows] of Object.entries(FILES)) {
    const path = join(folder, `${name}.duckdb`);
    await db.run(`attach ${quote(path)} as ${name} (row_group_size ${rows}, recovery_mode no_wal_writes)`);
    await rm(path);
  }
}
