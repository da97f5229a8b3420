/**
 * Turns at the engine: some statements run, those of some requests wait, and what comes beyond is refused at once. A
 * request is known by its signal, which fires when its client is gone.
 */

import { ClientGone, tooMany } from "./overload.ts";

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
