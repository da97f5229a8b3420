/** A worker for worker-pool.test.ts. Its tasks work in DuckDB for a while, fail, or kill the process. */

import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { openDuckDB } from "../../pipeline/engine/open.ts";

export interface PoolTask {
  readonly name: string;
  /**
   * Whether the task works, throws an error, or kills its process. If `after` is given, the task first waits until that task
   * has started.
   */
  readonly does: "work" | "fails" | "dies";
  readonly after?: string;
  /** Path of a file to which each task appends a line when it starts: its name and its process id. */
  readonly begun: string;
}

class TaskFailed extends Error {
  readonly code = "ERR_TASK_FAILED";
}

export async function work({ name, does, after, begun }: PoolTask): Promise<string> {
  appendFileSync(begun, `${name} ${process.pid}\n`);
  while (after !== undefined && !readFileSync(begun, "utf8").includes(`${after} `)) await wait(5);
  if (does === "fails") throw new TaskFailed(`${name} cannot be done`);
  if (does === "dies") process.kill(process.pid, "SIGKILL");
  const db = await openDuckDB({ threads: 1, memory: "128MB" });
  try {
    await db.rows("select max(hash(i)) as most from range($rows) as t(i)", { rows: name === "long" ? 3e9 : 3e6 });
    return `${name} done`;
  } finally {
    db.close();
  }
}
