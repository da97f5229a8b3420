/** A tolerant reader over one JSON object: tells "not carried" from "carried, and none" from "cannot be read", and remembers the last. */

import type { EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";

export type Json = { readonly [key: string]: unknown };

/** The value as an object, or null for anything else (arrays included). */
export function asObject(value: unknown): Json | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

/** Trimmed text of a string or finite number; null for anything else and for white space alone. */
export function asText(value: unknown): string | null {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  return text === "" ? null : text;
}

/** The first non-blank text among the values. */
export function firstText(...values: readonly unknown[]): string | null {
  for (const value of values) {
    const text = asText(value);
    if (text !== null) return text;
  }
  return null;
}

/** Walks object keys; undefined where a step is missing or no object. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    const object = asObject(here);
    if (object === null || !Object.hasOwn(object, key)) return undefined;
    here = object[key];
  }
  return here;
}

/** An array as it is; a missing or null value as none. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Reads the keys of one object for the evidence columns they feed.
 * `omitted` says what a missing key means: null (the shape may not carry it) or none (this source leaves empty keys out).
 */
export class Reader {
  readonly #object: Json;
  /** The columns found unreadable, for readers of what lies inside. */
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

  /** The key's list; null = not carried, [] = carried and none. What is no list is an error of `columns`, and null. */
  list(key: string, columns: readonly EvidenceName[]): readonly unknown[] | null {
    if (!this.has(key)) return this.#omitted === "none" ? [] : null;
    const value = this.#object[key];
    if (value === null) return [];
    if (Array.isArray(value)) return value;
    return this.fail(columns);
  }

  /** Like {@link list} for keys that hold an object; null = not carried, {} = carried and none. */
  object(key: string, columns: readonly EvidenceName[]): Json | null {
    if (!this.has(key)) return this.#omitted === "none" ? {} : null;
    const value = this.#object[key];
    if (value === null) return {};
    return asObject(value) ?? this.fail(columns);
  }

  /** Like {@link list} for text and numbers shown as text; null = not carried, "" = carried and none. */
  text(key: string, columns: readonly EvidenceName[]): string | null {
    if (!this.has(key)) return this.#omitted === "none" ? "" : null;
    const value = this.#object[key];
    if (value === null) return "";
    if (typeof value === "string") return value.trim();
    return typeof value === "number" ? asText(value) : this.fail(columns);
  }

  /** A count: whole numbers, floats that say whole numbers, digits as text; null = not carried. */
  count(key: string, column: EvidenceName): number | null {
    const value = this.raw(key);
    if (value === undefined || value === null) return null;
    const number = typeof value === "string" && /^\d{1,15}(\.0+)?$/.test(value.trim()) ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number) || number < 0) return this.fail([column]);
    return Math.min(Math.trunc(number), COUNT_MAX);
  }

  /** Marks columns as present and unreadable. */
  fail(columns: readonly EvidenceName[]): null {
    for (const column of columns) this.errors.add(column);
    return null;
  }
}

/** Evidence counts are 32-bit integers; nothing real comes near. */
const COUNT_MAX = 2_147_483_647;

/** A list as it is, one value as a list of one; a missing element, and an empty one, as none. */
export function oneOrMany(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === "") return [];
  return Array.isArray(value) ? value.filter((element) => element !== "" && element !== null) : [value];
}

/** Distinct texts; what is missing or a placeholder names nothing. */
export function countDistinct(texts: readonly (string | null)[], { placeholders }: Vocabularies): number {
  return new Set(texts.filter((text) => text !== null && !placeholders.isPlaceholder(text, "any"))).size;
}
