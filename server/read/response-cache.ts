/**
 * Caches the most requested responses in memory. A release is immutable, so its pages stay valid while it is open. The
 * cache is limited in bytes and drops the least recently used response. A response is cached at its second request,
 * because otherwise a crawler would replace all others.
 */

import { LRUCache } from "lru-cache";
import type { ContentResponse } from "../http/response.ts";
import { CompressedBody } from "../http/response.ts";

/** Number of recently requested targets that are remembered. */
const LATELY = 2048;

/** Largest share of the cache for one page. A larger page would displace hundreds of others. */
const MAX_SHARE = 1 / 64;

export class ResponseCache {
  readonly #limit: number;
  readonly #answers: LRUCache<string, ContentResponse>;
  /** Hashes of recent targets. Each is at the index `hash % LATELY`. */
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

/** Returns the bytes of a body with its two compressed forms, each about a quarter of its size. An empty one counts too. */
function computeWeight({ body }: ContentResponse): number {
  return Math.max(1, Math.ceil(body.length * 1.5));
}

/** Hashes a text with FNV-1a. After a collision, a page is only cached one request too early. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
