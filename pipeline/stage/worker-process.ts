/** The process of a worker (worker-child.ts): answers each task with what `work` of the module it names makes of it. */

import { flushCompileCache } from "node:module";
import type { Answer, Order } from "./worker-child.ts";
import type { Work } from "./worker-pool.ts";

// A terminal and a service manager signal the whole group: it is the parent's to say when this one ends.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("SIGHUP", () => undefined);

// The parent is gone, and with it the need of what is being written.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

async function carryOut({ module, task }: Order): Promise<unknown> {
  const { work }: { work: Work<unknown, unknown> } = await import(module);
  // Node keeps what it compiled when a process ends well, and a worker never does.
  flushCompileCache();
  return work(task);
}

process.on("message", async (order: Order) => {
  const answer: Answer = await carryOut(order).then(
    (done) => ({ done }),
    (failed: unknown) => ({ failed, code: failed instanceof Error && "code" in failed ? failed.code : undefined }),
  );
  process.send?.(answer);
});
