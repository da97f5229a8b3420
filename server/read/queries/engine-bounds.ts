/** Bounds on what queries may take of the machine. */

import { availableParallelism } from "node:os";

export interface QueryOptions {
  /** Memory of the engine for an open release, such as 512MB; while releases change there are two. */
  readonly queryMemory: string;
  /** Threads of the engine for an open release. */
  readonly queryThreads: number;
  /** Requests that wait for the engine; more are refused. */
  readonly queryWaiting: number;
  /** How long a statement may run. */
  readonly queryMilliseconds: number;
}

/** A request takes a thread some tens of milliseconds at a million records: who waits is answered within seconds. */
const WAITING_PER_THREAD = 64;

export const DEFAULT_QUERY_OPTIONS: QueryOptions = {
  queryMemory: "512MB",
  queryThreads: availableParallelism(),
  queryWaiting: WAITING_PER_THREAD * availableParallelism(),
  queryMilliseconds: 10_000,
};
