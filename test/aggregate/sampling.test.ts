/** Tests the sampling that a release states: it is a census only if every source is known to have sent all its records. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { buildSampling } from "../../api-static/pages/metrics.ts";
import { generatePayloads } from "../../fixtures/generate/index.ts";
import { harvestFiles, harvestHttp } from "../../pipeline/1-harvest/index.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { clinicaltrials } from "../../pipeline/sources/clinicaltrials/source.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import { zenodo } from "../../pipeline/sources/zenodo/source.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { testEffects } from "../harvest/bench-store.ts";
import { type Dialect, makeDataciteDialect, makeTrialsDialect, upstream } from "../harvest/upstream.ts";
import { ask } from "../server/ask.ts";
import { serve } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { PAYLOADS, RETRIEVED_AT } from "../support/bundled-corpus.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const FRAME = "every record that the sources say they hold";

/** Harvests a simulated service of a source into the store, from the first record to the last. */
async function walked(store: Store, source: Source, dialect: Dialect): Promise<void> {
  await using service = await upstream(dialect);
  const options = { since: null, limit: null, contact: null, base: service.base, allowPrivate: true };
  await harvestHttp(store, source, options, testEffects());
}

const [GENERATED] = [...generatePayloads({ source: "datacite", records: 1, seed: 7 })];
const page = z.looseObject({ data: z.array(z.looseObject({ attributes: z.looseObject({ doi: z.string() }) })) });

/** Fills the records of a DataCite page with enough metadata for a total, because there are no metrics without totals. */
function judged(given: Record<string, unknown>): Record<string, unknown> {
  const { attributes } = z.object({ attributes: z.looseObject({}) }).parse(JSON.parse(GENERATED?.payload ?? ""));
  const { data, ...rest } = page.parse(given);
  return { ...rest, data: data.map((item) => ({ ...item, attributes: { ...attributes, doi: item.attributes.doi } })) };
}

/** Returns the member `sampling` of /metrics/live, as a client gets it. */
async function samplingIn(store: Store): Promise<unknown> {
  await buildRelease(store, { force: "counts alone matter here" });
  const server = await serve(store);
  try {
    return JSON.parse((await ask(server.port, "/metrics/live")).text).sampling;
  } finally {
    await server.close();
  }
}

test("a release of two complete harvests is a census, and one with an incomplete harvest is a sample", async () => {
  await using there = await temporaryStore();
  await walked(there.store, clinicaltrials, makeTrialsDialect(12));
  await walked(there.store, datacite, makeDataciteDialect(23, judged));
  expect(await samplingIn(there.store)).toEqual({
    method: "census",
    frame: FRAME,
    fraction: 1,
    bySource: [
      { source: "clinicaltrials", expected: 12, got: 12, complete: true },
      { source: "datacite", expected: 23, got: 23, complete: true },
    ],
  });
  // The service announces more records than it sends.
  await walked(
    there.store,
    datacite,
    makeDataciteDialect(24, (given) => ({ ...judged(given), meta: { total: 40 } })),
  );
  expect(await samplingIn(there.store)).toMatchObject({
    method: "as_harvested",
    fraction: 0.6923,
    bySource: [{ complete: true }, { source: "datacite", expected: 40, got: 24, complete: false }],
  });
}, 300_000);

test("a release of a complete harvest and of files that may be incomplete is not a census", async () => {
  await using there = await temporaryStore();
  await walked(there.store, datacite, makeDataciteDialect(23));
  const options = { paths: [join(PAYLOADS, "zenodo")], retrievedAt: RETRIEVED_AT, limit: null };
  await harvestFiles(there.store, zenodo, options, recordedEffects());
  expect(await samplingIn(there.store)).toMatchObject({
    method: "as_harvested",
    frame: null,
    fraction: null,
    bySource: [
      { source: "datacite", complete: true },
      { source: "zenodo", expected: null, complete: null },
    ],
  });
}, 300_000);

const COVERAGE = {
  harvested: 10,
  superseded: 0,
  duplicates: 0,
  tombstones: 0,
  notDataset: 0,
  failed: 0,
  insufficient: 0,
  scored: 10,
};

const whole = { expected: 10, got: 10, complete: true };
const cut = { expected: 10, got: 3, complete: false };
const untold = { expected: null, got: 10, complete: null };

type Completeness = Parameters<typeof buildSampling>[0][number]["completeness"];

const CASES: readonly (readonly [
  name: string,
  of: readonly Completeness[],
  method: string,
  fraction: number | null,
])[] = [
  ["no source at all", [], "as_harvested", null],
  ["one source that sent all its records", [whole], "census", 1],
  ["one source that sent more than it announced", [{ expected: 10, got: 11, complete: true }], "census", 1],
  ["two sources, of which one stopped early", [whole, cut], "as_harvested", 0.65],
  ["two sources, of which one does not say how many it has", [whole, untold], "as_harvested", null],
  ["two sources, of which one was read from files", [whole, null], "as_harvested", null],
  ["one source that sent two of its three records", [{ expected: 3, got: 2, complete: false }], "as_harvested", 0.6666],
];

test.each(CASES)(
  "a release is a census only if all its sources sent all their records: %s",
  (_name, of, method, fraction) => {
    const sources = of.map((completeness, i) => ({ source: `s${i}`, coverage: COVERAGE, completeness }));
    expect(buildSampling(sources)).toMatchObject({ method, fraction });
  },
);

test("a source from which nothing was harvested prevents a census only if it should have records", () => {
  const nothing = { source: "none", coverage: { ...COVERAGE, harvested: 0, scored: 0 } };
  const all = { source: "all", coverage: COVERAGE, completeness: whole };
  const empty = { expected: 5, got: 0, complete: false };
  expect(buildSampling([all, { ...nothing, completeness: empty }]).method).toBe("as_harvested");
  expect(buildSampling([all, { ...nothing, completeness: null }]).method).toBe("census");
});
