/** Dates and times are read in the forms that payloads use. */

import { describe, expect, test } from "vitest";
import { firstDay, readDate, readInstant } from "../../pipeline/reading/text.ts";

test.each([
  ["2019", "2019"],
  ["2019-05", "2019-05"],
  ["2019-05-06", "2019-05-06"],
  [" 2019-05-06 ", "2019-05-06"],
  ["2019-05-06T10:20:30Z", "2019-05-06"],
  ["2019-05-06 10:20", "2019-05-06"],
  ["2019-05T10", "2019-05"],
  ["2010/2012", "2010"],
  ["2010-01-02/2012-03-04", "2010-01-02"],
  ["2010-01-02/", "2010-01-02"],
  ["2010-01-02 / 2012", "2010-01-02"],
  ["2020-02-29", "2020-02-29"],
  ["2000-02-29", "2000-02-29"],
  ["2019-12-31", "2019-12-31"],
  ["2019-02-29", null],
  ["1900-02-29", null],
  ["2019-02-30", null],
  ["2019-04-31", null],
  ["2019-13", null],
  ["2019-00", null],
  ["2019-01-00", null],
  ["2019-1-2", null],
  ["19", null],
  ["20190506", null],
  ["06.05.2019", null],
  ["May 2019", null],
  ["/2012", null],
  ["c. 1900", null],
  ["-0500", null],
  ["", null],
  [null, null],
])("the date %j is read as %j", (text, date) => {
  expect(readDate(text)).toBe(date);
});

test.each([
  ["2019", "2019-01-01"],
  ["2019-05", "2019-05-01"],
  ["2019-05-06", "2019-05-06"],
])("the first day of %j is %j", (date, day) => {
  expect(firstDay(date)).toBe(day);
});

describe("reading a time in a payload", () => {
  test.each([
    ["2019-05-06T10:20:30.000Z", "2019-05-06T10:20:30.000Z"],
    ["2019-05-06T10:20:30Z", "2019-05-06T10:20:30.000Z"],
    ["2019-05-06T10:20:30.5Z", "2019-05-06T10:20:30.500Z"],
    ["2019-05-06T10:20:30.123456+00:00", "2019-05-06T10:20:30.123Z"],
    ["2019-05-06T10:20:30+02:00", "2019-05-06T08:20:30.000Z"],
    ["2019-05-06T00:20:30+0200", "2019-05-05T22:20:30.000Z"],
    // A time without a zone is UTC, whatever the zone of the machine.
    ["2019-05-06T10:20:30", "2019-05-06T10:20:30.000Z"],
    ["2019-05-06", "2019-05-06T00:00:00.000Z"],
    ["2020-02-29T23:59:59Z", "2020-02-29T23:59:59.000Z"],
    ["2019-05-31T23:59:59Z", "2019-05-31T23:59:59.000Z"],
    ["2019-02-30T10:20:30Z", null],
    ["2019-02-29T10:20:30.000Z", null],
    ["2019-04-31T10:20:30Z", null],
    ["2019-05-06T25:20:30Z", null],
    ["2019-05-06T10:60:30Z", null],
    ["2019-05-06T10:20:30 CET", null],
    ["2019-05", null],
    ["2019", null],
    ["5/6/2019", null],
    ["yesterday", null],
    ["", null],
    [null, null],
  ])("the time %j in a payload is read as %j", (text, instant) => {
    expect(readInstant(text)).toBe(instant);
  });

  test("times that were read sort as text in the order of time", () => {
    const instants = ["2019-05-06T10:20:30Z", "2019-05-06T10:20:30.001Z", "2019-05-06T10:20:29.999Z"].map(readInstant);
    expect([...instants].sort()).toEqual([instants[2], instants[0], instants[1]]);
  });
});
