/**
 * Runs queries over the prepared tables of one open release. Queries are limited in number and can be interrupted. Totals
 * are cached.
 */

import { hash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Cell, Database } from "../../pipeline/engine/open.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { hasJoinTables } from "../../schemas/public/tables.ts";
import { ProblemError } from "../http/response.ts";
import { prepare } from "./prepare.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

export type Parameters = Readonly<Record<string, string | number>>;

/** The parts of an engine that all requests share. */
interface SharedEngine {
  readonly db: Database;
  readonly scratch: Scratch;
  readonly turns: Turns;
  readonly totals: Totals;
  readonly milliseconds: number;
  readonly hasJoinTables: boolean;
  readonly hasAttribution: boolean;
}

/** The request of a query. Its signal is created only if a query waits. */
export interface Cancellable {
  readonly signal: AbortSignal;
}

export class QueryEngine {
  readonly #held: SharedEngine;
  readonly #asking: Cancellable | null;

  private constructor(sharedEngine: SharedEngine, asking: Cancellable | null) {
    this.#held = sharedEngine;
    this.#asking = asking;
  }

  /** @throws errors of DuckDB for tables it cannot read; `signal` cancels between two statements */
  static async open(store: Store, receipt: Receipt, options: QueryOptions, signal: AbortSignal): Promise<QueryEngine> {
    const scratch = await makeScratch(store);
    try {
      const db = await prepare(store, receipt, options, scratch, signal);
      // More statements would wait for DuckDB's threads with their memory. Here they wait without memory.
      const turns = new Turns({ atOnce: 2 * options.queryThreads, waiting: options.queryWaiting });
      const milliseconds = options.queryMilliseconds;
      const totals = new Totals();
      return new QueryEngine(
        {
          db,
          scratch,
          turns,
          totals,
          milliseconds,
          hasJoinTables: hasJoinTables(receipt.content.tables),
          hasAttribution: receipt.attribution?.complete === true,
        },
        null,
      );
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  }

  /** Returns the engine for one request. Waiting and running queries end when its signal fires. */
  for(asking: Cancellable): QueryEngine {
    return new QueryEngine(this.#held, asking);
  }

  /** Whether the release has affiliations and funding. Releases before format 3 do not. */
  get hasJoinTables(): boolean {
    return this.#held.hasJoinTables;
  }

  /** Whether the release has the affiliations and countries of all records, or that they have none. */
  get hasAttribution(): boolean {
    return this.#held.hasAttribution;
  }

  get totals(): Totals {
    return this.#held.totals;
  }

  /**
   * Runs work over the release's Parquet files, each under the name of its table, and the prepared tables. Work waits
   * for its turn.
   * @throws ProblemError `overloaded` if too much work waits, or the work takes too long
   */
  use<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const { db, turns, milliseconds } = this.#held;
    const signal = this.#asking?.signal ?? null;
    return turns.take(signal, () => interruptible(db, { milliseconds, signal }, work));
  }

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

/** Number of cached totals. One takes a few hundred bytes, with the digest of its key. */
const MOST = 10_000;

/** Cached counts by filter: numbers of rows, or others. A release never changes, so one count serves all pages of a list. */
export class Totals<Counts = number> {
  readonly #totals = new Map<string, Promise<Counts>>();
  readonly #most: number;

  /** `most` is the number of cached filters. */
  constructor(most = MOST) {
    this.#most = most;
  }

  /**
   * Returns the total of a key, which is counted once. Concurrent requests share a count; a failed one is dropped. `key`
   * may be long, because it contains the search text.
   */
  async of(key: string, count: () => Promise<Counts>): Promise<Counts> {
    const digest = hash("sha256", key, "base64url");
    for (;;) {
      const shared = this.#totals.get(digest);
      if (shared === undefined) return this.#use(digest, this.#begin(digest, count));
      try {
        return await this.#use(digest, shared);
      } catch (error) {
        // The client that counted disconnected, so this counts again.
        if (!(error instanceof ClientGone)) throw error;
      }
    }
  }

  #begin(digest: string, count: () => Promise<Counts>): Promise<Counts> {
    const total = count();
    total.catch(() => this.#forget(digest, total));
    return total;
  }

  #forget(digest: string, total: Promise<Counts>): void {
    if (this.#totals.get(digest) === total) this.#totals.delete(digest);
  }

  /** Moves the key to the end of the map. The first key is then the least recently used. */
  #use(digest: string, total: Promise<Counts>): Promise<Counts> {
    this.#totals.delete(digest);
    this.#totals.set(digest, total);
    for (const oldest of this.#totals.keys()) {
      if (this.#totals.size <= this.#most) break;
      this.#totals.delete(oldest);
    }
    return total;
  }
}

interface TurnLimits {
  readonly atOnce: number;
  /** Requests that wait for their first turn. */
  readonly waiting: number;
}

type Queue = Set<() => void>;

export class Turns {
  readonly #limits: TurnLimits;
  #running = 0;
  /** First statements of requests, in order of arrival. A set allows quick removal. */
  readonly #first: Queue = new Set();
  /** Later statements of requests that had a turn. They go first, so that finished work is not wasted. */
  readonly #later: Queue = new Set();
  readonly #begun = new WeakSet<AbortSignal>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Runs work when it is its turn.
   * @throws ProblemError `overloaded` if too many requests wait; ClientGone if the signal fires first
   */
  async take<T>(signal: AbortSignal | null, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new ClientGone();
    if (this.#running < this.#limits.atOnce) this.#running += 1;
    else await this.#wait(signal);
    if (signal !== null) this.#begun.add(signal);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  async #wait(signal: AbortSignal | null): Promise<void> {
    const begun = signal !== null && this.#begun.has(signal);
    if (!begun && this.#first.size >= this.#limits.waiting) throw tooManyWaiting();
    await waitIn(begun ? this.#later : this.#first, signal);
  }

  /** Gives the turn to the next statement, if one waits. */
  #next(): void {
    for (const queue of [this.#later, this.#first]) {
      for (const go of queue) {
        queue.delete(go);
        go();
        return;
      }
    }
    this.#running -= 1;
  }
}

function waitIn(queue: Queue, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = () => {
      signal?.removeEventListener("abort", onDisconnect);
      resolve();
    };
    const onDisconnect = () => {
      queue.delete(go);
      reject(new ClientGone());
    };
    signal?.addEventListener("abort", onDisconnect, { once: true });
    queue.add(go);
  });
}

function tooManyWaiting(): ProblemError {
  return new ProblemError("overloaded", "Too many queries are waiting. Try again in a second.", {
    headers: { "retry-after": "1" },
  });
}

/** Returns the problem of a slow query. Its Retry-After is long, because a retry would take as long. */
function tooLong(milliseconds: number): ProblemError {
  return new ProblemError(
    "overloaded",
    `The query took longer than ${milliseconds / 1000} seconds. Narrow the query, or try again later.`,
    { headers: { "retry-after": "10" } },
  );
}

/** The client disconnected. The problem ends the work, and nothing is sent. */
export class ClientGone extends ProblemError {
  constructor() {
    super("overloaded", "The client disconnected before the query ended.");
    this.name = "ClientGone";
  }
}

/** A statement that is just starting can miss an interrupt, so it is interrupted again until it ends. */
const AGAIN_MILLISECONDS = 20;

interface Bounds {
  readonly milliseconds: number;
  /** Fires if the client disconnects; null if there is no client. */
  readonly signal: AbortSignal | null;
}

/**
 * Runs work that ends when the time is over or the signal fires.
 * @throws ProblemError `overloaded` after `milliseconds`; ClientGone if the signal fired
 */
async function interruptible<T>(
  db: Database,
  { milliseconds, signal }: Bounds,
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
  signal?.addEventListener("abort", onDisconnect, { once: true });
  try {
    if (signal?.aborted) throw new ClientGone();
    return await work(session);
  } catch (error) {
    throw ended ?? error;
  } finally {
    clearTimeout(timer);
    clearInterval(again);
    signal?.removeEventListener("abort", onDisconnect);
    session.closeConnection();
  }
}

export interface QueryOptions {
  /** Memory of the engine of one release, such as 512MB. While releases change there are two engines. */
  readonly queryMemory: string;
  readonly queryThreads: number;
  /** Requests that may wait for the engine; more are rejected. */
  readonly queryWaiting: number;
  /** The time that a statement may take. */
  readonly queryMilliseconds: number;
}

/**
 * A request takes tens of milliseconds of a thread with a million records, so that all waiting requests finish within
 * seconds.
 */
const WAITING_PER_THREAD = 64;

export const DEFAULT_QUERY_OPTIONS: QueryOptions = {
  queryMemory: "512MB",
  queryThreads: availableParallelism(),
  queryWaiting: WAITING_PER_THREAD * availableParallelism(),
  queryMilliseconds: 10_000,
};
