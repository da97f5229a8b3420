/** Worker threads that take task after task: how stages use more than one core. */

import { parentPort, Worker } from "node:worker_threads";

/** JavaScript heap of a worker: far more than it holds at a time, and small enough that it is swept before it sprawls. */
const HEAP = { maxOldGenerationSizeMb: 384 };

/** What a worker says of a task. A code has to be carried apart: a cloned error keeps its message and stack only. */
type Answer = { readonly done: unknown } | { readonly failed: unknown; readonly code: unknown };

/**
 * Runs every task on one of up to `threads` workers started from `module`, which must call {@link serveTasks}.
 * Results come in the order of the tasks. After a failure no task is begun; it is thrown once the running ones ended.
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
  const failures: unknown[] = [];
  const feed = (worker: Worker) =>
    new Promise<void>((resolve) => {
      let running: (typeof queue)[number] | undefined;
      const next = () => {
        running = queue.shift();
        if (running === undefined) resolve();
        else worker.postMessage(running.task);
      };
      const fail = (failure: unknown) => {
        failures.push(failure);
        queue.length = 0;
        resolve();
      };
      worker.on("error", fail);
      worker.on("exit", (code) => fail(new Error(`a worker of ${module.pathname} exited with code ${code}`)));
      worker.on("message", (answer: Answer) => {
        if (running === undefined) return;
        if ("failed" in answer) return fail(failureOf(answer));
        results[running.index] = answer.done as Result;
        onDone(running.task, answer.done as Result);
        next();
      });
      next();
    });
  try {
    const size = Math.min(Math.max(1, threads), queue.length);
    for (let i = 0; i < size; i += 1) workers.push(new Worker(module, { resourceLimits: HEAP }));
    // All of them, failed or not: a worker that is ended while DuckDB works in it takes the whole process along.
    await Promise.all(workers.map(feed));
    if (failures.length > 0) throw failures[0];
    return results;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function failureOf({ failed, code }: Extract<Answer, { failed: unknown }>): unknown {
  return failed instanceof Error && code !== undefined ? Object.assign(failed, { code }) : failed;
}

/** The other end: answers each task with what `work` makes of it, or with its error. */
export function serveTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  parentPort?.on("message", async (task: Task) => {
    const answer: Answer = await work(task).then(
      (done) => ({ done }),
      (failed) => ({ failed, code: failed instanceof Error && "code" in failed ? failed.code : undefined }),
    );
    parentPort?.postMessage(answer);
  });
}
