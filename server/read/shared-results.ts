/**
 * Caches results of work on an immutable release: totals, facets and responses. Simultaneous requests share the work.
 */

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { TurnLost } from "../scheduler.ts";

type CacheLimits<T> =
  | { readonly max: number }
  | { readonly maxSize: number; readonly sizeCalculation: (result: T) => number };

export class SharedResults<T extends NonNullable<unknown>> {
  readonly #cached: LRUCache<string, T>;
  readonly #underWay = new Map<string, Promise<T>>();

  /**
   * `limits` is the largest number of results, or their largest size in bytes. The least recently used result is
   * dropped first.
   */
  constructor(limits: CacheLimits<T>) {
    this.#cached = new LRUCache(limits);
  }

  /** Whether the result of a key is cached, or another request works on it. */
  has(key: string): boolean {
    const digest = digestKey(key);
    return this.#cached.has(digest) || this.#underWay.has(digest);
  }

  /**
   * Returns the result for a key. The first request makes it, and others get the cached one. A failure is not cached.
   * `key` may be long, such as a search text.
   */
  async of(key: string, make: () => Promise<T>): Promise<T> {
    const digest = digestKey(key);
    for (;;) {
      const cached = this.#cached.get(digest);
      if (cached !== undefined) return cached;
      const underWay = this.#underWay.get(digest);
      if (underWay === undefined) return this.#make(digest, make);
      try {
        return await underWay;
      } catch (error) {
        // The request that did the work disconnected or was rejected, so this one does it.
        if (!(error instanceof TurnLost)) throw error;
      }
    }
  }

  async #make(digest: string, make: () => Promise<T>): Promise<T> {
    const making = make();
    this.#underWay.set(digest, making);
    try {
      const result = await making;
      this.#cached.set(digest, result);
      return result;
    } finally {
      this.#underWay.delete(digest);
    }
  }
}

function digestKey(key: string): string {
  return hash("sha256", key, "base64url");
}
