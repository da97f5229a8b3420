/** Readers and their versions: a reader that reads the bundled payloads in another way has to have another one. */

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

test("readers read the bundled payloads as their versions say, or a version is to be raised and `npm run golden` is due", async () => {
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
    { name: "as it was", now: {}, told: [] },
    {
      name: "that reads in another way",
      now: { evidence: OTHER },
      told: [expect.stringMatching(/payloads of osf .* still 3: raise `reader` in pipeline\/sources\/osf\/source\.ts/)],
    },
    { name: "that does, under the next version", now: { evidence: OTHER, version: 4 }, told: [] },
    { name: "of which payloads were added", now: { evidence: OTHER, payloads: OTHER }, told: [] },
    { name: "of which payloads were added that say nothing new", now: { payloads: OTHER }, told: [] },
    { name: "that went back", now: { version: 2 }, told: [expect.stringContaining("was 3 and is 2")] },
  ];
  test.each(CASES)("$name", ({ now, told }) => {
    const [one = { version: 0, payloads: "", evidence: "" }] = Object.values(golden);
    const before = { ...golden, osf: { ...one, version: 3 } };
    expect(unraisedReaders(before, { ...before, osf: { ...before.osf, ...now } })).toEqual(told);
  });

  test("of a new source", () => {
    const { osf: _osf, ...others } = golden;
    expect(unraisedReaders(others, golden)).toEqual([]);
  });
});
