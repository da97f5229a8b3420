/**
 * The score history of a dataset. It says so if the metadata come from another source than before, or if a new version of the
 * program that reads the source came with a new score.
 */

import { expect, onTestFinished, test } from "vitest";
import { generatePayloads } from "../../fixtures/generate/index.ts";
import { readerVersion } from "../../server/read/open-release.ts";
import { scoreHistory } from "../../web/views/dataset.ts";
import { ask } from "../server/ask.ts";
import { serve } from "../server/test-store.ts";
import { RETRIEVED_AT } from "../support/bundled-corpus.ts";
import { filledStore } from "../support/temporary-store.ts";

const past = (version: string, total: number, reader: number | null, source = "Zenodo") => ({
  scoreReleaseVersion: version,
  releaseDigest: `sha256:${"0".repeat(64)}`,
  asOf: "2026-11-01",
  contract: "2.0.0-beta.2",
  total,
  cap: 100,
  source,
  reader,
});

const TOLD = /, (?:our program|metadata from)/;

test.each([
  {
    name: "another reader and another score",
    of: [past("1", 20, 1), past("2", 24, 2)],
    says: "+4, our program reads this source in a new way",
  },
  { name: "another reader and the same score", of: [past("1", 20, 1), past("2", 24, 1), past("3", 24, 2)], says: null },
  { name: "the same reader and another score", of: [past("1", 20, 2), past("2", 16, 2)], says: null },
  {
    name: "another source and another score",
    of: [past("1", 20, 1, "DataCite"), past("2", 24, 2)],
    says: "+4, metadata from Zenodo instead of DataCite",
  },
  { name: "a release without a reader version", of: [past("1", 20, null), past("2", 24, 2)], says: null },
])("the score history says why only if another reader or source came with a new score: $name", ({ of, says }) => {
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

test("a dataset keeps its score history if another source describes it in a later release", async () => {
  const parsed = (source: "zenodo" | "datacite") =>
    [...generatePayloads({ source, records: 12, seed: 11 })].map(({ payload }) => JSON.parse(payload));
  const [deposit] = parsed("zenodo");
  const [registered, ...others] = parsed("datacite");
  const copy = { ...registered, id: deposit.doi, attributes: { ...registered.attributes, doi: deposit.doi } };
  await using filled = await filledStore({
    captures: [copy, ...others].map((payload) => ({
      source: "datacite",
      sourceId: payload.id,
      payload,
      retrievedAt: RETRIEVED_AT,
    })),
    builds: [{}, { records: { zenodo: [deposit] } }],
  });
  const server = await serve(filled.store);
  onTestFinished(() => server.close());
  const [first, second] = filled.receipts.map(({ scoreReleaseVersion }) => scoreReleaseVersion);
  const found = await ask(server.port, `/records?doi=${encodeURIComponent(deposit.doi)}`);
  const { text } = await ask(server.port, `/datasets/${JSON.parse(found.text).data[0].id}`);
  expect(text).toContain("metadata from Zenodo instead of DataCite");
  expect(text).toMatch(new RegExp(`The score of this dataset (?:rose|fell) by \\d+ to \\d+ since release ${first}`));
  expect(text).toContain(`>${second}<`);
  // The history finds the version of the reader by the source in the identifier of the record.
  const [version] = filled.last.sources.flatMap(({ source, reader }) => (source === "zenodo" ? [reader?.version] : []));
  expect(version).toBeGreaterThan(0);
  expect(readerVersion(filled.last, { identifier: `zenodo/${deposit.id}` })).toBe(version);
});
