/** An SQL file is split into its statements, which the engines get one by one and unchanged. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { fillSql, readSql, splitStatements } from "../../pipeline/engine/sql-text.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const TEXTS = [
  { name: "two statements", sql: "select 1;\nselect 2;\n", statements: ["select 1", "select 2"] },
  { name: "a last statement without a semicolon", sql: "select 1; select 2", statements: ["select 1", "select 2"] },
  {
    name: "a semicolon in a text",
    sql: "select ';', 'it''s; so'; select 2",
    statements: ["select ';', 'it''s; so'", "select 2"],
  },
  { name: "a semicolon in a name", sql: 'select "a;b"""; select 2', statements: ['select "a;b"""', "select 2"] },
  {
    name: "a semicolon and an apostrophe in a comment",
    sql: "-- it's; so\nselect 1 - -1;",
    statements: ["select 1 - -1"],
  },
  { name: "only comments and blanks", sql: "-- nothing\n ;; ", statements: [] },
];

test.each(TEXTS)("an SQL file is split into statements: $name", ({ sql, statements }) => {
  expect(splitStatements(sql)).toEqual(statements);
});

test("variables of an SQL file become SQL literals, and a missing variable is an error", async () => {
  await using beside = await temporaryStore();
  const file = pathToFileURL(join(beside.folder, "variables.sql"));
  await writeFile(file, "select getvariable('name') as name, getvariable('count') as count");
  expect(await readSql(file, { name: "it's $1", count: 3 })).toBe("select 'it''s $1' as name, 3 as count");
  await expect(readSql(file, { name: "only" })).rejects.toMatchObject({ code: "ERR_SQL" });
});

test("a table that fillSql makes has the given rows, with nulls, and the declared column types even without rows", async () => {
  const table = { name: "given", columns: { id: "text", count: "int", mask: "bigint", here: "bool" } } as const;
  const rows = [
    { id: "it's", count: null, mask: 2n ** 62n, here: true },
    { id: null, count: 3, mask: 0n, here: null },
  ];
  const db = await openDuckDB({ threads: 1 });
  try {
    for (const given of [rows, []]) {
      await db.run(fillSql(table, given));
      expect(await db.rows("select * from given order by mask desc")).toEqual(given);
      expect((await db.rows("describe given")).map(({ column_type: type }) => type)).toEqual([
        "VARCHAR",
        "INTEGER",
        "BIGINT",
        "BOOLEAN",
      ]);
      await db.run("drop table given");
    }
  } finally {
    db.close();
  }
});
