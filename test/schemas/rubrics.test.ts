/** The data of contracts and pledges are valid and complete, and contracts list the columns that their rules use. */

import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { jsonDigest } from "../../pipeline/files/json-digest.ts";
import { publicContracts, readContracts } from "../../pipeline/rubrics/contracts.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { pledge } from "../../schemas/public/pledge.ts";
import { CONTRACTS, rubric } from "../../schemas/public/rubric.ts";
import { BUCKETS, popcount, SIGNAL_IDS } from "../../schemas/public/signal.ts";

const contracts = await readContracts();
const pledges = await readPledges();
const rubrics = [...contracts.values()];

/** Returns the evidence columns in an SQL predicate, without text literals. */
function columnsIn(predicate: string): string[] {
  const words = new Set(predicate.replaceAll(/'[^']*'/g, "").match(/[a-z_]+/g));
  return EVIDENCE_NAMES.filter((name) => words.has(name));
}

test("each JSON file in pipeline/rubrics is a contract, and each contract has a file", async () => {
  const files = await readdir(new URL("../../pipeline/rubrics/", import.meta.url));
  expect(files.filter((name) => name.endsWith(".json")).sort()).toEqual(CONTRACTS.map((id) => `${id}.json`).sort());
});

test("each public version has its contract, and the first version is the default", async () => {
  const versions = await publicContracts();
  expect(versions.map(({ version, contract }) => [version, contract.contract, contract.status])).toEqual([
    ["2.0", "2.0.0-beta.2", "current"],
    ["1.0", "1.0.0", "historical"],
  ]);
  expect(contracts.get("2.0.0-beta.1")).toMatchObject({ publicVersion: null, status: "superseded" });
});

describe.each(rubrics)("the contract $contract", (contract) => {
  const { signals } = contract;

  test("a contract has its 25 signals in the order of their bits, five in each bucket", () => {
    expect(signals.map(({ id }) => id)).toEqual(SIGNAL_IDS);
    expect(signals.map(({ bit }) => bit)).toEqual(SIGNAL_IDS.map((_, bit) => bit));
    expect(signals.map(({ bucket }) => bucket)).toEqual(SIGNAL_IDS.map((id) => id[0]));
    expect(contract.buckets.map(({ id }) => id)).toEqual([...BUCKETS]);
  });

  test("no two signals of a contract have the same key or name", () => {
    expect(new Set(signals.map(({ key }) => key)).size).toBe(25);
    expect(new Set(signals.map(({ name }) => name)).size).toBe(25);
  });

  test.each(signals)("the signal $id lists exactly the columns that its rule uses", ({ rule, needs }) => {
    expect([...needs].sort()).toEqual(columnsIn(rule).sort());
  });

  test.each(signals)("the rule of the signal $id is only a predicate over evidence", ({ rule, notEvaluableWhen }) => {
    for (const predicate of [rule, ...(notEvaluableWhen === null ? [] : [notEvaluableWhen])]) {
      const words = predicate.replaceAll(/'[^']*'/g, "").match(/[a-z_]+/g) ?? [];
      const allowed = [...EVIDENCE_NAMES, "or", "and", "not", "is", "null", "false", "true", "coalesce"];
      expect(words.filter((word) => !allowed.includes(word))).toEqual([]);
      expect(columnsIn(predicate)).not.toEqual([]);
    }
  });

  test("the digest of a contract ignores the order of keys and depends on every character", () => {
    const backwards = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(backwards);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, member]) => [key, backwards(member)]),
      );
    };
    const turned = backwards(contract);
    expect(JSON.stringify(turned)).not.toBe(JSON.stringify(contract));
    // The turned object is not parsed, because parsing would restore the order of keys in the schema.
    expect(jsonDigest({ ...contract, ...Object(turned) })).toBe(jsonDigest(contract));
    expect(jsonDigest({ ...contract, summary: `${contract.summary} ` })).not.toBe(jsonDigest(contract));
    expect(jsonDigest(contract)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

test("the contracts have different digests", () => {
  expect(new Set(rubrics.map(jsonDigest)).size).toBe(3);
});

const [first] = rubrics;
const [one, two, ...rest] = first?.signals ?? [];

test.each([
  { name: "two signals in the wrong order", broken: { signals: [two, one, ...rest] } },
  { name: "a missing signal", broken: { signals: [one, ...rest] } },
  { name: "a signal twice", broken: { signals: [one, one, ...rest] } },
  { name: "a column that does not exist", broken: { signals: [{ ...one, needs: ["colour"] }, two, ...rest] } },
  { name: "a rule without columns", broken: { signals: [{ ...one, needs: [] }, two, ...rest] } },
  { name: "an unknown key", broken: { weight: 2 } },
  { name: "an unknown contract", broken: { contract: "3.0.0" } },
])("a contract with $name is rejected", ({ broken }) => {
  expect(rubric.safeParse(first).success).toBe(true);
  expect(rubric.safeParse({ ...first, ...broken }).success).toBe(false);
});

describe.each(SOURCES.map(({ name }) => name))("the pledge of %s", (name) => {
  const of = pledges.get(name);

  test("a pledge has an answer for every signal of every contract", () => {
    expect(of?.source).toBe(name);
    for (const contract of CONTRACTS) expect(Object.keys(of?.contracts[contract] ?? {})).toEqual([...SIGNAL_IDS]);
  });

  test("a pledge does not support a signal if the source never carries any column of the signal", () => {
    for (const { contract, signals } of rubrics) {
      for (const { id, needs } of signals) {
        const supported = of?.contracts[contract]?.[id]?.supported;
        if (needs.every((column) => of?.neverCarries.includes(column)))
          expect([contract, id, supported]).toEqual([contract, id, false]);
      }
    }
  });

  test("a source carries every column of a signal that it supports, except one side of an `or`", () => {
    for (const { contract, signals } of rubrics) {
      for (const { id, needs, rule } of signals) {
        if (of?.contracts[contract]?.[id]?.supported !== true || rule.includes(" or ")) continue;
        expect([contract, id, needs.filter((column) => of.neverCarries.includes(column))]).toEqual([contract, id, []]);
      }
    }
  });

  test("a pledge names either the repository or the field that contains its name", () => {
    expect((of?.repository ?? null) === null).not.toBe((of?.repositoryField ?? null) === null);
  });

  test("a pledge is rejected if a signal is missing or unknown", () => {
    const broken = JSON.parse(JSON.stringify(of));
    expect(pledge.safeParse(broken).success).toBe(true);
    broken.contracts["1.0.0"].S6 = { supported: false, why: "there is no S6" };
    expect(pledge.safeParse(broken).success).toBe(false);
    delete broken.contracts["1.0.0"].S6;
    delete broken.contracts["1.0.0"].E5;
    expect(pledge.safeParse(broken).success).toBe(false);
  });
});

// The caps by hand: 25 signals, less those the source cannot carry, four points each.
test.each([
  { name: "clinicaltrials", caps: [48, 60, 60] },
  { name: "datacite", caps: [92, 84, 84] },
  { name: "zenodo", caps: [84, 100, 100] },
])("a dataset of $name can get at most $caps points under the three contracts", ({ name, caps }) => {
  const of = pledges.get(name);
  if (of === undefined) throw new Error(`there is no pledge of ${name}`);
  expect(CONTRACTS.map((contract) => 4 * popcount(supportedMask(of, contract)))).toEqual(caps);
});
