/** Normalising workers: one thread a core, each taking the next part until none is left. */

import { Worker } from "node:worker_threads";
import type { NormaliseTask } from "./worker.ts";

export interface PoolProgress {
  readonly tasks: number;
  readonly bytes: number;
}

/** Runs all tasks on up to `threads` workers. The first failure stops the rest and is thrown. */
export async function runPool(
  tasks: readonly NormaliseTask[],
  threads: number,
  onProgress: (done: PoolProgress) => void,
): Promise<void> {
  const queue = [...tasks];
  const done = { tasks: 0, bytes: 0 };
  const workers: Worker[] = [];
  try {
    const size = Math.max(1, Math.min(threads, queue.length));
    await Promise.all(
      Array.from({ length: queue.length === 0 ? 0 : size }, () => {
        const worker = new Worker(new URL("./worker.ts", import.meta.url), {
          resourceLimits: { maxOldGenerationSizeMb: 1024 },
        });
        workers.push(worker);
        return feed(worker, queue, (task) => {
          done.tasks += 1;
          done.bytes += task.bytes;
          onProgress(done);
        });
      }),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Gives one worker task after task; resolves when the queue is empty. */
function feed(worker: Worker, queue: NormaliseTask[], onDone: (task: NormaliseTask) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let running: NormaliseTask | undefined;
    const next = () => {
      running = queue.shift();
      if (running === undefined) resolve();
      else worker.postMessage(running);
    };
    worker.on("error", reject);
    worker.on("exit", (code) => reject(new Error(`a normalising worker exited with code ${code} at ${running?.path}`)));
    worker.on("message", (message: { ready: true } | { done: number }) => {
      if ("done" in message && running !== undefined) onDone(running);
      next();
    });
  });
}
