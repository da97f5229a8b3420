/** Tests the figures of the platform and of repositories, such as means, medians and distributions, and the search index. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import type { Row } from "../normalise/captures.ts";
import { aggregateWorks, type Work } from "./made-up.ts";

describe("the SQL macros for means and ranges", () => {
  let db: Database;
  beforeAll(async () => {
    db = await openDuckDB({ threads: 1, memory: "128MB" });
  });
  afterAll(() => db.close());

  test.each([
    { total: 1, n: 200, mean: "0.01" },
    { total: 1, n: 201, mean: "0.00" },
    { total: 3, n: 200, mean: "0.02" },
    { total: 1, n: 8, mean: "0.13" },
    { total: 3, n: 8, mean: "0.38" },
    { total: 5, n: 8, mean: "0.63" },
    { total: 1, n: 3, mean: "0.33" },
    { total: 2, n: 3, mean: "0.67" },
    { total: 201, n: 200, mean: "1.01" },
    { total: 14_470_001, n: 200_000, mean: "72.35" },
    { total: 14_471_000, n: 200_000, mean: "72.36" },
    { total: 0, n: 5, mean: "0.00" },
    { total: 100, n: 1, mean: "100.00" },
    { total: 10_000_000_000, n: 100_000_000, mean: "100.00" },
    { total: 5, n: 0, mean: null },
  ])("a sum of $total over $n records gives the mean $mean", async ({ total, n, mean }) => {
    expect(await db.rows(`select cast(mean_of(${total}, ${n}) as varchar) as mean`)).toEqual([{ mean }]);
  });

  test("score_range(total) puts each total into its range of ten points, and 100 into a range of its own", async () => {
    const totals = [0, 9, 10, 19, 20, 59, 60, 89, 90, 99, 100];
    const rows = await db.rows(
      `select score_range(total) as range from (values ${totals.map((one) => `(${one})`)}) as t(total)`,
    );
    expect(rows.map(({ range }) => range)).toEqual([0, 0, 1, 1, 2, 5, 6, 8, 9, 9, 10]);
  });
});

/** Makes one record for each total in the list. */
function totals(...list: number[]): Work[] {
  return list.map((total, index) => ({ id: `r${String(index).padStart(3, "0")}`, total }));
}

async function computeMetrics(works: readonly Work[]): Promise<Row | undefined> {
  return (await aggregateWorks(works)).metrics[0];
}

describe("the figures of the platform", () => {
  test.each([
    {
      name: "the median of three totals",
      works: totals(12, 4, 80),
      expected: { median_score: 12, mean_score: 32, pct_above_70: 33.33 },
    },
    {
      name: "the median of four totals",
      works: totals(12, 4, 80, 16),
      expected: { median_score: 14, mean_score: 28, pct_above_70: 25 },
    },
    { name: "a median halfway between two totals", works: totals(4, 5), expected: { median_score: 4.5 } },
    { name: "one record", works: totals(100), expected: { median_score: 100, mean_score: 100, pct_above_70: 100 } },
    {
      name: "a total of 70 % counts as high, and 69 % does not",
      works: totals(69, 70, 71, 100),
      expected: { pct_above_70: 75 },
    },
    {
      name: "the mean of each bucket",
      works: totals(100, 30),
      expected: { mean_s: 20, mean_h: 15, mean_a: 10, mean_r: 10, mean_e: 10, mean_observed_use: 20 },
    },
    // 1 / 8 = 0.125 is rounded half up.
    { name: "a mean with a half to round", works: totals(1, 0, 0, 0, 0, 0, 0, 0), expected: { mean_score: 0.13 } },
  ])("the figures of all records are computed correctly: $name", async ({ works, expected }) => {
    expect(await computeMetrics(works)).toMatchObject(expected);
  });

  test("the distribution counts the records in each of its eleven ranges of totals (0–9, …, 90–99, 100)", async () => {
    const row = await computeMetrics(totals(0, 9, 10, 19, 20, 39, 40, 59, 60, 79, 80, 90, 99, 100, 100, 100));
    const ranges = Array.from({ length: 11 }, (_, i) => row?.[`d${i}`]);
    expect(ranges).toEqual([2, 2, 1, 1, 1, 1, 1, 1, 1, 2, 3]);
    expect(row?.scored_records).toBe(16);
  });

  test("a record that could not be read counts as a record, but not in means", async () => {
    const works: Work[] = [
      ...totals(40, 60),
      { id: "x", repository: "Other" },
      { id: "y", repository: null, total: 80 },
    ];
    const { metrics, repository } = await aggregateWorks(works);
    expect(metrics).toMatchObject([{ total_records: 4, scored_records: 3, repository_count: 2, mean_score: 60 }]);
    expect(repository).toMatchObject([
      { rubric: "2.0", repository: "", record_count: 1, scored_count: 1, mean_score: 80 },
      { rubric: "2.0", repository: "Other", record_count: 1, scored_count: 0, mean_score: null },
      { rubric: "2.0", repository: "Repo", record_count: 2, scored_count: 2, mean_score: 50 },
    ]);
  });

  test("records with too few judged signals have their own count, and do not count in means and in the distribution", async () => {
    const works: Work[] = [...totals(40, 60), { id: "x", total: null }, { id: "y" }];
    const { metrics, repository } = await aggregateWorks(works);
    expect(metrics).toMatchObject([
      {
        total_records: 4,
        scored_records: 2,
        insufficient_records: 1,
        mean_score: 50,
        median_score: 50,
        mean_observed_use: 20,
        d0: 0,
        t0: 0,
        t40: 1,
        t60: 1,
      },
    ]);
    expect(repository).toMatchObject([{ record_count: 4, scored_count: 2, mean_score: 50 }]);
  });

  test("under every version of the contract, mean observed use comes from the R bucket of contract 1.0", async () => {
    const works: Work[] = [
      { id: "a", total: { "2.0": 40, "1.0": null } },
      { id: "b", total: { "2.0": null, "1.0": 8 } },
    ];
    // Stage 3 writes the R bucket of 1.0 beside both totals. Here each row has its own value, so that the rows can be told apart.
    const { metrics } = await aggregateWorks(works, { rubrics: ["2.0", "1.0"] });
    expect(metrics).toMatchObject([
      { rubric: "1.0", scored_records: 1, insufficient_records: 1, mean_observed_use: 8 },
      { rubric: "2.0", scored_records: 1, insufficient_records: 1, mean_observed_use: 20 },
    ]);
  });

  test("the platform's figures count the records with each of the 26 possible totals (0, 4, …, 100)", async () => {
    const every = Array.from({ length: 26 }, (_, i) => 4 * i);
    const row = await computeMetrics(totals(...every, 4, 100));
    expect(every.map((total) => row?.[`t${total}`])).toEqual(
      every.map((total) => (total === 4 || total === 100 ? 2 : 1)),
    );
  });

  test("each repository has a count of its records with each total", async () => {
    const works: Work[] = [
      ...totals(0, 40, 40, 100),
      { id: "x", repository: "Other", total: 96 },
      { id: "y", repository: "Other", total: null },
      { id: "z", repository: null },
    ];
    const { repository } = await aggregateWorks(works);
    const none = Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`t${4 * i}`, 0]));
    expect(repository).toMatchObject([
      { repository: "", ...none },
      { repository: "Other", ...none, t96: 1 },
      { repository: "Repo", ...none, t0: 1, t40: 2, t100: 1 },
    ]);
  });

  test("a repository with records from several sources has figures for each source", async () => {
    const works: Work[] = [
      { id: "a", total: 40, supported: 20, source: "zenodo" },
      { id: "b", total: 60, supported: 20, source: "zenodo" },
      { id: "c", total: 20, supported: 12, evaluable: 10, source: "datacite" },
      { id: "d", total: null, source: "datacite" },
      { id: "e", total: 8, repository: null, source: "datacite" },
    ];
    const { repository, repository_source: bySource } = await aggregateWorks(works);
    const none = Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`t${4 * i}`, 0]));
    expect(bySource).toMatchObject([
      { repository: "", source: "datacite", record_count: 1, mean_score: 8, ...none, t8: 1 },
      {
        repository: "Repo",
        source: "datacite",
        record_count: 2,
        scored_count: 1,
        mean_score: 20,
        mean_cap: 48,
        passed_of_evaluable: 50,
        ...none,
        t20: 1,
      },
      {
        repository: "Repo",
        source: "zenodo",
        record_count: 2,
        scored_count: 2,
        mean_score: 50,
        mean_cap: 80,
        passed_of_evaluable: 62.5,
        ...none,
        t40: 1,
        t60: 1,
      },
    ]);
    // (40 + 60 + 20) / 3, (80 + 80 + 48) / 3, (10 + 15 + 5) / (20 + 20 + 10)
    expect(repository).toMatchObject([
      { repository: "" },
      { repository: "Repo", record_count: 4, mean_score: 40, mean_cap: 69.33, passed_of_evaluable: 60 },
    ]);
  });

  test("researchers are counted by how they were identified, for example by ORCID iD", async () => {
    const works: Work[] = [
      {
        id: "a",
        total: 4,
        by: [
          { name: "Bo, Ann", orcid: "0000-0000-0000-0001" },
          { name: "Bo, Bea", at: ["Uni X"] },
        ],
      },
      { id: "b", total: 4, by: [{ name: "Bo, Cleo" }, { name: "Bo, Dora" }] },
    ];
    expect(await computeMetrics(works)).toMatchObject({
      total_authors: 4,
      authors_orcid: 1,
      authors_name_affiliation: 1,
      authors_name: 2,
    });
  });

  test("the mean is null, and not zero, if there is no scored record", async () => {
    expect(await computeMetrics([{ id: "x" }])).toMatchObject({
      total_records: 1,
      scored_records: 0,
      mean_score: null,
      median_score: null,
      pct_above_70: null,
      d0: 0,
    });
    expect(await computeMetrics([])).toMatchObject({
      total_records: 0,
      repository_count: 0,
      total_authors: 0,
      mean_score: null,
    });
  });

  test("platform and repository each have one row of figures for each public version of the contract", async () => {
    const works: Work[] = [{ id: "a", total: { "2.0": 40, "1.0": 20 } }];
    const { metrics, repository } = await aggregateWorks(works, { rubrics: ["2.0", "1.0"] });
    expect(metrics).toMatchObject([
      { rubric: "1.0", mean_score: 20 },
      { rubric: "2.0", mean_score: 40 },
    ]);
    expect(repository.map(({ rubric, mean_score }) => [rubric, mean_score])).toEqual([
      ["1.0", 20],
      ["2.0", 40],
    ]);
  });
});

test("the search index has each term of a record only once", async () => {
  const works: Work[] = [
    { id: "a", total: 4, terms: "rain snow rain" },
    { id: "b", total: 4, terms: "rain" },
    { id: "c", total: 4 },
  ];
  expect((await aggregateWorks(works)).search).toEqual([
    { term: "rain", id: "a" },
    { term: "rain", id: "b" },
    { term: "snow", id: "a" },
  ]);
});

test("stage 4 gives the same rows with one thread and with several", async () => {
  const works: Work[] = Array.from({ length: 200 }, (_, i) => ({
    id: `r${i}`,
    family: `f${i % 150}`,
    total: (i * 37) % 101,
    citations: i % 7 === 0 ? null : i % 11,
    by: [{ name: `Bo, Ann ${String.fromCharCode(65 + (i % 26))}lice`, at: [`Uni ${i % 5}, France`] }],
  }));
  const [one, two] = await Promise.all([1, 4].map((threads) => aggregateWorks(works, { threads })));
  expect(two).toEqual(one);
  expect(one?.researcher.length).toBeGreaterThan(20);
});
