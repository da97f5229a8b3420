/** Worker threads that take task after task: how stages use more than one core. */

import { parentPort, Worker } from "node:worker_threads";

interface Done {
  readonly done: unknown;
}

/**
 * Runs every task on one of up to `threads` workers started from `module`, which must call {@link serveTasks}.
 * Results come in the order of the tasks. The first failure stops the rest and is thrown.
 */
export async function runPool<Task, Result>(
  module: URL,
  tasks: readonly Task[],
  threads: number,
  onDone: (task: Task, result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = tasks.map((task, index) => ({ task, index }));
  const workers: Worker[] = [];
  const feed = (worker: Worker) =>
    new Promise<void>((resolve, reject) => {
      let running: (typeof queue)[number] | undefined;
      const next = () => {
        running = queue.shift();
        if (running === undefined) resolve();
        else worker.postMessage(running.task);
      };
      worker.on("error", reject);
      worker.on("exit", (code) => reject(new Error(`a worker of ${module.pathname} exited with code ${code}`)));
      worker.on("message", ({ done }: Done) => {
        if (running === undefined) return;
        results[running.index] = done as Result;
        onDone(running.task, done as Result);
        next();
      });
      next();
    });
  try {
    const size = Math.min(Math.max(1, threads), queue.length);
    for (let i = 0; i < size; i += 1) workers.push(new Worker(module));
    await Promise.all(workers.map(feed));
    return results;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** The other end: answers each task with what `work` makes of it; an error ends the worker and reaches the pool. */
export function serveTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  parentPort?.on("message", async (task: Task) => {
    const done = await work(task);
    parentPort?.postMessage({ done } satisfies Done);
  });
}
