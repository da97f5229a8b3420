/** The parts of a small service of one source: its records, its responses, and the expected result of a complete harvest. */

import type { Dialect, Reply } from "./service.ts";

export interface World {
  /** Name of the source. */
  readonly source: string;
  readonly dialect: Dialect;
  /** Source ids that a complete harvest finds, in order. */
  readonly ids: readonly string[];
  /** Source ids that are listed but deleted. */
  readonly gone?: readonly string[];
  /** Number of elements that a complete harvest rejects. */
  readonly rejected?: number;
  /** The payload of the first record, parsed. */
  readonly first: unknown;
  /** True if the service states the number of its records. */
  readonly counts: boolean;
}

export const NOT_FOUND: Reply = { status: 404, json: { error: "Not found" } };

/** Returns `count` objects, made from their index. */
export function many<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
