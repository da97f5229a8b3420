/**
 * A process that worker-pool.test.ts starts and kills: `node pool-parent.ts <begun>` runs one long task in a worker pool.
 * `begun` is the path for the list of started tasks.
 */

import { runPool } from "../../pipeline/stage/worker-pool.ts";
import type { PoolTask } from "./pool-worker.ts";

const task: PoolTask = { name: "long", does: "work", begun: process.argv[2] ?? "" };
await runPool<PoolTask, string>(new URL("./pool-worker.ts", import.meta.url), [task], 1, () => undefined);
