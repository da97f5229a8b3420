/** How much of the machine queries may take. */

import { availableParallelism } from "node:os";

export interface QueryOptions {
  /** Memory of the engine for an open release, such as 512MB; while releases change there are two. */
  readonly queryMemory: string;
  /** Threads of the engine for an open release. */
  readonly queryThreads: number;
}

export const DEFAULT_QUERY_OPTIONS: QueryOptions = { queryMemory: "512MB", queryThreads: availableParallelism() };
