/**
 * docs/hand-judged.csv matches the cases that people judged by hand, and a release gives the figures in docs/hand-judged.json.
 */

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { handJudged as schema } from "../../schemas/internal/rows.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { parsedCsv } from "../queries/parsed-csv.ts";
import { capturesAreThere, GOLDEN_CASES } from "./golden-cases.ts";
import { CODED, codedText, FIGURES, handJudged } from "./hand-judged.ts";

const kept = schema.parse(JSON.parse(await readFile(FIGURES, "utf8")));

test("docs/hand-judged.csv matches the cases that people judged (otherwise run `npm run hand-judged`)", async () => {
  expect(await readFile(CODED, "utf8")).toBe(await codedText());
});

test("the counts in docs/hand-judged.json add up to the numbers of judgements in docs/hand-judged.csv", async () => {
  const [head = [], ...lines] = await parsedCsv(await readFile(CODED, "utf8"));
  expect(lines).toHaveLength(2 * kept.datasets);
  expect(kept.datasets).toBe(new Set(GOLDEN_CASES.map(({ source, sourceId }) => `${source}/${sourceId}`)).size);
  for (const { rubric, signal, ...own } of kept.signals) {
    const words = lines.filter((cells) => cells[1] === rubric).map((cells) => cells[head.indexOf(signal)]);
    const count = (word: string) => words.filter((each) => each === word).length;
    expect({
      signal,
      present: own.presentPassed + own.presentAbsent + own.presentUnjudged,
      absent: own.absentPassed + own.absentAbsent + own.absentUnjudged,
    }).toEqual({ signal, present: count("present"), absent: count("absent") });
  }
  expect(kept.signals).toHaveLength(PUBLIC_VERSIONS.length * SIGNAL_IDS.length);
});

test.skipIf(!capturesAreThere)(
  "a release built from the hand-judged payloads gives the figures in docs/hand-judged.json",
  { timeout: 180_000 },
  async () => {
    expect(await handJudged()).toEqual(kept);
  },
);
