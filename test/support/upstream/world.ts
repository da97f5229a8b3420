/** One source's service in small: what it holds, how it speaks, and what a whole harvest of it must give. */

import type { Dialect, Reply } from "./service.ts";

export interface World {
  /** Name of the source. */
  readonly source: string;
  readonly dialect: Dialect;
  /** Source ids a whole harvest has, in the order it has them. */
  readonly ids: readonly string[];
  /** Source ids that are listed and gone when asked for. */
  readonly gone?: readonly string[];
  /** How many elements a whole harvest refuses. */
  readonly refused?: number;
  /** The payload of the first record, parsed. */
  readonly first: unknown;
  /** Whether the service says how many there are. */
  readonly counts: boolean;
}

export const NOT_FOUND: Reply = { status: 404, json: { error: "Not found" } };

/** As many as asked for, made one by one from 0. */
export function many<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
