/**
 * Runs tasks with untrusted input in worker processes. A task has limited time and memory. A process that exceeds a limit
 * is killed and replaced. A task can ask this process to send requests; while it waits, the worker runs other tasks.
 */

import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Effects } from "../stage/effects.ts";
import { endWorker, restoreWorkerError, startWorker, type TaskMessage } from "../stage/worker-pool.ts";

export interface WorkerLimits {
  readonly size: number;
  /**
   * Time limit of one turn in milliseconds. A turn lasts from a message to a worker until its next message for the same
   * task.
   */
  readonly turnMilliseconds: number;
  /** Time limit of all turns of one task together, in milliseconds. */
  readonly taskMilliseconds: number;
  /** Largest JavaScript heap of a process in MB. */
  readonly heapMegabytes: number;
  /** Largest memory of a process in MB, heap included; checked on Linux only. */
  readonly residentMegabytes: number;
}

/** The process of a task was killed because the task needed too much time or memory, or the process exited. */
export class TaskKilled extends Error {
  readonly code = "task-killed";
  readonly why: "time" | "memory" | "end";
  constructor(why: TaskKilled["why"], detail: string) {
    super(`the worker process was ended: ${detail}`);
    this.name = "TaskKilled";
    this.why = why;
  }
}

/** The process of this task ended because of another task. The task can be repeated. */
export class WorkerLost extends Error {
  readonly code = "worker-lost";
}

class WorkersClosed extends Error {
  readonly code = "workers-closed";
}

type WorkerEffects = Pick<Effects, "now" | "sleep" | "log">;

/** Replies to a request of a task. If the promise rejects, the task ends with that error. */
type ReplyFunction = (question: unknown) => Promise<unknown>;

interface QueuedTask {
  readonly id: number;
  readonly task: unknown;
  readonly answer: ReplyFunction;
  readonly limit: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Milliseconds that the turns of this task have taken so far. */
  worked: number;
  /** True if the caller has already received an error. The worker still has to end the task. */
  abandoned: boolean;
}

const READY_MILLISECONDS = 60_000;

const MEMORY_CHECK_MILLISECONDS = 100;

/** Share of its memory limit at which a process receives no further tasks. */
const RETIRE_AT = 0.6;

const PAGE_BYTES = 4096;

export class Workers {
  readonly #module: URL;
  readonly #first: unknown;
  readonly #limits: WorkerLimits;
  readonly #effects: WorkerEffects;
  readonly #workers = new Set<Worker>();
  readonly #waiting: QueuedTask[] = [];
  #tasks = 0;
  #closed = false;

  /**
   * Does not start a process yet. `module` exports `work(task, ask)`. Each new process runs the task `first`, to load its
   * code.
   */
  constructor(module: URL, first: unknown, limits: WorkerLimits, effects: WorkerEffects) {
    this.#module = module;
    this.#first = first;
    this.#limits = limits;
    this.#effects = effects;
  }

  get pids(): readonly number[] {
    return [...this.#workers].flatMap(({ child }) => child.pid ?? []);
  }

  /**
   * Runs `work(task, ask)` in a worker and returns its result. `answer` replies to the requests of the task.
   * @throws TaskKilled, WorkerLost, or the error of `work` or `answer`
   */
  run(task: unknown, answer: ReplyFunction): Promise<unknown> {
    if (this.#closed) return Promise.reject(new WorkersClosed("the workers were closed"));
    return new Promise((resolve, reject) => {
      this.#waiting.push(this.#makeTask(task, answer, this.#limits.turnMilliseconds, { resolve, reject }));
      this.#assign();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new WorkersClosed("the workers were closed"));
    await Promise.all([...this.#workers].map((worker) => worker.end(new WorkersClosed("the workers were closed"))));
  }

  #makeTask(
    task: unknown,
    answer: ReplyFunction,
    limit: number,
    settle: Pick<QueuedTask, "resolve" | "reject">,
  ): QueuedTask {
    this.#tasks += 1;
    return { id: this.#tasks, task, answer, limit, ...settle, worked: 0, abandoned: false };
  }

  /** Assigns each waiting task to the process with the fewest tasks. If all processes are busy, starts another one. */
  #assign(): void {
    while (this.#waiting.length > 0) {
      const [least] = [...this.#workers].filter(({ accepts }) => accepts).sort((a, b) => a.tasks.size - b.tasks.size);
      const starting = [...this.#workers].filter(({ ready }) => !ready).length;
      const busy = least === undefined || least.tasks.size > 0;
      if (busy && starting < this.#waiting.length && this.#workers.size < this.#limits.size) void this.#start();
      if (least === undefined) return;
      const next = this.#waiting.shift();
      if (next !== undefined) least.begin(next, this.#module);
    }
  }

  async #start(): Promise<void> {
    const worker = new Worker(this.#limits, this.#effects, () => {
      this.#workers.delete(worker);
      if (this.#closed || !worker.ready) return;
      // Starts a process early, so that the next task finds it ready.
      if (this.#workers.size < this.#limits.size) void this.#start();
      this.#assign();
    });
    this.#workers.add(worker);
    try {
      await new Promise((resolve, reject) => {
        const none = () => Promise.reject(new Error("loading sends no requests"));
        worker.begin(this.#makeTask(this.#first, none, READY_MILLISECONDS, { resolve, reject }), this.#module);
      });
      worker.ready = true;
    } catch (error) {
      await worker.end(new WorkersClosed("the worker did not start"));
      // Stops here, because otherwise new processes would fail and be replaced without end.
      if (!this.#closed) for (const { reject } of this.#waiting.splice(0)) reject(error);
    }
    if (!this.#closed) this.#assign();
  }
}

/** One worker process. Its tasks run one at a time, so that it is clear which task blocks. */
class Worker {
  readonly child: ChildProcess;
  readonly tasks = new Map<number, QueuedTask>();
  ready = false;
  readonly #limits: WorkerLimits;
  readonly #effects: WorkerEffects;
  readonly #onGone: () => void;
  readonly #turns: { readonly task: QueuedTask; readonly message: TaskMessage }[] = [];
  #turn: { readonly task: QueuedTask; readonly began: number; readonly done: AbortController } | null = null;
  #killed: TaskKilled | null = null;
  #retired = false;
  #gone = false;

  constructor(limits: WorkerLimits, effects: WorkerEffects, onGone: () => void) {
    this.#limits = limits;
    this.#effects = effects;
    this.#onGone = onGone;
    this.child = startWorker({ heap: [`--max-old-space-size=${limits.heapMegabytes}`], apart: {} });
    this.child.on("message", (message: TaskMessage) => void this.#onMessage(message));
    this.child.on("error", (error) => this.#onEnd(new TaskKilled("end", error.message)));
    this.child.on("exit", (code, signal) =>
      this.#onEnd(
        this.#killed ??
          new TaskKilled("end", signal === null ? `it exited with code ${code}` : `it received ${signal}`),
      ),
    );
  }

  get accepts(): boolean {
    return this.ready && !this.#retired && !this.#gone;
  }

  begin(task: QueuedTask, module: URL): void {
    this.tasks.set(task.id, task);
    this.#push(task, { id: task.id, kind: "task", module: module.href, task: task.task });
  }

  async end(reason: Error): Promise<void> {
    this.#onEnd(reason, reason);
    await endWorker(this.child);
  }

  #push(task: QueuedTask, message: TaskMessage): void {
    this.#turns.push({ task, message });
    this.#next();
  }

  #next(): void {
    if (this.#turn !== null || this.#gone) return;
    const next = this.#turns.shift();
    if (next === undefined) {
      if (this.#retired && this.tasks.size === 0) void this.end(new WorkerLost("the worker was replaced"));
      return;
    }
    const done = new AbortController();
    this.#turn = { task: next.task, began: this.#effects.now().getTime(), done };
    void this.#watch(next.task.limit, done.signal);
    // If the worker has exited, its exit event reports that.
    this.child.send(next.message, () => undefined);
  }

  async #onMessage(message: TaskMessage): Promise<void> {
    const turn = this.#turn;
    if (turn === null || turn.task.id !== message.id) return;
    turn.done.abort();
    const { task } = turn;
    task.worked += this.#effects.now().getTime() - turn.began;
    const resident = (await readResidentMemory(this.child)) ?? 0;
    this.#retired ||= resident > RETIRE_AT * this.#limits.residentMegabytes;
    this.#turn = null;
    switch (message.kind) {
      case "question":
        void this.#reply(task, message.question);
        break;
      case "done":
        this.tasks.delete(task.id);
        task.resolve(message.done);
        break;
      case "failed":
        this.tasks.delete(task.id);
        task.reject(restoreWorkerError(message));
        break;
    }
    this.#next();
  }

  async #reply(task: QueuedTask, question: unknown): Promise<void> {
    try {
      if (task.abandoned) throw new Error("the caller of this task has received an error");
      if (task.worked > this.#limits.taskMilliseconds) {
        throw new TaskKilled("time", `the task took longer than ${this.#limits.taskMilliseconds} ms`);
      }
      const reply = await task.answer(question);
      this.#push(task, { id: task.id, kind: "reply", reply });
    } catch (error) {
      task.abandoned = true;
      task.reject(error);
      this.#push(task, { id: task.id, kind: "abandon" });
    }
  }

  /** Watches a turn, and kills the process if the turn takes too much time or memory. */
  async #watch(milliseconds: number, done: AbortSignal): Promise<void> {
    const { residentMegabytes } = this.#limits;
    for (let left = milliseconds; !done.aborted; left -= MEMORY_CHECK_MILLISECONDS) {
      if (left <= 0) return this.#kill(new TaskKilled("time", `it took longer than ${milliseconds} ms`));
      const megabytes = await readResidentMemory(this.child);
      if (megabytes !== null && megabytes > residentMegabytes && !done.aborted) {
        return this.#kill(new TaskKilled("memory", `it took ${Math.round(megabytes)} MB`));
      }
      await this.#effects.sleep(Math.min(left, MEMORY_CHECK_MILLISECONDS), done).catch(() => undefined);
    }
  }

  async #kill(killed: TaskKilled): Promise<void> {
    this.#effects.log({ level: "warn", event: "worker-killed", why: killed.why, message: killed.message });
    this.#killed = killed;
    await endWorker(this.child);
  }

  /** Fails the current task with `reason`, and the other tasks with `others`. The other tasks can be repeated. */
  #onEnd(reason: Error, others: Error = new WorkerLost("another task ended the worker process")): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#turn?.done.abort();
    for (const task of this.tasks.values()) task.reject(task === this.#turn?.task ? reason : others);
    this.tasks.clear();
    this.#onGone();
  }
}

/** Returns the resident memory of a process in MB; null on systems without /proc. */
async function readResidentMemory({ pid }: ChildProcess): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => null);
  const pages = Number(text?.split(" ")[1]);
  return Number.isFinite(pages) ? (pages * PAGE_BYTES) / 1024 ** 2 : null;
}
