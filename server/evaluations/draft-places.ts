/** Places for drafts. A draft may occupy a worker for ten seconds, so only some are scored, and only some wait. */

import type { Caller } from "../http/read-request.ts";
import { ProblemError } from "../http/response.ts";
import { ClientGone } from "../read/query-engine.ts";

/** Drafts that are scored at once, that wait, and that one address may have in all. */
export const DRAFT_PLACES = { atOnce: 2, waiting: 30, each: 4 } as const;

export class DraftPlaces {
  /** Starts of waiting drafts by address. The first address is next, and goes to the end of the map. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #held = new Map<string, number>();
  #running = 0;

  /**
   * Runs work when it is the turn of its address. The place stays taken until the work ends, because a worker cannot be
   * interrupted.
   * @throws ProblemError `overloaded` if too many drafts wait; ClientGone if the signal fires before the turn
   */
  async use<T>({ address }: Pick<Caller, "address">, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const own = this.#held.get(address) ?? 0;
    if (own >= DRAFT_PLACES.each) throw overloaded("Too many of your drafts are waiting");
    this.#held.set(address, own + 1);
    try {
      await this.#turn(address, signal);
      try {
        return await work();
      } finally {
        this.#next();
      }
    } finally {
      const left = (this.#held.get(address) ?? 1) - 1;
      if (left > 0) this.#held.set(address, left);
      else this.#held.delete(address);
    }
  }

  async #turn(address: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new ClientGone();
    if (this.#running < DRAFT_PLACES.atOnce) {
      this.#running += 1;
      return;
    }
    const all = [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0);
    if (all >= DRAFT_PLACES.waiting) throw overloaded("Too many drafts are waiting");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const queue = this.#waiting.get(address) ?? new Set();
    this.#waiting.set(address, queue.add(resolve));
    const gone = () => {
      queue.delete(resolve);
      if (queue.size === 0) this.#waiting.delete(address);
      reject(new ClientGone());
    };
    signal.addEventListener("abort", gone, { once: true });
    await promise.finally(() => signal.removeEventListener("abort", gone));
  }

  /** Passes the turn to the address that waits longest; it ends if nobody waits. */
  #next(): void {
    for (const [address, queue] of this.#waiting) {
      this.#waiting.delete(address);
      for (const start of queue) {
        queue.delete(start);
        if (queue.size > 0) this.#waiting.set(address, queue);
        start();
        return;
      }
    }
    this.#running -= 1;
  }
}

function overloaded(why: string): ProblemError {
  return new ProblemError("overloaded", `${why}. Try again in a few seconds.`, { headers: { "retry-after": "10" } });
}
