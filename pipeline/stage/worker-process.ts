/** Runs tasks in a worker process (worker-pool.ts): calls `work` of the module of each task and returns its result. */

import { flushCompileCache } from "node:module";
import type { TaskMessage, TaskResult, WorkerOrder } from "./worker-pool.ts";

// Terminals and service managers signal the whole process group. The parent decides when a worker ends.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("SIGHUP", () => undefined);

// Ends with its parent.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

/** Asks the parent process. Other tasks of this worker continue until it replies. */
export type Ask = (question: unknown) => Promise<unknown>;

type Working = (task: unknown, ask?: Ask) => Promise<unknown>;

async function carryOut({ module, task }: WorkerOrder, ask?: Ask): Promise<unknown> {
  const { work }: { work: Working } = await import(module);
  // Node writes its compile cache at a normal exit, but workers are killed.
  flushCompileCache();
  return work(task, ask);
}

function failure(failed: unknown): Extract<TaskResult, { failed: unknown }> {
  return { failed, code: failed instanceof Error && "code" in failed ? failed.code : undefined };
}

/** Questions without a reply yet, by the id of the task. */
const asking = new Map<number, { resolve(reply: unknown): void; reject(error: Error): void }>();

async function converse(message: TaskMessage): Promise<void> {
  const { id } = message;
  const send = (answer: TaskMessage) => process.send?.(answer);
  switch (message.kind) {
    case "task": {
      const ask: Ask = (question) =>
        new Promise((resolve, reject) => {
          asking.set(id, { resolve, reject });
          send({ id, kind: "question", question });
        });
      await carryOut(message, ask).then(
        (done) => send({ id, kind: "done", done }),
        (error) => send({ id, kind: "failed", ...failure(error) }),
      );
      break;
    }
    case "reply":
      asking.get(id)?.resolve(message.reply);
      break;
    case "abandon":
      asking.get(id)?.reject(new Error("the task is not needed any more"));
      break;
  }
}

process.on("message", async (message: WorkerOrder | TaskMessage) => {
  if ("id" in message) return converse(message);
  const answer: TaskResult = await carryOut(message).then((done) => ({ done }), failure);
  process.send?.(answer);
});
