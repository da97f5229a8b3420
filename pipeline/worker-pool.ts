/** Worker processes that take task after task: how stages use more than one core. Why no threads is in ADR 14. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** JavaScript heap of a worker (MB): far more than it holds at a time, and small enough that it is swept before it sprawls. */
const HEAP = 384;

const ENTRY = new URL("./worker-process.ts", import.meta.url);

/** What a worker module exports as `work`. Tasks and results are cloned on their way. */
export type Work<Task, Result> = (task: Task) => Promise<Result>;

/** What a worker is told; `module` is the URL of a file. */
export interface Order {
  readonly module: string;
  readonly task: unknown;
}

/** What a worker says of a task. A code has to be carried apart: a cloned error keeps its message and stack only. */
export type Answer = { readonly done: unknown } | { readonly failed: unknown; readonly code: unknown };

/**
 * Runs every task on one of up to `size` worker processes, which import `work` from `module` ({@link Work}). Results
 * come in the order of the tasks. The first failure ends the workers wherever they are, and is thrown once all are gone.
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
        onDone(running.task, answer.done as Result);
        next();
      });
      next();
    });
  const workers = Array.from({ length: Math.min(Math.max(1, size), queue.length) }, startWorker);
  try {
    await Promise.all(workers.map(feed));
    return results;
  } finally {
    await Promise.all(workers.map(endWorker));
  }
}

function startWorker(): ChildProcess {
  return fork(ENTRY, {
    serialization: "advanced",
    execArgv: [`--max-old-space-size=${HEAP}`],
  });
}

/** Not asked but killed: it has nothing left to do, or what it does is for nothing. */
async function endWorker(worker: ChildProcess): Promise<void> {
  if (worker.pid === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const gone = once(worker, "exit");
  worker.kill("SIGKILL");
  await gone;
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

function failureOf({ failed, code }: Extract<Answer, { failed: unknown }>): unknown {
  return failed instanceof Error && code !== undefined ? Object.assign(failed, { code }) : failed;
}
