/** What others say of the datasets of a release: another judge's scores, and sheets that are drawn, coded by hand and held against its states. */

import { hash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseString, writeToString } from "fast-csv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { validateAgainst } from "../../operations/judging/against.ts";
import { validateCoded } from "../../operations/judging/coded.ts";
import { drawSample } from "../../operations/judging/sample.ts";
import { pairSums, tau } from "../../operations/validation/statistics/kendall.ts";
import { rounded } from "../../operations/validation/statistics/rounded.ts";
import { wilson } from "../../operations/validation/statistics/wilson.ts";
import { openTables, releaseTablePaths, type TablePaths } from "../../pipeline/pages/tables.ts";
import { FORMULA } from "../../schemas/public/formula.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { LEAST_RECORDS } from "../../schemas/public/validation.ts";
import { type BundledRelease, bundledRelease } from "../support/bundled-release.ts";
import { commandHost } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";

const host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));

interface Scored {
  readonly id: string;
  readonly source: string;
  readonly identifier: string;
  readonly doi: string | null;
  readonly total: number;
  readonly passed: number;
  readonly evaluable: number;
}

let bundled: BundledRelease;
let tables: TablePaths;
let folder: string;
/** Every record with a total under 2.0. */
let scored: Scored[];

beforeAll(async () => {
  bundled = await bundledRelease();
  tables = releaseTablePaths(bundled.folder);
  folder = await mkdtemp(join(tmpdir(), "share-judging-"));
  const db = await openTables(tables, { threads: 1 });
  try {
    const rows = await db.rows(
      `select record.id, source, source || '/' || source_id as identifier, doi, total, passed_mask, evaluable_mask
       from record join score on score.id = record.id where rubric = '2.0' and score.status = 'scored' order by record.id`,
    );
    scored = rows.map((row) => ({
      id: String(row.id),
      source: String(row.source),
      identifier: String(row.identifier),
      doi: row.doi === null ? null : String(row.doi),
      total: Number(row.total),
      passed: Number(row.passed_mask),
      evaluable: Number(row.evaluable_mask),
    }));
  } finally {
    db.close();
  }
  expect(scored.length).toBeGreaterThan(100);
});

afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
  await bundled[Symbol.asyncDispose]();
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const csv = (rows: readonly (readonly (string | number)[])[]) => writeToString(rows.map((row) => [...row]));
const options = { rubric: "2.0", listed: 5, threads: 1 } as const;

/** A number from 0 to 99 that has nothing to do with a score. */
const chance = ({ id }: Scored) => Number.parseInt(id.slice(1, 8), 16) % 100;

describe("another judge", () => {
  const judges: { name: string; score: (of: Scored) => number; low: number; high: number }[] = [
    { name: "who says the same on a scale of its own", score: ({ total }) => total / 25 + 1, low: 1, high: 1 },
    { name: "who says the opposite", score: ({ total }) => -total, low: -1, high: -1 },
    { name: "who throws dice", score: chance, low: -0.15, high: 0.15 },
  ];
  test.each(judges)("$name", async ({ name, score, low, high }) => {
    const rows = scored.map((each) => [each.identifier, score(each)]);
    const path = await file(`${name}.csv`, await csv([["identifier", "score"], ...rows]));
    const found = await validateAgainst(tables, path, options);
    expect(found).toMatchObject({ judgements: scored.length, datasets: scored.length, unknown: 0, generated: 0 });
    const all = pairSums(cellsOf(scored, score));
    expect(found.all).toMatchObject({ n: scored.length, tau: rounded(tau(all)) });
    expect(found.all.tau).toBeGreaterThanOrEqual(low);
    expect(found.all.tau).toBeLessThanOrEqual(high);
    expect(found.all.low ?? 2).toBeLessThanOrEqual(found.all.tau ?? -2);
    expect(found.all.high ?? -2).toBeGreaterThanOrEqual(found.all.tau ?? 2);
    for (const { source, n, ...own } of found.sources) {
      const mine = scored.filter((each) => each.source === source);
      const wanted = mine.length < LEAST_RECORDS ? null : rounded(tau(pairSums(cellsOf(mine, score))));
      expect({ source, n, tau: own.tau }).toEqual({ source, n: mine.length, tau: wanted });
    }
    expect(found.sources.some(({ tau: known }) => known !== null)).toBe(true);
    expect(found.sources.some(({ tau: known }) => known === null)).toBe(true);
  });

  test("whose order is ours for all but one: that one is the largest disagreement", async () => {
    const [odd] = scored.filter(({ total }) => total === Math.max(...scored.map((each) => each.total)));
    const rows = scored.map((each) => [each.identifier, each === odd ? -1 : each.total]);
    const path = await file("odd.csv", await csv([["identifier", "score"], ...rows]));
    const { disagreements } = await validateAgainst(tables, path, { ...options, listed: 3 });
    expect(disagreements).toHaveLength(3);
    expect(disagreements[0]).toMatchObject({ identifier: odd?.identifier, total: odd?.total, judge: -1 });
    expect(disagreements[0]?.place ?? 0).toBeGreaterThan(90);
    expect(disagreements[0]?.judgePlace ?? 100).toBeLessThan(1);
  });

  test("is known by DOI in any spelling; a panel's mean counts; what is not here is counted", async () => {
    const [one, two] = scored.filter(({ doi, source }) => doi !== null && source === "datacite");
    const lines = [
      { doi: `https://doi.org/${one?.doi?.toUpperCase()}`, score: 1 },
      { doi: one?.doi, score: "2.5" },
      { request: { object_identifier: `doi:${two?.doi}` }, summary: { score_percent: { FAIR: 54.17 } }, results: [] },
      { doi: "10.5072/nobody-has-it", score: 3 },
    ];
    const text = lines.map((line) => JSON.stringify(line)).join("\n\n");
    const found = await validateAgainst(tables, await file("panel.ndjson", `\ufeff${text}\n`), options);
    expect(found).toMatchObject({ judgements: 4, unknown: 1, datasets: 2, all: { n: 2, tau: null } });
    const judged = new Map(found.disagreements.map(({ doi, judge }) => [doi, judge]));
    for (const [doi, judge] of judged)
      expect([one?.doi, two?.doi, 1.75, 54.17]).toEqual(expect.arrayContaining([doi, judge]));
  });
});

function cellsOf(of: readonly Scored[], score: (each: Scored) => number) {
  const cells = Map.groupBy(of, (each) => `${each.total} ${score(each)}`);
  return [...cells.values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [{ x: first.total, y: score(first), n: own.length }];
  });
}

describe("files at fault name line and field, and nothing is compared", () => {
  const of = "datacite/10.5072/x";
  const cases: { name: string; kind: "against" | "coded"; text: string; says: string[] }[] = [
    { name: "nothing", kind: "against", text: "", says: [":1: the file is empty"] },
    { name: "a header alone", kind: "against", text: "doi,score\n", says: [":1: the file has no line"] },
    {
      name: "no score",
      kind: "against",
      text: "doi,points\n10.5072/x,3\n",
      says: [":1: score: there is no such column"],
    },
    {
      name: "semicolons",
      kind: "against",
      text: "doi;score\n10.5072/x;3\n",
      says: [":1: the columns are not separated by"],
    },
    {
      name: "two columns of a name",
      kind: "against",
      text: "doi,score,score\n",
      says: [":1: score: is the name of two"],
    },
    {
      name: "a decimal comma, a cell too many, and no DOI",
      kind: "against",
      text: 'doi,score\n10.5072/x,"3,5"\n\n10.5072/x,3,5\nten,3\n,4\n',
      says: [':2: score: "3,5" is no number', ":4: has 3 cells", ':5: doi: "ten" is no', ":6: doi: is missing"],
    },
    {
      name: "a quote that does not end",
      kind: "against",
      text: 'doi,score\n"10.5072/x,3\n',
      says: [":2: a cell in quotes"],
    },
    {
      name: "a line after one that is several",
      kind: "against",
      text: 'doi,score,note\n10.5072/x,3,"two\nlines"\n10.5072/y,many,\n',
      says: [':4: score: "many"'],
    },
    {
      name: "JSON that is none, and an array",
      kind: "against",
      text: '{"doi":"10.5072/x","score":1}\n{"doi":\n[1]\n{"doi":"10.5072/x","score":{}}\n',
      says: [":2: is no JSON object", ":3: is no JSON object", ":4: score: "],
    },
    { name: "a signal there is not", kind: "coded", text: "identifier,rubric,S1,S6\n", says: [":1: S6: is no signal"] },
    { name: "no signal", kind: "coded", text: `identifier,rubric\n${of},2.0\n`, says: [":1: S1: no column"] },
    {
      name: "a word that is no code, and a version that is none",
      kind: "coded",
      text: `identifier,rubric,S1,H2\n${of},2.0,yes,present\n${of},3.0,absent,\n`,
      says: [':2: S1: "yes" is none of present, absent, unknown', ":3: rubric: is one of 2.0, 1.0"],
    },
    {
      name: "nothing coded",
      kind: "coded",
      text: `identifier,rubric,S1\n${of},2.0,unknown\n`,
      says: [":2: S1: no signal"],
    },
  ];
  test.each(cases)("$name", async ({ name, kind, text, says }) => {
    const path = await file(`fault ${name}`, text);
    const { exitCode, stdout, stderr } = await host.run(["validate", `--${kind}`, path, "--store", bundled.store.root]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    for (const each of says) expect(stderr).toContain(`${path}${each}`);
    expect(stderr.trimEnd().split("\n")).toHaveLength(says.length + 1);
  });

  test("a dataset that is coded twice under one version", async () => {
    const [one] = scored;
    const rows = ["2.0", "1.0", "2.0"].map((rubric) => [one?.identifier ?? "", rubric, "present"]);
    const path = await file("twice.csv", await csv([["identifier", "rubric", "S1"], ...rows]));
    await expect(validateCoded(tables, path, { threads: 1 })).rejects.toThrow(
      `${path}:4: identifier: is the dataset of line 2, under the same version`,
    );
  });
});

describe("a sheet", () => {
  const draw = async (name: string, seed: string, n: number, threads = 1) => {
    const path = join(folder, name);
    const sample = await drawSample(tables, path, { rubric: "2.0", seed, n, threads });
    return { sample, text: await readFile(path, "utf8") };
  };

  test("is the same wherever it is drawn, and another for another seed", async () => {
    const [one, again, other] = [
      await draw("a.csv", "s", 40),
      await draw("b.csv", "s", 40, 2),
      await draw("c.csv", "t", 40),
    ];
    expect(again.text).toBe(one.text);
    expect(other.text).not.toBe(one.text);
    // As the documentation says it, and nothing else.
    const drawn = [...scored]
      .sort((a, b) => (drawOf("s", a) < drawOf("s", b) ? -1 : 1))
      .filter(firstOfStratum())
      .slice(0, 40);
    expect(one.sample.datasets.map(({ identifier }) => identifier)).toEqual(drawn.map(({ identifier }) => identifier));
  });

  const drawOf = (seed: string, { id }: Scored) => hash("sha256", `${seed}${id}`);
  function firstOfStratum(): (of: Scored) => boolean {
    const seen = new Set<string>();
    return ({ source, total }) => {
      const stratum = `${source} ${Math.min(Math.floor(total / 20), 4)}`;
      return !seen.has(stratum) && seen.add(stratum) !== null;
    };
  }

  test("takes from every source and range of totals before it takes more of one", async () => {
    const { sample } = await draw("all.csv", "s", 100);
    expect(sample.datasets).toHaveLength(100);
    expect(sample.strata.reduce((sum, { records }) => sum + records, 0)).toBe(scored.length);
    const most = Math.max(...sample.strata.map(({ drawn }) => drawn));
    for (const { drawn, records } of sample.strata) expect(drawn).toBeGreaterThanOrEqual(Math.min(records, most - 1));
  });

  test("reads back as what was drawn, runs as no formula, and shows no score", async () => {
    const { sample, text } = await draw("whole.csv", "s", 100_000);
    const [header = [], ...rows] = await cellsOfCsv(text);
    expect(header).toEqual(["identifier", "rubric", "doi", "url", "title", ...SIGNAL_IDS]);
    expect(rows.map(([identifier]) => identifier)).toEqual(sample.datasets.map(({ identifier }) => identifier));
    expect(rows).toHaveLength(scored.length);
    expect(rows.flat().filter((cell) => new RegExp(FORMULA, "u").test(cell))).toEqual([]);
    expect(rows.every((row) => row.slice(5).every((cell) => cell === ""))).toBe(true);
    // Every dataset of it is found again by what stands in the sheet.
    const coded = [header, ...rows.map((row) => [...row.slice(0, 5), "present", ...row.slice(6)])];
    const found = await validateCoded(tables, await file("back.csv", await csv(coded)), { threads: 1 });
    expect(found).toMatchObject({ lines: scored.length, coded: scored.length, unknown: 0 });
  });

  test("coded by somebody who errs in a known way gives the precision and recall of just that", async () => {
    // Of S1 they deny every fifth that passed, and see every third that did not; of H1 they are ours; E5 they leave.
    const code = (of: Scored, i: number) => {
      const passed = (of.passed & 1) !== 0;
      return passed ? (i % 5 === 0 ? "absent" : "present") : i % 3 === 0 ? "present" : "absent";
    };
    const own = (of: Scored) => ((of.passed & (1 << 5)) !== 0 ? "present" : "unknown");
    const rows = scored.map((of, i) => [of.identifier, "2.0", code(of, i), own(of), ""]);
    const path = await file("coded.csv", await csv([["identifier", "rubric", "S1", "H1", "E5"], ...rows]));
    const { signals } = await validateCoded(tables, path, { threads: 1 });
    const of = (id: string) => signals.find(({ signal, rubric }) => signal === id && rubric === "2.0");
    const count = (want: (each: Scored, i: number) => boolean) => scored.filter(want).length;
    const hit = count((each, i) => (each.passed & 1) !== 0 && i % 5 !== 0);
    const passed = count((each) => (each.passed & 1) !== 0);
    const missed = count((each, i) => (each.passed & 1) === 0 && (each.evaluable & 1) !== 0 && i % 3 === 0);
    const unjudged = count((each, i) => (each.evaluable & 1) === 0 && i % 3 === 0);
    expect([hit, missed, unjudged].every((each) => each > 0)).toBe(true);
    const share = (k: number, n: number) => {
      const { low, high } = wilson(k, n);
      return { n, share: rounded(k / n), low: rounded(low), high: rounded(high) };
    };
    expect(of("S1")).toMatchObject({
      precision: share(hit, passed),
      recall: share(hit, hit + missed),
      recallOfAll: share(hit, hit + missed + unjudged),
    });
    expect(of("H1")).toMatchObject({ precision: { share: 1 }, recall: { share: 1 } });
    expect(of("E5")).toMatchObject({ precision: { n: 0, share: null }, recall: { n: 0, share: null } });
  });
});

async function cellsOfCsv(text: string): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const row of parseString<string[], string[]>(text, { headers: false })) rows.push(row);
  return rows;
}

describe("the commands", () => {
  const run = (...parameters: readonly string[]) => host.run([...parameters, "--store", bundled.store.root]);

  test("sample prints the sheet, and with --json what it was drawn from", async () => {
    const { stdout } = await run("sample", "--n", "7", "--seed", "a b");
    const rows = await cellsOfCsv(stdout);
    expect(rows).toHaveLength(8);
    const lines = jsonLines((await run("sample", "--n", "7", "--seed", "a b", "--json")).stdout);
    expect(lines.slice(0, -1)).toMatchObject(rows.slice(1).map(([identifier]) => ({ identifier })));
    expect(lines.at(-1)).toMatchObject({ releaseDigest: bundled.receipt.releaseDigest, seed: "a b", drawn: 7 });
  });

  test("validate says in words what it says with --json", async () => {
    const rows = scored.map((each) => [each.identifier, chance(each)]);
    const path = await file("words.csv", await csv([["identifier", "score"], ...rows]));
    const words = (await run("validate", "--against", path)).stdout;
    const [found] = jsonLines((await run("validate", "--against", path, "--json")).stdout);
    expect(found).toMatchObject({ datasets: scored.length, least: LEAST_RECORDS });
    for (const text of ["within sources", "datacite", "The largest disagreements", "this is agreement, not truth"]) {
      expect(words).toContain(text);
    }
    const coded = await file(
      "c.csv",
      await csv([
        ["identifier", "rubric", "S1"],
        [scored[0]?.identifier ?? "", "2.0", "present"],
      ]),
    );
    expect((await run("validate", "--coded", coded)).stdout).toMatch(/^S1 +\S/m);
  });

  test.each([
    { name: "neither", parameters: [], says: "give --against FILE or --coded FILE" },
    { name: "both", parameters: ["--against", "a", "--coded", "b"], says: "give --against FILE or --coded FILE" },
    {
      name: "a version with --coded",
      parameters: ["--coded", "a", "--rubric", "1.0"],
      says: "--rubric goes with --against",
    },
  ])("validate with $name is wrong usage", async ({ parameters, says }) => {
    const { exitCode, stderr } = await run("validate", ...parameters);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  });
});
