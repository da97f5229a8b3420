/**
 * Predicates, the conditions in contracts: they have the same value as text, in SQL and in JavaScript, and errors state the
 * position of a mistake.
 */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blankEvidence } from "../../pipeline/reading/normalised.ts";
import { evaluatePredicate, predicateSql } from "../../pipeline/rubrics/predicates.ts";
import {
  COMPARISONS,
  listPredicateColumns,
  PredicateError,
  parsePredicate,
  type Tree,
} from "../../schemas/public/predicate.ts";
import { anyPredicate, anyRow, PredicateBench } from "./random-predicates.ts";

let bench: PredicateBench;
beforeAll(async () => {
  bench = await PredicateBench.open();
});
afterAll(() => bench[Symbol.dispose]());

describe("a predicate over evidence", () => {
  test("a predicate has the same value in JavaScript, in the SQL made from it, and as text in DuckDB", async () => {
    const seen = new Set<boolean | null>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyPredicate, { minLength: 30, maxLength: 30 }),
        fc.array(anyRow, { minLength: 40, maxLength: 40 }),
        async (texts, rows) => {
          await bench.fill(rows);
          const trees = texts.map((text) => parsePredicate(text));
          const expected = rows.map((each) => trees.map((tree) => evaluatePredicate(tree, each)));
          expect(await bench.computeValues(texts)).toEqual(expected);
          expect(await bench.computeValues(trees.map((tree) => predicateSql(tree)))).toEqual(expected);
          for (const value of expected.flat()) seen.add(value);
        },
      ),
      { numRuns: 20, endOnFailure: true },
    );
    expect(seen).toEqual(new Set([true, false, null]));
  });

  test("a predicate can multiply any integers, although plain SQL would overflow", async () => {
    const counts = [0, 1, 2 ** 30 - 1, 2 ** 30, 2 ** 31 - 1];
    const rows = counts.flatMap((file_count) =>
      counts.map((keyword_count) => ({ ...blankEvidence(), file_count, keyword_count })),
    );
    await bench.fill(rows);
    const trees = [
      "2 * file_count >= keyword_count",
      "file_count * 3 = keyword_count",
      "coalesce(2 * file_count, 0) < 1000000",
    ].map((text) => parsePredicate(text));
    const expected = rows.map((each) => trees.map((tree) => evaluatePredicate(tree, each)));
    expect(await bench.computeValues(trees.map((tree) => predicateSql(tree)))).toEqual(expected);
  });

  test("any words that are accepted as a predicate are a boolean expression for DuckDB", async () => {
    const words = fc.constantFrom(
      ...["and", "or", "not", "is", "null", "true", "false", "coalesce", "(", ")", ",", "*", "1", "''", "file_count"],
      ...["access_open", "license_text", "license_open", ...COMPARISONS],
    );
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 6 }), async (tokens) => {
        const text = tokens.join(" ");
        const isParsed = parses(text);
        fc.pre(isParsed);
        accepted += 1;
        expect([text, await bench.describeType(text)]).toEqual([text, "BOOLEAN"]);
      }),
      { numRuns: 150, maxSkipsPerRun: 1000, endOnFailure: true },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test.each([
    { text: "a", at: 0, says: 'there is no column "a" in evidence' },
    { text: "access_open AND access_open", at: 12, says: 'found "AND"' },
    { text: "access_open and", at: 15, says: "found the end" },
    { text: "access_open -- and", at: 12, says: 'unexpected "-"' },
    { text: "license_text = 'MIT'", at: 15, says: 'unexpected "\'"' },
    { text: "file_count >= 1 = access_open", at: 16, says: "expected and, or, a comparison or the end" },
    { text: "file_count is 1", at: 14, says: "expected null, not null, true or false" },
    { text: "file_count is true", at: 0, says: "expected true or false, found an integer" },
    { text: "(file_count >= 1", at: 16, says: "expected and, or, a comparison or )" },
    { text: "coalesce file_count", at: 9, says: "expected (" },
    { text: "coalesce(file_count, '') = 1", at: 21, says: "expected an integer, found a text" },
    { text: "file_count * view_count >= 1", at: 11, says: "one side of * must be an integer" },
    { text: "1000 * (4000000 * file_count) >= 1", at: 5, says: "can exceed 2^53" },
    { text: "file_count >= 2147483648", at: 14, says: "the largest integer is 2147483647" },
    { text: `${"(".repeat(51)}access_open${")".repeat(51)}`, at: 50, says: "more than 50 levels" },
    { text: `${"not ".repeat(51)}access_open`, at: 200, says: "more than 50 levels" },
    { text: "access_open or ".repeat(70), at: 1000, says: "at most 1000 characters" },
  ])("the error for the invalid predicate “$text” states the position $at", ({ text, at, says }) => {
    const fault = catchFault(text);
    expect(fault?.at).toBe(at);
    expect(fault?.message).toContain(says);
  });

  test("in a predicate, `and` binds before `or`, `not` before `and`, and comparisons before `not`", () => {
    const access: Tree = { kind: "column", name: "access_open" };
    const open: Tree = { kind: "column", name: "license_open" };
    const files: Tree = { kind: "column", name: "file_count" };
    const several: Tree = { kind: "comparison", operator: ">", left: files, right: { kind: "literal", value: 1 } };
    expect(parsePredicate("access_open or not file_count > 1 and license_open")).toEqual({
      kind: "or",
      left: access,
      right: { kind: "and", left: { kind: "not", operand: several }, right: open },
    });
    expect(listPredicateColumns(parsePredicate("license_open or access_open and license_open"))).toEqual([
      "license_open",
      "access_open",
    ]);
  });
});

function catchFault(text: string): PredicateError | null {
  try {
    parsePredicate(text);
    return null;
  } catch (error) {
    if (error instanceof PredicateError) return error;
    throw error;
  }
}

function parses(text: string): boolean {
  return catchFault(text) === null;
}
