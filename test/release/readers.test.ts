/** Readers and their versions: a reader that reads the bundled payloads differently needs another version. */

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

test("each reader has the version recorded for what it reads (otherwise raise it and run `npm run golden`)", async () => {
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
    { name: "that is unchanged: accepted", now: {}, told: [] },
    {
      name: "that reads a payload differently: rejected",
      now: { evidence: OTHER },
      told: [expect.stringMatching(/payloads of osf .* still 3: raise `reader` in pipeline\/sources\/osf\/source\.ts/)],
    },
    {
      name: "that reads a payload differently and has the next version: accepted",
      now: { evidence: OTHER, version: 4 },
      told: [],
    },
    { name: "with evidence of more payloads: accepted", now: { evidence: OTHER, payloads: OTHER }, told: [] },
    { name: "with additional payloads but the same evidence: accepted", now: { payloads: OTHER }, told: [] },
    { name: "with an old version: rejected", now: { version: 2 }, told: [expect.stringContaining("was 3 and is 2")] },
  ];
  test.each(CASES)("judges a reader $name", ({ now, told }) => {
    const [one = { version: 0, payloads: "", evidence: "" }] = Object.values(golden);
    const before = { ...golden, osf: { ...one, version: 3 } };
    expect(unraisedReaders(before, { ...before, osf: { ...before.osf, ...now } })).toEqual(told);
  });

  test("accepts a new source", () => {
    const { osf: _osf, ...others } = golden;
    expect(unraisedReaders(others, golden)).toEqual([]);
  });
});
