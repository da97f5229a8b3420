/**
 * Tests harvests where services differ from each other: search tokens that expire, limits of lists, partial responses, loops,
 * changes and deletions.
 */

import { describe, expect, test } from "vitest";
import { type HttpOptions, harvestHttp } from "../../pipeline/1-harvest/index.ts";
import type { Walk } from "../../pipeline/sources/adapter/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { type Asked, type Dialect, type Reply, type Service, send, serve } from "../support/upstream/service.ts";
import { many } from "../support/upstream/world.ts";
import { WORLDS } from "../support/upstream/worlds.ts";
import { readEnvelopes, readRejections, testEffects } from "./bench-store.ts";

interface Outcome {
  readonly ids: readonly string[];
  readonly urls: readonly URL[];
  readonly summary: Awaited<ReturnType<typeof harvestHttp>>;
  readonly events: readonly string[];
  readonly rejected: readonly string[];
}

/**
 * Harvests a source once from a simulated service, and returns the stored ids, the requested URLs, the log events and the
 * rejections.
 */
async function harvested(
  name: string,
  dialect: Dialect,
  options: Partial<HttpOptions> = {},
  prepare: (service: Service) => void = () => {},
): Promise<Outcome> {
  await using bench = await temporaryStore();
  await using service = await serve(dialect);
  prepare(service);
  const source = sourceNamed(name);
  if (source === null) throw new Error(`there is no source ${name}`);
  const effects = testEffects();
  const given = { since: null, limit: null, contact: null, base: service.base, allowPrivate: true, ...options };
  const summary = await harvestHttp(bench.store, source, given, effects);
  const envelopes = await readEnvelopes(bench.store, name);
  return {
    summary,
    ids: envelopes.map(({ sourceId, status }) => (status === 200 ? sourceId : `${sourceId}:${status}`)),
    urls: service.asked.map(({ url }) => url),
    events: effects.logged.map(({ event }) => event),
    rejected: (await readRejections(bench.store, name)).map(({ reason, detail }) => `${reason}: ${detail}`),
  };
}

const getWorld = (name: string) => {
  const world = WORLDS[name]?.();
  if (world === undefined) throw new Error(`test/support/upstream/worlds.ts has no simulated service of ${name}`);
  return world;
};

describe("GEO", () => {
  test("a harvest of GEO repeats its search if the service has deleted the result, and continues at the same position", async () => {
    const { dialect, ids } = getWorld("geo");
    const forgotten: Reply = { json: { esummaryresult: ["Unable to obtain query #1"] } };
    const outcome = await harvested("geo", dialect, {}, (service) => {
      service.fault = (response, n) => {
        if (n === 4) send(response, forgotten);
        return n === 4;
      };
    });
    expect(outcome.ids).toEqual(ids);
    expect(outcome.summary).toMatchObject({ complete: true, requests: 8 });
    expect(outcome.events).toContain("harvest-recovered");
    expect(outcome.rejected).toEqual(["error-answer: cannot get document summary"]);
  });

  test("a harvest of GEO requests changes since a day, and sends the contact in every request", async () => {
    const { urls } = await harvested("geo", getWorld("geo").dialect, {
      since: "2024-05-31",
      contact: "who@example.org",
    });
    expect(urls[0]?.searchParams.get("term")).toBe(
      'gse[Entry Type] AND ("2024/05/31"[Update Date] : "3000"[Update Date])',
    );
    expect(urls.map(({ searchParams }) => searchParams.get("email"))).toEqual(urls.map(() => "who@example.org"));
  });

  test.each([
    {
      name: "an unknown field in the search",
      reply: {
        esearchresult: { count: "9", webenv: "E", querykey: "1", errorlist: { fieldsnotfound: ["Entry Type"] } },
      },
      says: /no longer knows the search field Entry Type/,
    },
    {
      name: "a search without a result",
      reply: { esearchresult: { count: "9" } },
      says: /lacks webenv, querykey or count/,
    },
  ])("a harvest of GEO ends with an error for $name", async ({ reply, says }) => {
    const { summary } = await harvested("geo", () => ({ json: reply }));
    expect(summary).toMatchObject({ complete: false, records: 0, missing: expect.stringMatching(says) });
  });

  test("a harvest of GEO repeats a request if a response with status 200 reports an overload", async () => {
    const { dialect, ids } = getWorld("geo");
    const outcome = await harvested("geo", dialect, {}, (service) => {
      service.fault = (response, n) => {
        if (n === 2) send(response, { json: { error: "API rate limit exceeded", count: "4" } });
        return n === 2;
      };
    });
    expect(outcome).toMatchObject({ ids, summary: { complete: true } });
    expect(outcome.events).toContain("harvest-retry");
  });
});

describe("NASA CMR", () => {
  test("a harvest of NASA CMR requests a page again if the response is marked as partial", async () => {
    const { dialect, ids } = getWorld("nasa_cmr");
    const outcome = await harvested("nasa_cmr", dialect, {}, (service) => {
      service.fault = (response, n) => {
        const partial = { json: { hits: 23, items: [] }, headers: { "cmr-timed-out": "true" } };
        if (n === 2) send(response, partial);
        return n === 2;
      };
    });
    expect(outcome).toMatchObject({ ids, summary: { complete: true, requests: 7 } });
  });

  test("a harvest of NASA CMR requests changes since a day, on every page", async () => {
    const { urls } = await harvested("nasa_cmr", getWorld("nasa_cmr").dialect, { since: "2024-05-31" });
    expect(new Set(urls.map(({ search }) => search))).toEqual(
      new Set(["?page_size=250&updated_since=2024-05-31T00%3A00%3A00Z"]),
    );
  });
});

describe("services that repeat a page", () => {
  test.each([
    {
      name: "a CMR-Search-After header that CMR repeats",
      source: "nasa_cmr",
      change: (reply: Reply): Reply => ({ ...reply, headers: { "CMR-Search-After": "10" } }),
      says: /CMR-Search-After 10 twice|loop/,
    },
    {
      name: "a cursor that OpenAIRE repeats",
      source: "openaire",
      change: (reply: Reply): Reply => withJson(reply, { header: { numFound: 23, nextCursor: "10" } }),
      says: /cursor 10 twice|loop|same page/,
    },
    {
      name: "a last page that Dryad repeats",
      source: "dryad",
      change: (reply: Reply, { url }: Asked): Reply =>
        url.searchParams.get("page") === "3"
          ? withJson(reply, { _links: { self: { href: "/api/v2/datasets?page=2" }, next: { href: "/x?page=3" } } })
          : reply,
      says: /page 2 instead of page 3/,
    },
    {
      name: "a first page that Dataverse sends again",
      source: "dataverse",
      change: (reply: Reply, { url }: Asked): Reply =>
        url.searchParams.get("start") === "10"
          ? withJson(reply, { data: { total_count: 23, start: 0, items: [{ global_id: "doi:10.7910/DVN/T1" }] } })
          : reply,
      says: /from number 0 instead of 10/,
    },
  ])("a harvest ends with an error for $name", async ({ source, change, says }) => {
    const { dialect } = getWorld(source);
    const { summary, ids } = await harvested(source, (asked) => change(dialect(asked), asked));
    expect(summary).toMatchObject({ complete: false, missing: expect.stringMatching(says) });
    expect(ids).toHaveLength(new Set(ids).size);
  });
});

function withJson(reply: Reply, change: Record<string, unknown>): Reply {
  return typeof reply.json === "object" ? { ...reply, json: { ...reply.json, ...change } } : reply;
}

describe("Figshare files", () => {
  const part = sourceNamed("figshare")
    ?.planFetch("7")
    .find(({ name }) => name === "files");
  const options = { base: "https://api.figshare.com", contact: null };
  const article = (files: number) => ({ article: { id: 7, files: many(files, (i) => ({ name: `f${i}` })) } });

  test("the list of files of a Figshare article is requested only if the article itself lists ten files, because there may be more", () => {
    expect(part?.buildRequest(article(9), options)).toBeNull();
    const url = "https://api.figshare.com/v2/articles/7/files?page_size=1000&page=1";
    expect(part?.buildRequest(article(10), options)).toMatchObject({ url });
  });

  test("the list of files of a Figshare article is read page by page until a page has fewer than 1,000 files", () => {
    const asked = { url: "https://api.figshare.com/v2/articles/7/files?page_size=1000&page=1" };
    expect(
      part?.next?.(
        many(999, (i) => i),
        asked,
        {},
      ),
    ).toBeNull();
    expect(
      part?.next?.(
        many(1000, (i) => i),
        asked,
        {},
      )?.url,
    ).toMatch(/\/files\?page_size=1000&page=2$/);
  });
});

describe("Figshare lists, which end at 9,000 articles", () => {
  /** Makes a page of a hundred Figshare articles, all published on one day. */
  const pageOfDay = (published: string) => ({
    document: many(100, (i) => ({ id: i + 1, published_date: `${published}T00:00:00Z` })),
    headers: new Headers(),
    sourceIds: [],
  });
  const walk = sourceNamed("figshare")?.walk;
  const options = { since: null, only: null, base: "https://api.figshare.com", contact: null };

  test.each([
    { name: "a page below the limit", from: null, page: 89, next: { from: null, page: 90 } },
    { name: "the last page before the limit", from: null, page: 90, next: { from: "2020-03-30", page: 1 } },
    {
      name: "the last page of a list that starts at a date",
      from: "2020-03-29",
      page: 90,
      next: { from: "2020-03-30", page: 1 },
    },
  ])("continue at the next page, or from the date of the last article, after $name", ({ from, page, next }) => {
    expect(walk?.read({ from, page }, pageOfDay("2020-03-30"), options).next).toEqual(next);
    expect(walk?.request(next, options).url).toMatch(next.from === null ? /&page=90$/ : /published_since=2020-03-30&/);
  });

  test.each([
    { name: "a list of one day", from: "2020-03-30", since: null },
    { name: "a list of changes, which has no dates to continue from", from: null, since: "2024-05-31" },
  ])("Figshare lists cannot be continued beyond 9,000 articles in $name, and the error says why", ({ from, since }) => {
    const read = () => walk?.read({ from, page: 90 }, pageOfDay("2020-03-30"), { ...options, since });
    expect(read).toThrow(/9000 articles of a query/);
  });
});

test("a harvest stores a record once if it is at the end of one list and at the start of the next", async () => {
  const zenodo = sourceNamed("zenodo");
  if (zenodo === null) throw new Error("there is no source zenodo");
  const pages = [[1, 2], [1, 2], [3]];
  const walk: Walk = {
    ...zenodo.walk,
    start: () => ({ page: 0 }),
    request: ({ page }, { base }) => ({ url: `${base}/?page=${page}` }),
    read: ({ page }) => (page === 2 ? { next: null } : { next: { page: Number(page) + 1 }, overlaps: true }),
  };
  await using bench = await temporaryStore();
  await using service = await serve(({ url }) => {
    const hits = (pages[Number(url.searchParams.get("page"))] ?? []).map((id) => ({ id, metadata: {} }));
    return { json: { hits: { hits } } };
  });
  const options = { since: null, limit: null, contact: null, base: service.base, allowPrivate: true };
  const summary = await harvestHttp(bench.store, { ...zenodo, walk }, options, testEffects());
  expect(summary).toMatchObject({ records: 3, complete: true });
});

describe("EDI", () => {
  test("a harvest of EDI requests the list of changes, and stores the newest revision of each package and each deletion", async () => {
    const changes = `<dataPackageChanges>
      <dataPackageUpload><packageId>edi.1.1</packageId></dataPackageUpload>
      <dataPackageUpload><packageId>edi.1.3</packageId></dataPackageUpload>
      <dataPackageUpload><packageId>edi.2.1</packageId></dataPackageUpload>
      <dataPackageDelete><packageId>edi.9.2</packageId></dataPackageDelete>
    </dataPackageChanges>`;
    const { ids, urls, summary } = await harvested(
      "edi",
      ({ url }) => {
        if (url.pathname.startsWith("/package/changes/")) return { body: changes, type: "application/xml" };
        const id = /^\/package\/metadata\/eml\/edi\/(\d+)\/(\d+)$/.exec(url.pathname);
        if (id === null) return { status: 404, body: "no such thing", type: "text/plain" };
        if (id[1] === "9") return { status: 410, body: "deleted", type: "text/plain" };
        return { body: `<eml packageId="edi.${id[1]}.${id[2]}"/>`, type: "application/xml" };
      },
      { since: "2024-05-31" },
    );
    expect(ids).toEqual(["edi.1.3", "edi.2.1", "edi.9.2:410"]);
    expect(urls[0]?.searchParams.get("fromDate")).toBe("2024-05-31T00:00:00");
    expect(summary.complete).toBe(true);
  });

  test("a harvest of EDI ends with an error if the service sends a message in place of the list", async () => {
    const { summary } = await harvested("edi", () => ({ body: "Down for maintenance", type: "text/plain" }));
    expect(summary).toMatchObject({ complete: false, missing: expect.stringMatching(/Down for maintenance/) });
  });
});

describe("Dataverse", () => {
  test("a harvest of Dataverse rejects a record for which the service sends an error with status 200, and continues", async () => {
    const { dialect } = getWorld("dataverse");
    const outcome = await harvested("dataverse", (asked) =>
      asked.url.searchParams.get("persistentId") === "doi:10.7910/DVN/T2"
        ? { json: { status: "ERROR", message: "not now" } }
        : dialect(asked),
    );
    expect(outcome.rejected).toEqual(["error-answer: doi:10.7910/DVN/T2: ERROR: not now"]);
    expect(outcome.ids).toHaveLength(22);
    expect(outcome.summary).toMatchObject({ complete: true });
  });

  test("a harvest of Dataverse requests changes with a range of dates in its search", async () => {
    const { urls } = await harvested("dataverse", getWorld("dataverse").dialect, { since: "2024-05-31" });
    expect(urls[0]?.searchParams.getAll("fq")).toEqual(["isHarvested:false", "dateSort:[2024-05-31T00:00:00Z TO *]"]);
  });

  test("a harvest of Dataverse sends requests to another installation only if its host is configured", async () => {
    await using bench = await temporaryStore();
    const source = sourceNamed("dataverse");
    if (source === null) throw new Error("there is no source dataverse");
    const options = { since: null, limit: null, contact: null, base: "https://data.example.org" };
    await expect(harvestHttp(bench.store, source, options, testEffects())).rejects.toMatchObject({
      code: "forbidden-host",
    });
    const effects = { ...testEffects(), fetch: () => Promise.reject(new TypeError("asked")) };
    const named = { ...options, installations: ["data.example.org"], limits: { attempts: 1 } };
    await expect(harvestHttp(bench.store, source, named, effects)).rejects.toMatchObject({
      code: "upstream-unavailable",
    });
  });
});

describe("repeated records", () => {
  test("a record that pages of a harvest repeat is stored again only if it has changed", async () => {
    const item = (id: number, title: string) => ({ id, metadata: { title }, created: "2020-01-01" });
    const pages = [
      [item(1, "a"), item(2, "b")],
      [item(3, "c"), item(1, "a"), item(3, "c")],
      [item(2, "changed"), item(4, "d")],
    ];
    const { ids, summary } = await harvested("zenodo", ({ url, base }) => {
      const page = Number(url.searchParams.get("page"));
      const links = page < 3 ? { next: `${base}/api/records?page=${page + 1}` } : {};
      return { json: { hits: { hits: pages[page - 1], total: 4 }, links } };
    });
    expect(ids).toEqual(["1", "2", "3", "2", "4"]);
    expect(summary).toMatchObject({ expected: 4 });
  });
});

test("a source without a list of changes is harvested completely, and the log says so", async () => {
  const outcome = await harvested("openaire", getWorld("openaire").dialect, { since: "2024-05-31" });
  expect(outcome.events).toContain("harvest-since-unknown");
  expect(outcome.summary).toMatchObject({ records: 23, complete: true });
});

test("a harvest stops at its limit of minutes", async () => {
  await using bench = await temporaryStore();
  const { dialect } = getWorld("datacite");
  await using service = await serve(dialect);
  const source = sourceNamed("datacite");
  if (source === null) throw new Error("there is no source datacite");
  let minutes = 0;
  const effects = { ...testEffects(), now: () => new Date(Date.UTC(2025, 2, 1, 12, minutes++)) };
  const options = { since: null, limit: null, contact: null, base: service.base, allowPrivate: true };
  const paused = await harvestHttp(bench.store, source, { ...options, bounds: { minutes: 4 } }, effects);
  expect(paused).toMatchObject({
    paused: true,
    complete: false,
    missing: expect.stringMatching(/after 4 minutes, the limit of this run/),
  });
  const whole = await harvestHttp(bench.store, source, options, effects);
  expect(whole).toMatchObject({ complete: true, resumed: true, records: 23 });
});
