/**
 * Gives turns to everything that costs processor time: statements of requests, batches of streams, and drafts. Each
 * kind of work has its own turns, so streams never delay the first statement of a request, and such statements never
 * stop streams. The next turn goes to the waiting caller that has used the least time lately.
 */

import { LRUCache } from "lru-cache";
import { plural } from "../pipeline/reading/text.ts";
import { ProblemError } from "./http/response.ts";

export const KINDS = ["query", "stream", "draft"] as const;

export type WorkKind = (typeof KINDS)[number];

export interface TurnLimits {
  /** Number of turns at the same time. One caller has at most half of them. */
  readonly atOnce: number;
  /** Number of requests that may wait for their first turn. One caller has at most half of these places. */
  readonly waiting: number;
}

export type SchedulerLimits = Readonly<Record<WorkKind, TurnLimits>>;

/** A request that needs turns: its parts take them one after another. */
export interface Asking {
  readonly kind: WorkKind;
  /** The caller whose used time is counted: an API key or an address. */
  readonly caller: string;
  /** Fires if the client disconnects. */
  readonly signal: AbortSignal;
}

/** Milliseconds after which the time that a caller used counts only half. */
const HALF_LIFE = 30_000;

/** Milliseconds of waiting that outweigh one millisecond of used time, so that nobody waits for ever. */
const WAITING_FOR_USED = 10;

/** Largest number of callers whose used time is remembered. */
const MAX_CALLERS = 10_000;

interface UsedTime {
  readonly milliseconds: number;
  readonly at: number;
}

export class Scheduler {
  readonly #queues: ReadonlyMap<WorkKind, TurnQueue>;
  readonly #now: () => number;
  readonly #used = new LRUCache<string, UsedTime>({ max: MAX_CALLERS });
  readonly #begun = new WeakSet<Asking>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor(limits: SchedulerLimits, now: () => number = () => performance.now()) {
    this.#queues = new Map(KINDS.map((kind) => [kind, new TurnQueue(kind, limits[kind])]));
    this.#now = now;
  }

  /**
   * Runs work when it is the turn of its caller. The turn is taken until the work ends.
   * @throws ProblemError `overloaded` if too much work waits, most of it for this caller; ClientGone if the signal fires
   *   before the turn
   */
  async run<T>(asking: Asking, work: () => Promise<T>): Promise<T> {
    const { kind, caller, signal } = asking;
    if (signal.aborted) throw new ClientGone();
    const queue = this.#getQueue(kind);
    if (!queue.enter(caller)) await queue.wait(asking, this.#begun.has(asking), this.#now());
    this.#begun.add(asking);
    const began = this.#now();
    try {
      return await work();
    } finally {
      const now = this.#now();
      this.#used.set(caller, { milliseconds: this.#usedBy(caller, now) + now - began, at: now });
      queue.leave(caller);
      queue.startNext((waiting, since) => WAITING_FOR_USED * this.#usedBy(waiting, now) - (now - since));
    }
  }

  #usedBy(caller: string, now: number): number {
    const used = this.#used.get(caller);
    return used === undefined ? 0 : used.milliseconds * 2 ** ((used.at - now) / HALF_LIFE);
  }

  #getQueue(kind: WorkKind): TurnQueue {
    const queue = this.#queues.get(kind);
    if (queue === undefined) throw new Error(`the scheduler has no queue for work of the kind ${kind}; report this`);
    return queue;
  }
}

interface Waiting {
  readonly since: number;
  /**
   * Whether the request had a turn before. If so, it is not rejected, because the finished part of its work would be
   * wasted.
   */
  readonly begun: boolean;
  readonly start: () => void;
  readonly reject: (problem: ProblemError) => void;
}

/** The turns of one kind of work, and the callers that wait for them. */
class TurnQueue {
  readonly #kind: WorkKind;
  readonly #limits: TurnLimits;
  readonly #running = new Map<string, number>();
  /** Waiting requests by caller. Requests that have begun come before requests that have not. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(kind: WorkKind, limits: TurnLimits) {
    this.#kind = kind;
    this.#limits = limits;
  }

  /** Takes a turn if the caller may have one now; otherwise returns false. */
  enter(caller: string): boolean {
    const own = this.#running.get(caller) ?? 0;
    const all = this.#running.values().reduce((sum, number) => sum + number, 0);
    if (all >= this.#limits.atOnce || own >= half(this.#limits.atOnce)) return false;
    this.#running.set(caller, own + 1);
    return true;
  }

  leave(caller: string): void {
    const left = (this.#running.get(caller) ?? 1) - 1;
    if (left > 0) this.#running.set(caller, left);
    else this.#running.delete(caller);
  }

  /** Waits until `startNext` takes a turn for the caller. */
  async wait({ caller, signal }: Asking, begun: boolean, since: number): Promise<void> {
    if (!begun) this.#makeRoom(caller);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { since, begun, start: resolve, reject };
    const own = this.#waiting.get(caller) ?? [];
    own.splice(begun ? own.filter((other) => other.begun).length : own.length, 0, waiting);
    this.#waiting.set(caller, own);
    const onDisconnect = () => {
      this.#remove(caller, waiting);
      reject(new ClientGone());
    };
    signal.addEventListener("abort", onDisconnect, { once: true });
    await promise.finally(() => signal.removeEventListener("abort", onDisconnect));
  }

  /** Starts the first waiting request of the caller with the lowest rank that may have a turn. */
  startNext(computeRank: (caller: string, since: number) => number): void {
    const ranked = [...this.#waiting].map(([caller, [first]]) => ({
      caller,
      rank: computeRank(caller, first?.since ?? 0),
    }));
    for (const { caller } of ranked.toSorted((one, other) => one.rank - other.rank)) {
      if (!this.enter(caller)) continue;
      const [first] = this.#waiting.get(caller) ?? [];
      if (first === undefined)
        throw new Error(`the scheduler chose the caller ${caller}, who has no waiting request; report this`);
      this.#remove(caller, first);
      first.start();
      return;
    }
  }

  /**
   * Makes room for one more waiting request. If all places are taken, rejects the newest request of the caller with the
   * most.
   */
  #makeRoom(caller: string): void {
    const { waiting } = this.#limits;
    const own = this.#listFirstTurns(caller).length;
    if (own >= half(waiting)) throw tooManyWaiting(this.#kind);
    const callers = [...this.#waiting.keys()].map((name) => ({ name, requests: this.#listFirstTurns(name) }));
    if (callers.reduce((sum, { requests }) => sum + requests.length, 0) < waiting) return;
    const greediest = callers.reduce((one, other) => (other.requests.length > one.requests.length ? other : one));
    const newest = greediest.requests.at(-1);
    if (newest === undefined || greediest.requests.length <= own + 1) throw tooManyWaiting(this.#kind);
    this.#remove(greediest.name, newest);
    newest.reject(tooManyWaiting(this.#kind));
  }

  #listFirstTurns(caller: string): readonly Waiting[] {
    return (this.#waiting.get(caller) ?? []).filter(({ begun }) => !begun);
  }

  #remove(caller: string, waiting: Waiting): void {
    const left = (this.#waiting.get(caller) ?? []).filter((other) => other !== waiting);
    if (left.length > 0) this.#waiting.set(caller, left);
    else this.#waiting.delete(caller);
  }
}

function half(number: number): number {
  return Math.ceil(number / 2);
}

const PLURALS: Readonly<Record<WorkKind, string>> = { query: "queries", stream: "streams", draft: "drafts" };

/** Seconds after which a rejected request may find room, by kind of work. */
const RETRY_AFTER: Readonly<Record<WorkKind, number>> = { query: 1, stream: 10, draft: 10 };

/**
 * The problem for work that several requests share: the request that did the work ended too early, so another one can
 * do it.
 */
export class TurnLost extends ProblemError {}

function tooManyWaiting(kind: WorkKind): TurnLost {
  const seconds = RETRY_AFTER[kind];
  return new TurnLost(
    "overloaded",
    `Too many ${PLURALS[kind]} are waiting. Try again in ${plural(seconds, "second")}.`,
    {
      headers: { "retry-after": String(seconds) },
    },
  );
}

/** The problem that ends the work of a client that disconnected. Nothing is sent. */
export class ClientGone extends TurnLost {
  constructor() {
    super("overloaded", "The client disconnected before the query ended.");
    this.name = "ClientGone";
  }
}
