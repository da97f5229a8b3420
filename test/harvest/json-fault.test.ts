/** Tests the line and column at which a text stops being JSON, counted from 1 as editors do. */

import { expect, test } from "vitest";
import { jsonFaultIn, repeatedNameIn } from "../../pipeline/1-harvest/json-fault.ts";
import { mostBlocked } from "../support/blocked.ts";

const CASES: readonly (readonly [text: string, place: string, problem: RegExp])[] = [
  ["", "1:1", /value is missing/],
  ['{\n  "a": 1\n  "b": 2\n}', "3:3", /a comma is missing/],
  ['{\n  "a" 1\n}', "2:7", /a colon is missing/],
  ['{\n  "a": 1,\n}', "3:1", /nothing follows a comma/],
  ["[1,]", "1:4", /nothing follows a comma/],
  ['{"a":}', "1:6", /a value is missing/],
  ['{a: "b"}', "1:2", /name of a field in double quotes/],
  ["{'a': 1}", "1:2", /name of a field in double quotes/],
  ['{"ä": tru}', "1:7", /text in double quotes, a number/],
  ['{"a": 01}', "1:7", /text in double quotes, a number/],
  ['{"a": "b\nc"}', "1:9", /line break/],
  ['{"a": "\\x"}', "1:8", /escape/],
  ['{"a": 1}}', "1:9", /follows the end/],
  ['{\r\n"a": [1,\r\n 2', "3:3", /before the \[ of line 2, column 6 is closed/],
  ['{"a": "b', "1:7", /quotes does not end/],
  ['\n\n{"a": nul', "3:7", /ends within a number/],
];

test.each(CASES)("a parse error in %j is reported at %s", (text, place, problem) => {
  const fault = jsonFaultIn(Buffer.from(text));
  expect(`${fault?.line}:${fault?.column}`).toBe(place);
  expect(fault?.problem).toMatch(problem);
});

const REPEATED: readonly (readonly [text: string, found: string | null])[] = [
  ['{"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}', null],
  ['{"a": "a", "b": "{\\"a\\": 1}"}', null],
  ['{"a": 1,\n "a" : 2}', "a 2:2"],
  ['{"a": 1, "\\u0061": 2}', "a 1:10"],
  ['[[], {"x": {"b": [1], "c": {}, "b": 2}}]', "b 1:32"],
  ['{"__proto__": 1, "__proto__": 2}', "__proto__ 1:18"],
];

test.each(REPEATED)("the repeated name of a member in %j is reported as %s", (text, expected) => {
  const found = repeatedNameIn(Buffer.from(text));
  expect(found && `${found.name} ${found.line}:${found.column}`).toBe(expected);
});

const WHOLE = '{"a": [1, -2.5e+3, true, null, {}], "b\\u00e4\\n": {"c": [[], "ü"]},\n "d": false}';

test("a fault is found in exactly those texts with one changed character that JSON.parse rejects", () => {
  expect(jsonFaultIn(Buffer.from(WHOLE))).toBeNull();
  for (let i = 0; i <= WHOLE.length; i += 1) {
    for (const put of ["", '"', "{", "}", "]", ",", ":", "0", "\\", "\n", "x"]) {
      for (const cut of [0, 1]) {
        const text = WHOLE.slice(0, i) + put + WHOLE.slice(i + cut);
        expect([text, jsonFaultIn(Buffer.from(text)) === null]).toEqual([text, isJson(text)]);
      }
    }
  }
});

test("a text of two million brackets or line breaks is checked within seconds", async () => {
  const { blocked } = await mostBlocked(async () => {
    expect(jsonFaultIn(Buffer.from("[".repeat(2_000_000)))?.isCut).toBe(true);
    expect(jsonFaultIn(Buffer.from(`["${"\n".repeat(2_000_000)}`))?.isCut).toBe(false);
  });
  expect(blocked).toBeLessThan(5000);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
