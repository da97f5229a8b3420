/** Where a build runs: an engine for what is SQL, and processes for what is not. */

import { version } from "@duckdb/node-api";
import { runPool } from "../stage/worker-pool.ts";
import type { Engine } from "./open.ts";
import { openDuckDB } from "./open.ts";

export interface Runtime {
  /** The engine and its version, such as `DuckDB v1.5.6`. */
  readonly engine: string;
  /**
   * An engine without tables; close it in a `finally`. It may use the folder for what does not fit in memory. `onShare` is
   * told now and then how much of what it was asked last is done, 0 to 1, where the engine knows.
   */
  open(spill: string, onShare?: (share: number) => void): Promise<Engine>;
  /**
   * Runs every task on a process that imports `work` from the module (stage/worker-pool.ts). A task may be attempted more
   * than once, at the same time or later: what it writes, it writes under a name of the attempt and renames. Results come
   * in the order of the tasks; `onDone` is told of each once. The first failure is thrown.
   */
  runPool<Task, Result>(
    module: URL,
    tasks: readonly Task[],
    onDone: (task: Task, result: Result) => void,
  ): Promise<Result[]>;
  /** Ends whatever it started. */
  close(): Promise<void>;
}

export interface LocalOptions {
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB. */
  readonly memory: string;
}

/** DuckDB and its version, such as `DuckDB v1.5.6`. */
export const DUCKDB = `DuckDB ${version()}`;

export function localRuntime({ threads, memory }: LocalOptions): Runtime {
  return {
    engine: DUCKDB,
    open: (spill) => openDuckDB({ threads, memory, spill }),
    runPool: (module, tasks, onDone) => runPool(module, tasks, threads, onDone),
    close: async () => undefined,
  };
}

/** The runtime that options name; this machine where they name none. */
export function runtimeOf(options: LocalOptions & { readonly runtime?: Runtime }): Runtime {
  return options.runtime ?? localRuntime(options);
}
