/**
 * Runs tasks in a worker process (worker-pool.ts). For each task, calls the function `work` of the task's module, and
 * sends the result back.
 */

import { flushCompileCache } from "node:module";
import { carryOut, type WorkerOrder } from "./worker-task.ts";

// Terminals and service managers signal the whole process group. The parent decides when a worker ends.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("SIGHUP", () => undefined);

// The worker ends when its parent ends.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

process.on("message", async (order: WorkerOrder) => {
  const result = await carryOut(order);
  // Node writes its compile cache at a normal exit, but workers are killed.
  flushCompileCache();
  process.send?.(result);
});
