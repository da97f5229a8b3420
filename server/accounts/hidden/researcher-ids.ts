/** A set of researchers that is asked about by id, and by slug before anything has been looked up. */

import { z } from "zod";
import { WITHHELD_NAME } from "../../../api-static/pages/rows.ts";
import { idOfOrcid, idRangeOf } from "../../../pipeline/identifiers/parse.ts";
import type { Standing } from "./standings.ts";

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

/** What the next release calls a creator who has opted out (decisions.md, "Accounts"). */
const WITHHELD = { id: null, name: WITHHELD_NAME, affiliation: null, slug: null, orcid: null };

type Members = Readonly<Record<string, unknown>>;

const known = z.object({ id: z.string().nullable(), orcid: z.string().nullable() });

/**
 * The same value, but for creators who are hidden: known by the id that their release gave them, or by their ORCID iD. Who
 * was named by name alone cannot be told from others of that name any more. What has no creators comes back as it is.
 */
export function withheldIn(value: unknown, { hidden }: Pick<Standing, "hidden">): unknown {
  if (hidden.size === 0 || !isObject(value)) return value;
  const { evaluation } = value;
  if (!isObject(evaluation) || !isObject(evaluation.record)) return withoutThem(value, hidden);
  return { ...value, evaluation: { ...evaluation, record: withoutThem(evaluation.record, hidden) } };
}

function withoutThem(record: Members, hidden: ResearcherIds): Members {
  if (!Array.isArray(record.authors)) return record;
  return {
    ...record,
    authors: record.authors.map((author: unknown) => (isHidden(author, hidden) ? WITHHELD : author)),
  };
}

function isHidden(author: unknown, hidden: ResearcherIds): boolean {
  const parsed = known.safeParse(author);
  if (!parsed.success) return false;
  const { id, orcid } = parsed.data;
  return (id !== null && hidden.has(id)) || (orcid !== null && hidden.has(idOfOrcid(orcid)));
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}
