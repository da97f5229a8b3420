/**
 * Test cases for reading every route under every SHARE version: the bytes and headers of the response, its schema, and queries
 * that mean the same page.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { ROUTES } from "../../api-static/routes/index.ts";
import { pagePath, type Route } from "../../api-static/routes/route.ts";
import { CONTRACTS, PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { makeEtag } from "../../server/http/response.ts";
import { pagesIn } from "../support/release-pages.ts";
import { ask } from "./ask.ts";
import { type Listening, makeRecordId, SPECIAL } from "./test-store.ts";
import type { World } from "./world.ts";

/** Queries, each with the shortest query that must return the same page. */
const SAME_PAGE = [
  { path: "/records", query: "utm_source=x&rubric=1.0&_=9&cb=1&cb=2", canonical: "rubric=1.0" },
  { path: "/records", query: "page=1", canonical: "" },
  { path: "/records", query: "limit=10&page=1&rubric=1.0", canonical: "rubric=1.0" },
  { path: "/records", query: "page=01&sortOrder=asc", canonical: "" },
  { path: "/records", query: "sortBy=id", canonical: "" },
  { path: "/records", query: "search=", canonical: "" },
  { path: "/records", query: "search=%20..%2F", canonical: "" },
  { path: "/records", query: "sortOrder=desc&sortBy=score", canonical: "sortBy=score&sortOrder=desc" },
  { path: "/records", query: "sortBy=shareScore&sortOrder=desc", canonical: "sortBy=score&sortOrder=desc" },
  {
    path: "/records",
    query: "sortOrder=desc&limit=10&rubric=1.0&sortBy=score&page=1",
    canonical: "sortBy=score&sortOrder=desc&rubric=1.0",
  },
  { path: "/records", query: "page=1.0e0", canonical: "" },
  { path: "/records", query: "utm_x=1&utm_x=2", canonical: "" },
  { path: "/authors", query: "sortBy=name&sortOrder=asc", canonical: "" },
  { path: "/authors", query: "sortOrder=desc&sortBy=sIndex&limit=10", canonical: "sortBy=sIndex&sortOrder=desc" },
  { path: "/institutions", query: "limit=20&sortBy=label", canonical: "" },
  { path: "/geography", query: "limit=250&rubric=1.0&sortOrder=asc", canonical: "rubric=1.0" },
  { path: "/metrics/live", query: "utm_medium=2&utm_medium=3", canonical: "" },
  { path: "/rubrics", query: "_=9", canonical: "" },
] as const;

const JSON_TYPE = "application/json; charset=utf-8";
const CSV_TYPE = "text/csv; charset=utf-8";

/** Values of the header Accept, each with the media type that GET /records must return. */
const WISHES = [
  { accept: "text/csv", type: CSV_TYPE },
  { accept: "TEXT/CSV; charset=utf-8", type: CSV_TYPE },
  { accept: "text/csv, */*", type: CSV_TYPE },
  { accept: "text/csv;q=0.5, */*;q=0.1", type: CSV_TYPE },
  { accept: "text/csv;q=0.5, application/json", type: JSON_TYPE },
  { accept: "text/csv, application/json", type: JSON_TYPE },
  { accept: "text/csv;q=0", type: JSON_TYPE },
  { accept: "application/xhtml+xml, */*", type: JSON_TYPE },
  { accept: "*/*", type: JSON_TYPE },
];

export function readingCases(world: () => World): void {
  describe("pages and their headers", () => {
    let server: Listening;
    let keys: Readonly<Record<string, readonly string[]>>;

    let pages: ReadonlyMap<string, Buffer>;
    beforeAll(async () => {
      pages = await pagesIn(world().store.release(world().full.releaseDigest));
      server = await world().serve(world().store);
      const slugs = (await world().researchers()).slice(0, 3).map(({ slug }) => slug);
      const ids = [makeRecordId(SPECIAL.winner), makeRecordId(SPECIAL.failed)];
      keys = {
        record: ids,
        impact: ids,
        author: slugs,
        rubric: [...PUBLIC_VERSIONS, ...CONTRACTS],
        "dataset-badge": ids,
        "repository-badge": ["Zenodo", "ClinicalTrials.gov"],
        "researcher-badge": slugs,
      };
    });

    const pageAt = (path: string) => {
      const page = pages.get(path);
      if (page === undefined) throw new Error(`the release has no page ${path}`);
      return page;
    };
    const address = (route: Route, key: string, query: string) =>
      route.path.replace(/\{\w+\}/, encodeURIComponent(key)) + (query === "" ? "" : `?${query}`);

    const canonical = ROUTES.flatMap((route) => route.pages.map((page) => ({ route, page })));
    test.each(canonical)("GET $route.path?$page.query has the bytes of its page", async ({ route, page }) => {
      for (const key of route.key === null ? [""] : (keys[route.name] ?? [])) {
        const reply = await ask(server.port, address(route, key, page.query));
        expect(reply.status).toBe(200);
        const bytes = pageAt(pagePath(route, page, key));
        expect(reply.body).toEqual(bytes);
        expect(reply.headers).toMatchObject({
          "content-type": route.contentType,
          "content-length": String(bytes.length),
          "cache-control": route.cache,
          etag: makeEtag(bytes),
          vary: SHARED_HEADERS.vary,
          "share-release": world().full.releaseDigest,
          "x-content-type-options": "nosniff",
          "access-control-allow-origin": "*",
        });
        if (route.answer === null) expect(reply.text).toMatch(/^<svg[^>]*>.*<\/svg>\n$/s);
        else expect(route.answer.parse(JSON.parse(reply.text))).toEqual(JSON.parse(reply.text));
      }
    });

    const SENT = ["/metrics/live", "/records?page=2", "/rubrics", "/widgets/repositories/Zenodo/badge.svg", "manifest"];
    test.each(SENT)("a 304 has the ETag of the 200, compressed or not: %s", async (sent) => {
      const release = `/releases/${world().full.releaseDigest.replace(":", "-")}`;
      const path = sent === "manifest" ? `${release}/manifest.ndjson` : sent;
      for (const method of ["GET", "HEAD"]) {
        for (const encoding of ["identity", "gzip", "deflate, br, gzip"]) {
          const question = { method, headers: { "accept-encoding": encoding } };
          const { etag = "" } = (await ask(server.port, path, question)).headers;
          const headers = { ...question.headers, "if-none-match": etag };
          const fresh = await ask(server.port, path, { method, headers });
          expect([method, encoding, fresh.status, fresh.headers.etag]).toEqual([method, encoding, 304, etag]);
        }
      }
    });

    test("every route that needs a key, such as an id, has a test case", () => {
      const keyed = ROUTES.filter(({ key, pages }) => key !== null && pages.length > 0).map(({ name }) => name);
      expect(Object.keys(keys).sort()).toEqual(keyed.sort());
      expect(Object.values(keys).every((some) => some.length > 0)).toBe(true);
    });

    test.each(canonical)("HEAD $route.path?$page.query has the headers of GET and no body", async ({ route, page }) => {
      const path = address(route, keys[route.name]?.[0] ?? "", page.query);
      const [get, head] = [await ask(server.port, path), await ask(server.port, path, { method: "HEAD" })];
      expect(head.body.length).toBe(0);
      expect(head.status).toBe(200);
      const counted = ["date", "x-request-id", "ratelimit", "x-ratelimit-remaining", "x-ratelimit-reset"];
      const steady = (headers: typeof get.headers) =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => !counted.includes(name)));
      expect(steady(head.headers)).toEqual(steady(get.headers));
    });

    test.each(SAME_PAGE)(
      "$path?$query returns the response of ?$canonical",
      async ({ path, query, canonical: wanted }) => {
        const reply = await ask(server.port, `${path}?${query}`);
        expect(reply.status).toBe(200);
        expect(reply.text).toBe((await ask(server.port, wanted === "" ? path : `${path}?${wanted}`)).text);
      },
    );

    test("an unchanged record has the same ETag in the next release, but a list does not", async () => {
      const other = await world().serve(await world().altered(world().next));
      const tags = async (path: string) => [
        (await ask(server.port, path)).headers.etag,
        (await ask(other.port, path)).headers.etag,
      ];
      const [record, same] = await tags(`/records/${makeRecordId(SPECIAL.winner)}`);
      expect(record).toBe(same);
      const [list, changed] = await tags("/records");
      expect(list).not.toBe(changed);
    });

    test.each(WISHES)("GET /records with Accept: $accept returns $type", async ({ accept, type }) => {
      const { status, headers } = await ask(server.port, "/records", { headers: { accept } });
      expect([status, headers["content-type"]]).toEqual([200, type]);
    });
  });
}
