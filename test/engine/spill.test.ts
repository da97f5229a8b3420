/** The engine spills to the system's temporary folder, and removes the spilled files when it is closed. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDuckDB } from "../../pipeline/engine/open.ts";

let folder: string;
const { TMPDIR } = process.env;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "share-spilling-"));
  process.env.TMPDIR = folder;
});
afterAll(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(folder, { recursive: true, force: true });
});

test("the engine spills into the temporary folder of the system, and removes the files when it is closed", async () => {
  const db = await openDuckDB({ threads: 1, memory: "64MB" });
  try {
    await db.run("create table t as select range as n, md5(range::varchar) as text from range(2000000)");
    await db.run("create table sorted as select * from t order by text");
    expect(readdirSync(folder).filter((name) => name.startsWith("share-spill-"))).toHaveLength(1);
    expect(readdirSync(".")).not.toContain(".tmp");
  } finally {
    db.close();
  }
  expect(readdirSync(folder)).toEqual([]);
});

test("the engine spills no more than its limit, and its error names the setting max_temp_directory_size", async () => {
  const db = await openDuckDB({ threads: 1, memory: "64MB", spillLimit: "10MB" });
  try {
    const made = db.run("create table t as select range as n, md5(range::varchar) as text from range(5000000)");
    await expect(made).rejects.toThrow(/max_temp_directory_size/);
  } finally {
    db.close();
  }
});
