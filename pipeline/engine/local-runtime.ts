/** This machine as the place where a build runs: DuckDB, and worker processes. */

import { version } from "@duckdb/node-api";
import { runPool } from "../stage/worker-pool.ts";
import { openDuckDB } from "./open.ts";
import type { Runtime } from "./runtime.ts";

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
