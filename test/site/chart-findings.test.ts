/** The findings of charts, on data with ties, few datasets, and none. */

import { describe, expect, test } from "vitest";
import { describeSpread, describeStanding, medianOf } from "../../web/components/distribution.ts";

describe("the finding of a distribution", () => {
  test.each([
    { name: "no dataset", totals: {}, says: "No dataset in Alby has a score" },
    { name: "one dataset", totals: { 44: 1 }, says: "The only dataset in Alby with a score has 44 points" },
    {
      name: "two datasets",
      totals: { 20: 1, 44: 1 },
      says: "The two datasets in Alby with a score have 20 and 44 points",
    },
    { name: "two equal datasets", totals: { 44: 2 }, says: "All 2 datasets in Alby with a score have 44 points" },
    { name: "few datasets", totals: { 20: 1, 40: 1, 44: 1 }, says: "2 of the 3 datasets in Alby score 40 or less" },
    {
      name: "an exact half",
      totals: { 20: 30, 44: 20, 60: 50 },
      says: "Half of the datasets in Alby score 44 or less",
    },
    {
      name: "nearly a half",
      totals: { 20: 31, 44: 20, 60: 49 },
      says: "About half of the datasets in Alby score 44 or less",
    },
    {
      name: "a tie at the median",
      totals: { 20: 30, 44: 40, 60: 30 },
      says: "70 % of the datasets in Alby score 44 or less",
    },
    {
      name: "most have one score",
      totals: { 20: 1, 44: 69, 60: 30 },
      says: "69 % of the datasets in Alby score exactly 44",
    },
    { name: "nearly all", totals: { 20: 1, 44: 999 }, says: "More than 99 % of the datasets in Alby score exactly 44" },
  ])("says what is true of $name", ({ totals, says }) => {
    expect(describeSpread(totals, "in Alby")).toBe(says);
  });

  test("has no place for all datasets", () => {
    expect(describeSpread({ 20: 5, 44: 5, 60: 10 }, "")).toBe("Half of the datasets score 44 or less");
  });
});

describe("the finding about one dataset among others", () => {
  test.each([
    { name: "the only one", total: 44, totals: { 44: 1 }, says: "This is the only dataset in Alby with a score" },
    {
      name: "one of equals",
      total: 44,
      totals: { 44: 12 },
      says: "All 12 datasets in Alby with a score have 44 points",
    },
    { name: "the best", total: 60, totals: { 20: 11, 60: 1 }, says: "No dataset in Alby scores higher than this one" },
    {
      name: "one of the best",
      total: 60,
      totals: { 20: 11, 60: 3 },
      says: "No dataset in Alby scores higher than this one; 2 score the same",
    },
    {
      name: "one of the two worst",
      total: 20,
      totals: { 20: 2, 60: 9 },
      says: "No dataset in Alby scores lower than this one; 1 scores the same",
    },
    {
      name: "one above most",
      total: 44,
      totals: { 20: 70, 44: 10, 60: 20 },
      says: "This dataset scores higher than 70 % of the datasets in Alby",
    },
    {
      name: "one below most",
      total: 24,
      totals: { 20: 10, 24: 10, 60: 80 },
      says: "80 % of the datasets in Alby score higher than this one",
    },
    {
      name: "one of many with the same score",
      total: 44,
      totals: { 20: 20, 44: 70, 60: 10 },
      says: "20 % of the datasets in Alby score lower than this one, and 10 % of the datasets higher",
    },
  ])("says what is true of $name", ({ total, totals, says }) => {
    expect(describeStanding(total, totals, "in Alby")).toBe(says);
  });
});

test.each([
  { totals: {}, median: null },
  { totals: { 44: 1 }, median: 44 },
  { totals: { 44: 1, 52: 1 }, median: 48 },
  { totals: { 0: 2, 44: 1, 100: 2 }, median: 44 },
])("the median of $totals is $median", ({ totals, median }) => {
  expect(medianOf(totals)).toBe(median);
});
