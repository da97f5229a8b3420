/** Tests that the version of a source's reader was raised whenever it reads the bundled payloads differently. */

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type GoldenReaders,
  goldenReaders,
  goldenReadersText,
  makeGoldenReaders,
  unraisedReaders,
} from "../support/golden-readers.ts";
import { GOLDEN } from "../support/golden-release.ts";

let text: string;
let golden: GoldenReaders;

beforeAll(async () => {
  text = await readFile(join(dirname(GOLDEN), "readers.json"), "utf8");
  golden = goldenReaders.parse(JSON.parse(text));
});

test("each reader that reads the bundled payloads differently has a new version (raise it, and run `npm run golden`)", async () => {
  const made = await makeGoldenReaders();
  expect(unraisedReaders(golden, made)).toEqual([]);
  expect(goldenReadersText(made)).toBe(text);
  expect(new Set(Object.values(made).map(({ evidence }) => evidence)).size).toBe(Object.keys(made).length);
});

const OTHER = `sha256:${"0".repeat(64)}`;

describe("the check of reader versions", () => {
  const CASES: readonly {
    readonly name: string;
    readonly now: Partial<GoldenReaders[string]>;
    readonly told: readonly unknown[];
  }[] = [
    { name: "accepts a reader without changes", now: {}, told: [] },
    {
      name: "rejects a reader that reads a payload differently",
      now: { evidence: OTHER },
      told: [expect.stringMatching(/payloads of osf .* still 3: raise `reader` in pipeline\/sources\/osf\/source\.ts/)],
    },
    {
      name: "accepts a reader that reads a payload differently and has the next version",
      now: { evidence: OTHER, version: 4 },
      told: [],
    },
    {
      name: "accepts a reader whose evidence changed because there are other payloads",
      now: { evidence: OTHER, payloads: OTHER },
      told: [],
    },
    { name: "accepts a reader with other payloads and the same evidence", now: { payloads: OTHER }, told: [] },
    {
      name: "rejects a reader with a lower version than before",
      now: { version: 2 },
      told: [expect.stringContaining("was 3 and is 2")],
    },
  ];
  test.each(CASES)("the check of reader versions $name", ({ now, told }) => {
    const [one = { version: 0, payloads: "", evidence: "" }] = Object.values(golden);
    const before = { ...golden, osf: { ...one, version: 3 } };
    expect(unraisedReaders(before, { ...before, osf: { ...before.osf, ...now } })).toEqual(told);
  });

  test("accepts a new source", () => {
    const { osf: _osf, ...others } = golden;
    expect(unraisedReaders(others, golden)).toEqual([]);
  });
});
