/**
 * Runs tasks with untrusted input in worker processes, one task at a time in each. A task has limited time and memory,
 * and a process that exceeds a limit is killed and replaced. Threads would not do, because a thread that needs too much
 * memory at once ends the whole program.
 */

import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Effects } from "../stage/effects.ts";
import { endWorker, runTask, startWorker, WorkerEnded } from "../stage/worker-pool.ts";

export interface WorkerLimits {
  readonly size: number;
  /** Time limit of one task in milliseconds. */
  readonly taskMilliseconds: number;
  /** Largest JavaScript heap of a process in MB. */
  readonly heapMegabytes: number;
  /** Largest memory of a process in MB, heap included; checked on Linux only. */
  readonly residentMegabytes: number;
}

/**
 * The error if the process of a task ended early: it was killed because the task needed too much time or memory, or it
 * exited by itself.
 */
export class TaskKilled extends Error {
  readonly code = "task-killed";
  readonly why: "time" | "memory" | "end";
  constructor(why: TaskKilled["why"], detail: string) {
    super(`the worker process was ended: ${detail}`);
    this.name = "TaskKilled";
    this.why = why;
  }
}

class WorkersClosed extends Error {
  readonly code = "workers-closed";
}

type WorkerEffects = Pick<Effects, "now" | "sleep" | "log">;

/** The time that workers took for the tasks of one evaluation, summed up. */
export interface WorkTime {
  milliseconds: number;
}

interface QueuedTask {
  readonly task: unknown;
  readonly time: WorkTime;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

const READY_MILLISECONDS = 60_000;

const MEMORY_CHECK_MILLISECONDS = 100;

/** Share of the memory limit above which a process gets no further tasks and is replaced. */
const RETIRE_AT = 0.6;

const PAGE_BYTES = 4096;

export class Workers {
  readonly #module: URL;
  readonly #first: unknown;
  readonly #limits: WorkerLimits;
  readonly #effects: WorkerEffects;
  readonly #waiting: QueuedTask[] = [];
  readonly #processes = new Set<ChildProcess>();
  readonly #idle = new Set<ChildProcess>();
  #starting = 0;
  #closed = false;

  /**
   * Does not start a process yet. `module` exports `work(task)`. Each new process runs the task `first`, to load its code.
   */
  constructor(module: URL, first: unknown, limits: WorkerLimits, effects: WorkerEffects) {
    this.#module = module;
    this.#first = first;
    this.#limits = limits;
    this.#effects = effects;
  }

  get pids(): readonly number[] {
    return [...this.#processes].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Runs `work(task)` in a process and returns its result. Adds the time that it took to `time`.
   * @throws TaskKilled, or the error of `work`
   */
  run(task: unknown, time: WorkTime): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, time, resolve, reject });
      this.#assign();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#rejectWaiting(new WorkersClosed("the workers were closed"));
    await Promise.all([...this.#processes].map(endWorker));
  }

  /** Assigns waiting tasks to idle processes. If there are too few, starts another one. */
  #assign(): void {
    if (this.#closed) this.#rejectWaiting(new WorkersClosed("the workers were closed"));
    for (const worker of this.#idle) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#idle.delete(worker);
      void this.#serve(worker, next);
    }
    if (this.#waiting.length > this.#starting) void this.#start();
  }

  async #start(): Promise<void> {
    if (this.#closed || this.#processes.size >= this.#limits.size) return;
    const worker = startWorker({ heap: [`--max-old-space-size=${this.#limits.heapMegabytes}`], apart: {} });
    this.#processes.add(worker);
    const remove = () => {
      this.#processes.delete(worker);
      this.#idle.delete(worker);
    };
    worker.on("exit", remove);
    // A process that did not start has no exit event, so it is removed here. A running one is killed, because its late
    // result could be taken for that of another task.
    worker.on("error", () => {
      remove();
      void endWorker(worker);
    });
    this.#starting += 1;
    try {
      await this.#runWatched(worker, this.#first, READY_MILLISECONDS);
      this.#idle.add(worker);
    } catch (error) {
      await endWorker(worker);
      // Gives up, because new processes would otherwise fail and be replaced without end.
      this.#rejectWaiting(error);
    }
    this.#starting -= 1;
    this.#assign();
  }

  async #serve(worker: ChildProcess, { task, time, resolve, reject }: QueuedTask): Promise<void> {
    const began = this.#effects.now().getTime();
    const work = this.#runWatched(worker, task, this.#limits.taskMilliseconds);
    await work.finally(() => (time.milliseconds += this.#effects.now().getTime() - began)).then(resolve, reject);
    const megabytes = (await readResidentMemory(worker)) ?? 0;
    if (megabytes > RETIRE_AT * this.#limits.residentMegabytes) await endWorker(worker);
    if (this.#processes.has(worker)) this.#idle.add(worker);
    // Starts a process early, so that the next task finds it ready.
    else void this.#start();
    this.#assign();
  }

  async #runWatched(worker: ChildProcess, task: unknown, milliseconds: number): Promise<unknown> {
    const done = new AbortController();
    const watching = this.#watch(worker, milliseconds, done.signal);
    try {
      return await runTask(worker, this.#module, task).finally(() => done.abort());
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error;
      if (this.#closed) throw new WorkersClosed("the workers were closed");
      throw (await watching) ?? new TaskKilled("end", error.message);
    }
  }

  /**
   * Kills a process that takes too much time or memory, and returns the reason. Returns null if its task ends before
   * that.
   */
  async #watch(worker: ChildProcess, milliseconds: number, done: AbortSignal): Promise<TaskKilled | null> {
    for (let left = milliseconds; left > 0; left -= MEMORY_CHECK_MILLISECONDS) {
      await this.#effects.sleep(Math.min(left, MEMORY_CHECK_MILLISECONDS), done).catch(() => undefined);
      const megabytes = done.aborted ? 0 : ((await readResidentMemory(worker)) ?? 0);
      if (done.aborted) return null;
      if (megabytes > this.#limits.residentMegabytes)
        return this.#kill(worker, new TaskKilled("memory", `it took ${Math.round(megabytes)} MB`));
    }
    return this.#kill(worker, new TaskKilled("time", `it took longer than ${milliseconds} ms`));
  }

  #kill(worker: ChildProcess, killed: TaskKilled): TaskKilled {
    this.#effects.log({ level: "warn", event: "worker-killed", why: killed.why, message: killed.message });
    void endWorker(worker);
    return killed;
  }

  #rejectWaiting(reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }
}

/** Returns the resident memory of a process in MB; null if it has ended, and on systems without /proc. */
async function readResidentMemory({ pid }: ChildProcess): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => null);
  const pages = Number(text?.split(" ")[1]);
  return Number.isFinite(pages) ? (pages * PAGE_BYTES) / 1024 ** 2 : null;
}
