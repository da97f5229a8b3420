/** The process of a worker (worker-pool.ts): `node worker-process.ts <module>` answers each task with what `work` makes of it. */

import { enableCompileCache } from "node:module";
import type { Answer, Work } from "./worker-pool.ts";

// A terminal and a service manager signal the whole group: it is the parent's to say when this one ends.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);

// The parent is gone, and with it the need of what is being written.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

enableCompileCache();
const { work }: { work: Work<unknown, unknown> } = await import(process.argv[2] ?? "");

process.on("message", async ({ task }: { task: unknown }) => {
  const answer: Answer = await work(task).then(
    (done) => ({ done }),
    (failed: unknown) => ({ failed, code: failed instanceof Error && "code" in failed ? failed.code : undefined }),
  );
  process.send?.(answer);
});
