/**
 * Two servers of one store that cannot see each other's processes, as in two containers, and must not delete each other's
 * files.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { filledStore } from "../support/temporary-store.ts";

const CHILD = fileURLToPath(new URL("./scratch-child.ts", import.meta.url));

/** Options of `unshare` that run a program as process 1 of a new process namespace, and end it together with the test. */
const APART = ["--pid", "--fork", "--kill-child"];
const isPermitted = spawnSync("unshare", [...APART, "true"]).status === 0;

function startApart(root: string, digest: string) {
  const child = spawn("unshare", [...APART, process.execPath, CHILD, root, digest], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const gone = once(child, "exit").then(() => ['"the process has ended"']);
  const next = async (): Promise<unknown> => JSON.parse(String((await Promise.race([once(lines, "line"), gone]))[0]));
  return {
    started: next(),
    async sort() {
      child.stdin.write("sort\n");
      return next();
    },
    async end() {
      child.stdin.end();
      await gone;
    },
  };
}

describe.skipIf(!isPermitted)("servers in separate process namespaces", () => {
  test("two servers in separate process namespaces keep separate temporary files, even if both have the process id 1", async () => {
    await using folder = await filledStore({ generated: { datacite: 20, seed: 5 }, builds: [{}] });
    const [digest = ""] = folder.digests;
    const first = startApart(folder.store.root, digest);
    expect(await first.started).toEqual({ pid: 1 });
    const second = startApart(folder.store.root, digest);
    expect(await second.started).toEqual({ pid: 1 });
    expect(readdirSync(folder.store.queries(""))).toHaveLength(2);
    expect(await first.sort()).toEqual([[3_000_000]]);
    await Promise.all([first.end(), second.end()]);
    expect(readdirSync(folder.store.queries(""))).toEqual([]);
  }, 300_000);
});
