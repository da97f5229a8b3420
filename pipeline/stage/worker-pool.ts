/**
 * Runs the tasks of stages in worker processes, to use several processor cores. Threads would not do: builds crashed
 * when threads ended that had loaded DuckDB's add-on (nodejs/node#55706, #58484 and #65100 report the same).
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { unpackResult, type WorkerOrder, type WorkFunction } from "./worker-task.ts";

/** Starts workers, runs tasks on them ({@link WorkerPool.run}), and ends the workers. */
export async function runPool<Task, Result>(
  module: URL,
  tasks: readonly Task[],
  size: number,
  onDone: (task: Task, result: Result) => void,
): Promise<Result[]> {
  const pool = new WorkerPool(size);
  try {
    return await pool.run<Task, Result>(module, tasks, onDone);
  } finally {
    await pool.end();
  }
}

/** Runs tasks one after another in this process. For small tasks, this is faster than starting a worker. */
export async function runHere<Task, Result>(
  module: URL,
  tasks: readonly Task[],
  onDone: (task: Task, result: Result) => void,
): Promise<Result[]> {
  const { work }: { work: WorkFunction<Task, Result> } = await import(module.href);
  const results: Result[] = [];
  for (const task of tasks) {
    const result = await work(task);
    results.push(result);
    onDone(task, result);
  }
  return results;
}

/**
 * A pool of up to `size` worker processes. They start when tasks need them, and later runs use them again. End the pool
 * in a `finally`.
 */
export class WorkerPool {
  readonly #size: number;
  #workers: ChildProcess[] = [];

  constructor(size: number) {
    this.#size = Math.max(1, size);
  }

  /**
   * Runs each task in a process that imports `work` from `module` ({@link WorkFunction}). Returns the results in the order
   * of the tasks. If a task or `onDone` fails, ends all processes and throws the error. Only one run at a time is possible.
   */
  async run<Task, Result>(
    module: URL,
    tasks: readonly Task[],
    onDone: (task: Task, result: Result) => void = () => undefined,
  ): Promise<Result[]> {
    const results: Result[] = [];
    const queue = tasks.map((task, index) => ({ task, index }));
    const feed = async (worker: ChildProcess) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const result = (await runTask(worker, module, next.task)) as Result;
        results[next.index] = result;
        onDone(next.task, result);
      }
    };
    try {
      await Promise.all(this.#workersFor(queue.length).map(feed));
      return results;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map(endWorker));
  }

  /** Returns enough workers for a number of tasks. Starts new ones if necessary. */
  #workersFor(tasks: number): readonly ChildProcess[] {
    this.#workers = this.#workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const workerCount = Math.min(this.#size, tasks);
    while (this.#workers.length < workerCount) {
      this.#workers.push(startWorker({ heap: BUILD_HEAP }));
    }
    return this.#workers.slice(0, workerCount);
  }
}

/** The error if a worker process exited before its task was finished. */
export class WorkerEnded extends Error {
  readonly code = "ERR_WORKER_ENDED";
  constructor(module: URL, code: number | null, signal: NodeJS.Signals | null) {
    const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
    super(
      `a worker of ${fileURLToPath(module)} ${how}; its earlier output may explain why. Run the same command again to continue.`,
    );
    this.name = "WorkerEnded";
  }
}

/**
 * Heap options of Node for a worker of a build. The limit is larger than a worker needs, but small enough to make
 * garbage collection start early. The initial heap is large enough that memory outside the heap does not cause constant
 * collections.
 */
export const BUILD_HEAP: readonly string[] = ["--max-old-space-size=384", "--initial-old-space-size=128"];

const ENTRY = new URL("./worker-process.ts", import.meta.url);

interface WorkerOptions {
  /** Heap options of Node. A worker that needs more than this memory exits. */
  readonly heap: readonly string[];
  /**
   * Separates the worker from this process: it gets only these environment variables, and no standard streams. If
   * undefined, it inherits both.
   */
  readonly apart?: Readonly<Record<string, string>>;
}

export function startWorker({ heap, apart }: WorkerOptions): ChildProcess {
  const worker = fork(ENTRY, {
    serialization: "advanced",
    execArgv: [...heap],
    ...(apart === undefined ? {} : { env: apart, stdio: ["ignore", "ignore", "ignore", "ipc"] as const }),
  });
  // The exit event of an idle worker reports its error.
  return worker.on("error", () => undefined);
}

/**
 * Runs a task in an idle worker, and returns the result.
 * @throws WorkerEnded, or the error of the task
 */
export async function runTask(worker: ChildProcess, module: URL, task: unknown): Promise<unknown> {
  const order: WorkerOrder = { module: module.href, task };
  // If the worker has exited, its exit event follows.
  worker.send(order, () => undefined);
  const over = new AbortController();
  const answered = once(worker, "message", over);
  const ended = once(worker, "exit", over).then(([code, signal]) => {
    throw new WorkerEnded(module, code, signal);
  });
  try {
    const [result] = await Promise.race([answered, ended]);
    return unpackResult(result);
  } finally {
    over.abort();
  }
}

/** Kills a worker that is idle, or whose result is not needed any more. */
export async function endWorker(worker: ChildProcess): Promise<void> {
  if (worker.pid === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const exit = once(worker, "exit");
  worker.kill("SIGKILL");
  await exit;
}
