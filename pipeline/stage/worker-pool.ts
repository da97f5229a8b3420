/** Worker processes that take task after task: how stages use more than one core. Why no threads is in ADR 14. */

import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Answer, endWorker, failureOf, HEAP, type Order, startWorker } from "./worker-child.ts";

/** The function that a worker module exports as `work`. Tasks and results are cloned on their way. */
export type Work<Task, Result> = (task: Task) => Promise<Result>;

/**
 * Runs every task on one of up to `size` worker processes, which import `work` from `module` ({@link Work}). Results
 * come in the order of the tasks. The first failure, of a task or of `onDone`, ends the workers wherever they are, and is
 * thrown once all are gone.
 */
export async function runPool<Task, Result>(
  module: URL,
  tasks: readonly Task[],
  size: number,
  onDone: (task: Task, result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = tasks.map((task, index) => ({ task, index }));
  const feed = (worker: ChildProcess) =>
    new Promise<void>((resolve, reject) => {
      let running: (typeof queue)[number] | undefined;
      const next = () => {
        running = queue.shift();
        if (running === undefined) return resolve();
        const order: Order = { module: module.href, task: running.task };
        // Where the worker is gone, its exit says so.
        worker.send(order, () => undefined);
      };
      worker.on("error", reject);
      worker.on("exit", (code, signal) => reject(new WorkerEnded(module, code, signal)));
      worker.on("message", (answer: Answer) => {
        if (running === undefined) return;
        if ("failed" in answer) return reject(failureOf(answer));
        results[running.index] = answer.done as Result;
        try {
          onDone(running.task, answer.done as Result);
        } catch (error) {
          return reject(error);
        }
        next();
      });
      next();
    });
  const workers = Array.from({ length: Math.min(Math.max(1, size), queue.length) }, () =>
    startWorker({ heapMegabytes: HEAP }),
  );
  try {
    await Promise.all(workers.map(feed));
    return results;
  } finally {
    await Promise.all(workers.map(endWorker));
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
