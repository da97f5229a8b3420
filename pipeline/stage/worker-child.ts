/** A worker as its parent sees it: starting one, what the two say to each other, and its end. Why no threads is in ADR 14. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

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

export interface WorkerOptions {
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
