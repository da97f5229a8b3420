/**
 * Runs queries over the prepared tables of one open release. Only a limited number of queries run at once, and each can
 * be interrupted. Totals and sets of rows are cached.
 */

import { availableParallelism } from "node:os";
import { DEFAULT_MEMORY } from "../../pipeline/engine/memory.ts";
import type { Bits, Cell, Database } from "../../pipeline/engine/open.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { ListName } from "../../schemas/public/api/lists.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { hasJoinTables } from "../../schemas/public/tables.ts";
import { type Caller, callerText } from "../http/read-request.ts";
import { ProblemError } from "../http/response.ts";
import { type Asking, ClientGone, Scheduler, type SchedulerLimits, type WorkKind } from "../scheduler.ts";
import { closeTables, isDamage, openPrepared, type PreparedTables } from "./prepared-tables.ts";
import { RowSet } from "./row-set.ts";
import { makeScratch, type Scratch } from "./scratch.ts";
import { SharedResults } from "./shared-results.ts";

export type Parameters = Readonly<Record<string, string | number | Bits>>;

/** The request for which a query runs: its caller, and the signal that ends the query. */
export interface RequestOfCaller {
  readonly caller: Pick<Caller, "kind" | "id">;
  readonly signal: AbortSignal;
}

/** Kind and caller of the queries that the server runs for itself, such as those for emails. */
const OWN = { kind: "query", caller: "server" } as const;

/** Largest number of counts that are cached for a release. */
const MAX_TOTALS = 10_000;

/**
 * Largest memory of the sets of rows that are cached for a release, in bytes. A release never changes, so all requests
 * with the same condition share a set.
 */
const MAX_SETS = 256 * 2 ** 20;

/** The parts of an engine that all requests share. */
interface SharedEngine {
  readonly tables: PreparedTables;
  readonly scratch: Scratch;
  readonly scheduler: Scheduler;
  readonly totals: SharedResults<number>;
  readonly sets: SharedResults<RowSet>;
  readonly milliseconds: number;
  readonly hasJoinTables: boolean;
  readonly hasAttribution: boolean;
  isDamaged: boolean;
}

export class QueryEngine {
  readonly #held: SharedEngine;
  /** The request for which queries run; null for work of the server itself. */
  readonly #asking: Asking | null;

  private constructor(sharedEngine: SharedEngine, asking: Asking | null) {
    this.#held = sharedEngine;
    this.#asking = asking;
  }

  /**
   * Opens a release for queries, with the tables that were prepared for it.
   * @throws errors of DuckDB for tables it cannot read; `signal` cancels between two statements
   */
  static async open(store: Store, receipt: Receipt, options: QueryOptions, signal: AbortSignal): Promise<QueryEngine> {
    const scratch = await makeScratch(store);
    try {
      const tables = await openPrepared(store, receipt, options, scratch, signal);
      const scheduler = options.scheduler ?? new Scheduler(turnLimits(options));
      const milliseconds = options.queryMilliseconds;
      const totals = new SharedResults<number>({ max: MAX_TOTALS });
      return new QueryEngine(
        {
          tables,
          scratch,
          scheduler,
          totals,
          sets: new SharedResults<RowSet>({ maxSize: MAX_SETS, sizeCalculation: ({ bytes }) => bytes + 1 }),
          milliseconds,
          hasJoinTables: hasJoinTables(receipt.content.tables),
          hasAttribution: receipt.attribution?.complete === true,
          isDamaged: false,
        },
        null,
      );
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  }

  /**
   * Returns this engine for one request. Its queries take turns with those of other callers, and end when the signal of
   * the request fires.
   */
  for(request: RequestOfCaller, kind: WorkKind = "query"): QueryEngine {
    const asking: Asking = {
      kind,
      caller: callerText(request.caller),
      // Created on access: most requests do not query.
      get signal() {
        return request.signal;
      },
    };
    return new QueryEngine(this.#held, asking);
  }

  /** Whether the release has the tables of affiliations and funding. Releases before format 3 do not have them. */
  get hasJoinTables(): boolean {
    return this.#held.hasJoinTables;
  }

  /** True if the release says for every record which affiliations and countries it has, or that it has none. */
  get hasAttribution(): boolean {
    return this.#held.hasAttribution;
  }

  /** Whether a query found damage in the prepared tables. If so, the release must be opened again. */
  get isDamaged(): boolean {
    return this.#held.isDamaged;
  }

  get totals(): SharedResults<number> {
    return this.#held.totals;
  }

  /**
   * Runs work on a database with the prepared tables and the release's Parquet files, each under the name of its table.
   * The work waits until it is the turn of its caller.
   * @throws ProblemError `overloaded` if too much work of this caller waits, or the work takes too long
   */
  async use<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const { tables, scheduler, milliseconds } = this.#held;
    const asking = this.#asking ?? { ...OWN, signal: new AbortController().signal };
    try {
      return await scheduler.run(asking, () => interruptible(tables.db, { milliseconds, signal: asking.signal }, work));
    } catch (error) {
      if (isDamage(error)) await this.#discard();
      throw error;
    }
  }

  async #discard(): Promise<void> {
    if (this.#held.isDamaged) return;
    await this.#held.tables.discard();
    this.#held.isDamaged = true;
  }

  rows(sql: string, parameters: Parameters = {}): Promise<Cell[][]> {
    return this.use(async (db) => {
      const rows: Cell[][] = [];
      for await (const batch of db.stream(sql, parameters)) rows.push(...batch);
      return rows;
    });
  }

  /**
   * Returns the rows whose positions a query selects, as a set that is cached. `size` is the number of bits in a set of
   * the list.
   */
  readSet(sql: string, parameters: Parameters, size: number): Promise<RowSet> {
    return this.#held.sets.of(JSON.stringify([sql, parameters]), () =>
      this.use(async (db) => RowSet.fromBits(await db.positionBits(sql, size, parameters), size)),
    );
  }

  /** Reads the cells of rows in the order of `positions`. */
  async readStored(list: ListName, version: PublicVersion, positions: readonly number[]): Promise<Cell[][]> {
    try {
      return this.#held.tables.rows.read(list, version, positions);
    } catch (error) {
      if (isDamage(error)) await this.#discard();
      throw error;
    }
  }

  async close(): Promise<void> {
    closeTables(this.#held.tables);
    await this.#held.scratch.remove();
  }
}

/** Returns the problem of a slow query. Its Retry-After is long, because a retry would take as long. */
function tooLong(milliseconds: number): ProblemError {
  return new ProblemError(
    "overloaded",
    `The query took longer than ${milliseconds / 1000} seconds. Narrow the query, or try again later.`,
    { headers: { "retry-after": "10" } },
  );
}

/**
 * Pause between two interrupts of a statement. A statement that is just starting can miss an interrupt, so interrupts
 * are repeated until the statement ends.
 */
const AGAIN_MILLISECONDS = 20;

interface QueryBounds {
  readonly milliseconds: number;
  /** Fires if the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Runs work that ends when the time is over or the signal fires.
 * @throws ProblemError `overloaded` after `milliseconds`; ClientGone if the signal fired
 */
async function interruptible<T>(
  db: Database,
  { milliseconds, signal }: QueryBounds,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const session = await db.openConnection();
  let ended: ProblemError | null = null;
  let again: NodeJS.Timeout | undefined;
  const end = (why: ProblemError) => {
    ended ??= why;
    session.interrupt();
    again ??= setInterval(() => session.interrupt(), AGAIN_MILLISECONDS);
  };
  const onDisconnect = () => end(new ClientGone());
  const timer = setTimeout(() => end(tooLong(milliseconds)), milliseconds);
  signal.addEventListener("abort", onDisconnect, { once: true });
  try {
    if (signal.aborted) throw new ClientGone();
    return await work(session);
  } catch (error) {
    throw ended ?? error;
  } finally {
    clearTimeout(timer);
    clearInterval(again);
    signal.removeEventListener("abort", onDisconnect);
    session.closeConnection();
  }
}

export interface QueryOptions {
  /**
   * Memory of one release's engine, such as 512MB. While the server changes to another release, there are two engines.
   */
  readonly queryMemory: string;
  readonly queryThreads: number;
  /** Number of requests that may wait for their first query. Further requests are rejected. */
  readonly queryWaiting: number;
  /** The time that a query may take, in milliseconds. */
  readonly queryMilliseconds: number;
  /** The scheduler that all engines of a server share. Without it, the engine has a scheduler of its own. */
  readonly scheduler?: Scheduler;
}

/** Number of drafts that are scored at the same time: one in each worker. */
const DRAFTS_AT_ONCE = 2;

/** Largest number of drafts that wait. Each can take 5 MiB of memory. */
const WAITING_DRAFTS = 30;

/**
 * Returns how many queries may run at once on `queryThreads` threads, and how many may wait. Two queries for each
 * thread keep the threads busy; more would hold memory while they wait. Only one stream may run for every two threads,
 * because a stream uses all the time that it gets.
 */
export function turnLimits({
  queryThreads,
  queryWaiting,
}: Pick<QueryOptions, "queryThreads" | "queryWaiting">): SchedulerLimits {
  return {
    query: { atOnce: 2 * queryThreads, waiting: queryWaiting },
    stream: { atOnce: Math.ceil(queryThreads / 2), waiting: queryWaiting },
    draft: { atOnce: DRAFTS_AT_ONCE, waiting: WAITING_DRAFTS },
  };
}

/**
 * Number of requests that may wait for each thread of the engine. With a million records, a request takes tens of
 * milliseconds, so all waiting requests finish within seconds.
 */
const WAITING_PER_THREAD = 64;

export const DEFAULT_QUERY_OPTIONS: QueryOptions = {
  queryMemory: DEFAULT_MEMORY,
  queryThreads: availableParallelism(),
  queryWaiting: WAITING_PER_THREAD * availableParallelism(),
  queryMilliseconds: 10_000,
};
