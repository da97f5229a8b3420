/** A process with a worker pool that runs one long task: `node pool-parent.ts <begun>`. worker-pool.test.ts kills it. */

import { runPool } from "../../pipeline/stage/worker-pool.ts";
import type { PoolTask } from "./pool-worker.ts";

const task: PoolTask = { name: "long", does: "work", begun: process.argv[2] ?? "" };
await runPool<PoolTask, string>(new URL("./pool-worker.ts", import.meta.url), [task], 1, () => undefined);
