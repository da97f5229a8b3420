/**
 * Tests harvests of a part of a source, such as one client of DataCite: the requests, and how receipt and status show the part.
 */

import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { harvestHttp } from "../../pipeline/1-harvest/index.ts";
import { readProgress, walkKey } from "../../pipeline/1-harvest/session.ts";
import { readSelection, selected } from "../../pipeline/sources/adapter/selection.ts";
import type { PartSelection, Source } from "../../pipeline/sources/adapter/source.ts";
import { dataciteByOai } from "../../pipeline/sources/datacite/source.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import { readHarvests } from "../../pipeline/store/harvest-log.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { ask } from "../server/ask.ts";
import { serve as serveRelease } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { type Dialect, type Service, serve, slicePage } from "../support/upstream/service.ts";
import { testEffects } from "./bench-store.ts";

function getSource(name: string): Source {
  const source = name === "oai" ? dataciteByOai("https://oai.datacite.org/oai") : sourceNamed(name);
  if (source === null) throw new Error(`there is no source ${name}`);
  return source;
}

function selection(source: Source, text: string): PartSelection {
  const only = readSelection(source, text);
  if (only === null) throw new Error(`${source.name} does not allow ${text}`);
  return only;
}

const UPDATED = "updated:[2026-11-02T00:00:00Z TO *]";
const TYPES = "types.resourceTypeGeneral:(Dataset OR Collection)";

/**
 * For each way to select a part: the path and parameters of a request for all its records (`all`), and for changes since 2
 * November (`changes`).
 */
const REQUESTS: readonly {
  readonly source: string;
  readonly only: string;
  readonly all: Readonly<Record<string, string>>;
  readonly changes?: Readonly<Record<string, string>>;
}[] = [
  {
    source: "datacite",
    only: "client=tib.tib",
    all: { path: "/dois", query: TYPES, "client-id": "tib.tib" },
    changes: { path: "/dois", query: `${TYPES} AND ${UPDATED}`, "client-id": "tib.tib" },
  },
  { source: "datacite", only: "provider=tib", all: { query: TYPES, "provider-id": "tib" } },
  { source: "datacite", only: "prefix=10.5061", all: { query: TYPES, prefix: "10.5061" } },
  { source: "datacite", only: "country=NL", all: { query: TYPES, "affiliation-country": "NL" } },
  {
    source: "datacite",
    only: "ror=03yrm5c26",
    all: { query: `${TYPES} AND (creators.affiliation.affiliationIdentifier:"https://ror.org/03yrm5c26")` },
  },
  {
    source: "datacite",
    only: "query=subjects.subject:ice OR subjects.subject:snow",
    all: { query: `${TYPES} AND (subjects.subject:ice OR subjects.subject:snow)` },
    changes: { query: `${TYPES} AND ${UPDATED} AND (subjects.subject:ice OR subjects.subject:snow)` },
  },
  {
    source: "zenodo",
    only: "community=biosyslit",
    all: { path: "/api/records", communities: "biosyslit", type: "dataset" },
    changes: { communities: "biosyslit", q: 'updated:["2026-11-02" TO *]' },
  },
  {
    source: "zenodo",
    only: "query=birds OR bats",
    all: { q: "(birds OR bats)" },
    changes: { q: '(birds OR bats) AND updated:["2026-11-02" TO *]' },
  },
  {
    source: "dataverse",
    only: "collection=king",
    all: { path: "/api/search", subtree: "king", q: "*", fq: "isHarvested:false" },
    changes: { subtree: "king", fq: "isHarvested:false dateSort:[2026-11-02T00:00:00Z TO *]" },
  },
  {
    source: "figshare",
    only: "institution=2",
    all: { path: "/v2/articles", institution: "2" },
    changes: { institution: "2", modified_since: "2026-11-02" },
  },
  { source: "figshare", only: "group=1234", all: { group: "1234" } },
  {
    source: "clinicaltrials",
    only: "sponsor=Karolinska Institutet",
    all: { path: "/api/v2/studies", "query.spons": "Karolinska Institutet" },
    changes: {
      "query.spons": "Karolinska Institutet",
      "filter.advanced": "AREA[LastUpdatePostDate]RANGE[2026-11-02,MAX]",
    },
  },
  { source: "clinicaltrials", only: "query=AREA[Phase]PHASE3", all: { "query.term": "AREA[Phase]PHASE3" } },
  {
    source: "openaire",
    only: `institution=openorgs____::${"a".repeat(32)}`,
    all: { relOrganizationId: `openorgs____::${"a".repeat(32)}`, type: "dataset" },
  },
  { source: "openaire", only: "funder=SNSF", all: { relProjectFundingShortName: "SNSF" } },
  {
    source: "nasa_cmr",
    only: "provider=POCLOUD",
    all: { path: "/search/collections.umm_json", provider: "POCLOUD" },
    changes: { provider: "POCLOUD", updated_since: "2026-11-02T00:00:00Z" },
  },
  {
    source: "edi",
    only: "scope=knb-lter-arc",
    all: { path: "/package/eml/knb-lter-arc" },
    changes: { path: "/package/changes/eml", scope: "knb-lter-arc", fromDate: "2026-11-02T00:00:00" },
  },
  {
    source: "dryad",
    only: "institution=00x6h5n95",
    all: { path: "/api/v2/search", affiliation: "https://ror.org/00x6h5n95", page: "1" },
    changes: {
      path: "/api/v2/search",
      affiliation: "https://ror.org/00x6h5n95",
      modifiedSince: "2026-11-02T00:00:00Z",
    },
  },
];

describe("parts of sources", () => {
  test.each(REQUESTS)(
    "a harvest of a part requests from $source only the records of $only",
    ({ source: name, only: text, all, changes }) => {
      const source = getSource(name);
      const sent = (since: string | null) => {
        const options = { base: source.walk.base, contact: null, since, only: selection(source, text) };
        const url = new URL(source.walk.request(source.walk.start(options), options).url);
        const names = [...new Set(url.searchParams.keys())];
        const values = names.map((key) => [key, url.searchParams.getAll(key).join(" ")]);
        return { path: url.pathname, ...Object.fromEntries(values) };
      };
      expect(sent(null)).toMatchObject(all);
      if (changes !== undefined) expect(sent("2026-11-02")).toMatchObject(changes);
    },
  );

  test("every way to divide a source into parts has a test case", () => {
    const known = SOURCES.flatMap(({ name, walk }) => (walk.selectors ?? []).map((each) => `${name} ${each.name}`));
    const tested = REQUESTS.map(({ source, only }) => `${source} ${only.split("=")[0]}`);
    expect([...new Set(tested)].sort()).toEqual(known.sort());
  });

  test("the documented example of each way to divide a source is a valid part", () => {
    for (const source of [...SOURCES, getSource("oai")]) {
      for (const { name, example } of source.walk.selectors ?? []) selection(source, `${name}=${example}`);
    }
  });
});

test.each([
  { source: "datacite", text: "client=TIB.TIB" },
  { source: "datacite", text: "client=tib.tib&page[size]=0" },
  { source: "datacite", text: "client=" },
  { source: "datacite", text: "unknown=tib" },
  { source: "datacite", text: "tib.tib" },
  { source: "datacite", text: "ror=https://ror.org/03yrm5c26" },
  { source: "datacite", text: `query=${"x".repeat(301)}` },
  { source: "datacite", text: "query=a\nb" },
  { source: "datacite", text: "query=a\u202eb" },
  { source: "figshare", text: "institution=0" },
  { source: "figshare", text: "institution=two" },
  { source: "edi", text: "scope=../../delete" },
  { source: "zenodo", text: "community=a,b" },
  { source: "geo", text: "client=tib.tib" },
  { source: "oai", text: "set=a b" },
])("$text is rejected as a part of $source", ({ source, text }) => {
  expect(readSelection(getSource(source), text)).toBeNull();
});

test("the value of a part cannot add a parameter to the request", () => {
  const source = getSource("clinicaltrials");
  const only = selection(source, "sponsor=A&pageSize=1#x");
  const options = { base: source.walk.base, contact: null, since: null, only };
  expect(selected(options)).toEqual({ "query.spons": "A&pageSize=1#x" });
  const { searchParams } = new URL(source.walk.request({ token: null }, options).url);
  expect(searchParams.getAll("pageSize")).toEqual(["1000"]);
});

interface Deposit {
  readonly id: string;
  readonly clients: readonly string[];
  changed: string;
  title: string;
}

/**
 * Simulates DataCite's list of DOIs, filtered by client and by date. As with DataCite, the link to the next page omits the
 * client.
 */
function registry(holdings: readonly Deposit[]): Dialect {
  return ({ url, base }) => {
    const since = /updated:\[(\S+) TO/.exec(url.searchParams.get("query") ?? "")?.[1] ?? "";
    const client = url.searchParams.get("client-id");
    const found = holdings.filter(
      ({ clients, changed }) => changed >= since && (client === null || clients.includes(client)),
    );
    const page = Number(url.searchParams.get("page[cursor]"));
    const next = page * 2 < found.length ? { next: `${base}/dois?page%5Bcursor%5D=${page + 1}` } : {};
    const data = slicePage(found, page, 2).map(({ id, title, changed }) => ({
      id,
      type: "dois",
      attributes: {
        titles: [{ title }],
        types: { resourceTypeGeneral: "Dataset" },
        creators: [{ name: "Doe, Jo", nameType: "Personal", affiliation: [], nameIdentifiers: [] }],
        publicationYear: 2025,
        descriptions: [{ description: "Counts of birds on one shore", descriptionType: "Abstract" }],
        subjects: [{ subject: "birds" }],
        publisher: "Archive",
        updated: changed,
      },
    }));
    return { json: { data, meta: { total: found.length }, links: next } };
  };
}

const A = "client=one.a";
const B = "client=one.b";

describe("two parts of DataCite that share a dataset", () => {
  const deposit = (id: string, ...clients: string[]): Deposit => ({
    id: `10.5072/${id}`,
    clients,
    changed: "2025-02-10T00:00:00Z",
    title: `The title of ${id}`,
  });
  const own = ["a1", "a2", "a3"].map((id) => deposit(id, "one.a"));
  const both = deposit("both", "one.a", "one.b");
  const holdings = [...own, both, deposit("b1", "one.b"), deposit("other", "two.c")];
  const datacite = getSource("datacite");
  let service: Service;
  let bench: TemporaryStore;
  let first: Receipt;
  let second: Receipt;

  const harvest = (only: string, since: string | null = null, bounds = {}) =>
    harvestHttp(
      bench.store,
      datacite,
      {
        ...{ since, limit: null, contact: null, base: service.base, allowPrivate: true, bounds },
        only: selection(datacite, only),
      },
      testEffects(),
    );
  const built = async (now: string) => (await buildRelease(bench.store, { sources: ["datacite"] }, now)).receipt;
  const listGates = ({ gates = [] }: Receipt) => gates.filter(({ source }) => source === "datacite");

  beforeAll(async () => {
    bench = await temporaryStore();
    service = await serve(registry(holdings));
    expect(await harvest(A)).toMatchObject({ only: A, records: 4, expected: 4, complete: true });
    first = await built("2026-11-02T09:30:00.000Z");
    expect(await harvest(B)).toMatchObject({ only: B, records: 2, expected: 2, complete: true });
    second = await built("2026-11-03T09:30:00.000Z");
  });

  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  test("the harvest log names the part of each harvest", async () => {
    const lines = await readHarvests(bench.store.raw("datacite"));
    expect(lines.slice(0, 2)).toMatchObject([
      { only: A, since: null, got: 4 },
      { only: B, since: null, got: 2 },
    ]);
  });

  test("the receipt names both parts, and counts the shared dataset once", () => {
    const ofA = { only: A, expected: 4, got: 4, complete: true };
    const ofB = { only: B, expected: 2, got: 2, complete: true };
    expect(first.sources[0]).toMatchObject({ completeness: { expected: 4, got: 4, complete: true }, scopes: [ofA] });
    expect(second.sources[0]).toMatchObject({
      completeness: { expected: null, got: 5, complete: true },
      scopes: [ofA, ofB],
    });
    expect(second.coverage).toMatchObject({ harvested: 6, superseded: 1, scored: 5 });
  });

  test("a new part has the gates of a new source, and the mean that it changes does not count as a drift", () => {
    const text = "datacite client one.a before, ";
    expect(listGates(second).map(({ gate, passed }) => [gate, passed])).toEqual([
      ["completeness", true],
      ["lost", true],
      ["failed", true],
      ["harvested", true],
      ["drift", true],
      ["drift", true],
    ]);
    expect(listGates(second)[0]?.detail).toMatch(/^5 records, 4 expected/);
    expect(listGates(second)[4]?.detail).toContain(`the harvested parts changed: ${text}`);
  });

  test("the site and the status name both parts", async () => {
    const served = await serveRelease(bench.store);
    const said = async (path: string, accept: string) => (await ask(served.port, path, { headers: { accept } })).text;
    const status = JSON.parse(await said("/status", "application/json"));
    const [home, table] = [await said("/", "text/html"), await said("/service-status", "text/html")];
    const live = JSON.parse(await said("/metrics/live", "application/json"));
    await served.close();
    expect(status.sources[0].scopes).toMatchObject([{ only: A }, { only: B }]);
    const names = ["a", "b"].map((name) => `DataCite client one.${name}`);
    expect(home).toContain(`This site has the datasets of ${names.join(" and ")}.`);
    for (const name of names) expect(table).toContain(`only ${name}`);
    expect(live.sampling).toMatchObject({ method: "census", frame: null });
  });

  test("`--since last` requests changes since the last harvest of the same part", async () => {
    both.changed = "2025-03-02T00:00:00Z";
    both.title = "The better title";
    const asked = service.asked.length;
    expect(await harvest(A, "last")).toMatchObject({ records: 1, expected: 1, complete: true });
    expect(await harvest(B, "last")).toMatchObject({ records: 1, expected: 1, complete: true });
    const sent = service.asked.slice(asked).map(({ url }) => url.searchParams);
    expect(sent.map((parameters) => parameters.get("client-id"))).toEqual(["one.a", "one.b"]);
    for (const parameters of sent) expect(parameters.get("query")).toContain("updated:[2025-02-28T00:00:00Z TO *]");
    const third = await built("2026-11-04T09:30:00.000Z");
    expect(third.coverage).toMatchObject({ harvested: 8, superseded: 3, scored: 5 });
    expect(listGates(third).map(({ gate }) => gate)).toEqual(["completeness", "lost", "failed", "drift", "drift"]);
  });

  test("an interrupted harvest of one part can be resumed after a harvest of the other", async () => {
    expect(await harvest(A, null, { requests: 1 })).toMatchObject({ paused: true, records: 2 });
    expect(await harvest(B)).toMatchObject({ complete: true, resumed: false });
    const asked = service.asked.length;
    expect(await harvest(A)).toMatchObject({ complete: true, resumed: true, records: 4 });
    expect(service.asked.length - asked).toBe(1);
  });

  test("the records of a part that is no longer harvested do not count as lost, and the gates say why", async () => {
    await rename(bench.store.raw("datacite"), `${bench.store.raw("datacite")}-before`);
    expect(await harvest(B)).toMatchObject({ records: 2, complete: true });
    const { receipt, activated } = await buildRelease(
      bench.store,
      { sources: ["datacite"] },
      "2026-11-05T09:30:00.000Z",
    );
    expect(receipt.sources[0]).toMatchObject({ scopes: [{ only: B }], coverage: { scored: 2 } });
    const [a, b] = ["a", "b"].map((name) => `datacite client one.${name}`);
    const detail = `the harvested parts changed: ${a} and ${b} before, ${b} now`;
    expect(listGates(receipt)).toMatchObject([
      { gate: "completeness", passed: true, detail },
      { gate: "lost", passed: true, detail },
      { gate: "failed" },
      { gate: "harvested", passed: true },
      { gate: "drift", passed: true, detail },
      { gate: "drift", passed: true, detail },
    ]);
    expect(activated).toBe(true);
  });

  test("the gates fail if a part that is still harvested loses records", async () => {
    await rename(bench.store.raw("datacite"), `${bench.store.raw("datacite")}-again`);
    holdings.splice(holdings.indexOf(both), 1);
    await harvest(B);
    const { receipt, activated } = await buildRelease(
      bench.store,
      { sources: ["datacite"] },
      "2026-11-06T09:30:00.000Z",
    );
    expect(activated).toBe(false);
    expect(listGates(receipt).filter(({ passed }) => !passed)).toMatchObject([
      { gate: "completeness" },
      { gate: "lost" },
    ]);
  });
});

test("an interrupted harvest is resumed from a checkpoint of an earlier program, which knew no parts", async () => {
  const datacite = getSource("datacite");
  const holdings = ["a", "b", "c"].map((id) => ({ id: `10.5072/${id}`, clients: [], changed: "2025", title: id }));
  await using service = await serve(registry(holdings));
  await using bench = await temporaryStore();
  const options = { since: null, limit: null, contact: null, base: service.base, allowPrivate: true };
  const harvest = (bounds = {}) => harvestHttp(bench.store, datacite, { ...options, bounds }, testEffects());
  await harvest({ requests: 1 });
  const progress = await readProgress(bench.store.raw("datacite"));
  const { only: _only, ...run } = progress?.http[walkKey(service.base, null)] ?? {};
  const checkpoint = { version: 1, progress: { ...progress, http: run }, pending: null };
  await writeFile(join(bench.store.raw("datacite"), "checkpoint.json"), JSON.stringify(checkpoint));
  expect(await harvest()).toMatchObject({ resumed: true, complete: true, records: 3 });
});
