/** Tests the cache of normalised rows of a raw part, which several workers may read and write at the same time. */

import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CachedPart } from "../../pipeline/2-normalise/part-cache.ts";
import { CAPTURE_TABLES } from "../../schemas/public/tables.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const TABLES = Object.values(CAPTURE_TABLES).map(({ name }) => name);

/**
 * Prepares the cache of part 0 of Zenodo. `attempt` returns a worker's access to it, with the worker's own folder; `parts` is
 * the folder of cached parts.
 */
async function attemptsIn(folder: string) {
  const [path, cache] = [join(folder, "part"), join(folder, "cache")];
  await writeFile(path, "{}\n");
  const attempt = async (number: number) => {
    const own = join(folder, `attempt-${number}`);
    await mkdir(own, { recursive: true });
    const getTablePath = (table: string) => join(own, `${table}.parquet`);
    const wanted = { source: "zenodo", path, part: 0, asOf: "2026-11-01", getTablePath };
    const kept = await CachedPart.of({ folder: cache, program: "this" }, wanted);
    return { kept, getTablePath };
  };
  return { attempt, parts: join(cache, "zenodo") };
}

test("workers that normalise one part at the same time all succeed, and the cached rows are complete", async () => {
  await using bench = await temporaryStore();
  const { attempt, parts } = await attemptsIn(bench.folder);
  const taken: boolean[] = [];
  const work = async (number: number) => {
    const { kept, getTablePath } = await attempt(number);
    // Odd workers write rows without looking for cached ones first.
    taken.push(number % 2 === 0 && (await kept.restore()));
    if (taken.at(-1) === true) return;
    for (const table of TABLES) await writeFile(`${getTablePath(table)}.own`, `${table}\n`);
    for (const table of TABLES) await writeFile(getTablePath(table), await readFile(`${getTablePath(table)}.own`));
    await kept.store(false);
  };
  for (let round = 0; round < 40; round += 1) {
    await Promise.all(Array.from({ length: 8 }, (_, i) => work(8 * round + i)));
  }
  const { kept, getTablePath } = await attempt(1000);
  expect(await kept.restore()).toBe(true);
  expect(await Promise.all(TABLES.map((table) => readFile(getTablePath(table), "utf8")))).toEqual(
    TABLES.map((table) => `${table}\n`),
  );
  expect(await readdir(parts)).toEqual(["0"]);
});

test("unfinished cached rows are removed after a day, but not those of a running worker or of another part", async () => {
  await using bench = await temporaryStore();
  const { attempt, parts } = await attemptsIn(bench.folder);
  const daysAgo = (days: number) => Date.now() / 1000 - days * 86_400;
  const drafts: [string, number][] = [
    ["0.killed.tmp", 1.1],
    ["0.at-work.tmp", 0.9],
    ["01.killed.tmp", 1.1],
  ];
  for (const [name, days] of drafts) {
    await mkdir(join(parts, name), { recursive: true });
    await writeFile(join(parts, name, "evidence.parquet"), "half");
    await utimes(join(parts, name), daysAgo(days), daysAgo(days));
  }
  const { kept, getTablePath } = await attempt(0);
  for (const table of TABLES) await writeFile(getTablePath(table), `${table}\n`);
  await kept.store(false);
  expect((await readdir(parts)).sort()).toEqual(["0", "0.at-work.tmp", "01.killed.tmp"]);
});
