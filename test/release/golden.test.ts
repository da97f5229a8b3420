/** Tests the golden release: the bundled corpus has the scores in fixtures/golden, and every difference is reported. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { POLICY } from "../../pipeline/rubrics/contracts.ts";
import { POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import { AS_OF, REPOSITORY } from "../support/bundled-corpus.ts";
import type { Ended } from "../support/command-line.ts";
import {
  GOLDEN,
  type GoldenRelease,
  goldenDifferences,
  goldenRelease,
  goldenText,
  makeGoldenRelease,
} from "../support/golden-release.ts";
import { temporaryStore } from "../support/temporary-store.ts";

let text: string;
let golden: GoldenRelease;

beforeAll(async () => {
  text = await readFile(GOLDEN, "utf8");
  golden = goldenRelease.parse(JSON.parse(text));
});

test("the bundled corpus has the scores of the golden release (after an intended change, run `npm run golden`)", async () => {
  expect(goldenDifferences(golden, await makeGoldenRelease())).toEqual([]);
});

test("the golden file has the as-of date of the fixtures, one line for each record, and the format that the script writes", () => {
  expect(golden.asOf).toBe(AS_OF);
  expect(goldenText(golden)).toBe(text);
  const lines = text.split("\n").filter((line) => line.includes('"identifier"'));
  expect(lines).toHaveLength(golden.coverage.scored + golden.coverage.insufficient + golden.coverage.failed);
});

test("a total in the golden file is four points for each passed signal, or null if a record failed or has too few signals", () => {
  const records = Object.values(golden.totals).flatMap((record) => [
    { ...record, total: record["2.0"], states: record.states["2.0"] },
    { ...record, total: record["1.0"], states: record.states["1.0"] },
  ]);
  const isEnough = (states: string) => (states.match(/[Pa]/g) ?? []).length >= POLICY.leastEvaluable;
  const odd = records.filter(({ total, states }) =>
    states === undefined || !isEnough(states)
      ? total !== null
      : total !== POINTS_PER_SIGNAL * (states.match(/P/g) ?? []).length,
  );
  expect(odd).toEqual([]);
  expect(records.filter(({ states }) => states === undefined)).toHaveLength(2 * golden.coverage.failed);
  const insufficient = Object.values(golden.totals).filter((record) => record["2.0"] === null && record.states["2.0"]);
  expect(insufficient).toHaveLength(golden.coverage.insufficient);
  expect(insufficient.length).toBeGreaterThan(0);
});

/** The record of the golden release that the cases change, and a digest that no golden file has. */
const MOVED = "datacite/10.5072/complete-modern";
const OTHER = `sha256:${"0".repeat(64)}`;

const MOVEMENTS: readonly {
  readonly name: string;
  readonly change: (release: GoldenRelease, id: string) => void;
  readonly told: (golden: GoldenRelease) => readonly string[];
}[] = [
  {
    name: "one more passed signal",
    change: ({ totals }, id) => edit(totals[id], { "2.0": 76, swap: ["PPPPP PaPPP", "PPPPP aaPPP"] }),
    told: () => [`${MOVED}: 2.0 76 → 80 (H1 absent → passed)`],
  },
  {
    name: "two signals that changed in opposite ways, although the total is the same",
    change: ({ totals }, id) => edit(totals[id], { swap: ["PPPPP PaPPP", "PPPPP PPPPa"] }),
    told: () => [`${MOVED}: 2.0 80 → 80 (H2 passed → absent, H5 absent → passed)`],
  },
  {
    name: "signals that changed between states without points",
    change: ({ totals }, id) => edit(totals[id], { swap: ["-P--- PPPPP", "mPnf- PPPPP"] }),
    told: () => [
      `${MOVED}: 2.0 80 → 80 (R1 source_missing → unsupported, R3 not_evaluable → unsupported, R4 failed → unsupported)`,
    ],
  },
  {
    name: "a record that had no score before",
    change: ({ totals }, id) => edit(totals[id], { "2.0": null, "1.0": null, states: {} }),
    told: () => [`${MOVED}: 2.0 not scored → 80`, `${MOVED}: 1.0 not scored → 88`],
  },
  {
    name: "a new record",
    change: ({ totals }, id) => delete totals[id],
    told: () => [`${MOVED}: new, 2.0 80, 1.0 88`],
  },
  {
    name: "a missing record",
    change: ({ totals }) => {
      totals.r000000000000000000000000 = { identifier: "zenodo/1", "2.0": 8, "1.0": null, states: {} };
    },
    told: () => ["zenodo/1: gone, was 2.0 8, 1.0 not scored"],
  },
  {
    name: "a record with another id",
    change: ({ totals }, id) => edit(totals[id], { identifier: "datacite/10.5072/other" }),
    told: () => [`datacite/10.5072/other: now called ${MOVED}`],
  },
  {
    name: "changed counts, inputs, tables and the changed release digest",
    change: (release) => {
      release.coverage.scored += 1;
      delete release.inputs.pages;
      release.inputs.gone = OTHER;
      release.tables.scores = OTHER;
      release.releaseDigest = OTHER;
    },
    told: ({ coverage, inputs, tables, releaseDigest }) => [
      `coverage scored: ${coverage.scored + 1} → ${coverage.scored}`,
      `input gone: ${OTHER} → none`,
      `input pages: none → ${inputs.pages}`,
      `table scores: ${OTHER} → ${tables.scores}`,
      `release digest: ${OTHER} → ${releaseDigest}`,
    ],
  },
];

for (const { name, change, told } of MOVEMENTS) {
  test(`the comparison with the golden release reports ${name}`, () => {
    const before = structuredClone(golden);
    change(before, findRecordId(MOVED));
    expect(goldenDifferences(before, golden)).toEqual(told(golden));
  });
}

test("`npm run golden` writes the golden file, and with --check only reports changes and fails", async () => {
  await using bench = await temporaryStore();
  const file = join(bench.folder, "release.json");
  expect(await goldenScript(file)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("there was none") });
  expect(await readFile(file, "utf8")).toBe(text);
  const before = structuredClone(golden);
  edit(before.totals[findRecordId(MOVED)], { "1.0": 84 });
  await writeFile(file, goldenText(before));
  const { mtimeMs } = await stat(file);
  const failed = await goldenScript("--check", file);
  expect(failed.exitCode).toBe(1);
  expect(failed.stdout.split("\n").slice(1)).toEqual([`  ${MOVED}: 1.0 84 → 88`, ""]);
  expect(failed.stderr).toContain("npm run golden");
  expect((await stat(file)).mtimeMs).toBe(mtimeMs);
});

test("`npm run golden` rejects unknown options", async () => {
  expect(await goldenScript("--write")).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^usage: /) });
});

async function goldenScript(...parameters: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [join(REPOSITORY, "test/support/write-golden.ts"), ...parameters]);
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  await closed;
  return { exitCode: child.exitCode, stdout, stderr };
}

function findRecordId(identifier: string): string {
  const found = Object.entries(golden.totals).find(([, record]) => record.identifier === identifier);
  if (found === undefined) throw new Error(`the golden release has no ${identifier}`);
  return found[0];
}

type Edit = Partial<GoldenRelease["totals"][string]> & {
  /** Part of the states under 2.0 (one letter for each signal), and the letters that replace it. */
  readonly swap?: readonly [now: string, before: string];
};

function edit(record: GoldenRelease["totals"][string] | undefined, { swap, ...rest }: Edit): void {
  if (record === undefined) throw new Error("the golden release does not have the record that the case changes");
  Object.assign(record, rest);
  if (swap === undefined) return;
  const whole = record.states["2.0"] ?? "";
  if (!whole.includes(swap[0])) throw new Error(`the states ${whole} do not contain ${swap[0]}`);
  record.states["2.0"] = whole.replace(...swap);
}
