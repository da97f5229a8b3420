/**
 * Tests the pool of worker processes for stages 2 and 5: results are in order, failures are reported, and no worker is left
 * running.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { runPool, WorkerPool } from "../../pipeline/stage/worker-pool.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import type { PoolTask } from "./pool-worker.ts";

const WORKER = new URL("./pool-worker.ts", import.meta.url);
const PARENT = new URL("./pool-parent.ts", import.meta.url);

function pool(tasks: readonly PoolTask[], done: string[] = []): Promise<string[]> {
  return runPool<PoolTask, string>(WORKER, tasks, 2, ({ name }) => done.push(name));
}

/** Returns the process ids of the tasks that have started, by the name of the task. */
async function tasksBegun(begun: string): Promise<Map<string, number>> {
  if (!existsSync(begun)) return new Map();
  const lines = (await readFile(begun, "utf8")).trim().split("\n");
  return new Map(lines.map((line) => line.split(" ")).map(([name = "", pid]): [string, number] => [name, Number(pid)]));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("the pool returns results in the order of the tasks", async () => {
  await using bench = await temporaryStore();
  const begun = join(bench.folder, "begun");
  const done: string[] = [];
  const results = await pool(
    ["a", "b", "c"].map((name) => ({ name, does: "work", begun })),
    done,
  );
  expect(results).toEqual(["a done", "b done", "c done"]);
  expect(done.sort()).toEqual(["a", "b", "c"]);
  const pids = new Set((await tasksBegun(begun)).values());
  expect(pids.size).toBe(2);
  expect([...pids].filter(isRunning)).toEqual([]);
});

test("the pool reuses its workers, replaces a worker that has exited, and ends all workers when it closes", async () => {
  await using bench = await temporaryStore();
  const begun = join(bench.folder, "begun");
  const workers = new WorkerPool(1);
  const findPid = async (name: string) => {
    await workers.run<PoolTask, string>(WORKER, [{ name, does: "work", begun }]);
    return (await tasksBegun(begun)).get(name) ?? 0;
  };
  try {
    const first = await findPid("a");
    expect(await findPid("b")).toBe(first);
    process.kill(first, "SIGKILL");
    await vi.waitFor(() => expect(isRunning(first)).toBe(false), { timeout: 60_000 });
    const second = await findPid("c");
    expect(second).not.toBe(first);
    expect(isRunning(second)).toBe(true);
    await workers.end();
    expect(isRunning(second)).toBe(false);
  } finally {
    await workers.end();
  }
});

test("the pool ends its workers if the callback for a result throws", async () => {
  await using bench = await temporaryStore();
  const begun = join(bench.folder, "begun");
  const tasks: readonly PoolTask[] = ["a", "b", "c", "d"].map((name) => ({ name, does: "work", begun }));
  const told = () => {
    throw new Error("nobody listens");
  };
  await expect(runPool<PoolTask, string>(WORKER, tasks, 2, told)).rejects.toThrow("nobody listens");
  expect([...(await tasksBegun(begun)).values()].filter(isRunning)).toEqual([]);
});

test("the pool throws the error of a failed task, ends the running tasks, and starts no others", async () => {
  await using bench = await temporaryStore();
  const begun = join(bench.folder, "begun");
  const made = pool([
    { name: "long", does: "work", begun },
    { name: "bad", does: "fails", after: "long", begun },
    { name: "never", does: "work", begun },
  ]);
  await expect(made).rejects.toMatchObject({ message: "bad cannot be done", code: "ERR_TASK_FAILED" });
  const tasks = await tasksBegun(begun);
  expect([...tasks.keys()].sort()).toEqual(["bad", "long"]);
  expect([...tasks.values()].filter(isRunning)).toEqual([]);
});

test("the pool throws an error with the signal if a worker is killed, and ends the other workers", async () => {
  await using bench = await temporaryStore();
  const begun = join(bench.folder, "begun");
  const made = pool([
    { name: "long", does: "work", begun },
    { name: "bad", does: "dies", after: "long", begun },
  ]);
  await expect(made).rejects.toThrow(/pool-worker\.ts was ended by SIGKILL/);
  expect([...(await tasksBegun(begun)).values()].filter(isRunning)).toEqual([]);
});

test("the pool throws an error if a worker cannot load its module", async () => {
  const missing = new URL("./no-worker.ts", import.meta.url);
  await expect(runPool(missing, ["task"], 1, () => undefined)).rejects.toThrow(/Cannot find module .*no-worker\.ts/);
});

test("workers of the pool ignore SIGINT and SIGTERM, and end when their parent process ends", async () => {
  await using bench = await temporaryStore();
  const begun = join(bench.folder, "begun");
  const parent = spawn(process.execPath, [fileURLToPath(PARENT), begun], { stdio: "inherit" });
  const ended = once(parent, "exit");
  const worker = await vi.waitFor(async () => {
    const pid = (await tasksBegun(begun)).get("long");
    if (pid === undefined) throw new Error("the task has not started yet");
    return pid;
  }, 300_000);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(worker, signal);
  // A worker that reacts to signals would be gone by the time another process has started and ended.
  await once(spawn(process.execPath, ["--version"], { stdio: "ignore" }), "exit");
  expect(isRunning(worker)).toBe(true);
  parent.kill("SIGKILL");
  expect(await ended).toEqual([null, "SIGKILL"]);
  await vi.waitFor(() => expect(isRunning(worker)).toBe(false), 20_000);
});
