/** The process of a worker (worker-pool.ts): answers each task with what `work` of the module it names makes of it. */

import { flushCompileCache } from "node:module";
import type { Answer, Order, TaskMessage } from "./worker-pool.ts";

// A terminal and a service manager signal the whole group: it is the parent's to say when this one ends.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("SIGHUP", () => undefined);

// The parent is gone, and with it the need of what is being written.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

/** Puts a question to the parent; other tasks go on in this process until the reply comes. */
export type Ask = (question: unknown) => Promise<unknown>;

type Working = (task: unknown, ask?: Ask) => Promise<unknown>;

async function carryOut({ module, task }: Order, ask?: Ask): Promise<unknown> {
  const { work }: { work: Working } = await import(module);
  // Node keeps what it compiled when a process ends well, and a worker never does.
  flushCompileCache();
  return work(task, ask);
}

function failure(failed: unknown): Extract<Answer, { failed: unknown }> {
  return { failed, code: failed instanceof Error && "code" in failed ? failed.code : undefined };
}

/** Those who wait for a reply, by task. */
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
      asking.get(id)?.reject(new Error("nobody waits for this task"));
      break;
  }
}

process.on("message", async (message: Order | TaskMessage) => {
  if ("id" in message) return converse(message);
  const answer: Answer = await carryOut(message).then((done) => ({ done }), failure);
  process.send?.(answer);
});
