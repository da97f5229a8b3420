/**
 * Reads JSON objects whose values may have wrong types. Distinguishes missing keys, empty values, and values that cannot be
 * read.
 */

import type { EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";

export type Json = { readonly [key: string]: unknown };

/** Returns the value if it is an object; null for anything else, including arrays. */
export function asObject(value: unknown): Json | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

/** Returns the trimmed text of a string or finite number. Returns null for anything else, and for white space only. */
export function asText(value: unknown): string | null {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  return text === "" ? null : text;
}

export function firstText(...values: readonly unknown[]): string | null {
  for (const value of values) {
    const text = asText(value);
    if (text !== null) return text;
  }
  return null;
}

/** Returns the value at a path of keys. Returns undefined if a step of the path is missing or not an object. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    const object = asObject(here);
    if (object === null || !Object.hasOwn(object, key)) return undefined;
    here = object[key];
  }
  return here;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Reads the keys of an object for evidence columns. `omitted` is the meaning of a missing key: "unknown" if the response may
 * lack it, "none" if the source leaves out keys without values.
 */
export class Reader {
  readonly #object: Json;
  /** Columns that could not be read. Readers of nested objects add to the same set. */
  readonly errors: Set<EvidenceName>;
  readonly #omitted: "none" | "unknown";

  constructor(object: Json, errors: Set<EvidenceName>, omitted: "none" | "unknown" = "unknown") {
    this.#object = object;
    this.errors = errors;
    this.#omitted = omitted;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#object, key) && this.#object[key] !== undefined;
  }

  raw(key: string): unknown {
    return this.has(key) ? this.#object[key] : undefined;
  }

  /**
   * Returns the list of a key. The value null returns []. A missing key returns null (unknown) or [] (none), depending
   * on `omitted`. Any other value returns null, and marks `columns` as unreadable.
   */
  list(key: string, columns: readonly EvidenceName[]): readonly unknown[] | null {
    if (!this.has(key)) return this.#omitted === "none" ? [] : null;
    const value = this.#object[key];
    if (value === null) return [];
    if (Array.isArray(value)) return value;
    return this.fail(columns);
  }

  /**
   * Returns the object of a key. The value null returns {}. A missing key returns null (unknown) or {} (none),
   * depending on `omitted`. Treats other values like {@link list}.
   */
  object(key: string, columns: readonly EvidenceName[]): Json | null {
    if (!this.has(key)) return this.#omitted === "none" ? {} : null;
    const value = this.#object[key];
    if (value === null) return {};
    return asObject(value) ?? this.fail(columns);
  }

  /**
   * Returns the text or number of a key as text. The value null returns "". A missing key returns null (unknown) or ""
   * (none), depending on `omitted`. Treats other values like {@link list}.
   */
  text(key: string, columns: readonly EvidenceName[]): string | null {
    if (!this.has(key)) return this.#omitted === "none" ? "" : null;
    const value = this.#object[key];
    if (value === null) return "";
    if (typeof value === "string") return value.trim();
    return typeof value === "number" ? asText(value) : this.fail(columns);
  }

  /**
   * Returns the number of a key without its decimals; it may also be written as text. Returns null if the key is
   * missing or null. Any other value also returns null, and marks `column` as unreadable.
   */
  count(key: string, column: EvidenceName): number | null {
    const value = this.raw(key);
    if (value === undefined || value === null) return null;
    const number = typeof value === "string" && /^\d{1,15}(\.0+)?$/.test(value.trim()) ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number) || number < 0) return this.fail([column]);
    return Math.min(Math.trunc(number), COUNT_MAX);
  }

  fail(columns: readonly EvidenceName[]): null {
    for (const column of columns) this.errors.add(column);
    return null;
  }
}

/** Largest count that fits, because evidence has 32-bit integers. */
const COUNT_MAX = 2_147_483_647;

export function oneOrMany(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === "") return [];
  return Array.isArray(value) ? value.filter((element) => element !== "" && element !== null) : [value];
}

export function countDistinct(texts: readonly (string | null)[], { placeholders }: Vocabularies): number {
  return new Set(texts.filter((text) => text !== null && !placeholders.isPlaceholder(text, "any"))).size;
}
