/**
 * Caches the most requested responses in memory. A release is immutable, so its pages stay valid while it is open. The
 * size of the cache is limited, and the least recently used response is dropped first. A response is cached at its
 * second request, because otherwise a crawler, which requests every page once, would replace all others.
 */

import { LRUCache } from "lru-cache";
import type { ContentResponse } from "../http/response.ts";
import { CompressedBody } from "../http/response.ts";

/** Number of recently requested targets that are remembered, so that a second request is recognised. */
const LATELY = 2048;

/** Largest share of the cache for one page. A larger page would displace hundreds of others. */
const MAX_SHARE = 1 / 64;

export class ResponseCache {
  readonly #limit: number;
  readonly #answers: LRUCache<string, ContentResponse>;
  /** Hashes of recently requested targets. The index of each hash is `hash % LATELY`. */
  readonly #lately = new Uint32Array(LATELY);

  /** `limit` is the sum of all cached bodies in bytes, plain and compressed. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#answers = new LRUCache({ maxSize: limit, sizeCalculation: computeWeight });
  }

  /** Returns the cached response to a request. `target` is the request target as the client sent it. */
  get(target: string): ContentResponse | undefined {
    return this.#answers.get(target);
  }

  /** Caches the response if its target was requested recently. */
  set(target: string, response: ContentResponse): void {
    if (response.body.length > this.#limit * MAX_SHARE || this.#answers.has(target) || !this.#again(target)) return;
    this.#answers.set(target, { ...response, compressed: new CompressedBody(response.body) });
  }

  get bytes(): number {
    return this.#answers.calculatedSize;
  }

  #again(target: string): boolean {
    const hash = hashText(target);
    const place = hash % LATELY;
    const again = this.#lately[place] === hash;
    this.#lately[place] = hash;
    return again;
  }
}

/**
 * Returns the number of bytes of a body and its two compressed forms, each about a quarter of its size. It is at least
 * 1.
 */
function computeWeight({ body }: ContentResponse): number {
  return Math.max(1, Math.ceil(body.length * 1.5));
}

/**
 * Hashes a text with FNV-1a. If two texts have the same hash, a response is cached one request too early, and nothing
 * else happens.
 */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
