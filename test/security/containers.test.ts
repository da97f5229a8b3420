/** Locks work between containers that share a volume, although each container sees only its own processes (PID namespaces). */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readJournal } from "../../pipeline/store/journal.ts";
import { isLocked, lockFolder } from "../../pipeline/store/locks.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { examine } from "../../releases/doctor/index.ts";
import { prune } from "../../releases/prune.ts";
import { temporaryStore } from "../support/temporary-store.ts";

/** Parameters of `unshare` that run a command as process 1 of a new PID namespace, with a /proc of its own. */
const CONTAINER = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
const hasContainers = spawnSync("unshare", [...CONTAINER, "true"]).status === 0;

function startContainer(store: Store, ...task: string[]): ChildProcess {
  const child = join(import.meta.dirname, "container-child.ts");
  return spawn("unshare", [...CONTAINER, process.execPath, child, store.root, ...task], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe.skipIf(!hasContainers)("containers that share a volume", () => {
  test("prune waits for a build in another container, and the locks of a build end with its container", async () => {
    await using bench = await temporaryStore();
    const { store } = bench;
    const work = store.work("0123456789abcdef");
    await mkdir(work, { recursive: true });
    await writeFile(join(work, "evidence.parquet"), "half");
    const build = startContainer(store, "build");
    const closed = once(build, "close");
    const [text] = build.stdout === null ? [] : await once(build.stdout, "data");
    // In this container, the process id of the lock belongs to another process, or to none.
    expect(String(text)).toBe("held 1\n");
    await expect(prune(store, 1, false)).rejects.toThrow("pruning must wait for a build");
    await expect(lockFolder(work)).rejects.toThrow("held by process 1 on ");
    const locks = (await examine(store, new Date())).filter(({ check }) => check === "locks");
    expect(locks.map(({ state }) => state)).toEqual(["note", "note"]);
    build.kill("SIGKILL");
    await closed;
    while (isLocked(store.root)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await prune(store, 1, false)).leftovers).toEqual(["0123456789abcdef"]);
  });

  test("the journal stays complete while several containers write to it", async () => {
    await using bench = await temporaryStore();
    await mkdir(bench.store.releases, { recursive: true });
    const writers = ["a", "b", "c"].map((digit) => startContainer(bench.store, "journal", digit));
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, "close"))[0]));
    expect(codes).toEqual([0, 0, 0]);
    const { entries, damaged, torn } = await readJournal(bench.store);
    expect([entries.length, damaged, torn]).toEqual([75, [], 0]);
  });
});
