/**
 * Pledges are stated for evidence columns. The answers to the signals of any contract, also of a future one, follow from them.
 */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { hasAlternatives } from "../../pipeline/rubrics/predicates.ts";
import { derivePledge, pledgeFile, readPledges } from "../../pipeline/sources/pledges.ts";
import type { PledgedSignal } from "../../schemas/public/pledge.ts";
import { type Rubric, rubric, type Signal } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";

const contracts = [...(await readContracts()).values()];
const pledges = [...(await readPledges()).values()];

/** Returns the current contract with a change in its first signal. */
function withSignal(change: Partial<Signal>): Rubric {
  const current = contracts.find(({ status }) => status === "current");
  return rubric.parse({ ...current, signals: current?.signals.map((s, bit) => (bit === 0 ? { ...s, ...change } : s)) });
}

test("a source supports a signal exactly if it carries the columns of the signal, with two exceptions", () => {
  const answers = pledges.flatMap(({ source, neverCarries, contracts: answered }) =>
    contracts.flatMap(({ contract, signals }) =>
      signals.map((signal) => {
        const never = signal.needs.filter((name) => neverCarries.includes(name)).length;
        const follows = hasAlternatives(signal) ? never < signal.needs.length : never === 0;
        return {
          name: `${source} ${contract} ${signal.id}`,
          other: follows !== answered[contract][signal.id]?.supported,
        };
      }),
    ),
  );
  expect(answers).toHaveLength(pledges.length * contracts.length * SIGNAL_IDS.length);
  expect(answers.filter(({ other }) => other).map(({ name }) => name)).toEqual([
    "openneuro 2.0.0-beta.1 R5",
    "openneuro 2.0.0-beta.2 R5",
  ]);
});

const EVERY_COLUMN = new Set(contracts.flatMap(({ signals }) => signals.flatMap(({ needs }) => needs)));

/** Makes the pledge of an invented source, which carries every column. `change` replaces some fields of the pledge. */
function stated(change: object) {
  const columns = [...EVERY_COLUMN].map((name) => [name, { field: `of.${name}`, advice: `Enter ${name}.` }]);
  const head = {
    source: "invented",
    repository: "Invented",
    repositoryField: null,
    name: "Invented",
    operator: "Nobody",
    homepage: "https://example.org",
    kind: "native",
    status: "self-attested",
    attestation: "None.",
    neverCarries: [],
    omitsWhenEmpty: [],
  };
  return { ...head, columns: Object.fromEntries(columns), unsupported: {}, signals: {}, ...change };
}

function answer(pledge: object, signal: Partial<Signal>): PledgedSignal | undefined {
  const contract = withSignal(signal);
  return derivePledge(pledgeFile.parse(pledge), [
    ...contracts.filter((c) => c.contract !== contract.contract),
    contract,
  ]).contracts[contract.contract].S1;
}

const EITHER = { needs: ["keyword_count", "subject_count"], rule: "keyword_count >= 1 or subject_count >= 1" } as const;
const BOTH = { needs: ["keyword_count", "subject_count"], rule: "keyword_count = subject_count" } as const;
const WITHOUT_SUBJECTS = { neverCarries: ["subject_count"], unsupported: { subject_count: "It has no subjects." } };
const KEYWORDS = {
  columns: {
    ...stated({}).columns,
    keyword_count: {
      field: "words[], more",
      advice: { 1: "Enter a word.", 2: "Enter {number} words.", 100: "Enter a book of {number}." },
    },
  },
};

const CASES: readonly { name: string; pledge: object; signal: Partial<Signal>; is: PledgedSignal }[] = [
  {
    name: "a rule over one column",
    pledge: {},
    signal: {},
    is: { supported: true, field: "of.keyword_count", advice: "Enter keyword_count." },
  },
  ...(
    [
      [1, "Enter a word."],
      [7, "Enter seven words."],
      [99, "Enter 99 words."],
      [200, "Enter a book of 200."],
    ] as const
  ).map(([least, advice]) => ({
    name: `a rule that requires ${least}`,
    pledge: KEYWORDS,
    signal: { rule: `keyword_count >= ${least}` },
    is: { supported: true as const, field: "words[], more", advice },
  })),
  {
    name: "one of two columns, of which one is never carried",
    pledge: WITHOUT_SUBJECTS,
    signal: { ...EITHER, needs: [...EITHER.needs] },
    is: { supported: true, field: "of.keyword_count", advice: "Enter keyword_count." },
  },
  {
    name: "both of two columns",
    pledge: {},
    signal: { ...BOTH, needs: [...BOTH.needs] },
    is: { supported: true, field: "of.keyword_count, of.subject_count", advice: "Enter keyword_count." },
  },
  {
    name: "both of two columns, of which one is never carried",
    pledge: WITHOUT_SUBJECTS,
    signal: { ...BOTH, needs: [...BOTH.needs] },
    is: { supported: false, why: "It has no subjects." },
  },
  {
    name: "a column that is carried but misleading",
    pledge: { unsupported: { "keyword_count, subject_count": "They are the same for all." } },
    signal: {},
    is: { supported: false, why: "They are the same for all." },
  },
  {
    name: "a signal with its own advice",
    pledge: { signals: { keywords: { advice: "Think of a word." }, "2.0.0-beta.1 keywords": { field: "elsewhere" } } },
    signal: {},
    is: { supported: true, field: "of.keyword_count", advice: "Think of a word." },
  },
  {
    name: "a signal of one contract with its own advice",
    pledge: { signals: { keywords: { advice: "Think of a word." }, "2.0.0-beta.2 keywords": { field: "elsewhere" } } },
    signal: {},
    is: { supported: true, field: "elsewhere", advice: "Think of a word." },
  },
];

describe("the pledge of an invented source", () => {
  test.each(CASES)("a pledge gives the expected answer about a signal: $name", ({ pledge, signal, is }) => {
    expect(answer(stated(pledge), signal)).toEqual(is);
  });
});

test.each([
  ["a column without any statement", { columns: { ...stated({}).columns, keyword_count: {} } }],
  ["a column without advice", { columns: { ...stated({}).columns, keyword_count: { field: "words[]" } } }],
  ["a column that is never carried, without a reason", { neverCarries: ["keyword_count"] }],
])("an invalid pledge is rejected with the column and the signals in the error: %s", (_name, change) => {
  expect(() => answer(stated(change), {})).toThrow(
    /invented has no text about keyword_count for 1\.0\.0 S4|for 2\.0\.0-beta\.. S1/,
  );
});

test("a pledge with a reason for an unknown column is rejected", () => {
  const wrong = pledgeFile.safeParse(stated({ unsupported: { "view_count, veiw_count": "It counts nothing." } }));
  expect(wrong.error?.issues.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^there is no evidence column veiw_count;/),
  ]);
});

test.each(pledges.map(({ source }) => source))("the pledge of %s adapts its advice to another contract", (source) => {
  const file = new URL(`../../pipeline/sources/${source}/pledge.json`, import.meta.url);
  const contract = withSignal({ rule: "keyword_count >= 4" });
  const of = derivePledge(pledgeFile.parse(JSON.parse(readFileSync(file, "utf8"))), [
    ...contracts.filter(({ status }) => status !== "current"),
    contract,
  ]);
  const first = of.contracts[contract.contract].S1;
  if (first?.supported) expect(first.advice).toContain("four");
  else expect(source).toBe("geo");
});
