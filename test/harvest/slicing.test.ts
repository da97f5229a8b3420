/** Tests how records are cut out of a JSON list without a change to their bytes. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { invalidByteIn } from "../../pipeline/1-harvest/json-fault.ts";
import { measureJson, rangeAt, rangesAt } from "../../pipeline/1-harvest/json-text.ts";

/** Writes a value as JSON with white space from `blanks` wherever JSON allows it, and some keys with escapes. */
function written(value: unknown, blanks: () => string): string {
  const pad = (text: string) => `${blanks()}${text}${blanks()}`;
  if (Array.isArray(value))
    return `[${value.length === 0 ? blanks() : value.map((item) => pad(written(item, blanks))).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([key, item]) => `${pad(writeKey(key, blanks))}:${pad(written(item, blanks))}`,
    );
    return `{${members.length === 0 ? blanks() : members.join(",")}}`;
  }
  return JSON.stringify(value);
}

function writeKey(key: string, blanks: () => string): string {
  const characters = Array.from(key, (character) => JSON.stringify(character).slice(1, -1));
  const escaped = characters.map((character) => (character === "a" ? "\\u0061" : character));
  return `"${(blanks() === "" ? characters : escaped).join("")}"`;
}

const blank = fc.constantFrom("", "", " ", "\n", "\t", "\r\n  ");
const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });

describe("slices of JSON", () => {
  test("rangesAt returns each element of a list as it is written", () => {
    fc.assert(
      fc.property(fc.array(json), json, fc.array(blank, { minLength: 1 }), (items, other, pads) => {
        let i = 0;
        const blanks = () => pads[i++ % pads.length] ?? "";
        const text = `${blanks()}${written({ other, data: { hits: items }, tail: other }, blanks)}${blanks()}`;
        const bytes = Buffer.from(text);
        const slices = Array.from(rangesAt(bytes, ["data", "hits"]), ({ start, end }) =>
          bytes.toString("utf8", start, end),
        );
        expect(slices).toHaveLength(items.length);
        for (const [k, slice] of (slices ?? []).entries()) {
          expect(text).toContain(slice);
          expect(slice).toBe(slice.trim());
          expect(JSON.parse(slice)).toEqual(JSON.parse(JSON.stringify(items[k])));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("rangesAt finds the same value of a key as JSON.parse, even if the key is repeated", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("data", "d\\u0061ta", "date", "x"), json), { minLength: 1 }),
        (members) => {
          const text = `{${members.map(([key, value]) => `"${key}" : ${JSON.stringify(value)}`).join(" ,\n")}}`;
          const bytes = Buffer.from(text);
          const range = rangeAt(bytes, ["data"]);
          const parsed: Record<string, unknown> = JSON.parse(text);
          if (range === null) expect(parsed).not.toHaveProperty("data");
          else expect(JSON.parse(bytes.toString("utf8", range.start, range.end))).toEqual(parsed.data);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("the measure of JSON", () => {
  test("measureJson returns the depth of a text and the number of its values, and whether the text is complete", () => {
    const measureDepth = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(measureDepth)) : 0;
    // There is one value for each opening bracket, and one for each comma.
    const valuesIn = (value: unknown): number => {
      if (typeof value !== "object" || value === null) return 0;
      const inner = Object.values(value);
      return Math.max(1, inner.length) + inner.reduce((sum: number, each) => sum + valuesIn(each), 0);
    };
    fc.assert(
      fc.property(fc.array(json, { minLength: 1 }), fc.nat(), (value, at) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(measureJson(bytes)).toEqual({ depth: measureDepth(value), values: 1 + valuesIn(value), closed: true });
        expect(measureJson(bytes.subarray(0, 1 + (at % (bytes.length - 1)))).closed).toBe(false);
      }),
    );
  });

  test.each([
    { name: "ASCII has none", bytes: [0x61, 0x62], at: 2 },
    { name: "characters of two to four bytes have none", bytes: [...Buffer.from("é€😀")], at: 9 },
    { name: "a continuation byte without a start", bytes: [0x61, 0x80], at: 1 },
    { name: "an overlong form of two bytes", bytes: [0xc0, 0xaf], at: 0 },
    { name: "an overlong form of three bytes", bytes: [0x61, 0xe0, 0x80, 0x80], at: 1 },
    { name: "a surrogate", bytes: [0xed, 0xa0, 0x80], at: 0 },
    { name: "a character beyond U+10FFFF", bytes: [0xf4, 0x90, 0x80, 0x80], at: 0 },
    { name: "a truncated character", bytes: [0x61, 0xe2, 0x82], at: 1 },
  ])("the first invalid byte of UTF-8 is found: $name", ({ bytes, at }) => {
    expect(invalidByteIn(Uint8Array.from(bytes))).toBe(at);
  });
});
