/** Tests the figures of a researcher, such as the S-Index: the worked examples of the method, version families and medians. */

import { beforeAll, describe, expect, test } from "vitest";
import type { Row } from "../normalise/captures.ts";
import { type Aggregated, aggregateWorks, type Work } from "./made-up.ts";

/** The datasets of one researcher, and the figures that stage 4 must compute from them. */
interface Case {
  readonly name: string;
  readonly works: readonly Partial<Work>[];
  readonly expected: Row;
}

const totals = (...list: number[]): Partial<Work>[] => list.map((total) => ({ total }));
const cited = (...list: (number | null)[]): Partial<Work>[] => list.map((citations) => ({ total: 4, citations }));
const many = (count: number, total: number): Partial<Work>[] => Array.from({ length: count }, () => ({ total }));

const CASES: readonly Case[] = [
  // rubrics.md, "Arithmetic".
  {
    name: "eight datasets with at least eight points each give an S-Index of eight",
    works: totals(76, 72, 68, 60, 56, 44, 40, 32),
    expected: { s_index: 8, dataset_count: 8, max_score: 76, mean_score: 56 },
  },
  {
    name: "five datasets with at least five points each give an S-Index of five",
    works: totals(80, 60, 28, 60, 12),
    expected: { s_index: 5, max_score: 80, mean_score: 48 },
  },
  { name: "one hundred totals of 100", works: many(100, 100), expected: { s_index: 100, dataset_count: 100 } },
  { name: "150 totals of 100", works: many(150, 100), expected: { s_index: 100, dataset_count: 150, mean_score: 100 } },
  {
    name: "only totals of zero",
    works: totals(0, 0, 0),
    expected: { s_index: 0, dataset_count: 3, max_score: 0, mean_score: 0 },
  },
  { name: "three totals of 3 give an S-Index of three", works: totals(3, 3, 3), expected: { s_index: 3 } },
  { name: "two totals of 3 and one of 2 give an S-Index of two", works: totals(3, 3, 2), expected: { s_index: 2 } },
  { name: "one dataset", works: totals(100), expected: { s_index: 1 } },
  // S-Impact, with unknown citations.
  {
    name: "three datasets with at least three citations each give an S-Impact of three",
    works: cited(12, 8, 5, 3, 1, 0),
    expected: { s_impact: 3 },
  },
  {
    name: "no known citation",
    works: cited(null, null, null),
    expected: { s_impact: 0, cited_known: 0, cited_datasets: 3 },
  },
  {
    name: "only datasets without citations",
    works: cited(0, 0, 0),
    expected: { s_impact: 0, cited_known: 3, cited_datasets: 3 },
  },
  {
    name: "unknown citations do not count",
    works: cited(2, null, 2, null),
    expected: { s_impact: 2, cited_known: 2, cited_datasets: 4 },
  },
  {
    name: "a dataset without a total still counts by its citations",
    works: [{ total: 4 }, { total: null, citations: 5 }],
    expected: { s_impact: 1, cited_known: 1, cited_datasets: 2, dataset_count: 1 },
  },
  // A record with too little evidence does not count as zero.
  {
    name: "a record without a total counts for citations only",
    works: [{ total: 60 }, { total: 40 }, { total: null }],
    expected: { s_index: 2, dataset_count: 2, mean_score: 50, max_score: 60 },
  },
  {
    name: "a family of versions has the total of its only version that has one",
    works: [
      { total: null, family: "f4" },
      { total: 8, family: "f4" },
    ],
    expected: { dataset_count: 1, mean_score: 8 },
  },
  // Figures that are shown beside an S-Index.
  {
    name: "the mean cap is the average of the possible points of two sources",
    works: [
      { total: 40, supported: 20 },
      { total: 20, supported: 13 },
    ],
    expected: { mean_cap: 66, mean_score: 30 },
  },
  {
    name: "the share of passed signals is a quotient of two sums, and not an average of shares",
    works: [
      { total: 40, evaluable: 20 },
      { total: 20, evaluable: 10 },
      { total: 4, evaluable: 6 },
    ],
    // (10 + 5 + 1) / (20 + 10 + 6)
    expected: { passed_of_evaluable: 44.44 },
  },
  {
    name: "the data date is the newest retrieval day",
    works: [
      { total: 4, retrieved: "2026-02-03T23:59:59Z" },
      { total: 4, retrieved: "2026-02-01T00:00:00.000Z", updated: "2026-05-01" },
      { total: null, retrieved: "2026-09-09T00:00:00Z" },
    ],
    expected: { data_date: "2026-02-03" },
  },
  {
    name: "the data date is the day of the last change at the source if no time of retrieval is known",
    works: [{ total: 4, retrieved: null, updated: "2025-12-24T10:00:00Z" }],
    expected: { data_date: "2025-12-24" },
  },
  {
    name: "the data date is null if neither a retrieval nor a change has a date",
    works: [{ total: 4, retrieved: null }],
    expected: { data_date: null, s_index: 1 },
  },
  // Version families.
  {
    name: "three versions count as one dataset with the total of the best version",
    works: [{ total: 60, family: "f1" }, { total: 80, family: "f1" }, { total: 70, family: "f1" }, { total: 20 }],
    expected: { dataset_count: 2, s_index: 2, max_score: 80, mean_score: 50 },
  },
  {
    name: "a family is cited as often as its most cited version",
    works: [
      { total: 4, family: "f2", citations: 1 },
      { total: 8, family: "f2", citations: 5 },
      { total: 4, family: "f2", citations: null },
      { total: 4, citations: 2 },
    ],
    expected: { s_impact: 2, dataset_count: 2 },
  },
  {
    name: "a citation that two versions both count is counted once",
    works: [
      { total: 4, family: "f3", citations: 3 },
      { total: 4, family: "f3", citations: 3 },
    ],
    expected: { s_impact: 1 },
  },
  // A mean to two decimals, half up.
  { name: "a mean of 1/3 is rounded to 0.33", works: totals(1, 0, 0), expected: { mean_score: 0.33 } },
  { name: "a mean of 2/3 is rounded to 0.67", works: totals(1, 1, 0), expected: { mean_score: 0.67 } },
  {
    name: "a mean of 0.125 is rounded half up to 0.13",
    works: totals(1, 0, 0, 0, 0, 0, 0, 0),
    expected: { mean_score: 0.13 },
  },
  {
    name: "each bucket has its own mean",
    works: totals(90, 30),
    expected: { mean_s: 20, mean_h: 15, mean_a: 10, mean_r: 10, mean_e: 5 },
  },
];

const makeOrcid = (index: number) => `0000-0000-0000-${String(index).padStart(4, "0")}`;

/**
 * The datasets of all cases. Each case is one researcher, and ids ascend with the position in the case, so that datasets with
 * equal totals stay in this order.
 */
const WORKS: readonly Work[] = CASES.flatMap(({ works }, index) =>
  works.map(
    (work, place): Work => ({
      ...work,
      id: `r${index}-${String(place).padStart(3, "0")}`,
      by: [{ name: "Bo, Ann", orcid: makeOrcid(index) }],
    }),
  ),
);

let aggregated: Aggregated;
beforeAll(async () => {
  aggregated = await aggregateWorks(WORKS);
});

function researcher(index: number): Row {
  const row = aggregated.researcher.find(({ orcid }) => orcid === makeOrcid(index));
  if (row === undefined) throw new Error(`there is no researcher of the case with index ${index}`);
  return row;
}

test.each(CASES.map((one, index) => ({ ...one, index })))(
  "a researcher has the expected figures: $name",
  ({ index, expected }) => {
    expect(researcher(index)).toMatchObject(expected);
  },
);

describe("the list of a researcher's datasets", () => {
  const findList = (name: string) => {
    const { id } = researcher(CASES.findIndex((one) => one.name === name));
    return aggregated.researcher_dataset.filter(({ researcher_id }) => researcher_id === id);
  };

  test("the datasets of a researcher are listed by total and then by id, at most a hundred of them", () => {
    const list = findList("150 totals of 100");
    expect(list.map(({ place }) => place)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    expect(list.map(({ id }) => String(id).slice(-3))).toEqual(
      Array.from({ length: 100 }, (_, i) => String(i).padStart(3, "0")),
    );
  });

  test("the datasets of a researcher include only the best version of each family of versions", () => {
    const list = findList("three versions count as one dataset with the total of the best version");
    expect(list.map(({ id }) => String(id).slice(-3))).toEqual(["001", "003"]);
  });

  test("the datasets of a researcher include the version with the smallest id if several versions have the same total", () => {
    const list = findList("a citation that two versions both count is counted once");
    expect(list.map(({ id }) => String(id).slice(-3))).toEqual(["000"]);
  });
});

test("a person without a scored dataset is not a researcher", async () => {
  const { researcher: rows, metrics } = await aggregateWorks([
    { id: "r1" },
    { id: "r2", total: 8, by: [{ name: "Lab", person: false }] },
    { id: "r3", total: null, by: [{ name: "Bo, Ann", orcid: makeOrcid(1) }] },
  ]);
  expect(rows).toEqual([]);
  expect(metrics).toMatchObject([{ total_authors: 0, mean_s_index: null, max_s_index: null }]);
});

test("a person who is named twice in one record counts once", async () => {
  const twice = { name: "Bo, Ann", orcid: makeOrcid(1) };
  const { researcher: rows } = await aggregateWorks([{ id: "r1", total: 8, citations: 5, by: [twice, twice] }]);
  expect(rows).toMatchObject([{ dataset_count: 1, s_index: 1, s_impact: 1, mean_score: 8 }]);
});

test("S-Index and totals differ between versions of the contract, but S-Impact is the same under all", async () => {
  const by = [{ name: "Bo, Ann", orcid: makeOrcid(1) }];
  const works = [
    { id: "r1", total: { "2.0": 80, "1.0": 0 }, family: "f", citations: 3, by },
    { id: "r2", total: { "2.0": 40, "1.0": 12 }, family: "f", citations: 1, by },
    { id: "r3", total: { "2.0": 40, "1.0": 20 }, citations: 2, by },
  ];
  const { researcher: rows, researcher_dataset: list } = await aggregateWorks(works, { rubrics: ["2.0", "1.0"] });
  expect(rows).toMatchObject([
    { rubric: "1.0", s_index: 2, s_impact: 2, max_score: 20, mean_score: 16 },
    { rubric: "2.0", s_index: 2, s_impact: 2, max_score: 80, mean_score: 60 },
  ]);
  expect(list.map(({ rubric, id }) => `${rubric} ${id}`)).toEqual(["1.0 r3", "1.0 r2", "2.0 r1", "2.0 r3"]);
});

test("a dataset without a total under a version of the contract does not count for its researcher there", async () => {
  const by = [{ name: "Bo, Ann", orcid: makeOrcid(1) }];
  const works = [
    { id: "r1", total: { "2.0": 80, "1.0": null }, by },
    { id: "r2", total: { "2.0": 40, "1.0": null }, by },
  ];
  const { researcher: rows } = await aggregateWorks(works, { rubrics: ["2.0", "1.0"] });
  expect(rows).toMatchObject([{ rubric: "2.0", dataset_count: 2, mean_score: 60 }]);
});

describe("the median of the S-Index", () => {
  /** Makes as many datasets, all with the total 100, as give a researcher the S-Index `index`. */
  const known = (person: string, index: number, citations: number | null = 0): Work[] =>
    Array.from({ length: index }, (_, i) => ({
      id: `${person}-${i}`,
      total: 100,
      citations,
      by: [{ name: `Bo, ${person}`, at: ["Uni X"] }],
    }));

  test.each([
    { name: "the middle value of an odd number of researchers", indices: [3, 4, 5], cutOff: 4 },
    { name: "the mean of the two middle values of an even number of researchers", indices: [3, 4, 5, 6], cutOff: 4.5 },
    { name: "two equal values in the middle of an even number", indices: [3, 4, 4, 5], cutOff: 4 },
    { name: "only equal values", indices: [3, 3], cutOff: 3 },
    { name: "one researcher", indices: [3], cutOff: 3 },
    { name: "researchers with few datasets", indices: [1, 2, 3], cutOff: 2 },
  ])("the median S-Index is right in the row of each researcher: $name", async ({ indices, cutOff }) => {
    const people = ["Ann", "Bea", "Cleo", "Dora"];
    const works = indices.flatMap((index, i) => known(people[i] ?? "", index));
    const { researcher: rows, metrics } = await aggregateWorks(works);
    expect(metrics).toMatchObject([{ s_index_median: cutOff }]);
    expect(new Set(rows.map(({ s_index_median }) => s_index_median))).toEqual(new Set([cutOff]));
    expect(rows).toHaveLength(indices.length);
  });

  test("researchers known only by name do not count in median, mean and maximum", async () => {
    const nameless = Array.from(
      { length: 6 },
      (_, i): Work => ({ id: `n${i}`, total: 100, by: [{ name: `Cy, Dee ${i}` }] }),
    );
    const works = [...known("Ann", 3), ...known("Bea", 4, 1), ...nameless];
    const { metrics } = await aggregateWorks(works);
    expect(metrics).toMatchObject([{ total_authors: 8, mean_s_index: 3.5, max_s_index: 4, s_index_median: 3.5 }]);
  });
});
