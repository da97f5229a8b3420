/**
 * Turns at the engine: some statements run, those of some requests wait, and what comes beyond is refused at once. A
 * request is known by its signal, which fires when its client is gone.
 */

import { availableParallelism } from "node:os";
import type { Database } from "../../../pipeline/engine/open.ts";
import { ProblemError } from "../../http/answer.ts";

export interface TurnLimits {
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
export function tooLong(milliseconds: number): ProblemError {
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
export async function interruptible<T>(
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

/** One after the other, as long as they are wanted. An address is a file of statements. */
export async function runAll(db: Database, statements: readonly (string | URL)[], signal: AbortSignal): Promise<void> {
  for (const statement of statements) {
    signal.throwIfAborted();
    await (statement instanceof URL ? db.runFile(statement) : db.run(statement));
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
