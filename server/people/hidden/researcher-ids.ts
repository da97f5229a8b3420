/** A set of researchers that is asked about by id, and by slug before anything has been looked up. */

import { idRangeOf } from "../../../pipeline/identifiers/id-range.ts";

/** `a` and ten hex digits: what the slug of who has no ORCID iD ends in, but for the letter. */
const PREFIX = 11;

export class ResearcherIds {
  readonly #ids: ReadonlySet<string>;
  readonly #prefixes: ReadonlySet<string>;

  constructor(ids: Iterable<string> = []) {
    this.#ids = new Set(ids);
    this.#prefixes = new Set([...this.#ids].map((id) => id.slice(0, PREFIX)));
  }

  get size(): number {
    return this.#ids.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** False where no slug like this one can be of any of them: most requests are told so without a look-up. */
  mayHave(slug: string): boolean {
    const range = this.size === 0 ? null : idRangeOf(slug);
    if (range === null) return false;
    return range.from.length > PREFIX ? this.#ids.has(range.from) : this.#prefixes.has(range.from);
  }

  equals(other: ResearcherIds): boolean {
    return this.size === other.size && [...this.#ids].every((id) => other.has(id));
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#ids[Symbol.iterator]();
  }
}
