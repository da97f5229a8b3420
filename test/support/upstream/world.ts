/** A small service of one source: its records, its dialect, and the expected result of a whole harvest. */

import type { Dialect, Reply } from "./service.ts";

export interface World {
  /** Name of the source. */
  readonly source: string;
  readonly dialect: Dialect;
  /** Source ids of a whole harvest, in order. */
  readonly ids: readonly string[];
  /** Source ids that are listed but deleted. */
  readonly gone?: readonly string[];
  /** How many elements a whole harvest rejects. */
  readonly rejected?: number;
  /** The payload of the first record, parsed. */
  readonly first: unknown;
  /** Whether the service states the number of records. */
  readonly counts: boolean;
}

export const NOT_FOUND: Reply = { status: 404, json: { error: "Not found" } };

/** As many as requested, created one by one from 0. */
export function many<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
