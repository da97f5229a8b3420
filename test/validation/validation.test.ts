/** The validation of a release finds planted associations, finds no others, and leaves out generated records. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeGenerated } from "../../fixtures/write.ts";
import { readSide } from "../../pipeline/diff/compare.ts";
import { validate } from "../../pipeline/validation/index.ts";
import { verify } from "../../releases/verify/index.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import {
  NO_CAUSE,
  type Population,
  VALIDATION_FILE,
  VALIDATION_PAGE,
  type Validation,
  validation,
} from "../../schemas/public/validation.ts";
import { buildRelease } from "../support/build-release.ts";
import { recordedEffects } from "../support/effects.ts";
import { sealFile } from "../support/forgery.ts";
import { python, shareScores } from "../support/share-scores.ts";
import { type TemporaryStore, temporaryStore, writeCaptures } from "../support/temporary-store.ts";
import { BY_CHANCE, BY_WHAT_IS_SAID, type CitationsOf, deposits, twins } from "./deposits.ts";

const DEPOSITS = 400;
const TWINS = 48;
const MADE_UP = 60;

interface Told {
  readonly bench: TemporaryStore;
  readonly receipt: Receipt;
  readonly folder: string;
  readonly says: Validation;
}

let planted: Told;
let chance: Told;

/** Builds a release of planted deposits, datasets from two sources, and records that are labelled as generated. */
async function told(readCitations: CitationsOf): Promise<Told> {
  const bench = await temporaryStore();
  await writeCaptures(bench.store, [...deposits(DEPOSITS, readCitations), ...twins(TWINS)], 10_000);
  await writeGenerated(bench.store, { source: "datacite", records: MADE_UP, seed: 3 }, recordedEffects());
  const { receipt } = await buildRelease(bench.store);
  const folder = bench.store.release(receipt.releaseDigest);
  const says = validation.parse(JSON.parse(await readFile(join(folder, VALIDATION_FILE), "utf8")));
  return { bench, receipt, folder, says };
}

beforeAll(async () => {
  planted = await told(BY_WHAT_IS_SAID);
  chance = await told(BY_CHANCE);
}, 300_000);

afterAll(async () => {
  await planted.bench[Symbol.asyncDispose]();
  await chance.bench[Symbol.asyncDispose]();
});

function all({ says }: Told, version = "2.0"): Population {
  const found = says.rubrics
    .find((rubric) => rubric.version === version)
    ?.populations.find(({ source }) => source === null);
  if (found === undefined) throw new Error(`validation.json has no figures of all sources under ${version}`);
  return found;
}

describe("the correlation of citations with totals", () => {
  const citations = ({ says }: Told) =>
    says.outcomes.find(({ outcome, source }) => outcome === "citations" && source === null);

  test("the correlation of citations with totals is found if it was planted", () => {
    const found = citations(planted);
    expect(found).toMatchObject({ strata: 3, n: DEPOSITS });
    expect(found?.low).toBeGreaterThan(0.2);
  });

  test("the correlation of citations with totals is not found if it was not planted", () => {
    const found = citations(chance);
    expect(found).toMatchObject({ strata: 3, n: DEPOSITS });
    expect(found?.low).toBeLessThan(0);
    expect(found?.high).toBeGreaterThan(0);
  });

  test("the correlation with citations is shown with the sentence that it does not prove a cause", async () => {
    expect(planted.says.caution).toBe(NO_CAUSE);
    expect(await readFile(join(planted.folder, VALIDATION_PAGE), "utf8")).toContain(NO_CAUSE);
  });
});

describe("the figures of the validation", () => {
  test("the figures of the validation count only harvested records, and no generated ones", () => {
    const { harvested, generated, sampled } = planted.says;
    const { scored, insufficient, failed } = planted.receipt.coverage;
    expect({ harvested, sampled }).toEqual({ harvested: DEPOSITS + TWINS, sampled: null });
    expect(generated).toBe(scored + insufficient + failed - harvested);
    expect(generated).toBeGreaterThan(MADE_UP / 2);
    expect(all(planted).records).toBe(DEPOSITS + TWINS);
  });

  test("a figure of the validation is missing if there are too few records for it", () => {
    const small: unknown[] = [];
    const walk = (value: unknown): void => {
      if (value === null || typeof value !== "object") return;
      const { n, evaluable, rate, ...rest } = value as Record<string, unknown>;
      const of = Number(n ?? evaluable ?? planted.says.least);
      const figures = [rate, rest.phi, rest.correlation, rest.tau, rest.kappa, rest.agreement, rest.share, rest.mean];
      if (of < planted.says.least && figures.some((figure) => typeof figure === "number")) small.push(value);
      for (const part of Object.values(value)) walk(part);
    };
    walk(planted.says);
    expect(small).toEqual([]);
    expect(all(planted).signals.some(({ rate }) => rate === null)).toBe(true);
    expect(all(planted).signals.some(({ rate }) => rate !== null)).toBe(true);
  });

  test("the figures of the validation show what was planted: half of the records have keywords, and two signals agree", () => {
    const { signals, phi, dimensions } = all(planted);
    const rate = signals.find(({ signal }) => signal === "S1")?.rate ?? 0;
    expect(rate).toBeGreaterThan(0.4);
    expect(rate).toBeLessThan(0.6);
    // Records have three keywords or none, so the signals for one keyword and for three agree.
    expect(phi.find(({ one, other }) => one === "S1" && other === "S2")?.phi).toBe(1);
    expect(dimensions.effective).toBeGreaterThan(3);
    expect(dimensions.effective).toBeLessThan(dimensions.signals.length);
    const trace = dimensions.eigenvalues.reduce((sum, value) => sum + value, 0);
    expect(trace).toBeCloseTo(dimensions.signals.length, 2);
  });

  test("records with the same first creator are one cluster in the intervals of the validation", () => {
    const { signals } = all(planted);
    const rated = signals.find(({ signal }) => signal === "S1");
    // All deposits have one creator; each twin has none.
    expect(rated?.clusters).toBe(1 + TWINS);
    const deposits = planted.says.rubrics[0]?.populations.find(({ source }) => source === "datacite");
    expect(deposits?.signals[0]).toMatchObject({ clusters: 1, design: DEPOSITS });
  });

  test("the validation shows how much the order of datasets depends on thresholds and denominators", () => {
    const { itemRest, thresholds, denominators } = all(planted);
    const withOthers = (id: string) => itemRest.find(({ signal }) => signal === id)?.correlation;
    // Three keywords pass S1 and S2 together.
    expect(withOthers("S1")).toBeGreaterThan(0.2);
    // No record passes this signal, so it does not vary.
    expect(withOthers("H5")).toBeNull();
    const twice = thresholds.find(({ scale }) => scale === "2");
    // Three keywords are fewer than six.
    expect(twice?.signals.find(({ signal }) => signal === "S2")?.rate).toBe(0);
    expect(twice?.tau).toBeLessThan(1);
    expect(denominators.supported).toBeGreaterThan(denominators.all ?? 100);
  });
});

describe("the same dataset from two sources", () => {
  test("the same dataset from two sources is compared signal by signal: three of four pairs agree on keywords", () => {
    const pair = planted.says.sources.find(({ rubric }) => rubric === "2.0");
    expect(pair).toMatchObject({ taken: "zenodo", other: "datacite", records: TWINS });
    const signal = pair?.signals.find((each) => each.signal === "S1");
    // Half of the twins have keywords at Zenodo, and half of those have none at DataCite.
    expect(signal).toMatchObject({ n: TWINS, agreement: 0.75, kappa: 0.5 });
  });
});

test("the number of threads and the memory limit do not change validation.json", async () => {
  const { rules, tables } = await readSide(planted.folder, planted.receipt);
  if (rules === null) throw new Error("the release has no rules");
  const again = await validate({ receipt: planted.receipt, tables, rules }, { threads: 4, memory: "256MB" });
  expect(JSON.stringify(again)).toBe(JSON.stringify(planted.says));
});

describe("verifying the validation with share-scores verify", () => {
  test.skipIf(python === null)("share-scores verify computes every figure of the validation again", () => {
    const { stdout, status } = shareScores("verify", planted.folder);
    expect(stdout).toMatch(/^\d{5,} values, 0 of them differ\. /);
    expect(status).toBe(0);
  });

  test.skipIf(python === null)("share-scores verify finds a changed figure of the validation", async () => {
    await using copy = await temporaryStore(planted.bench.store);
    const folder = copy.store.release(planted.receipt.releaseDigest);
    const [own] = planted.says.outcomes;
    const forged = { ...planted.says, outcomes: [{ ...own, tau: 0.9 }, ...planted.says.outcomes.slice(1)] };
    await writeFile(join(folder, VALIDATION_FILE), JSON.stringify(forged));
    await sealFile(folder, VALIDATION_FILE);
    const { stdout, status } = shareScores("verify", folder);
    expect(stdout).toContain(`validation.outcomes[0].tau: the file says 0.9, but ${own?.tau} was computed`);
    expect(status).toBe(1);
  });
});

test("verify --rebuild finds a figure of the validation that contradicts the tables", async () => {
  const { bench, folder, receipt } = chance;
  const path = join(folder, VALIDATION_FILE);
  const text = await readFile(path, "utf8");
  await writeFile(
    path,
    text.replace(/"outcome":"citations","source":null,"strata":3/, '"outcome":"citations","source":null,"strata":4'),
  );
  expect(await readFile(path, "utf8")).not.toBe(text);
  await sealFile(folder, VALIDATION_FILE);
  const options = { threads: 1, memory: "512MB" };
  const plain = await verify(bench.store, receipt.releaseDigest, { ...options }, recordedEffects());
  expect(plain.findings).toEqual([]);
  const found = await verify(
    bench.store,
    receipt.releaseDigest,
    { ...options, rebuild: { from: "tables" } },
    recordedEffects(),
  );
  expect(found.findings.map(({ detail }) => detail)).toContain(`${VALIDATION_FILE} differs from the rebuild`);
});
