/** The sentence above each chart, which says what the chart shows. The cases include ties, few datasets and no datasets. */

import { describe, expect, test } from "vitest";
import { describeProfile } from "../../web/components/bucket-profile.ts";
import { describeSpread, describeStanding, findMedian } from "../../web/components/distribution.ts";
import { describeIndex } from "../../web/components/s-index-curve.ts";
import { describeTrend, trendChart } from "../../web/components/trend.ts";
import { chooseCounts, chooseLimits, describeMap } from "../../web/components/world-map.ts";
import { describeYears } from "../../web/components/years.ts";
import { html } from "../../web/html.ts";
import { describeDatasets, describeDiffering, describeRepositories } from "../../web/views/compare.ts";

describe("the sentence about a distribution of scores", () => {
  test.each([
    { name: "no dataset", totals: {}, says: "No dataset in Alby has a score" },
    { name: "one dataset", totals: { 44: 1 }, says: "The only dataset in Alby with a score has 44 points" },
    {
      name: "two datasets",
      totals: { 20: 1, 44: 1 },
      says: "The two datasets in Alby with a score have 20 and 44 points",
    },
    { name: "two equal datasets", totals: { 44: 2 }, says: "All 2 datasets in Alby with a score have 44 points" },
    {
      name: "few datasets",
      totals: { 20: 1, 40: 1, 44: 1 },
      says: "2 of the 3 scored datasets in Alby have 40 points or less",
    },
    {
      name: "an exact half",
      totals: { 20: 30, 44: 20, 60: 50 },
      says: "Half of the scored datasets in Alby have 44 points or less",
    },
    {
      name: "nearly a half",
      totals: { 20: 31, 44: 20, 60: 49 },
      says: "About half of the scored datasets in Alby have 44 points or less",
    },
    {
      name: "a tie at the median",
      totals: { 20: 30, 44: 40, 60: 30 },
      says: "70 % of the scored datasets in Alby have 44 points or less",
    },
    {
      name: "most have one score",
      totals: { 20: 1, 44: 69, 60: 30 },
      says: "69 % of the scored datasets in Alby have exactly 44 points",
    },
    {
      name: "nearly all",
      totals: { 20: 1, 44: 999 },
      says: "More than 99 % of the scored datasets in Alby have exactly 44 points",
    },
  ])("the sentence for the case “$name” is “$says”", ({ totals, says }) => {
    expect(describeSpread(totals, "in Alby")).toBe(says);
  });

  test("the sentence about all datasets says “the scored datasets”, without words such as “in Alby”", () => {
    expect(describeSpread({ 20: 5, 44: 5, 60: 10 }, "")).toBe("Half of the scored datasets have 44 points or less");
  });
});

describe("the sentence that compares the score of one dataset with others", () => {
  test.each([
    { name: "the only dataset", total: 44, totals: { 44: 1 }, says: "This is the only dataset in Alby with a score" },
    {
      name: "one of 12 datasets with the same score",
      total: 44,
      totals: { 44: 12 },
      says: "All 12 datasets in Alby with a score have 44 points",
    },
    {
      name: "the best dataset",
      total: 60,
      totals: { 20: 11, 60: 1 },
      says: "No dataset in Alby scores higher than this one",
    },
    {
      name: "one of the three best datasets",
      total: 60,
      totals: { 20: 11, 60: 3 },
      says: "No dataset in Alby scores higher than this one; 2 score the same",
    },
    {
      name: "one of the two worst datasets",
      total: 20,
      totals: { 20: 2, 60: 9 },
      says: "No dataset in Alby scores lower than this one; 1 scores the same",
    },
    {
      name: "a dataset above most others",
      total: 44,
      totals: { 20: 70, 44: 10, 60: 20 },
      says: "This dataset scores higher than 70 % of the scored datasets in Alby",
    },
    {
      name: "a dataset below most others",
      total: 24,
      totals: { 20: 10, 24: 10, 60: 80 },
      says: "80 % of the scored datasets in Alby score higher than this one",
    },
    {
      name: "one of many datasets with the same score",
      total: 44,
      totals: { 20: 20, 44: 70, 60: 10 },
      says: "20 % of the scored datasets in Alby score lower than this one, and 10 % of the scored datasets higher",
    },
  ])("the sentence for the case “$name” is “$says”", ({ total, totals, says }) => {
    expect(describeStanding(total, totals, "in Alby")).toBe(says);
  });
});

test.each([
  { totals: {}, median: null },
  { totals: { 44: 1 }, median: 44 },
  { totals: { 44: 1, 52: 1 }, median: 48 },
  { totals: { 0: 2, 44: 1, 100: 2 }, median: 44 },
])("the median score of the datasets in $totals (number by score) is $median", ({ totals, median }) => {
  expect(findMedian(totals)).toBe(median);
});

describe("the sentence about years of publication", () => {
  const year = (of: number | null, meanScore: number, scoredCount = 10) => ({
    year: of,
    meanScore,
    scoredCount,
    datasets: scoredCount,
  });
  test.each([
    { name: "no years", years: [], says: null },
    {
      name: "few datasets",
      years: [year(2020, 40, 9), year(2021, 50, 9)],
      says: null,
    },
    {
      name: "one year",
      years: [year(2020, 40), year(2021, 50, 1), year(null, 90)],
      says: "Datasets in Alby published in 2020 score 40.00 on average",
    },
    {
      name: "a rise",
      years: [year(2021, 50.5), year(2020, 40), year(2010, 99, 1)],
      says: "Datasets in Alby published in 2021 score 50.50 on average; no year since 2020 with at least 10 of them has more",
    },
    {
      name: "a fall",
      years: [year(2019, 30), year(2020, 40), year(2021, 30)],
      says: "Datasets in Alby published in 2021 score 30.00 on average; the highest average of a year with at least 10 of them is 40.00, in 2020",
    },
    {
      name: "two years with the highest average",
      years: [year(2018, 40), year(2019, 30), year(2020, 40), year(2021, 30)],
      says: "Datasets in Alby published in 2021 score 30.00 on average; the highest average of a year with at least 10 of them is 40.00, in 2018, 2020",
    },
    {
      name: "little change",
      years: [year(2020, 40), year(2021, 42.5), year(2022, 41)],
      says: "Datasets in Alby score about the same in all years from 2020 to 2022 with at least 10 of them: 40.00 to 42.50 on average",
    },
    {
      name: "a large set",
      years: [year(2019, 90, 29), year(2020, 40, 600), year(2021, 50, 400)],
      says: "Datasets in Alby published in 2021 score 50.00 on average; no year since 2020 with at least 30 of them has more",
    },
  ])("the sentence for the case “$name” is “$says”", ({ years, says }) => {
    expect(describeYears(years, "in Alby")).toBe(says);
  });
});

describe("the sentence about earlier releases", () => {
  const average = (version: string, sum: number, count: number, contract = "2.0.0") => ({
    scoreReleaseVersion: version,
    releaseDigest: `sha256:${"0".repeat(64)}`,
    asOf: "2026-11-01",
    contract,
    value: count === 0 ? null : Math.round((100 * sum) / count) / 100,
    exact: { sum, count },
    cap: 100,
    datasets: count,
  });
  const score = (version: string, total: number | null) => ({
    ...average(version, total ?? 0, total === null ? 0 : 1),
    value: total,
    datasets: null,
  });
  test.each([
    { name: "no score", past: [score("1", null)], says: "The score is not known in any release" },
    { name: "one score", past: [score("1", null), score("2", 40)], says: "The score is 40" },
    {
      name: "a rise",
      past: [score("1", 40), score("2", null), score("3", 52)],
      says: "The score rose by 12 to 52 since release 1",
    },
    { name: "no change", past: [score("1", 40), score("2", 40)], says: "The score is 40, unchanged since release 1" },
    {
      name: "a return to the first score",
      past: [score("1", 40), score("2", 44), score("3", 40)],
      says: "The score is 40 again, as in release 1",
    },
    {
      name: "a change of the rules",
      past: [average("1", 400, 10), average("2", 800, 20, "3.0.0")],
      says: "The score is 40.00 under the rules since release 2",
    },
    // 26.9508 − 26.945 is 0.0058, but the rounded averages differ by 0.00.
    {
      name: "a rise that is rounded once",
      past: [average("1", 53890, 2000), average("2", 269508, 10000)],
      says: "The score rose by 0.01 to 26.95 since release 1, with 8,000 more datasets",
    },
    {
      name: "a fall with fewer datasets",
      past: [average("1", 440, 11), average("2", 300, 10)],
      says: "The score fell by 10.00 to 30.00 since release 1, with 1 fewer dataset",
    },
    {
      name: "an unknown exact average",
      past: [{ ...average("1", 0, 0), value: 30.5 }, average("2", 320, 10)],
      says: "The score rose from 30.50 in release 1 to 32.00",
    },
  ])("the sentence for the case “$name” is “$says”", ({ past, says }) => {
    expect(describeTrend(past, "The score")).toBe(says);
  });

  test.each([
    { name: "two releases", past: [average("1", 400, 10), average("2", 800, 10)], isDrawn: false },
    {
      name: "changes below one point",
      past: [average("1", 400, 10), average("2", 404, 10), average("3", 409, 10)],
      isDrawn: false,
    },
    {
      name: "a change of one point between three releases",
      past: [average("1", 400, 10), average("2", 410, 10), average("3", 400, 10)],
      isDrawn: true,
    },
  ])(
    "averages over releases are a line or only a sentence, and always a table with links: $name",
    ({ past, isDrawn }) => {
      const text = trendChart({ id: "trend", past, whose: "The average", basis: "" })?.text ?? "";
      expect(text).toContain(describeTrend(past, "The average"));
      expect(text.includes('class="line"')).toBe(isDrawn);
      expect(text.includes("<summary>The average")).toBe(!isDrawn);
      expect(text).toContain('download="trend.csv"');
      expect([...text.matchAll(/<tr><th scope="row"><a href="\/history\/sha256-/g)].length).toBe(past.length);
      expect([...text.matchAll(/<a href="\/history\/sha256-\w+"><g class="datum">/g)].length).toBe(isDrawn ? 3 : 0);
    },
  );
});

test.each([
  { name: "similar averages and one outlier", averages: [...Array(18).fill(27), 36, 49], limits: [28, 30, 32, 34] },
  { name: "averages far apart", averages: [5, 15, 25, 35, 45, 55, 65, 75, 85, 95], limits: [20, 40, 60, 80] },
])("the shades of the map fit the range of the averages: $name", ({ averages, limits }) => {
  expect(chooseLimits(averages)).toEqual(limits);
});

test.each([
  { counts: [1], limits: [1] },
  { counts: [5, 9, 11, 20, 30, 40, 67, 120, 219, 640], limits: [5, 10, 20, 100, 200] },
])("the shades of the map fit the numbers of datasets $counts", ({ counts, limits }) => {
  expect(chooseCounts(counts)).toEqual(limits);
});

describe("the sentence about countries", () => {
  const country = (name: string, meanScore: number, recordCount = 10) => ({
    countryCode: name,
    name,
    recordCount,
    scoredCount: recordCount,
    meanScore,
    // The total of each dataset, so that the exact average is known.
    totalDistribution: { [meanScore]: recordCount },
  });
  const before = (averages: Readonly<Record<string, number>>) => ({
    scoreReleaseVersion: "1",
    averages: new Map(Object.entries(averages).map(([code, sum]) => [code, { sum: 10 * sum, count: 10 }])),
  });
  const four = [country("Alby", 28, 40), country("Borg", 28, 20), country("Corf", 44, 12), country("Dale", 96, 2)];
  test.each([
    { choice: "datasets", rows: [], says: "No dataset has a country" },
    { choice: "datasets", rows: four.slice(0, 1), says: "All datasets with a country are from Alby: 40" },
    {
      choice: "datasets",
      rows: four,
      says: "Alby has 50.0 % of the 80 datasets with a country, Borg 25.0 %",
    },
    {
      choice: "datasets",
      rows: four.slice(1),
      says: "Borg has 25.0 % of the 80 datasets with a country, Corf 15.0 %",
    },
    {
      choice: "average",
      rows: four,
      says: "2 of 3 countries average under 30 points, in a range from 28.00 (Alby) to 44.00 (Corf)",
    },
    {
      choice: "average",
      rows: four.slice(2),
      says: "Too few countries have 5 datasets with a score to compare averages",
    },
    {
      choice: "change",
      rows: four,
      says: "Since the last release, 2 of 3 averages moved by half a point or more: 1 up, 1 down, from −4.00 (Corf) to +4.00 (Alby)",
    },
  ] as const)("the sentence for the figure $choice of $rows.length countries is “$says”", ({ choice, rows, says }) => {
    expect(describeMap(choice, rows, before({ Alby: 24, Borg: 28, Corf: 48, Dale: 0 }), 80)).toBe(says);
  });
});

describe("the sentence about compared datasets", () => {
  /** Each dataset has its points, its possible points, and the signals that it passes; null without a score. */
  const sentence = (datasets: readonly (readonly [total: number | null, cap: number, passed: string])[]) => {
    const records = datasets.map(([total, cap]) => ({ score: total === null ? null : { total }, cap }));
    const signals = ["S1", "S2", "S3"].map((id) => ({
      id,
      name: "invented",
      states: datasets.map(([, , passed]) => (passed.includes(id) ? ("passed" as const) : ("absent" as const))),
    }));
    return html`${describeDatasets(records, ["A", "B", "C", "D"], signals)}`.text.replace(/<[^>]*>/g, "");
  };
  test.each([
    {
      name: "two scores",
      datasets: [
        [8, 84, "S1 S2"],
        [4, 84, "S3"],
      ],
      says: "“A” scores 4 points more than “B”: it passes 2 signals that the other does not, and misses 1.",
    },
    {
      name: "no points of different possible points",
      datasets: [
        [0, 84, ""],
        [0, 100, ""],
      ],
      says: "Both reach the same share of their possible points, 0 of 84 and 0 of 100.",
    },
    {
      name: "equal shares of different possible points",
      datasets: [
        [40, 100, "S1"],
        [24, 60, "S2"],
      ],
      says: "Both reach the same share of their possible points, 40 of 100 and 24 of 60, but they pass different signals.",
    },
    {
      name: "two of three first",
      datasets: [
        [40, 84, ""],
        [20, 84, ""],
        [40, 84, ""],
      ],
      says: "“A” and “C” reach the most of their possible points, 40 of 84, and “B” the least, 20 of 84.",
    },
    {
      name: "two of four last, with different possible points",
      datasets: [
        [60, 84, ""],
        [40, 100, ""],
        [48, 84, ""],
        [24, 60, ""],
      ],
      says: "“A” reaches the most of its possible points, 60 of 84, and “B” and “D” the least, 40 of 100 and 24 of 60.",
    },
    {
      name: "two equal scores and a dataset without one, which differs in a signal",
      datasets: [
        [40, 84, "S1"],
        [40, 84, "S1"],
        [null, 84, "S2"],
      ],
      says: "“A” and “B” have the same score, 40 of 84 possible points. “C” has no score.",
    },
    {
      name: "one score",
      datasets: [
        [null, 84, ""],
        [40, 84, ""],
        [null, 84, ""],
      ],
      says: "Too few of the datasets have a score to compare them. “A” and “C” have no score.",
    },
  ] as const)("the sentence about compared datasets for $name is “$says”", ({ datasets, says }) => {
    expect(sentence(datasets)).toBe(says);
  });
});

describe("the sentence about compared repositories", () => {
  const repository = (name: string, scored: number, points: number, possible: number) => ({
    repository: name,
    scored,
    points,
    possible,
  });
  const [alby, borg, corf] = [
    repository("Alby", 10, 400, 800),
    repository("Borg", 5, 100, 400),
    repository("Corf", 5, 250, 500),
  ];
  test.each([
    {
      name: "two averages and one signal",
      all: [borg, alby],
      differences: [20, 10],
      says: "Datasets in Alby reach 50.0 % of the possible points on average, those in Borg 25.0 %. They differ most in S1 A, by 20.0 percentage points.",
    },
    {
      name: "equal averages and equal signals",
      all: [alby, borg, corf],
      differences: [100 / 3, 100 - 200 / 3, 10],
      says: "Datasets in Alby and Corf reach 50.0 % of the possible points on average, those in Borg 25.0 %. They differ most in S1 A and S2 A, by 33.3 percentage points.",
    },
    {
      name: "many equal signals, and too few scores in a third repository",
      all: [alby, corf, repository("Dale", 4, 400, 400)],
      differences: [100, 100, 100, 100],
      says: "Datasets in Alby and Corf reach 50.0 % of the possible points on average. They differ most in 4 signals, by 100.0 percentage points. Dale has fewer than 5 datasets with a score.",
    },
    {
      name: "too few scores",
      all: [alby, repository("Dale", 1, 80, 100)],
      differences: [],
      says: "Fewer than two of these repositories have 5 datasets with a score, so they are not compared.",
    },
  ])("the sentence about compared repositories for $name is “$says”", ({ all, differences, says }) => {
    const differing = differences.map((difference, i) => ({ signal: { id: `S${i + 1}`, name: "A" }, difference }));
    expect(html`${describeRepositories(all, differing)}`.text.replace(/<[^>]*>/g, "").trim()).toBe(says);
  });
});

describe("the sentence above the signals in which repositories differ", () => {
  test.each([
    { differences: [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, null], says: "The 8 signals that differ most." },
    { differences: [9, 8, 7, 6, 0, null, null, null], says: "The 4 signals that differ." },
    { differences: [9, 0, null], says: "The signal that differs." },
    { differences: [0, null], says: "No signal differs between these repositories." },
    {
      differences: [null, null],
      says: "No signal could be judged for at least 5 datasets in two of these repositories.",
    },
  ])("the sentence above signals that differ by $differences is “$says”", ({ differences, says }) => {
    const all = differences.map((difference, i) => ({ signal: { id: `S${i}`, name: "invented" }, difference }));
    expect(
      describeDiffering(
        all.filter(({ difference }) => difference !== null && difference > 0),
        all,
      ),
    ).toBe(says);
  });
});

describe("the sentence about buckets", () => {
  type Points = [number, number, number, number, number];
  const sums = (points: Points, caps: Points = [60, 60, 60, 60, 60]) => {
    const [S, H, A, R, E] = points.map((sum, i) => ({ sum, possible: caps[i] ?? 0, count: 3 }));
    if (S === undefined || H === undefined || A === undefined || R === undefined || E === undefined) throw new Error();
    return { S, H, A, R, E };
  };
  test.each([
    {
      name: "equal buckets",
      own: sums([6, 12, 18, 24, 30]),
      says: "Every bucket reaches the same share of the possible points as the average of others",
    },
    {
      name: "one bucket above",
      own: sums([6, 12, 30, 24, 30]),
      says: "Access differs most from the average of others: 50.0 % of the possible points, against 30.0 %",
    },
    {
      name: "one bucket below",
      own: sums([6, 12, 18, 24, 24]),
      says: "Engagement differs most from the average of others: 40.0 % of the possible points, against 50.0 %",
    },
    {
      name: "one bucket above and one below",
      own: sums([12, 12, 18, 24, 18]),
      says: "Engagement differs most from the average of others: 30.0 % of the possible points, against 50.0 %",
    },
    {
      name: "fewer points, of fewer possible points",
      own: sums([0, 12, 12, 24, 30], [0, 60, 24, 60, 60]),
      says: "Access differs most from the average of others: 50.0 % of the possible points, against 30.0 %",
    },
  ])("the sentence for the case “$name” is “$says”", ({ own, says }) => {
    expect(describeProfile(own, sums([6, 12, 18, 24, 30]), "others")).toBe(says);
  });
});

test.each([
  { datasets: 3, sIndex: 0, says: "No dataset has a score of at least 1, so the S-Index is 0" },
  {
    datasets: 3,
    sIndex: 1,
    says: "The S-Index is 1: at least 1 dataset scores 1 or more, but fewer than 2 score 2 or more",
  },
  {
    datasets: 30,
    sIndex: 12,
    says: "The S-Index is 12: at least 12 datasets score 12 or more, but fewer than 13 score 13 or more",
  },
  { datasets: 12, sIndex: 12, says: "All 12 datasets score at least 12, so the S-Index is 12" },
  { datasets: 1, sIndex: 1, says: "The only dataset scores at least 1, so the S-Index is 1" },
])("the S-Index $sIndex of $datasets datasets is explained by the sentence: $says", ({ datasets, sIndex, says }) => {
  expect(describeIndex(datasets, sIndex)).toBe(says);
});
