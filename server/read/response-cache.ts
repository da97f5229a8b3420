/**
 * The answers given most, in memory: a release is immutable, so what its pages answer is right for as long as the release
 * is open. Bounded by bytes; the answer unused for longest goes first. What is asked for once is not kept: a crawler
 * would push out everything, and keeping and dropping a page costs more than reading it.
 */

import type { PageAnswer } from "../http/response.ts";
import { Compressed } from "../http/response.ts";

/** Targets remembered as asked for lately: about as many as there is room for pages. */
const LATELY = 2048;

/** A page above this share of the cache is not kept: it would push out hundreds of others. */
const LARGEST_SHARE = 1 / 64;

export class AnswerCache {
  readonly #limit: number;
  readonly #answers = new Map<string, PageAnswer>();
  /** Hashes of targets that were not kept, each where the next of its place overwrites it. */
  readonly #lately = new Uint32Array(LATELY);
  #bytes = 0;

  /** `limit`: bytes of bodies, whole and compressed. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `target` as the client sent it. */
  get(target: string): PageAnswer | undefined {
    const answer = this.#answers.get(target);
    if (answer === undefined) return undefined;
    // A map keeps the order of insertion: the last used goes to its end.
    this.#answers.delete(target);
    this.#answers.set(target, answer);
    return answer;
  }

  /** Keeps the answer if its target was given lately. */
  set(target: string, answer: PageAnswer): void {
    if (answer.body.length > this.#limit * LARGEST_SHARE || this.#answers.has(target) || !this.#again(target)) return;
    this.#answers.set(target, { ...answer, compressed: new Compressed(answer.body) });
    this.#bytes += weightOf(answer);
    for (const [oldest, kept] of this.#answers) {
      if (this.#bytes <= this.#limit) return;
      this.#answers.delete(oldest);
      this.#bytes -= weightOf(kept);
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  #again(target: string): boolean {
    const hash = hashOf(target);
    const place = hash % LATELY;
    const again = this.#lately[place] === hash;
    this.#lately[place] = hash;
    return again;
  }
}

/** Bytes of the body, and of its compressed forms, which have a quarter of them each. */
function weightOf({ body }: PageAnswer): number {
  return Math.ceil(body.length * 1.5);
}

/** FNV-1a: a clash keeps one page too many. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
