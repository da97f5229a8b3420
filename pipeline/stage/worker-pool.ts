/** Worker processes that take task after task: how stages use more than one core. Why no threads is in ADR 14. */

import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Answer, BUILD_HEAP, endWorker, failureOf, type Order, startWorker } from "./worker-child.ts";

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
