/** The workers of stages 2 and 5: results in order, and a failure that is told instead of taking the process along. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runPool } from "../../pipeline/worker-pool.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import type { PoolTask } from "./pool-worker.ts";

const WORKER = new URL("./pool-worker.ts", import.meta.url);

function tasks(begun: string, names: readonly string[]): PoolTask[] {
  return names.map((name) => ({ name, fails: name.startsWith("bad"), begun }));
}

test("results come in the order of the tasks, whoever is done first", async () => {
  await using bench = await temporaryStore();
  const done: string[] = [];
  const given = tasks(join(bench.folder, "begun"), ["a", "b", "c"]);
  const results = await runPool<PoolTask, string>(WORKER, given, 2, ({ name }) => done.push(name));
  expect(results).toEqual(["a done", "b done", "c done"]);
  expect(done.sort()).toEqual(["a", "b", "c"]);
});

test("a failure keeps its message and code, waits for what runs in DuckDB, and begins nothing more", async () => {
  await using bench = await temporaryStore();
  const begun = join(bench.folder, "begun");
  const done: string[] = [];
  const pool = runPool<PoolTask, string>(WORKER, tasks(begun, ["long", "bad", "never"]), 2, ({ name }) =>
    done.push(name),
  );
  await expect(pool).rejects.toMatchObject({ message: "bad cannot be done", code: "ERR_TASK_FAILED" });
  expect(done).toEqual(["long"]);
  expect((await readFile(begun, "utf8")).trim().split("\n").sort()).toEqual(["bad", "long"]);
});

test("a worker that cannot start is an error", async () => {
  const missing = new URL("./no-worker.ts", import.meta.url);
  await expect(runPool(missing, ["task"], 1, () => undefined)).rejects.toThrow("no-worker.ts");
});
