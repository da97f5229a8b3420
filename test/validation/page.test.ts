/** The sentences of validation.html: the pairs that they count, ties, and small numbers. */

import { describe, expect, test } from "vitest";
import type { Population, Validation } from "../../schemas/public/validation.ts";
import { validationPage } from "../../web/report/validation.ts";

const DIGEST = `sha256:${"0".repeat(64)}`;

const POPULATION: Population = {
  source: null,
  records: 40,
  scored: 40,
  signals: [],
  phi: [],
  dimensions: { signals: [], effective: null, eigenvalues: [] },
  floor: { n: 40, share: 0 },
  ceiling: { n: 40, share: 0 },
  itemRest: [],
  denominators: { n: 40, all: 40, supported: 50, evaluable: 60, tauSupported: 0.9, tauEvaluable: 0.729 },
  thresholds: [{ scale: "2", n: 40, tau: 0.8, mean: 30, signals: [] }],
};

function write(population: Partial<Population>, figures: Partial<Validation> = {}): string {
  const populations = [{ ...POPULATION, ...population }];
  const page = validationPage(
    {
      format: 2,
      releaseDigest: DIGEST,
      asOf: "2026-11-01",
      least: 30,
      harvested: 40,
      generated: 0,
      sampled: null,
      rubrics: [{ version: "2.0", contract: "2.0.0-beta.2", populations }],
      sources: [],
      outcomes: [],
      caution: "",
      ...figures,
    },
    "2026.11.01",
    new Map(),
  );
  return page.replace(/<[^>]*>/g, "");
}

test("validation.html says that pairs with equal scores are not among the pairs that keep their order", () => {
  const page = write({});
  const base = "not counting pairs with equal scores under either rule";
  expect(page).toContain(`Under other rules, at least 86 of 100 pairs of datasets keep their order, ${base}`);
  expect(page).toContain(
    `90 of 100 pairs of datasets, at least, keep their order with thresholds twice or half as high, ${base}`,
  );
});

describe("the heading of validation.html about the strongest correlation", () => {
  test.each([
    { values: [0.5, -0.9, 0.8], says: "S1 and S3 have the strongest correlation" },
    { values: [1, 0.5, -1], says: "2 pairs of signals have the strongest correlation, 1.00" },
  ])("the heading about correlations of $values is “$says”", ({ values, says }) => {
    const phi = values.map((value, i) => ({ one: "S1" as const, other: `S${i + 2}` as "S2", n: 40, phi: value }));
    expect(write({ phi })).toContain(`${says}Strongest correlations`);
  });
});

describe("the heading of validation.html about the rates of signals", () => {
  test.each([
    { rates: [0.5, 1, 0], says: "H2 passes most often, and H3 least often" },
    { rates: [1, 1, 0.2, null], says: "H1 and H2 pass most often, and H3 least often" },
    { rates: [1, 0, 0, 0, 0], says: "H1 passes most often, and 4 signals least often" },
    { rates: [1, 1], says: null },
    { rates: [null], says: null },
  ])("the heading about the rates $rates is “$says”", ({ rates, says }) => {
    const signals = rates.map((rate, i) => ({
      ...{ signal: `H${i + 1}` as "H1", records: 40, supported: 40, evaluable: 40, passed: null, rate },
      ...{ clusters: 40, design: null, low: null, high: null },
    }));
    const page = write({ signals });
    if (says === null) expect(page).not.toContain("Among these");
    else expect(page).toContain(`Among these 40 records, ${says}`);
  });
});

test("validation.html counts one record in the singular", () => {
  const page = write({ records: 1, scored: 1 }, { harvested: 1, generated: 1 });
  expect(page).toContain("the scores of 1 harvested record. 1 generated record is omitted.");
  expect(page).toContain("1 record, 1 with a total.");
  expect(page).not.toMatch(/\b1 (generated |harvested )?(records|datasets)\b/);
});
