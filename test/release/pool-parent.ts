/** A process with a pool that has one long task, to be killed by worker-pool.test.ts: `node pool-parent.ts <begun>`. */

import { runPool } from "../../pipeline/stage/worker-pool.ts";
import type { PoolTask } from "./pool-worker.ts";

const task: PoolTask = { name: "long", does: "work", begun: process.argv[2] ?? "" };
await runPool<PoolTask, string>(new URL("./pool-worker.ts", import.meta.url), [task], 1, () => undefined);
