/** A task of a build that several workers run at the same time leaves the same files as one run. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deserialize } from "node:v8";
import { expect, test } from "vitest";
import type { NormaliseTask } from "../../pipeline/2-normalise/worker.ts";
import type { RenderTask } from "../../pipeline/5-render/worker.ts";
import { writeOrderLine } from "../../pipeline/engine/spark.ts";
import { listRanges } from "../../pipeline/packs/format.ts";
import { releaseTablePaths, type TablePaths } from "../../pipeline/pages/columns.ts";
import { writeListings } from "../../pipeline/pages/listings.ts";
import { listParts } from "../../pipeline/store/raw-parts.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { CAPTURE_TABLES } from "../../schemas/public/tables.ts";
import { buildRelease } from "../support/build-release.ts";
import { AS_OF, harvestBundled } from "../support/bundled-corpus.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { pathsIn } from "../support/tree.ts";

const WORKER = fileURLToPath(new URL("../../pipeline/engine/spark-worker.ts", import.meta.url));
const NORMALISE = new URL("../../pipeline/2-normalise/worker.ts", import.meta.url).href;
const RENDER = new URL("../../pipeline/5-render/worker.ts", import.meta.url).href;

/** Runs one worker of an executor with these lines of input, and returns its output. */
async function attempt(lines: readonly string[]): Promise<string> {
  const worker = spawn(process.execPath, [WORKER], { stdio: ["pipe", "pipe", "inherit"] });
  const said: Buffer[] = [];
  worker.stdout.on("data", (chunk: Buffer) => said.push(chunk));
  worker.stdin.end(lines.map((line) => `${line}\n`).join(""));
  await once(worker, "close");
  expect(worker.exitCode).toBe(0);
  return Buffer.concat(said).toString();
}

/** Runs the tasks in the given number of workers at once. Returns the content of the capture files and the cache by path. */
async function leftBy(attempts: number, { store, folder }: TemporaryStore) {
  const own = join(folder, `${attempts}`);
  const [answers, captures] = [join(own, "answers"), join(own, "captures")];
  for (const path of [answers, ...Object.keys(CAPTURE_TABLES).map((name) => join(captures, name))]) {
    await mkdir(path, { recursive: true });
  }
  const cache = { folder: join(own, "cache"), program: "this" };
  const parts = await listParts(store.raw("zenodo"));
  const tasks = parts.map(
    ({ path, bytes, number }): NormaliseTask => ({
      source: "zenodo",
      path,
      bytes,
      part: number,
      captures,
      asOf: AS_OF,
      cache,
    }),
  );
  const lines = tasks.map((task, number) => writeOrderLine({ module: NORMALISE, task, number, answers }));
  const said = await Promise.all(Array.from({ length: attempts }, () => attempt(lines)));
  for (const text of said) expect(text).toBe(lines.map((_, number) => `${number}\n`).join(""));
  for (const name of await readdir(answers)) {
    expect(deserialize(await readFile(join(answers, name)))).toMatchObject({ done: { kept: expect.any(Boolean) } });
  }
  const files = new Map<string, string>();
  for (const path of await pathsIn(own)) {
    if (!path.startsWith("answers/")) files.set(path, (await readFile(join(own, path))).toString("base64"));
  }
  return { files, answers: (await readdir(answers)).sort() };
}

test("three simultaneous runs of a task leave the same files as one run", async () => {
  await using bench = await temporaryStore();
  await harvestBundled(bench.store, ["zenodo"]);
  const alone = await leftBy(1, bench);
  const together = await leftBy(3, bench);
  expect(alone.files.size).toBeGreaterThan(4);
  expect([...together.files.keys()].sort()).toEqual([...alone.files.keys()].sort());
  expect(together).toEqual(alone);
});

/** Runs the tasks in the given number of workers at once. Returns the packs of records and of researchers by path. */
async function packsLeftBy(attempts: number, folder: string, tables: TablePaths): Promise<ReadonlyMap<string, string>> {
  const own = join(folder, `packs-${attempts}`);
  const [answers, listings] = [join(own, "answers"), join(own, "listings")];
  for (const path of [answers, join(own, "tree")]) await mkdir(path, { recursive: true });
  await writeListings(tables, listings, PUBLIC_VERSIONS, { threads: 1 });
  const ranges = listRanges(16).slice(3, 5);
  const tasks = (["record", "researcher"] as const).flatMap((subject) =>
    ranges.map((range) => ({ subject, range, versions: PUBLIC_VERSIONS, listings })),
  );
  const lines = tasks.map((each, number) => {
    const task: RenderTask = { ...each, number, tables, folder: own, memory: "256MB", earlier: null };
    return writeOrderLine({ module: RENDER, task, number, answers });
  });
  await Promise.all(Array.from({ length: attempts }, () => attempt(lines)));
  for (const name of await readdir(answers)) {
    expect(deserialize(await readFile(join(answers, name)))).toMatchObject({ done: expect.any(Array) });
  }
  const tree = join(own, "tree");
  const paths = await pathsIn(tree);
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path, (await readFile(join(tree, path))).toString("base64")] as const),
    ),
  );
}

test("three simultaneous runs that write packs leave the same packs as one run, byte for byte", async () => {
  await using bench = await temporaryStore();
  await harvestBundled(bench.store, ["zenodo"]);
  const { receipt } = await buildRelease(bench.store);
  const tables = releaseTablePaths(bench.store.release(receipt.releaseDigest));
  const alone = await packsLeftBy(1, bench.folder, tables);
  expect(alone.size).toBeGreaterThanOrEqual(8);
  expect(await packsLeftBy(3, bench.folder, tables)).toEqual(alone);
});

test("a failed task returns its error message, and the next task of the worker still runs", async () => {
  await using bench = await temporaryStore();
  await harvestBundled(bench.store, ["zenodo"]);
  const answers = join(bench.folder, "answers");
  await mkdir(answers);
  const task = {
    source: "nobody",
    path: "nowhere",
    bytes: 0,
    part: 1,
    captures: bench.folder,
    asOf: AS_OF,
    cache: null,
  };
  const lines = [0, 1].map((number) => writeOrderLine({ module: NORMALISE, task, number, answers }));
  expect(await attempt(lines)).toBe("0\n1\n");
  const answer: unknown = deserialize(await readFile(join(answers, "1")));
  expect(answer).toMatchObject({
    failed: {
      message: "nowhere: there is no source called nobody in this version of the program; use a later version",
    },
  });
});
