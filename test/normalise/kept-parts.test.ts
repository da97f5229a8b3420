/** Rows of a part that are kept: attempts at the same part take and keep them at the same time. */

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KeptPart } from "../../pipeline/2-normalise/kept-parts.ts";
import { CAPTURE_TABLES } from "../../schemas/public/tables.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const TABLES = Object.values(CAPTURE_TABLES).map(({ name }) => name);

test("attempts at one part that take and keep at once all end, and what is kept is whole", async () => {
  await using bench = await temporaryStore();
  const [path, cache] = [join(bench.folder, "part"), join(bench.folder, "cache")];
  await writeFile(path, "{}\n");
  const attempt = async (number: number) => {
    const folder = join(bench.folder, `attempt-${number}`);
    await mkdir(folder, { recursive: true });
    const fileOf = (table: string) => join(folder, `${table}.parquet`);
    const wanted = { source: "zenodo", path, part: 0, asOf: "2026-11-01", fileOf };
    const kept = await KeptPart.of({ folder: cache, program: "this" }, wanted);
    return { kept, fileOf };
  };
  const taken: boolean[] = [];
  const work = async (number: number) => {
    const { kept, fileOf } = await attempt(number);
    // Every other one comes too late to know of what is there.
    taken.push(number % 2 === 0 && (await kept.take()));
    if (taken.at(-1) === true) return;
    for (const table of TABLES) await writeFile(`${fileOf(table)}.own`, `${table}\n`);
    for (const table of TABLES) await writeFile(fileOf(table), await readFile(`${fileOf(table)}.own`));
    await kept.keep(false);
  };
  for (let round = 0; round < 40; round += 1) {
    await Promise.all(Array.from({ length: 8 }, (_, i) => work(8 * round + i)));
  }
  const { kept, fileOf } = await attempt(1000);
  expect(await kept.take()).toBe(true);
  expect(await Promise.all(TABLES.map((table) => readFile(fileOf(table), "utf8")))).toEqual(
    TABLES.map((table) => `${table}\n`),
  );
  expect(await readdir(join(cache, "zenodo"))).toEqual(["0"]);
}, 120_000);
