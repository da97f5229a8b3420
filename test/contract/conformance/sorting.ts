/**
 * Statements about every order of every list in both directions: rows are sorted by the key, with nulls last, then by further
 * keys and the id. Texts are sorted by code point.
 */

import type { Reply } from "../../server/ask.ts";
import { OK, sameAs } from "./expectations.ts";
import { clause, type Expectation, type Fault, row, type Statement } from "./statement.ts";
import { at, isNumber, isText, listAt, parseJson, shown, textAt } from "./values.ts";

/** For each list, its sort keys with the fields of a row that they sort by. */
const KEYS = {
  "/records": {
    id: "id",
    score: "score.total",
    shareScore: "shareScore",
    S: "score.bucketScores.S",
    H: "score.bucketScores.H",
    A: "score.bucketScores.A",
    R: "score.bucketScores.R",
    E: "score.bucketScores.E",
    stewardshipScore: "stewardshipScore",
    harmonizationScore: "harmonizationScore",
    accessScore: "accessScore",
    engagementScore: "engagementScore",
    reuseScore: "reuseScore",
    reusabilityScore: "reusabilityScore",
    shareOfCap: "shareOfCap",
    pubDate: "pubDate",
    title: "title",
  },
  "/authors": {
    sIndex: "sIndex",
    sImpact: "sImpact",
    datasetCount: "datasetCount",
    avgScore: "avgScore",
    maxScore: "maxScore",
    shareScore: "shareScore",
    score: "avgScore",
    meanCap: "meanCap",
    passedOfEvaluable: "passedOfEvaluable",
    name: "name",
  },
  "/institutions": { recordCount: "recordCount", authorCount: "authorCount", meanScore: "meanScore", label: "label" },
  "/geography": { countryCode: "countryCode", recordCount: "recordCount", meanScore: "meanScore" },
} as const;

const IDS = { "/records": "id", "/authors": "id", "/institutions": "id", "/geography": "countryCode" } as const;
const DEFAULTS = {
  "/records": "id",
  "/authors": "name",
  "/institutions": "label",
  "/geography": "countryCode",
} as const;

/** Compares by code points instead of UTF-16 units, so that a character outside the BMP comes after every character in it. */
export function byCodePoint(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  const place = left.findIndex((character, i) => character !== right[i]);
  if (place < 0) return left.length - right.length;
  return (left[place]?.codePointAt(0) ?? 0) - (right[place]?.codePointAt(0) ?? -1);
}

/** Compares two values of the same key that are not null. */
function compare(one: unknown, other: unknown): number {
  if (isNumber(one) && isNumber(other)) return one - other;
  return isText(one) && isText(other) ? byCodePoint(one, other) : Number.NaN;
}

/** The fields that break ties before the id, the highest value first. */
const TIES: Readonly<Record<string, readonly string[]>> = { shareOfCap: ["score.total", "pubDate"] };

/** True if the row `one` must not come before the row `next` in this order. */
function misplaced(
  one: unknown,
  next: unknown,
  [key = "", ...ties]: readonly string[],
  id: string,
  descending: boolean,
): boolean {
  const [left, right] = [at(one, key) ?? null, at(next, key) ?? null];
  const tie =
    ties.length > 0 ? misplaced(one, next, ties, id, true) : byCodePoint(textAt(one, id), textAt(next, id)) >= 0;
  if (left === null) return right !== null || tie;
  if (right === null) return false;
  const order = compare(left, right) * (descending ? -1 : 1);
  return Number.isNaN(order) || order > 0 || (order === 0 && tie);
}

/** Expects the rows of the first five pages together to be ordered by `key`, and rows with equal keys by further fields. */
function ordered(path: string, key: string, id: string, descending: boolean): Expectation {
  const fault = async ({ text }: Reply, ask: (path: string) => Promise<Reply>): Promise<Fault> => {
    const rows = [...listAt(parseJson(text), "data")];
    for (let page = 2; at(parseJson(text), "pagination.totalPages") !== page - 1 && page < 6; page += 1) {
      rows.push(...listAt(parseJson((await ask(`${path}&page=${page}`)).text), "data"));
    }
    if (rows.length < 2) return `only ${rows.length} rows`;
    const place = rows.findIndex(
      (entry, i) => i + 1 < rows.length && misplaced(entry, rows[i + 1], [key, ...(TIES[key] ?? [])], id, descending),
    );
    const pair = [rows[place], rows[place + 1]].map((entry) => [at(entry, key), at(entry, id)]);
    return place < 0 ? null : `row ${place} and the next: ${shown(pair)}`;
  };
  return {
    text: `ordered by ${key} ${descending ? "descending" : "ascending"}, nulls last, ties by ${[...(TIES[key] ?? []), id].join(", ")}`,
    fault,
  };
}

export const SORTING: readonly Statement[] = (["/records", "/authors", "/institutions", "/geography"] as const).flatMap(
  (list) =>
    clause(`decisions.md, Requests: sortBy of ${list}`, [
      ...Object.entries(KEYS[list]).flatMap(([name, key]) =>
        ["2.0", "1.0"].flatMap((rubric) =>
          ["asc", "desc"].map((order) => {
            const path = `${list}?limit=100&sortBy=${name}&sortOrder=${order}&rubric=${rubric}`;
            return row(`${name} ${order} under ${rubric}`, path, OK, ordered(path, key, IDS[list], order === "desc"));
          }),
        ),
      ),
      row("the default order", `${list}?limit=100`, OK, ordered(`${list}?limit=100`, DEFAULTS[list], IDS[list], false)),
      row(
        "sortOrder alone applies to the default order",
        `${list}?limit=100&sortOrder=desc`,
        OK,
        sameAs(`${list}?limit=100&sortBy=${DEFAULTS[list]}&sortOrder=desc`),
      ),
      row("sortBy alone is ascending", `${list}?sortBy=${DEFAULTS[list]}`, OK, sameAs(list)),
    ]),
);
