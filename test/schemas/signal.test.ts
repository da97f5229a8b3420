/** Tests what all stages use: the bits of masks and of evidence, the states of signals, and the declarations of tables. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getColumnMeaning } from "../../schemas/public/column-meanings.ts";
import { EVIDENCE, EVIDENCE_NAMES, evidenceBit, evidenceErrors } from "../../schemas/public/evidence.ts";
import { coverage } from "../../schemas/public/release.ts";
import { getSignalState, type Masks, masks, popcount, SIGNAL_IDS, STATES } from "../../schemas/public/signal.ts";
import {
  AGGREGATE_TABLES,
  CAPTURE_TABLES,
  ddl,
  OPTIONAL_TABLES,
  OTHER_SCORE_TABLES,
  RECORD_TABLES,
  RELEASE_TABLES,
  SCORE_TABLES,
} from "../../schemas/public/tables.ts";

const NONE: Masks = { supportedMask: 0, evaluableMask: 0, passedMask: 0, sourceMissingMask: 0, failedMask: 0 };

describe("the state of a signal from its masks", () => {
  test.each([
    { name: "in no mask", given: {}, state: "unsupported" },
    { name: "only supported", given: { supportedMask: 1 }, state: "not_evaluable" },
    { name: "evaluable", given: { supportedMask: 1, evaluableMask: 1 }, state: "absent" },
    { name: "passed", given: { supportedMask: 1, evaluableMask: 1, passedMask: 1 }, state: "passed" },
    { name: "failed", given: { supportedMask: 1, failedMask: 1 }, state: "failed" },
    { name: "missing at the source", given: { supportedMask: 1, sourceMissingMask: 1 }, state: "source_missing" },
  ])("the state of a signal that is $name is $state, for the first and the last bit", ({ given, state }) => {
    expect(getSignalState(0, { ...NONE, ...given })).toBe(state);
    const shifted = Object.fromEntries(Object.entries(given).map(([mask, bits]) => [mask, bits * 2 ** 24]));
    expect(getSignalState(24, { ...NONE, ...shifted })).toBe(state);
    expect(getSignalState(0, { ...NONE, ...shifted })).toBe("unsupported");
  });

  test("there are six states and 25 signals", () => {
    expect(STATES).toHaveLength(6);
    expect(SIGNAL_IDS.join(" ")).toBe("S1 S2 S3 S4 S5 H1 H2 H3 H4 H5 A1 A2 A3 A4 A5 R1 R2 R3 R4 R5 E1 E2 E3 E4 E5");
  });

  test("a mask of more than 25 bits is rejected", () => {
    expect(masks.safeParse({ ...NONE, supportedMask: 2 ** 25 - 1 }).success).toBe(true);
    expect(masks.safeParse({ ...NONE, supportedMask: 2 ** 25 }).success).toBe(false);
    expect(masks.safeParse({ ...NONE, passedMask: -1 }).success).toBe(false);
  });
});

test("popcount counts the bits that are 1", () => {
  expect([0, 1, 2, 3, 2 ** 24, 2 ** 25 - 1].map(popcount)).toEqual([0, 1, 1, 2, 1, 25]);
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 25 - 1 }), (mask) => {
      expect(popcount(mask)).toBe(mask.toString(2).replaceAll("0", "").length);
    }),
  );
});

describe("the bits of evidence columns", () => {
  test("the bits of evidence columns are below 63, and in the order of the columns", () => {
    expect(EVIDENCE_NAMES.map(evidenceBit)).toEqual(EVIDENCE_NAMES.map((_, index) => 2n ** BigInt(index)));
    expect(EVIDENCE.length).toBeLessThan(64);
    expect(new Set(EVIDENCE_NAMES).size).toBe(EVIDENCE.length);
  });

  // Published masks are read for years, so new columns are added behind the existing ones, and no column may move.
  test("the bits of existing evidence columns never change", () => {
    const places = {
      keyword_count: 0,
      description_length: 7,
      access_declared: 15,
      file_count: 22,
      view_count: 30,
      venue_stated: 41,
    };
    for (const [name, place] of Object.entries(places)) expect(EVIDENCE_NAMES[place]).toBe(name);
  });

  test("the bits of an evidence mask can be turned back into the columns", () => {
    fc.assert(
      fc.property(fc.subarray([...EVIDENCE_NAMES]), (names) => {
        expect(evidenceErrors(names.reduce((mask, name) => mask | evidenceBit(name), 0n))).toEqual(names);
      }),
    );
  });
});

const TABLES = [CAPTURE_TABLES, RECORD_TABLES, SCORE_TABLES, OTHER_SCORE_TABLES, AGGREGATE_TABLES].flatMap((group) =>
  Object.entries(group),
);

describe.each(TABLES)("the table %s", (name, table) => {
  test("a table is listed under its own name, and its key consists of its columns", () => {
    expect(table.name).toBe(name);
    expect(table.key.length).toBeGreaterThan(0);
    expect(Object.keys(table.columns)).toEqual(expect.arrayContaining([...table.key]));
    expect(new Set(table.key).size).toBe(table.key.length);
  });

  test("every column of a table has a meaning, and the columns that are never null exist", () => {
    for (const column of Object.keys(table.columns)) expect(getColumnMeaning(table, column)).toMatch(/^\S.{3,}[^.\s]$/);
    const always: readonly string[] = "always" in table ? table.always : [];
    expect(Object.keys(table.columns)).toEqual(expect.arrayContaining([...always]));
  });

  test("the create statement of a table contains every column once", () => {
    const columns = [...ddl(table).matchAll(/"(\w+)" /g)].map((match) => match[1]);
    expect(columns).toEqual(Object.keys(table.columns));
  });
});

test("no two published tables have the same name or file", () => {
  const all = [...RELEASE_TABLES, ...OPTIONAL_TABLES];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(new Set(all.map(({ published }) => published)).size).toBe(all.length);
  for (const { name, published } of all) expect([name, published]).toEqual([name, expect.stringMatching(/^[a-z-]+$/)]);
});

test("the schemas of coverage reject counts that do not add up", () => {
  const counts = { harvested: 21, superseded: 1, duplicates: 2, tombstones: 3, notDataset: 4, failed: 5, scored: 6 };
  expect(coverage.safeParse(counts).success).toBe(true);
  expect(coverage.safeParse({ ...counts, harvested: 20 }).success).toBe(false);
  expect(coverage.safeParse({ ...counts, scored: 7 }).success).toBe(false);
});
