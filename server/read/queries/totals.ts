/** Numbers of rows by filter: a release never changes, so that one count serves all pages of a list. */

import { hash } from "node:crypto";
import { ClientGone } from "./overload.ts";

/** A total is a few hundred bytes with the digest of its key. */
const MOST = 10_000;

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
