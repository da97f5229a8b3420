/** Harvests of a local service with faults: each fault is overcome or reported, and no record is lost or duplicated. */

import { rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type HttpOptions, harvestHttp } from "../../pipeline/1-harvest/index.ts";
import { newTally, readCheckpoint, writeCheckpoint } from "../../pipeline/1-harvest/session.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { clinicaltrials } from "../../pipeline/sources/clinicaltrials/source.ts";
import { datacite } from "../../pipeline/sources/datacite/source.ts";
import { zenodo } from "../../pipeline/sources/zenodo/source.ts";
import { readHarvests } from "../../pipeline/store/harvest-log.ts";
import { listParts } from "../../pipeline/store/raw-parts.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { killWhen } from "../support/killing.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { readEnvelopes, readRejections, type TestEffects, testEffects } from "./bench-store.ts";
import { readSummary, startHarvest } from "./killed-harvest.ts";
import {
  type Dialect,
  dataciteItem,
  type Fault,
  makeCursor,
  makeDataciteDialect,
  makeTrialsDialect,
  makeZenodoDialect,
  upstream,
} from "./upstream.ts";

const harvest = (
  store: Store,
  source: Source,
  base: string,
  options: Partial<HttpOptions> = {},
  effects: TestEffects = testEffects(),
) =>
  harvestHttp(
    store,
    source,
    { since: null, limit: null, contact: null, base, allowPrivate: true, ...options },
    effects,
  );

const readIds = async (store: Store, source: string) =>
  (await readEnvelopes(store, source)).map((record) => record.sourceId);
const dois = (count: number) => Array.from({ length: count }, (_, i) => `10.5555/${i}`);

const plain = (status: number, headers: Record<string, string>, body: string) => (response: ServerResponse) => {
  response.writeHead(status, headers);
  response.end(body);
};
const FULL_PAGE = JSON.stringify({ data: Array.from({ length: 10 }, (_, i) => dataciteItem(i + 20)), links: {} });

/** Makes a fault that answers the third request in place of the service, or every request from the third on. */
const third =
  (answer: (response: ServerResponse) => void, always = false): Fault =>
  (_request, response, n) => {
    if (n !== 3 && !(always && n > 3)) return false;
    answer(response);
    return true;
  };

describe("temporary faults of a service", () => {
  test.each([
    {
      name: "status 429 with Retry-After in seconds",
      answer: plain(429, { "retry-after": "7" }, "slow down"),
      waits: [7000],
    },
    {
      name: "status 429 with a date in Retry-After",
      answer: plain(429, { "retry-after": "Sat, 01 Mar 2025 12:01:30 GMT" }, ""),
      waits: [90_000],
    },
    {
      name: "status 429 with Retry-After of a day, which is reduced to ten minutes",
      answer: plain(429, { "retry-after": "86400" }, ""),
      waits: [600_000],
    },
    { name: "status 429 without Retry-After", answer: plain(429, {}, "<html>429</html>"), waits: [1000] },
    { name: "status 408", answer: plain(408, {}, ""), waits: [1000] },
    {
      name: "status 500 with a body that says 400",
      answer: plain(500, {}, `{"status":400,"title":"[503]"}`),
      waits: [1000],
    },
    {
      name: "status 502 with HTML",
      answer: plain(502, { "content-type": "text/html" }, "<html>Bad Gateway</html>"),
      waits: [1000],
    },
    { name: "status 200 with HTML", answer: plain(200, {}, "<!doctype html><html></html>"), waits: [1000] },
    { name: "status 200 with an empty body", answer: plain(200, {}, ""), waits: [1000] },
    { name: "status 200 with half a page", answer: plain(200, {}, FULL_PAGE.slice(0, 400)), waits: [1000] },
    { name: "a truncated body", answer: breaksOff, waits: [1000] },
    {
      name: "a reset connection",
      answer: (response: ServerResponse) => response.socket?.resetAndDestroy(),
      waits: [1000],
    },
    { name: "a response that arrives very slowly", answer: drips, waits: [1000] },
    {
      name: "a redirect on the same host",
      answer: plain(307, { location: `/dois?page%5Bcursor%5D=${makeCursor(3)}` }, ""),
      waits: [],
    },
  ])("a harvest repeats the request and then completes: $name", async ({ answer, waits }) => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeDataciteDialect(45), third(answer));
    const effects = testEffects();
    const summary = await harvest(bench.store, datacite, service.base, { limits: { timeoutMs: 3000 } }, effects);
    expect(await readIds(bench.store, "datacite")).toEqual(dois(45));
    expect(summary).toMatchObject({ records: 45, expected: 45, complete: true, requests: 6, resumed: false });
    expect(effects.waits).toEqual(waits);
  });
});

function breaksOff(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "100000" });
  response.write(FULL_PAGE.slice(0, 500));
  setTimeout(() => response.destroy(), 20);
}

function drips(response: ServerResponse): void {
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

describe("permanent faults", () => {
  test.each([
    {
      name: "status 500 for every attempt",
      answer: plain(500, {}, `{"errors":[{"title":"out of order"}]}`),
      code: "upstream-unavailable",
      says: /500: out of order \(after 6 tries\)/,
      requests: 8,
    },
    {
      name: "status 400",
      answer: plain(400, {}, `{"errors":{"title":"parse_exception"}}`),
      code: "upstream-rejected",
      says: /dois\?.* answered 400: parse_exception/,
      requests: 3,
    },
    {
      name: "status 403 with plain text",
      answer: plain(403, {}, "You\nshall not pass"),
      code: "upstream-rejected",
      says: /403: You shall not pass/,
      requests: 3,
    },
    {
      name: "an error with status 200",
      answer: plain(200, {}, `{"errors":[{"title":"sorry"}]}`),
      code: "upstream-rejected",
      says: /sorry \(error-answer\)/,
      requests: 3,
    },
    {
      name: "a redirect to another host",
      answer: plain(302, { location: "http://localhost:9/x" }, ""),
      code: "forbidden-host",
      says: /not contacted/,
      requests: 3,
    },
    {
      name: "a redirect to a file",
      answer: plain(302, { location: "file:///etc/hostname" }, ""),
      code: "forbidden-host",
      says: /not contacted/,
      requests: 3,
    },
    {
      name: "a redirect loop",
      answer: plain(302, { location: "/again" }, ""),
      code: "upstream-rejected",
      says: /more than 5 times/,
      requests: 8,
    },
    {
      name: "an endless body",
      answer: endless,
      code: "body-too-large",
      says: /more than 100000 bytes/,
      requests: 3,
    },
  ])(
    "a permanent fault of the service ends the harvest, and the same command resumes it: $name",
    async ({ answer, code, says, requests }) => {
      await using bench = await temporaryStore();
      await using service = await upstream(makeDataciteDialect(45), third(answer, true));
      const run = harvest(bench.store, datacite, service.base, { limits: { bodyBytes: 100_000 } });
      await expect(run).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
      expect(service.urls).toHaveLength(requests);
      expect(await readIds(bench.store, "datacite")).toEqual(dois(20));
      service.fault = () => false;
      const summary = await harvest(bench.store, datacite, service.base);
      expect(summary).toMatchObject({ records: 45, complete: true, resumed: true, requests: requests + 3 });
      expect(await readIds(bench.store, "datacite")).toEqual(dois(45));
    },
  );
});

function endless(response: ServerResponse): void {
  const more = () => {
    while (response.write("x".repeat(10_000)));
  };
  response.on("drain", more);
  more();
}

const changed = (at: number, change: Record<string, unknown>): Dialect =>
  makeDataciteDialect(45, (page, n) => (n === at ? { ...page, ...change } : page));
const toCursor = (page: number) => ({ links: { next: `/dois?page%5Bcursor%5D=${makeCursor(page)}` } });

describe("lists without a proper end", () => {
  test.each([
    {
      name: "a next page on another host",
      dialect: changed(2, { links: { next: "https://example.org/dois?page[cursor]=x" } }),
      ids: 10,
      says: /another host/,
    },
    {
      name: "a next page without a cursor",
      dialect: changed(2, { links: { next: "/dois?page=3" } }),
      ids: 10,
      says: /no cursor/,
    },
    {
      name: "the first page twice",
      dialect: changed(3, { data: Array.from({ length: 10 }, (_, i) => dataciteItem(i)) }),
      ids: 20,
      says: /first page again/,
    },
    {
      name: "the same page twice",
      dialect: changed(3, { data: Array.from({ length: 10 }, (_, i) => dataciteItem(i + 10)) }),
      ids: 20,
      says: /same page again/,
    },
    {
      name: "a page 2 in place of page 3",
      dialect: changed(3, { meta: { total: 45, page: 2 } }),
      ids: 20,
      says: /page 2 instead of page 3/,
    },
    { name: "cursors that form a loop", dialect: changed(4, toCursor(2)), ids: 40, says: /loop|page again/ },
    {
      name: "a last page that comes too early",
      dialect: changed(3, { links: {} }),
      ids: 30,
      says: /lists 45 records, but only 30 arrived/,
    },
  ])(
    "a harvest of a list without a proper end ends with an error that says why: $name",
    async ({ dialect, ids, says }) => {
      await using bench = await temporaryStore();
      await using service = await upstream(dialect);
      const summary = await harvest(bench.store, datacite, service.base);
      expect(summary).toMatchObject({ complete: false, expected: 45, missing: expect.stringMatching(says) });
      const got = await readIds(bench.store, "datacite");
      expect([...new Set(got)]).toEqual(dois(ids));
      expect(await readHarvests(bench.store.raw("datacite"))).toMatchObject([
        { complete: false, expected: 45, got: got.length },
      ]);
    },
  );
});

describe("DataCite", () => {
  test("a harvest of DataCite requests datasets and collections by cursor, with a User-Agent that names this program", async () => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeDataciteDialect(25));
    const summary = await harvest(bench.store, datacite, service.base, {
      since: "2024-05-31",
      contact: "someone@example.org",
    });
    const [first, second] = service.urls;
    expect(Object.fromEntries(first?.searchParams ?? [])).toEqual({
      query: "types.resourceTypeGeneral:(Dataset OR Collection) AND updated:[2024-05-31T00:00:00Z TO *]",
      affiliation: "true",
      publisher: "true",
      "page[size]": "1000",
      "page[cursor]": "1",
    });
    expect(second?.searchParams.get("page[cursor]")).toBe(makeCursor(2));
    expect(second?.searchParams.get("query")).toBe(first?.searchParams.get("query"));
    expect(service.agents[0]).toMatch(/^share-release\/\d+\.\d+\.\d+\S* \(mailto:someone@example\.org\)$/);
    expect(summary).toMatchObject({ source: "datacite", records: 25, files: 0, requests: 3, complete: true });
    const [record] = await readEnvelopes(bench.store, "datacite");
    expect(record).toMatchObject({
      retrievedAt: "2025-03-01T12:00:00.000Z",
      status: 200,
      url: datacite.buildUrl("10.5555/0"),
    });
    expect(record?.payload).toBe(JSON.stringify(dataciteItem(0)));
  });

  test("a harvest of DataCite stores all other records of a page that has one invalid record", async () => {
    await using bench = await temporaryStore();
    await using service = await upstream(changed(2, { data: [{ attributes: {} }, dataciteItem(11)] }));
    const summary = await harvest(bench.store, datacite, service.base);
    expect(summary).toMatchObject({
      records: 36,
      complete: false,
      missing: "the service lists 45 records, but only 37 arrived",
    });
    expect(await readRejections(bench.store, "datacite")).toMatchObject([
      { line: 1, reason: "no-identifier", file: service.urls[1]?.href },
    ]);
  });
});

describe("Zenodo", () => {
  test("a harvest of Zenodo continues from a later date after 10,000 records, and stores a record that is in both lists once", {
    timeout: 60_000,
  }, async () => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeZenodoDialect(10_120));
    const summary = await harvest(bench.store, zenodo, service.base);
    const ids = await readIds(bench.store, "zenodo");
    expect(summary).toMatchObject({ records: 10_120, expected: 10_120, complete: true });
    expect(new Set(ids).size).toBe(10_120);
    expect(ids).toHaveLength(10_120);
    expect(service.urls[0]?.search).toBe("?type=dataset&all_versions=true&sort=oldest&size=25&page=1");
    expect(service.urls[400]?.searchParams.get("q")).toMatch(/^created:\["2020-01-01T00:55:33\.000Z" TO \*\]$/);
  });

  test("a harvest of Zenodo requests changes in the order of their dates", async () => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeZenodoDialect(60));
    const summary = await harvest(bench.store, zenodo, service.base, { since: "2020-01-01" });
    expect(service.urls[0]?.searchParams.get("q")).toBe('updated:["2020-01-01" TO *]');
    expect(service.urls[0]?.searchParams.get("sort")).toBe("updated-asc");
    expect(summary).toMatchObject({ records: 60, requests: 3, complete: true });
  });

  test("a harvest of Zenodo never sends more than thirty requests in a minute", async () => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeZenodoDialect(40 * 25));
    const effects = testEffects();
    await harvest(bench.store, zenodo, service.base, {}, effects);
    // The first three requests are sent at once, and each later one 60 / 27 seconds after the one before.
    expect(effects.waits).toHaveLength(37);
    for (const wait of effects.waits) expect(wait).toBeCloseTo(60_000 / 27);
  });
});

describe("ClinicalTrials.gov", () => {
  test("a harvest of ClinicalTrials.gov continues after an empty page that has a next page", async () => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeTrialsDialect(75));
    const summary = await harvest(bench.store, clinicaltrials, service.base, { since: "2024-05-31" });
    expect(summary).toMatchObject({ records: 75, expected: 75, complete: true, requests: 11 });
    expect(new Set(await readIds(bench.store, "clinicaltrials")).size).toBe(75);
    const [first, second] = service.urls;
    expect(first?.searchParams.get("filter.advanced")).toBe("AREA[LastUpdatePostDate]RANGE[2024-05-31,MAX]");
    expect(second?.searchParams.get("filter.advanced")).toBe(first?.searchParams.get("filter.advanced"));
    expect([first?.searchParams.has("countTotal"), second?.searchParams.has("countTotal")]).toEqual([true, false]);
  });
});

describe("consecutive harvests", () => {
  test("`--since last` requests changes since the day before the last complete harvest started", async () => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeDataciteDialect(5));
    await harvest(bench.store, datacite, service.base, { since: "last" });
    await harvest(bench.store, datacite, service.base, { since: "last", limit: 1 });
    await harvest(bench.store, datacite, service.base, { since: "last" });
    const queries = service.urls.map((url) => url.searchParams.get("query") ?? "");
    expect(queries.map((query) => /updated:\[(\S+)/.exec(query)?.[1] ?? null)).toEqual([
      null,
      "2025-02-28T00:00:00Z",
      "2025-02-28T00:00:00Z",
    ]);
    expect(await readHarvests(bench.store.raw("datacite"))).toMatchObject([
      { complete: true },
      { complete: false, limit: 1 },
      { complete: true },
    ]);
  });

  test("a harvest stops at its limit of records, even in the middle of a page", async () => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeDataciteDialect(45));
    const summary = await harvest(bench.store, datacite, service.base, { limit: 13 });
    expect(summary).toMatchObject({ records: 13, complete: false, requests: 2 });
    expect(await readIds(bench.store, "datacite")).toEqual(dois(13));
  });

  test("a harvest starts again if the service no longer knows the position where it stopped", async () => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeDataciteDialect(45), third(plain(503, {}, ""), true));
    await expect(harvest(bench.store, datacite, service.base)).rejects.toMatchObject({ code: "upstream-unavailable" });
    let rejected = 0;
    service.fault = (_request, response) => {
      if (rejected > 0) return false;
      rejected += 1;
      plain(400, {}, `{"errors":[{"title":"cursor expired"}]}`)(response);
      return true;
    };
    const effects = testEffects();
    const summary = await harvest(bench.store, datacite, service.base, {}, effects);
    expect(summary).toMatchObject({ records: 45, complete: true });
    expect(effects.logged.map(({ event }) => event)).toContain("harvest-started-over");
    expect(new Set(await readIds(bench.store, "datacite")).size).toBe(45);
  });

  test("a killed harvest resumes after the last stored part", async () => {
    await using bench = await temporaryStore();
    // The service stops responding at the 51st request: two parts of twenty pages are finished, and ten pages are not.
    await using service = await upstream(makeDataciteDialect(1500), (_request, _response, n) => n > 50);
    const { process } = startHarvest("http", bench.store, "datacite", service.base);
    expect(await killWhen(process, () => service.urls.length > 50)).toBe(true);
    expect(await listParts(bench.store.raw("datacite"))).toHaveLength(2);
    service.fault = () => false;
    const asked = service.urls.length;
    const summary = await readSummary(startHarvest("http", bench.store, "datacite", service.base));
    expect(summary).toMatchObject({ records: 1500, complete: true, resumed: true });
    expect(await readIds(bench.store, "datacite")).toEqual(dois(1500));
    // Only the pages of the unfinished part were requested again.
    expect(service.urls.length - asked).toBe(110);
  });
});

test.each([
  { name: "with its line in the harvest log", lines: 1 },
  { name: "without its line in the harvest log", lines: 0 },
])(
  "a harvest that was killed between its last request and its last checkpoint is not repeated ($name)",
  async ({ lines }) => {
    await using bench = await temporaryStore();
    await using service = await upstream(makeDataciteDialect(25));
    await harvest(bench.store, datacite, service.base);
    const folder = bench.store.raw("datacite");
    const [line] = await readHarvests(folder);
    // Restores the state just before the last checkpoint of the harvest.
    const checkpoint = await readCheckpoint(folder);
    const state = { cursor: "3", page: 3, first: "10.5555/0" };
    const counts = { ...newTally(), requests: 3, records: 25 };
    const asks = { only: null, asked: null, since: null, limit: null };
    const run = { base: service.base, ...asks, started: line?.started ?? "", state };
    const rest = { expected: 25, got: 25, previous: dois(25).slice(20), done: [], overlaps: false, counts };
    if (checkpoint === null) throw new Error("the harvest left no checkpoint");
    const http = { [service.base]: { ...run, ...rest, ended: { reason: null } } };
    await writeCheckpoint(folder, { ...checkpoint, progress: { ...checkpoint.progress, http, last: {} } });
    if (lines === 0) await rm(join(folder, "harvests.ndjson"));
    const asked = service.urls.length;
    expect(await harvest(bench.store, datacite, service.base)).toMatchObject({ records: 25, complete: true });
    expect(service.urls).toHaveLength(asked);
    expect(await readHarvests(folder)).toEqual([line]);
    expect((await readCheckpoint(folder))?.progress).toMatchObject({ http: {}, last: { [service.base]: {} } });
  },
);

describe("options of a harvest", () => {
  test.each([
    { name: "an invalid date", options: { since: "31.5.2024" }, code: "bad-harvest-option" },
    { name: "a contact with a line break", options: { contact: "a@b.org\r\nX-Evil: 1" }, code: "bad-harvest-option" },
    { name: "a base URL that is not a URL", options: { base: "nowhere" }, code: "bad-harvest-option" },
    {
      name: "a base URL on another host",
      options: { base: "https://example.org", allowPrivate: false },
      code: "forbidden-host",
    },
    {
      name: "a loopback address outside tests",
      options: { base: "http://127.0.0.1:1", allowPrivate: false },
      code: "forbidden-host",
    },
    {
      name: "the right host without HTTPS",
      options: { base: "http://api.datacite.org", allowPrivate: false },
      code: "forbidden-host",
    },
    {
      name: "a password in the URL",
      options: { base: "https://u:p@api.datacite.org", allowPrivate: false },
      code: "forbidden-host",
    },
  ])("invalid options of a harvest are rejected before any request: $name", async ({ options, code }) => {
    await using bench = await temporaryStore();
    await expect(harvest(bench.store, datacite, "https://api.datacite.org", options)).rejects.toMatchObject({ code });
  });
});
