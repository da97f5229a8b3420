/**
 * The score history of a dataset, which names the reader (the program that reads a source) if a new reader version changed the
 * score.
 */

import { expect, test } from "vitest";
import { scoreHistory } from "../../web/views/dataset.ts";

const past = (version: string, total: number, reader: number | null) => ({
  scoreReleaseVersion: version,
  releaseDigest: `sha256:${"0".repeat(64)}`,
  asOf: "2026-11-01",
  contract: "2.0.0-beta.2",
  total,
  cap: 100,
  reader,
});

const TOLD = /, read by reader/;

test.each([
  {
    name: "another reader and another score",
    of: [past("1", 20, 1), past("2", 24, 2)],
    says: "+4, read by reader 2 instead of 1",
  },
  { name: "another reader and the same score", of: [past("1", 20, 1), past("2", 24, 1), past("3", 24, 2)], says: null },
  { name: "the same reader and another score", of: [past("1", 20, 2), past("2", 16, 2)], says: null },
  { name: "a release without a reader version", of: [past("1", 20, null), past("2", 24, 2)], says: null },
])("the score history names the reader only if a new reader came with a new score: $name", ({ of, says }) => {
  const text = scoreHistory(of)?.text ?? "";
  expect(text).toContain("Score over releases");
  if (says === null) expect(text).not.toMatch(TOLD);
  else expect(text).toContain(says);
});

test("the history of a score that never changed is a sentence instead of a chart", () => {
  const text = scoreHistory([past("1", 20, 1), past("2", 20, 2)])?.text ?? "";
  expect(text).toContain("The score of this dataset is 20, unchanged since release 1.");
  expect(text).not.toContain("<svg");
});
