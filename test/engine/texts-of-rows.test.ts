/** The engine can return rows as JSON texts. The values in them are unchanged, whatever the rows contain. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { textAfter, textOfRow } from "../../pipeline/pages/columns.ts";
import { AUTHOR, RECORD, SCORE } from "../../pipeline/pages/keyed-pages.ts";
import { LISTED_RECORD, LISTED_SCORE, RESEARCHER } from "../../pipeline/pages/listings.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { AGGREGATE_TABLES, RECORD_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";

const given = {
  name: "given",
  grain: "a row",
  key: ["place"],
  columns: { place: "int", text: "text", whole: "int", truth: "bool" },
} as const;

/** Texts that JSON could change: control characters, quotes, Unicode line separators, and surrogate pairs. */
const ODD = [
  "",
  "\0",
  "\u0001\u001f\u007f\u0085",
  '"',
  "\\",
  '\\"',
  "\n\r\t",
  "\u2028\u2029",
  "\ufeff",
  "\ufffe\uffff",
  "🧬é",
];

const text = fc.oneof(
  fc.constantFrom(...ODD),
  fc.array(fc.constantFrom(...ODD, "a", " "), { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 40 }),
);

const rows = fc.array(
  fc.tuple(fc.option(text), fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })), fc.option(fc.boolean())),
  { minLength: 1, maxLength: 40 },
);

async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDuckDB({ threads: 1 });
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

async function readBack(db: Database, sql: string): Promise<unknown[][]> {
  const read: unknown[][] = [];
  for await (const batch of db.streamTexts(sql)) read.push(...batch);
  return read;
}

test("rows that the engine returns as text keep their texts, numbers, booleans and nulls unchanged", async () => {
  await fc.assert(
    fc.asyncProperty(rows, (made) =>
      withDatabase(async (db) => {
        await db.create(given);
        const appender = await db.appender(given);
        for (const [place, [words, whole, truth]] of made.entries()) {
          appender.appendInteger(place);
          if (words === null) appender.appendNull();
          else appender.appendVarchar(words);
          if (whole === null) appender.appendNull();
          else appender.appendInteger(whole);
          if (truth === null) appender.appendNull();
          else appender.appendBoolean(truth);
          appender.endRow();
        }
        appender.closeSync();
        const cells = textOfRow(["text", "whole", "truth"]);
        expect(await readBack(db, `select ${cells} from given order by place`)).toEqual(made);
        const after = textAfter("to_hex(place)", cells);
        expect(await readBack(db, `select ${after} from given order by place`)).toEqual(
          made.map((row, place) => [place.toString(16).toUpperCase(), ...row]),
        );
      }),
    ),
    { numRuns: 30 },
  );
});

test("rows that the engine returns as text keep their order over several batches", async () => {
  await withDatabase(async (db) => {
    const read = await readBack(db, `select ${textOfRow(["n"])} from range(5000) as numbers(n) order by n`);
    expect(read).toEqual(Array.from({ length: 5000 }, (_, n) => [n]));
  });
});

test("decimals that are read as text keep all digits", async () => {
  await withDatabase(async (db) => {
    const means = "(values (0.50::decimal(18,2)), (100), (null)) as means(mean)";
    expect(await readBack(db, `select ${textOfRow(["mean::varchar"])} from ${means} order by mean`)).toEqual([
      ["0.50"],
      ["100.00"],
      [null],
    ]);
  });
});

test("no number that pages show has more digits than a JSON number can hold", () => {
  const typesIn = (columns: Readonly<Record<string, string>>, names: readonly string[]) =>
    names.map((name) => columns[name] ?? `${name} is not a column`);
  const types = new Set([
    ...typesIn(RECORD_TABLES.record.columns, [...RECORD, ...LISTED_RECORD]),
    ...typesIn(RECORD_TABLES.evidence.columns, EVIDENCE_NAMES),
    ...typesIn(SCORE_TABLES.score.columns, [...SCORE, ...LISTED_SCORE]),
    ...typesIn(AGGREGATE_TABLES.authorship.columns, AUTHOR),
  ]);
  expect([...types].toSorted()).toEqual(["bool", "int", "text"]);
  // Lists store means as text (listings.ts).
  const ofResearchers = new Set(typesIn(AGGREGATE_TABLES.researcher.columns, RESEARCHER));
  expect([...ofResearchers].toSorted()).toEqual(["hundredths", "int", "text"]);
});
