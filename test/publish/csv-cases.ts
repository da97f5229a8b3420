/** Tables as CSV beside a published release: of its Parquet, named by no manifest, and still checked. */

import { appendFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type Database, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { CSV_FILES } from "../../releases/export-csv.ts";
import { verify } from "../../releases/verify/index.ts";
import { runCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { at } from "../trust/world.ts";
import type { PLACES } from "./places.ts";
import { folderOf, published } from "./publications.ts";
import type { SmallWorld } from "./small-world.ts";

const PATHS = [...CSV_FILES.keys()];

/** Rows of a CSV file, as texts, and of the table it should hold. */
async function rowsOf(db: Database, csv: string, parquet: string, key: readonly string[]): Promise<unknown[][]> {
  const columns = (await db.rows(`describe select * from read_parquet(${quote(parquet)})`)).map(
    ({ column_name: name, column_type: type }) => [String(name), String(type)] as const,
  );
  const typed = columns.map(([name, type]) => `${quote(name)}: ${quote(type)}`).join(", ");
  const texts = columns.map(([name]) => `cast("${name}" as varchar)`).join(", ");
  const read = `read_csv(${quote(csv)}, header = true, auto_detect = false, columns = {${typed}}, quote = '"', escape = '"', delim = ',', allow_quoted_nulls = false)`;
  const order = key.map((name) => `"${name}"`).join(", ");
  const all = async (from: string, sorted: string) => {
    const rows: unknown[][] = [];
    for await (const batch of db.stream(`select ${texts} from ${from} ${sorted}`)) rows.push(...batch);
    return rows;
  };
  const [ours, theirs] = [await all(read, ""), await all(`read_parquet(${quote(parquet)})`, `order by ${order}`)];
  expect(ours).toEqual(theirs);
  return ours;
}

export function csvCases(worldOf: () => SmallWorld, { kind, open }: (typeof PLACES)[number]): void {
  const newer = () => at(worldOf().digests, 1);

  test("with --csv its tables are beside it, once", async () => {
    const { store } = worldOf();
    await using place = await open();
    const dry = await published(store, place, newer(), { csv: true, dryRun: true });
    expect(await place.paths()).toEqual([]);
    const first = await published(store, place, newer(), { csv: true });
    expect(first.csv).toMatchObject({ uploaded: PATHS.length, unchanged: 0 });
    expect(dry.csv).toEqual(first.csv);
    const made = async (path: string) => (await place.read(`${folderOf(newer())}/${path}`)) ?? Buffer.alloc(0);
    const sizes = await Promise.all(PATHS.map(async (path) => (await made(path)).length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(first.csv?.bytes);
    const again = await published(store, place, newer(), { csv: true });
    expect(again.csv).toEqual({ uploaded: 0, unchanged: PATHS.length, bytes: 0 });
    expect((await published(store, place, newer())).csv).toBeNull();
    expect((await made(at(PATHS, 0))).length).toBe(sizes[0]);
  });

  if (kind !== "a folder") return;

  test("the rows are those of the tables, in the order of their keys, and the command prints the same", async () => {
    const { store } = worldOf();
    await using place = await open();
    await published(store, place, newer(), { csv: true });
    const folder = join(at(place.options, 1), folderOf(newer()));
    const db = await openDuckDB({ threads: 1 });
    let rows = 0;
    try {
      for (const [path, { table, parquet }] of CSV_FILES) {
        const parts = parquet.endsWith(".parquet") ? parquet : `${parquet}/*.parquet`;
        rows += (await rowsOf(db, join(folder, path), join(folder, parts), table.key)).length;
      }
    } finally {
      db.close();
    }
    expect(rows).toBeGreaterThan(50);
    const printed = await runCommand(["release", "export", "scores", "--release", newer(), "--store", store.root]);
    const packed = await readFile(join(folder, "data/scores.csv.gz"));
    expect(printed).toMatchObject({ exitCode: 0, stdout: gunzipSync(packed).toString("utf8") });
    const unknown = await runCommand(["release", "export", "evidence", "--store", store.root]);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: "" });
    expect(unknown.stderr).toContain("no table called evidence");
  });

  test("verify takes them for what they are, and finds one that holds other rows", async () => {
    await using place = await open();
    await published(worldOf().store, place, newer(), { csv: true });
    const store = openStore(at(place.options, 1));
    const findings = async () =>
      (await verify(store, newer(), { threads: 1, memory: "256MB", rescore: false }, recordedEffects())).findings;
    expect(await findings()).toEqual([]);
    const scores = join(store.release(newer()), "data/scores.csv.gz");
    await appendFile(scores, "one more line");
    expect(await findings()).toEqual([
      { check: "csv", detail: "data/scores.csv.gz does not hold the rows of its table" },
    ]);
    expect((await published(worldOf().store, place, newer(), { csv: true })).csv).toMatchObject({ uploaded: 1 });
    expect(await findings()).toEqual([]);
    await rm(scores);
    await appendFile(join(store.release(newer()), "data/evidence.csv.gz"), "no table that can be had so");
    expect(await findings()).toEqual([{ check: "extra file", detail: "data/evidence.csv.gz" }]);
  });
}
