/**
 * Tests how a change at a source reaches the served pages: harvest, build, change and delete records at the source, harvest the
 * changes, build again.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { harvestHttp } from "../../pipeline/1-harvest/index.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { dataciteByOai } from "../../pipeline/sources/datacite/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { serve as serveRelease } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { type Dialect, type Service, serve } from "../support/upstream/service.ts";
import { readEnvelopes, testEffects } from "./bench-store.ts";

interface Deposit {
  readonly title: string;
  readonly changed: string;
  readonly gone?: boolean;
}

/** The records that the simulated service has, by DOI. Tests change them. */
type Holdings = Map<string, Deposit>;

/**
 * Simulates DataCite's list of DOIs, filtered by the date in the query. A withdrawn DOI has the state "registered", and is no
 * longer "findable".
 */
function registry(holdings: Holdings): Dialect {
  return ({ url }) => {
    const since = /updated:\[(\S+) TO/.exec(url.searchParams.get("query") ?? "")?.[1] ?? "";
    const found = [...holdings].filter(([, { changed }]) => changed >= since);
    const data = found.map(([id, { title, changed, gone }]) => ({
      id,
      type: "dois",
      attributes: {
        titles: [{ title }],
        types: { resourceTypeGeneral: "Dataset" },
        creators: [{ name: "Doe, Jo", nameType: "Personal", affiliation: [], nameIdentifiers: [] }],
        publicationYear: 2025,
        descriptions: [{ description: "Counts of birds on one shore", descriptionType: "Abstract" }],
        subjects: [{ subject: "birds" }],
        rightsList: [{ rightsIdentifier: "cc-by-4.0" }],
        dates: [{ date: "2025", dateType: "Issued" }],
        relatedIdentifiers: [],
        formats: ["text/csv"],
        updated: changed,
        publisher: "Archive",
        state: gone === true ? "registered" : "findable",
      },
    }));
    return { json: { data, meta: { total: data.length }, links: {} } };
  };
}

/** Simulates an OAI-PMH service with the same records. */
function archive(holdings: Holdings): Dialect {
  const record = ([doi, { title, changed, gone }]: readonly [string, Deposit]) => {
    const header = `<identifier>oai:archive.example.org:${doi}</identifier><datestamp>${changed}</datestamp>`;
    if (gone === true) return `<record><header status="deleted">${header}</header></record>`;
    const resource =
      `<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">${doi}</identifier>` +
      `<titles><title>${title}</title></titles><publisher>Archive</publisher><resourceType resourceTypeGeneral="Dataset"/></resource>`;
    return `<record><header>${header}</header><metadata>${resource}</metadata></record>`;
  };
  return ({ url }) => {
    const [from, until] = [url.searchParams.get("from") ?? "", url.searchParams.get("until") ?? "9999"];
    const found = [...holdings].filter(([, { changed }]) => changed >= from && changed.slice(0, 10) <= until);
    const content =
      url.searchParams.get("verb") === "Identify"
        ? "<Identify><earliestDatestamp>2025-02-01T00:00:00Z</earliestDatestamp></Identify>"
        : found.length === 0
          ? `<error code="noRecordsMatch"/>`
          : `<ListRecords>${found.map(record).join("")}</ListRecords>`;
    return {
      body: `<OAI-PMH><responseDate>2025-03-09T00:00:00Z</responseDate>${content}</OAI-PMH>`,
      type: "text/xml",
    };
  };
}

const DOORS: readonly {
  readonly name: string;
  readonly dialect: (holdings: Holdings) => Dialect;
  readonly source: (base: string) => Source;
}[] = [
  {
    name: "DataCite's list",
    dialect: registry,
    source: () => sourceNamed("datacite") ?? dataciteByOai(""),
  },
  { name: "OAI-PMH", dialect: archive, source: dataciteByOai },
];

describe.each(DOORS)("a harvest of the changes since the last one, through $name", ({ dialect, source }) => {
  const holdings: Holdings = new Map(
    ["kept", "changed", "withdrawn"].map((name) => [
      `10.5072/${name}`,
      { title: `The ${name} one`, changed: "2025-02-10T00:00:00Z" },
    ]),
  );
  let service: Service;
  let bench: TemporaryStore;
  let before: Receipt;
  let after: Receipt;

  const harvest = async (since: string | null) => {
    const options = { since, limit: null, contact: null, base: service.base, allowPrivate: true };
    return harvestHttp(bench.store, source(service.base), options, testEffects());
  };
  const built = async (now: string) => (await buildRelease(bench.store, { sources: ["datacite"] }, now)).receipt;

  beforeAll(async () => {
    bench = await temporaryStore();
    service = await serve(dialect(holdings));
    await harvest(null);
    before = await built("2026-11-02T09:30:00.000Z");
    holdings.set("10.5072/changed", { title: "The better one", changed: "2025-03-02T00:00:00Z" });
    holdings.set("10.5072/withdrawn", { title: "", changed: "2025-03-03T00:00:00Z", gone: true });
    holdings.set("10.5072/new", { title: "The new one", changed: "2025-03-04T00:00:00Z" });
    // The first harvest was on 1 March 2025, so this one requests changes since 28 February.
    expect(await harvest("last")).toMatchObject({ records: 3, complete: true, expected: 3 });
    after = await built("2026-11-03T09:30:00.000Z");
  });

  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  test("a harvest of changes stores each changed record, and a tombstone for each deleted one", () => {
    expect(before.coverage).toMatchObject({ harvested: 3, superseded: 0, tombstones: 0, scored: 3 });
    expect(after.coverage).toMatchObject({ harvested: 6, superseded: 2, tombstones: 1, scored: 3, failed: 0 });
  });

  test("a harvest of changes counts in its receipt the records that the service announced and those that arrived", () => {
    expect(before.sources[0]?.completeness).toEqual({ expected: 3, got: 3, complete: true });
    expect(after.sources[0]).toMatchObject({ parts: 2, completeness: { expected: 3, got: 3, complete: true } });
  });

  test("a harvest of changes leaves earlier payloads of a changed record in the raw folder", async () => {
    const envelopes = await readEnvelopes(bench.store, "datacite");
    const said = envelopes.filter(({ sourceId }) => sourceId === "10.5072/changed").map(({ payload }) => payload);
    expect(said.map((payload) => /The \w+ one/.exec(payload)?.[0])).toEqual(["The changed one", "The better one"]);
  });

  test("a harvest of changes leads to a release with the new title and without the withdrawn record", async () => {
    const served = await serveRelease(bench.store);
    const said = async (path: string): Promise<unknown> => (await fetch(`${served.url}${path}`)).json();
    const [list, status] = [await said("/records?limit=100&sortBy=title"), await said("/status")];
    await served.close();
    expect(list).toMatchObject({
      data: [{ title: "The better one" }, { title: "The kept one" }, { title: "The new one" }],
    });
    expect(status).toMatchObject({
      sources: [
        { source: "datacite", expected: 3, got: 3, complete: true, coverage: { tombstones: 1, superseded: 2 } },
      ],
    });
  });
});
