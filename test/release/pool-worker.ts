/** A worker whose tasks take a while in DuckDB, or fail at once, for worker-pool.test.ts. */

import { appendFileSync } from "node:fs";
import { openDuckDB } from "../../pipeline/duckdb/open.ts";
import { serveTasks } from "../../pipeline/worker-pool.ts";

/** `begun` is a file that gets a line for each task begun. */
export interface PoolTask {
  readonly name: string;
  readonly fails: boolean;
  readonly begun: string;
}

class TaskFailed extends Error {
  readonly code = "ERR_TASK_FAILED";
}

serveTasks<PoolTask, string>(async ({ name, fails, begun }) => {
  appendFileSync(begun, `${name}\n`);
  if (fails) throw new TaskFailed(`${name} cannot be done`);
  const db = await openDuckDB({ threads: 1, memory: "128MB" });
  try {
    await db.rows("select max(hash(i)) as most from range(30000000) as t(i)");
    return `${name} done`;
  } finally {
    db.close();
  }
});
