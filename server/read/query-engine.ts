/** Runs queries over the prepared tables of one open release: bounded in number, interruptible, with cached totals. */

import { hash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Cell, Database } from "../../pipeline/engine/open.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { ProblemError } from "../http/response.ts";
import { prepare } from "./prepare.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

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

/** A total is a few hundred bytes with the digest of its key. */
const MOST = 10_000;

/** Numbers of rows by filter: a release never changes, so that one count serves all pages of a list. */
export class Totals {
  readonly #totals = new Map<string, Promise<number>>();
  readonly #most: number;

  /** `most`: filters remembered. */
  constructor(most = MOST) {
    this.#most = most;
  }

  /**
   * The total under a key, counted the first time. Requests at the same time share one count; a failed one is forgotten.
   * `key` may be long: it can hold whatever was searched for.
   */
  async of(key: string, count: () => Promise<number>): Promise<number> {
    const digest = hash("sha256", key, "base64url");
    for (;;) {
      const shared = this.#totals.get(digest);
      if (shared === undefined) return this.#keep(digest, this.#begin(digest, count));
      try {
        return await this.#keep(digest, shared);
      } catch (error) {
        // It was counted for a client that went away: whoever still waits counts anew.
        if (!(error instanceof ClientGone)) throw error;
      }
    }
  }

  #begin(digest: string, count: () => Promise<number>): Promise<number> {
    const total = count();
    total.catch(() => this.#forget(digest, total));
    return total;
  }

  #forget(digest: string, total: Promise<number>): void {
    if (this.#totals.get(digest) === total) this.#totals.delete(digest);
  }

  /** A map keeps the order of insertion: the last used goes to its end, and the first is the oldest. */
  #keep(digest: string, total: Promise<number>): Promise<number> {
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
  /** In the order they came: a set keeps it, and gives up any of them at once. */
  readonly #coming: Queue = new Set();
  /** Further statements of requests that had a turn: what was done for them shall not be in vain. */
  readonly #going: Queue = new Set();
  readonly #begun = new WeakSet<AbortSignal>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Runs work as soon as there is a turn for it.
   * @throws ProblemError `overloaded` where too many wait; ClientGone where the signal fires first
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
    if (!begun && this.#coming.size >= this.#limits.waiting) throw tooMany();
    await waitIn(begun ? this.#going : this.#coming, signal);
  }

  /** A turn that is over is handed on; only where nobody waits it ends. */
  #next(): void {
    for (const queue of [this.#going, this.#coming]) {
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
      signal?.removeEventListener("abort", gone);
      resolve();
    };
    const gone = () => {
      queue.delete(go);
      reject(new ClientGone());
    };
    signal?.addEventListener("abort", gone, { once: true });
    queue.add(go);
  });
}

/** More wait than the engine can answer soon. */
function tooMany(): ProblemError {
  return new ProblemError("overloaded", "Too many queries are waiting; try again.", {
    headers: { "retry-after": "1" },
  });
}

/** Asking again at once would only cost as much again. */
function tooLong(milliseconds: number): ProblemError {
  return new ProblemError(
    "overloaded",
    `The query took longer than ${milliseconds / 1000} seconds; ask for less, or try again later.`,
    { headers: { "retry-after": "10" } },
  );
}

/** The client hung up: the problem is thrown to end the work, and nobody reads it. */
export class ClientGone extends ProblemError {
  constructor() {
    super("overloaded", "The client went away before the query was answered.");
    this.name = "ClientGone";
  }
}

/** A statement that is just beginning forgets that it was interrupted: it is told again until it ends. */
const AGAIN_MILLISECONDS = 20;

interface Bounds {
  readonly milliseconds: number;
  /** Fires when the client is gone; null where no client waits. */
  readonly signal: AbortSignal | null;
}

/** @throws ProblemError `overloaded` where the time is over, ClientGone where the signal fired */
async function interruptible<T>(
  db: Database,
  { milliseconds, signal }: Bounds,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const session = await db.beside();
  let ended: ProblemError | null = null;
  let again: NodeJS.Timeout | undefined;
  const end = (why: ProblemError) => {
    ended ??= why;
    session.interrupt();
    again ??= setInterval(() => session.interrupt(), AGAIN_MILLISECONDS);
  };
  const gone = () => end(new ClientGone());
  const timer = setTimeout(() => end(tooLong(milliseconds)), milliseconds);
  signal?.addEventListener("abort", gone, { once: true });
  try {
    if (signal?.aborted) throw new ClientGone();
    return await work(session);
  } catch (error) {
    throw ended ?? error;
  } finally {
    clearTimeout(timer);
    clearInterval(again);
    signal?.removeEventListener("abort", gone);
    session.leave();
  }
}

export interface QueryOptions {
  /** Memory of the engine for an open release, such as 512MB; while releases change there are two. */
  readonly queryMemory: string;
  /** Threads of the engine for an open release. */
  readonly queryThreads: number;
  /** Requests that wait for the engine; more are refused. */
  readonly queryWaiting: number;
  /** How long a statement may run. */
  readonly queryMilliseconds: number;
}

/** A request takes a thread some tens of milliseconds at a million records: who waits is answered within seconds. */
const WAITING_PER_THREAD = 64;

export const DEFAULT_QUERY_OPTIONS: QueryOptions = {
  queryMemory: "512MB",
  queryThreads: availableParallelism(),
  queryWaiting: WAITING_PER_THREAD * availableParallelism(),
  queryMilliseconds: 10_000,
};
