/** The history of a dataset's score says so where its source was read in another way. */

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
  { name: "another reader and the same score", of: [past("1", 20, 1), past("2", 20, 2)], says: null },
  { name: "the same reader and another score", of: [past("1", 20, 2), past("2", 16, 2)], says: null },
  { name: "a release that does not say", of: [past("1", 20, null), past("2", 24, 2)], says: null },
])("$name", ({ of, says }) => {
  const text = scoreHistory(of)?.text ?? "";
  expect(text).toContain("Score history");
  if (says === null) expect(text).not.toMatch(TOLD);
  else expect(text).toContain(says);
});
