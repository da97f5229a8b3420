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

test("readers have their recorded versions for the bundled payloads (otherwise raise a version and run `npm run golden`)", async () => {
  const made = await makeGoldenReaders();
  expect(unraisedReaders(golden, made)).toEqual([]);
  expect(goldenReadersText(made)).toBe(text);
  expect(new Set(Object.values(made).map(({ evidence }) => evidence)).size).toBe(Object.keys(made).length);
});

const OTHER = `sha256:${"0".repeat(64)}`;

describe("a reader", () => {
  const CASES: readonly {
    readonly name: string;
    readonly now: Partial<GoldenReaders[string]>;
    readonly told: readonly unknown[];
  }[] = [
    { name: "unchanged", now: {}, told: [] },
    {
      name: "that reads a payload differently fails",
      now: { evidence: OTHER },
      told: [expect.stringMatching(/payloads of osf .* still 3: raise `reader` in pipeline\/sources\/osf\/source\.ts/)],
    },
    {
      name: "that reads a payload differently passes with the next version",
      now: { evidence: OTHER, version: 4 },
      told: [],
    },
    { name: "with additional payloads needs no new version", now: { evidence: OTHER, payloads: OTHER }, told: [] },
    { name: "with additional payloads but the same evidence needs no new version", now: { payloads: OTHER }, told: [] },
    { name: "with an earlier version fails", now: { version: 2 }, told: [expect.stringContaining("was 3 and is 2")] },
  ];
  test.each(CASES)("needs a higher version, or does not: $name", ({ now, told }) => {
    const [one = { version: 0, payloads: "", evidence: "" }] = Object.values(golden);
    const before = { ...golden, osf: { ...one, version: 3 } };
    expect(unraisedReaders(before, { ...before, osf: { ...before.osf, ...now } })).toEqual(told);
  });

  test("is accepted for a new source", () => {
    const { osf: _osf, ...others } = golden;
    expect(unraisedReaders(others, golden)).toEqual([]);
  });
});
