/**
 * Worker processes that wait for tasks, each of which may turn out to be hostile: a task has so much time and so much
 * memory, what takes more is killed with its process, and another process takes its place.
 */

import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Effects } from "./effects.ts";
import { type Answer, endWorker, failureOf, type Order, startWorker } from "./worker-child.ts";

export interface WarmWorkersOptions {
  /** Processes at most; they are started when they are needed, and stay. */
  readonly size: number;
  /** Of one task. */
  readonly taskMilliseconds: number;
  /** JavaScript's heap of a process (MB). */
  readonly heapMegabytes: number;
  /** All memory of a process (MB); seen to where the system tells it (Linux). */
  readonly residentMegabytes: number;
}

/** Why a task came to nothing: its process took too long, or too much memory, or ended. */
export type Killed = "time" | "memory" | "end";

export class TaskKilled extends Error {
  readonly code = "task-killed";
  readonly why: Killed;
  constructor(why: Killed, detail: string) {
    super(`the worker of a task is gone: ${detail}`);
    this.name = "TaskKilled";
    this.why = why;
  }
}

/** Nobody works any more. */
class WorkersClosed extends Error {
  readonly code = "workers-closed";
}

/** A process that does not get ready in so long is a fault of this machine. */
const READY_MILLISECONDS = 60_000;

/** How often the memory of a process at work is looked at. */
const LOOK_MILLISECONDS = 100;

/** A process that holds this share of its memory after a task has done enough. */
const TIRED = 0.6;

/** Bytes of a page of memory in /proc/<pid>/statm. */
const PAGE_BYTES = 4096;

interface Waiting {
  readonly task: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export class WarmWorkers {
  readonly #module: URL;
  readonly #first: unknown;
  readonly #options: WarmWorkersOptions;
  readonly #effects: Pick<Effects, "sleep" | "log">;
  readonly #queue: Waiting[] = [];
  readonly #idle: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();
  #starting = 0;
  #closed = false;

  /** `first` is the task that a process gets ready by, before any other; it has the time that takes. */
  constructor(module: URL, first: unknown, options: WarmWorkersOptions, effects: Pick<Effects, "sleep" | "log">) {
    this.#module = module;
    this.#first = first;
    this.#options = options;
    this.#effects = effects;
  }

  /** Processes there are, for those who count them. */
  get pids(): readonly number[] {
    return [...this.#all].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * What the module's `work` makes of a task; whoever comes first is served first.
   * @throws TaskKilled, or what `work` threw
   */
  run(task: unknown): Promise<unknown> {
    if (this.#closed) return Promise.reject(new WorkersClosed("no more tasks are taken"));
    return new Promise((resolve, reject) => {
      this.#queue.push({ task, resolve, reject });
      this.#serve();
    });
  }

  /** Ends every process; tasks that wait or are under way come to nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.splice(0)) reject(new WorkersClosed("the workers were ended"));
    await Promise.all([...this.#all].map(endWorker));
  }

  #serve(): void {
    for (let worker = this.#idle.pop(); worker !== undefined; worker = this.#idle.pop()) {
      const next = this.#queue.shift();
      if (next === undefined) {
        this.#idle.push(worker);
        return;
      }
      void this.#carryOut(worker, next);
    }
    while (this.#queue.length > this.#starting && this.#all.size < this.#options.size) void this.#start();
  }

  async #carryOut(worker: ChildProcess, { task, resolve, reject }: Waiting): Promise<void> {
    const { taskMilliseconds } = this.#options;
    try {
      resolve(await this.#ask(worker, task, taskMilliseconds));
    } catch (error) {
      reject(error);
    }
    await this.#again(worker);
  }

  /** A process that is gone, or has grown, makes room for another at once: nobody is to wait for its start later. */
  async #again(worker: ChildProcess): Promise<void> {
    if (this.#closed) return;
    const { residentMegabytes } = this.#options;
    if (this.#all.has(worker) && ((await residentOf(worker)) ?? 0) > TIRED * residentMegabytes) await this.#end(worker);
    if (this.#closed) return;
    if (this.#all.has(worker)) this.#idle.push(worker);
    else if (this.#all.size < this.#options.size) void this.#start();
    this.#serve();
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    const worker = startWorker({ heap: [`--max-old-space-size=${this.#options.heapMegabytes}`], apart: {} });
    this.#all.add(worker);
    const gone = () => {
      this.#all.delete(worker);
      const index = this.#idle.indexOf(worker);
      if (index >= 0) this.#idle.splice(index, 1);
    };
    worker.on("exit", gone);
    worker.on("error", gone);
    try {
      await this.#ask(worker, this.#first, READY_MILLISECONDS);
      this.#idle.push(worker);
    } catch (error) {
      await this.#end(worker);
      // Whoever waits is told, rather than have processes started for ever.
      if (!this.#closed) for (const { reject } of this.#queue.splice(0)) reject(error);
    } finally {
      this.#starting -= 1;
    }
    if (!this.#closed) this.#serve();
  }

  /** One task of one process, watched. */
  async #ask(worker: ChildProcess, task: unknown, milliseconds: number): Promise<unknown> {
    const done = new AbortController();
    try {
      return await Promise.race([
        answerOf(worker, { module: this.#module.href, task }),
        this.#late(milliseconds, done.signal),
        this.#grown(worker, done.signal),
      ]);
    } catch (error) {
      if (error instanceof TaskKilled) {
        if (!this.#closed)
          this.#effects.log({ level: "warn", event: "worker-killed", why: error.why, message: error.message });
        await this.#end(worker);
      }
      throw error;
    } finally {
      done.abort();
    }
  }

  async #late(milliseconds: number, done: AbortSignal): Promise<never> {
    await this.#nap(milliseconds, done);
    throw new TaskKilled("time", `it took longer than ${milliseconds} ms`);
  }

  async #grown(worker: ChildProcess, done: AbortSignal): Promise<never> {
    const { residentMegabytes } = this.#options;
    for (;;) {
      await this.#nap(LOOK_MILLISECONDS, done);
      const megabytes = await residentOf(worker);
      if (megabytes !== null && megabytes > residentMegabytes) {
        throw new TaskKilled("memory", `it took ${Math.round(megabytes)} MB`);
      }
    }
  }

  /** Once the task is done, it never ends: nobody waits for it any more. */
  async #nap(milliseconds: number, done: AbortSignal): Promise<void> {
    await this.#effects.sleep(milliseconds, done).catch(() => undefined);
    if (done.aborted) await new Promise(() => undefined);
  }

  async #end(worker: ChildProcess): Promise<void> {
    await endWorker(worker);
    this.#all.delete(worker);
  }
}

function answerOf(worker: ChildProcess, order: Order): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      worker.off("message", onMessage).off("exit", onExit).off("error", onError);
      end();
    };
    const onMessage = (answer: Answer) =>
      settle(() => ("failed" in answer ? reject(failureOf(answer)) : resolve(answer.done)));
    const onExit = (code: number | null, signal: NodeJS.Signals | null) =>
      settle(() =>
        reject(new TaskKilled("end", signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`)),
      );
    const onError = (error: Error) => settle(() => reject(new TaskKilled("end", error.message)));
    worker.on("message", onMessage).on("exit", onExit).on("error", onError);
    // Where the worker is gone, its exit says so.
    if (worker.exitCode !== null || worker.signalCode !== null) onExit(worker.exitCode, worker.signalCode);
    else worker.send(order, () => undefined);
  });
}

/** Megabytes that a process holds in memory; null where the system does not tell. */
async function residentOf({ pid }: ChildProcess): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => null);
  const pages = Number(text?.split(" ")[1]);
  return Number.isFinite(pages) ? (pages * PAGE_BYTES) / 1024 ** 2 : null;
}
