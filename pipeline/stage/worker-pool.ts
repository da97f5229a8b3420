/** Worker processes that take task after task: how stages use more than one core. Why no threads is in ADR 14. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The function that a worker module exports as `work`. Tasks and results are cloned on their way. */
export type Work<Task, Result> = (task: Task) => Promise<Result>;

/** {@link WorkerPool.run} on workers that are started for it, and ended after it. */
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

/** Up to `size` processes, started when there is work for them; they stay for whatever comes next. End it in a `finally`. */
export class WorkerPool {
  readonly #size: number;
  #workers: ChildProcess[] = [];

  constructor(size: number) {
    this.#size = Math.max(1, size);
  }

  /**
   * Runs every task on one of the processes, which import `work` from `module` ({@link Work}). Results come in the order of
   * the tasks. The first failure, of a task or of `onDone`, ends the processes wherever they are, and is thrown once all are
   * gone. One run at a time.
   */
  async run<Task, Result>(
    module: URL,
    tasks: readonly Task[],
    onDone: (task: Task, result: Result) => void = () => undefined,
  ): Promise<Result[]> {
    const results: Result[] = [];
    const queue = tasks.map((task, index) => ({ task, index }));
    const feed = (worker: ChildProcess) => {
      let leave: () => unknown = () => undefined;
      return new Promise<void>((resolve, reject) => {
        let running: (typeof queue)[number] | undefined;
        const next = () => {
          running = queue.shift();
          if (running === undefined) return resolve();
          const order: Order = { module: module.href, task: running.task };
          // Where the worker is gone, its exit says so.
          worker.send(order, () => undefined);
        };
        const ended = (code: number | null, signal: NodeJS.Signals | null) =>
          reject(new WorkerEnded(module, code, signal));
        const answered = (answer: Answer) => {
          if (running === undefined) return;
          if ("failed" in answer) return reject(failureOf(answer));
          results[running.index] = answer.done as Result;
          try {
            onDone(running.task, answer.done as Result);
          } catch (error) {
            return reject(error);
          }
          next();
        };
        worker.on("error", reject).on("exit", ended).on("message", answered);
        leave = () => worker.off("error", reject).off("exit", ended).off("message", answered);
        next();
      }).finally(() => leave());
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

  /** Those that are there, and as many more as the tasks need. */
  #workersFor(tasks: number): readonly ChildProcess[] {
    this.#workers = this.#workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const wanted = Math.min(this.#size, tasks);
    while (this.#workers.length < wanted) {
      // What is wrong with one while it waits, its exit says.
      this.#workers.push(startWorker({ heap: BUILD_HEAP }).on("error", () => undefined));
    }
    return this.#workers.slice(0, wanted);
  }
}

/** A worker went away on its own. */
class WorkerEnded extends Error {
  readonly code = "ERR_WORKER_ENDED";
  constructor(module: URL, code: number | null, signal: NodeJS.Signals | null) {
    const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
    super(
      `a worker of ${fileURLToPath(module)} ${how}; what it wrote before may say why. Run the same command again: it goes on where it was.`,
    );
    this.name = "WorkerEnded";
  }
}

/**
 * What Node is started with for the heap of a worker of a build: far more megabytes than it holds at a time, and few enough that it is
 * swept before it sprawls. Its old space is swept for the first time at a third of it: left to itself, a heap that may not grow far is
 * swept again and again for what lies outside of it.
 */
export const BUILD_HEAP: readonly string[] = ["--max-old-space-size=384", "--initial-old-space-size=128"];

const ENTRY = new URL("./worker-process.ts", import.meta.url);

/** The order that a worker is given; `module` is the URL of a file that exports `work`. */
export interface Order {
  readonly module: string;
  readonly task: unknown;
}

/** The answer of a worker to a task. A code has to be carried apart: a cloned error keeps its message and stack only. */
export type Answer = { readonly done: unknown } | { readonly failed: unknown; readonly code: unknown };

/** A message between a process and its worker about the task with this `id`. The task may ask questions. */
export type TaskMessage = { readonly id: number } & (
  | ({ readonly kind: "task" } & Order)
  | { readonly kind: "reply"; readonly reply: unknown }
  /** Nobody waits for the task any more. */
  | { readonly kind: "abandon" }
  | { readonly kind: "question"; readonly question: unknown }
  | { readonly kind: "done"; readonly done: unknown }
  | { readonly kind: "failed"; readonly failed: unknown; readonly code: unknown }
);

interface WorkerOptions {
  /** Options of Node for JavaScript's heap; what takes more ends the worker. */
  readonly heap: readonly string[];
  /** Where it is given, the worker has this environment and no other, and says nothing but its answers. */
  readonly apart?: Readonly<Record<string, string>>;
}

export function startWorker({ heap, apart }: WorkerOptions): ChildProcess {
  return fork(ENTRY, {
    serialization: "advanced",
    execArgv: [...heap],
    ...(apart === undefined ? {} : { env: apart, stdio: ["ignore", "ignore", "ignore", "ipc"] as const }),
  });
}

/** Not asked but killed: it has nothing left to do, or what it does is for nothing. */
export async function endWorker(worker: ChildProcess): Promise<void> {
  if (worker.pid === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const gone = once(worker, "exit");
  worker.kill("SIGKILL");
  await gone;
}

export function failureOf({ failed, code }: { readonly failed: unknown; readonly code: unknown }): unknown {
  return failed instanceof Error && code !== undefined ? Object.assign(failed, { code }) : failed;
}
