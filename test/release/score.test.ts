/**
 * Tests `release score`, which scores a release by a user's contract file: it agrees with the published scores, and rejects
 * invalid contracts.
 */

import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import { scoreRelease } from "../../releases/score/index.ts";
import { parseOwnContract, supportedByOwn } from "../../releases/score/own-contract.ts";
import { getSignalState, SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { fencedBlocks } from "../architecture/fenced-blocks.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runHosted } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import {
  type BundledRelease,
  bundledRelease,
  type TemporaryStore,
  temporaryStore,
} from "../support/temporary-store.ts";

const SELF = "test/release/score.test.ts";
const contractFile = (id: string) => join(REPOSITORY, "pipeline/rubrics", `${id}.json`);

let release: BundledRelease;
let scratch: TemporaryStore;

beforeAll(async () => {
  [release, scratch] = await Promise.all([bundledRelease(), temporaryStore()]);
});

afterAll(async () => {
  await release[Symbol.asyncDispose]();
  await scratch[Symbol.asyncDispose]();
});

/** Runs an SQL select over Parquet files, and returns its rows by their column `id`. */
async function readRows(sql: string): Promise<Map<string, Record<string, unknown>>> {
  const db = await openDuckDB({ threads: 1 });
  try {
    return new Map((await db.rows(sql)).map((row) => [String(row.id), row]));
  } finally {
    db.close();
  }
}

const table = (name: string, folder = release.folder) =>
  `read_parquet(${quote(join(folder, "data", name, "part-*.parquet"))})`;

async function scored(contract: object | string, folder = release.folder) {
  const bytes = typeof contract === "string" ? await readFile(contract) : Buffer.from(JSON.stringify(contract));
  const out = join(scratch.folder, "scores.parquet");
  const summary = await scoreRelease(folder, release.receipt, parseOwnContract(bytes, "own.json"), out, { threads: 1 });
  return { summary, rows: await readRows(`select *, total::double as points from read_parquet(${quote(out)})`) };
}

test.each(["2.0", "1.0"])(
  "release score gives the published totals and states of every record for the file of %s",
  async (version) => {
    const id = release.receipt.rubrics.find((rubric) => rubric.version === version)?.contract ?? "";
    const { rows } = await scored(contractFile(id));
    const published = await readRows(
      `select record.id, record.source, score.* exclude (id) from ${table("records")} as record
     left join (from ${table("scores")} where rubric = ${quote(version)}) as score on score.id = record.id`,
    );
    const pledges = await readPledges();
    expect([...rows.keys()].toSorted()).toEqual([...published.keys()].toSorted());
    for (const [record, row] of rows) {
      const own = published.get(record) ?? {};
      const pledge = pledges.get(String(own.source));
      const supported = pledge === undefined ? 0 : supportedMask(pledge, id);
      const mask = (name: string, unreadable: number) => Number(own[`${name}_mask`] ?? unreadable);
      const masks = {
        supportedMask: mask("supported", supported),
        evaluableMask: mask("evaluable", 0),
        passedMask: mask("passed", 0),
        sourceMissingMask: mask("source_missing", 0),
        failedMask: mask("failed", supported),
      };
      expect({ total: row.points, states: SIGNAL_IDS.map((signal) => row[signal]) }).toEqual({
        total: own.total ?? null,
        states: SIGNAL_IDS.map((_, bit) => getSignalState(bit, masks)),
      });
    }
  },
);

test("release score derives the same supported signals for each source as its pledge states", async () => {
  const contracts = await readContracts();
  for (const pledge of (await readPledges()).values()) {
    for (const [id, contract] of contracts) {
      expect([pledge.source, id, supportedByOwn(pledge, contract, contracts)]).toEqual([
        pledge.source,
        id,
        supportedMask(pledge, id),
      ]);
    }
  }
});

const OWN = {
  title: "Open and citable",
  signals: [
    { id: "E1", name: "Organisation or person", rule: "organization_pid_count >= 1 or creator_pid_count >= 1" },
    { id: "A1", name: "Open licence", rule: "license_open or license_permissive" },
    {
      ...{ id: "A2", name: "Half of the files are open", rule: "2 * open_format_file_count >= file_count" },
      notEvaluableWhen: "file_count = 0",
    },
  ],
};

test("release score gives totals out of 100 for a contract with three signals, and null if none can be judged", async () => {
  const { rows, summary } = await scored(OWN);
  const evidence = await readRows(`select * from ${table("evidence")}`);
  const totals = new Set<unknown>();
  for (const [id, row] of rows) {
    const states = ["A1", "A2", "E1"].map((signal) => row[signal]);
    const passed = states.filter((state) => state === "passed").length;
    const isKnown = states.some((state) => state === "passed" || state === "absent");
    expect(row.points).toBe(isKnown ? [0, 33.33, 66.67, 100][passed] : null);
    totals.add(row.points);
    const facts = evidence.get(id);
    if (facts !== undefined)
      expect(row.A1 === "passed").toBe(facts.license_open === true || facts.license_permissive === true);
    if (facts?.file_count === 0 && row.A2 !== "passed") expect(row.A2).toMatch(/not_evaluable|failed|unsupported/);
  }
  expect(totals).toEqual(new Set([null, 0, 33.33, 66.67, 100]));
  const counted = [...rows.values()].filter(({ points }) => points !== null).length;
  expect(summary).toMatchObject({ records: rows.size, leastEvaluable: 1, own: { scored: counted } });
  expect(summary.ranges.reduce((sum, { own }) => sum + own, 0)).toBe(counted);
  expect(summary.compared.higher + summary.compared.lower + summary.compared.same).toBe(summary.compared.records);
});

test("release score counts a record whose published total was changed as a difference", async () => {
  const folder = join(scratch.folder, "forged");
  await cp(release.folder, folder, { recursive: true });
  const [path, forged] = [join(folder, "data/scores/part-0000.parquet"), join(scratch.folder, "forged.parquet")];
  const db = await openDuckDB({ threads: 1 });
  try {
    const first = `(select min(id) from ${table("scores")} where total >= 4)`;
    await db.run(`copy (select * replace (if(id = ${first} and rubric = '2.0', total - 4, total) as total)
      from ${table("scores")}) to ${quote(forged)} (format parquet)`);
  } finally {
    db.close();
  }
  await cp(forged, path);
  const { summary } = await scored(contractFile("2.0.0-beta.2"), folder);
  expect(summary.compared).toMatchObject({ higher: 1, lower: 0, same: summary.compared.records - 1 });
});

describe("a contract file that is rejected", () => {
  const withRule = (rule: string) =>
    `{\n  "title": "Own",\n  "signals": [\n    { "id": "E2", "name": "x", "rule": "${rule}" }\n  ]\n}`;
  test.each([
    {
      name: "an unknown column",
      text: withRule("file_count > 0 and licence_open"),
      says: [4, 60, '"licence_open"', '"license_open"', "E2"],
    },
    {
      name: "SQL that is not a predicate",
      text: withRule("file_count > 0; drop table evidence"),
      says: [4, 55, 'unexpected ";"'],
    },
    {
      name: "a rule that is a number, and not true or false",
      text: withRule("keyword_count"),
      says: [4, 41, "signal E2, rule: expected true or false, found an integer; compare it with a value"],
    },
    {
      name: "a comparison of texts by order",
      text: withRule("license_text >= 1"),
      says: [4, 54, ">= compares integers"],
    },
    {
      name: "a comparison of a number with a text",
      text: withRule("keyword_count = ''"),
      says: [4, 57, "expected an integer, found a text"],
    },
    {
      name: "a comparison without a value",
      text: withRule("keyword_count >= and 1"),
      says: [4, 58, "expected a column", '"and"'],
    },
    {
      name: "an extra bracket after escaped characters",
      text: withRule("\\u0066ile_count >= 1\\t), (license_open"),
      says: [4, 63, "expected and, or, a comparison or the end", '")"'],
    },
    {
      name: "a fault in notEvaluableWhen",
      text: withRule("license_open").replace(" }", ', "notEvaluableWhen": "not" }'),
      says: [4, 80, "notEvaluableWhen: ", "found the end"],
    },
    { name: "a rule without a column", text: withRule("1 = 1"), says: [4, 40, "no evidence column"] },
    {
      name: "an unknown field",
      text: withRule("license_open").replace('"signals"', '"weights": [], "signals"'),
      says: [3, 14, '"weights"'],
    },
    {
      name: "a missing rule",
      text: '{"title": "Own", "signals": [\n{"id": "E2", "name": "x"}]}',
      says: [2, 1, '"rule" is missing'],
    },
    { name: "no signals", text: '{"title": "Own",\n"signals": []}', says: [2, 12] },
    {
      name: "an unknown signal",
      text: withRule("license_open").replace("E2", "E9"),
      says: [4, 13, "signal 1", "E1 to E5"],
    },
    {
      name: "a list of needs that differs from the columns in the rule",
      text: withRule("license_open").replace(" }", ', "needs": ["file_count"] }'),
      says: [4, 65, "license_open"],
    },
    { name: "text that is not JSON", text: '{"title": "Own",\n}', says: [2, 1, "not valid JSON"] },
  ])(
    "release score rejects a contract with $name, and names line and column",
    ({ text, says: [line, column, ...words] }) => {
      const parse = () => parseOwnContract(Buffer.from(text), "own.json");
      expect(parse).toThrow(`own.json, line ${line}, column ${column}: `);
      for (const word of words) expect(parse).toThrow(String(word));
    },
  );

  test("release score rejects a contract that lists a signal twice", () => {
    const text = JSON.stringify({ ...OWN, signals: [...OWN.signals, OWN.signals[0]] });
    expect(() => parseOwnContract(Buffer.from(text), "own.json")).toThrow(
      "signal E1, id: an earlier signal has the same id",
    );
  });
});

describe("share-release release score", () => {
  test("release score prints a summary and writes CSV for a release in a folder outside the store", async () => {
    const [file, out] = [join(scratch.folder, "own.json"), join(scratch.folder, "own.csv")];
    await writeFile(file, JSON.stringify(OWN));
    const parameters = ["release", "score", "--contract", file, "--folder", release.folder, "--out", out];
    const ended = await runHosted([...parameters, "--json"]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    const [summary] = jsonLines(ended.stdout);
    expect(summary).toEqual((await scored(OWN)).summary);
    const [heading, ...lines] = (await readFile(out, "utf8")).trimEnd().split("\n");
    expect(heading).toBe("id,doi,source,source_id,repository,total,total_2_0,difference,A1,A2,E1");
    expect(lines).toHaveLength((await scored(OWN)).rows.size);
    const ids = lines.map((line) => line.split(",", 1)[0]);
    expect(ids).toEqual(ids.toSorted());
  });

  test("release score uses the example in docs/method.md, and rejects an invalid contract with one line of error", async () => {
    const [file, wrong] = [join(scratch.folder, "own.json"), join(scratch.folder, "wrong.json")];
    const method = await readFile(join(REPOSITORY, "docs/method.md"), "utf8");
    const [example] = fencedBlocks(method).filter(({ runBy }) => runBy === SELF);
    await writeFile(file, example?.text ?? "");
    await writeFile(wrong, JSON.stringify({ ...OWN, weights: 1 }));
    const on = (path: string) => runHosted(["release", "score", "--contract", path, "--store", release.store.root]);
    const { exitCode, stdout } = await on(file);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Licence, formats, people: 3 signals, about 33 points each\n/);
    expect(stdout).toMatch(/\nA2 {6}Open formats +\d+ +\d+/);
    const rejected = await on(wrong);
    expect(rejected).toMatchObject({ exitCode: 1, stdout: "" });
    expect(rejected.stderr).toMatch(
      /^share-release: .*wrong\.json, line 1, column \d+: unexpected field "weights"; remove or correct it\n$/,
    );
  });
});
