/** Tests that every row that a stage or a release has matches the declaration of its table. */

import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { normaliseTask } from "../../pipeline/2-normalise/worker.ts";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { dataBytes } from "../../pipeline/pages/columns.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { listParts } from "../../pipeline/store/raw-parts.ts";
import { rowSchema } from "../../schemas/internal/rows.ts";
import { manifestLine } from "../../schemas/public/release.ts";
import {
  AGGREGATE_TABLES,
  CAPTURE_TABLES,
  RECORD_TABLES,
  RELEASE_TABLES,
  SCORE_TABLES,
  sqlType,
  type Table,
} from "../../schemas/public/tables.ts";
import { type BundledRelease, bundledRelease } from "../support/temporary-store.ts";

let bundled: BundledRelease;
let release: string;
let work: string;
let captures: string;

beforeAll(async () => {
  bundled = await bundledRelease();
  release = join(bundled.folder, "data");
  const [run = ""] = await readdir(bundled.store.work(""));
  work = bundled.store.work(run);
  captures = join(bundled.store.root, "captures");
  await writeCaptures();
});

/** Writes the tables of captures again, which stage 2 removes at its end. */
async function writeCaptures(): Promise<void> {
  for (const table of Object.keys(CAPTURE_TABLES)) await mkdir(join(captures, table), { recursive: true });
  let part = 0;
  for (const { name: source } of SOURCES) {
    for (const { path, bytes } of await listParts(bundled.store.raw(source)))
      await normaliseTask({ source, path, bytes, part: part++, captures, asOf: "2026-11-01", cache: null });
  }
}

afterAll(() => bundled[Symbol.asyncDispose]());

/** All tables with their paths: captures, the output of each stage, and the tables of a release. */
const PLACES: readonly (readonly [string, Table, () => string])[] = [
  ...Object.values(CAPTURE_TABLES).map((table) =>
    place("captures", table, () => join(captures, table.name, "*.parquet")),
  ),
  ...Object.values(RECORD_TABLES).map((table) => place("stage 2", table, () => join(work, "2-normalise", table.name))),
  ...Object.values(SCORE_TABLES).map((table) => place("stage 3", table, () => join(work, "3-score", table.name))),
  ...Object.values(AGGREGATE_TABLES).map((table) =>
    place("stage 4", table, () => join(work, "4-aggregate", table.name)),
  ),
  ...RELEASE_TABLES.map((table) => place("release", table, () => join(release, table.published ?? table.name))),
];

function place(where: string, table: Table, path: () => string): readonly [string, Table, () => string] {
  return [`${table.name} (${where})`, table, path];
}

test.each(PLACES)("every row of %s has the declared columns and types, and a unique key", async (_, table, path) => {
  const db = await openDuckDB({ threads: 1 });
  try {
    if (path().endsWith(".parquet")) await db.inputFile(table, path());
    else await db.input(table, path());
    const rows = await db.rows(`select * from ${table.name}`);
    expect(rows.length).toBeGreaterThan(0);
    const schema = rowSchema(table);
    for (const row of rows) schema.parse(row);
    const keys = new Set(rows.map((row) => JSON.stringify(table.key.map((name) => row[name]))));
    expect(keys.size).toBe(rows.length);
  } finally {
    db.close();
  }
});

test.each(PLACES)("the SQL gives table %s the declared columns and types", async (_, table, path) => {
  const db = await openDuckDB({ threads: 1 });
  try {
    const described = await db.rows(`describe select * from read_parquet(${quote(path())})`);
    const types = described.map((column) => [column.column_name, String(column.column_type).toLowerCase()]);
    expect(types).toEqual(Object.entries(table.columns).map(([name, type]) => [name, sqlType(type)]));
  } finally {
    db.close();
  }
});

describe("the schema of a row of the score table", () => {
  const schema = rowSchema(SCORE_TABLES.score);
  const row = Object.fromEntries(
    Object.entries(SCORE_TABLES.score.columns).map(([name, type]) => [name, type === "text" ? "x" : 1]),
  );

  test.each([
    ["takes a row", row, true],
    ["accepts null outside the key", { ...row, total: null }, true],
    ["rejects null in the key", { ...row, id: null }, false],
    ["rejects a fraction", { ...row, total: 1.5 }, false],
    ["rejects text in place of a number", { ...row, total: "1" }, false],
    ["rejects a missing column", Object.fromEntries(Object.entries(row).slice(1)), false],
    ["rejects another column", { ...row, more: 1 }, false],
  ])("%s", (_, value, accepted) => {
    expect(schema.safeParse(value).success).toBe(accepted);
  });
});

test("the data files of a release match its manifest", async () => {
  const lines = (await readFile(join(bundled.folder, "manifest.ndjson"), "utf8")).trim().split("\n");
  const listed = lines
    .map((line) => manifestLine.parse(JSON.parse(line)))
    .filter(({ path }) => path.startsWith("data/"));
  expect(listed.length).toBeGreaterThan(RELEASE_TABLES.length);
  expect(await dataBytes(bundled.folder)).toBe(listed.reduce((sum, { bytes }) => sum + bytes, 0));
});
