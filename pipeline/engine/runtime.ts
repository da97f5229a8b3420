/** Defines the runtime of a build: an engine that runs SQL, and processes that run other tasks. */

import { runHere, runPool, type WorkerPool } from "../stage/worker-pool.ts";
import type { Engine } from "./open.ts";
import { describeDuckDB, openDuckDB } from "./open.ts";

export interface Runtime {
  /** The engine and its version, such as `DuckDB v1.5.6`. */
  readonly engine: string;
  /**
   * Opens an engine without tables. Close it in a `finally`. `spill` is a folder for data that do not fit into memory.
   * `onShare` receives the finished share of the running statement (0 to 1), if the engine reports it.
   */
  open(spill: string, onShare?: (share: number) => void): Promise<Engine>;
  /**
   * Runs each task in a process that imports `work` from the module (stage/worker-pool.ts). A task may run more than once,
   * even in parallel, so it writes under a temporary name and renames the file. Small tasks may run in this process.
   * Returns the results in the order of the tasks. Calls `onDone` once for each result. Throws the first failure.
   */
  runPool<Task, Result>(
    module: URL,
    tasks: readonly Task[],
    onDone: (task: Task, result: Result) => void,
    areSmall: boolean,
  ): Promise<Result[]>;
  close(): Promise<void>;
}

export interface LocalOptions {
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB. */
  readonly memory: string;
  /** Limit of spilled data on the disk, such as 4000MB; unlimited by default. */
  readonly spillLimit?: string | undefined;
  /** Processes that several builds share. By default, each build starts new ones. */
  readonly workers?: WorkerPool;
}

export function localRuntime({ threads, memory, spillLimit, workers }: LocalOptions): Runtime {
  return {
    engine: describeDuckDB(),
    open: (spill) => openDuckDB({ threads, memory, spill, spillLimit }),
    runPool: (module, tasks, onDone, areSmall) => {
      if (areSmall) return runHere(module, tasks, onDone);
      return workers === undefined ? runPool(module, tasks, threads, onDone) : workers.run(module, tasks, onDone);
    },
    close: async () => undefined,
  };
}

export function getRuntime(options: LocalOptions & { readonly runtime?: Runtime }): Runtime {
  return options.runtime ?? localRuntime(options);
}
