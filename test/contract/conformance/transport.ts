/** Statements about every URL: HEAD, conditions, caching, origins, media types. */

import { ODD_LABEL } from "../corpus.ts";
import { AUTHOR, DATASET_BADGE, RECORD } from "./addresses.ts";
import { header, OK, rejected, status } from "./expectations.ts";
import { asked, clause, type Expectation, type Row, row, type Statement } from "./statement.ts";
import { shown } from "./values.ts";

const PAGES = [
  "/records",
  RECORD,
  `${RECORD}/impact`,
  "/authors",
  AUTHOR,
  "/metrics/live",
  "/metrics/history",
  "/rubrics",
  "/rubrics/2.0",
  "/institutions",
  "/geography",
];
const QUERIES = [
  "/records?limit=3&sortBy=title",
  "/authors?search=abbott",
  "/institutions?limit=3",
  "/geography?limit=3",
];
const OTHERS = [
  `${RECORD}?rubric=1.0`,
  "/",
  "/openapi.json",
  "/docs",
  "/releases",
  "/releases/{digest}",
  "/releases/{digest}/release.json",
  "/releases/{digest}/manifest.ndjson",
  "/releases/{digest}/data/records/part-0000.parquet",
  "/problems/internal",
  "/health",
  "/status",
];

const EMPTY: Expectation = {
  text: "no body",
  fault: ({ body }) => (body.length === 0 ? null : `${body.length} bytes`),
};

/** Expects HEAD to have the same headers about the content as GET. */
function expectHead(path: string): Expectation {
  return {
    text: "the headers of GET",
    async fault({ headers }, ask) {
      const whole = (await ask(path)).headers;
      const names = ["content-type", "content-length", "etag", "cache-control", "vary", "share-release"] as const;
      const wrong = names.find((name) => String(headers[name]) !== String(whole[name]));
      return wrong === undefined ? null : `${wrong} is ${shown(headers[wrong])}, of GET ${shown(whole[wrong])}`;
    },
  };
}

/** Expects 304 for every form of If-None-Match that has the current ETag, and 200 for any other. */
function unchanged(path: string): Expectation {
  const same = ["etag", "cache-control", "vary", "share-release"] as const;
  return {
    text: "If-None-Match with its ETag, weak, in a list, or *, is 304 without a body; anything else is 200",
    async fault(reply, ask) {
      const etag = reply.headers.etag ?? "";
      if (!/^"[0-9a-f]{1,8}-[0-9a-f]+"$/.test(etag)) return `ETag is ${etag}`;
      const matching = [etag, `W/${etag}`, `"a", W/"b",${etag}`, "*"];
      for (const condition of [...matching, '"another"', etag.slice(1, -1), `${etag.slice(0, 8)}"`]) {
        for (const method of ["GET", "HEAD"]) {
          const again = await ask(path, { method, headers: { "if-none-match": condition } });
          const wanted = matching.includes(condition) ? 304 : 200;
          if (again.status !== wanted) return `${method} ${condition}: ${again.status}`;
          const wrong = same.find((name) => String(again.headers[name]) !== String(reply.headers[name]));
          if (wrong !== undefined) return `${method} ${condition}: ${wrong} is ${shown(again.headers[wrong])}`;
          if (wanted === 304 && (again.body.length > 0 || again.headers["content-type"] !== undefined))
            return `${again.body.length} bytes, ${again.headers["content-type"]}`;
        }
      }
      return null;
    },
  };
}

const ODD_BADGE = `/widgets/repositories/${encodeURIComponent(ODD_LABEL)}/badge.svg`;

const STEADY: Expectation = {
  text: "the same bytes and ETag each time",
  fault: ({ headers }) => (headers.etag === undefined ? "no ETag" : null),
};

const cache = /^public, max-age=60, stale-while-revalidate=600$/;
/**
 * Matches the caching of responses about people. Somebody who opts out must be gone from shared caches within a minute
 * (decisions.md, "Accounts").
 */
const personCache = /^public, max-age=60$/;
const namesPeople = /^\/authors|^\/records\/r[0-9a-f]{24}(\?|$)/;

function ofEach(path: string): Row[] {
  return [
    asked(`HEAD ${path}`, path, { method: "HEAD" }, OK, EMPTY, expectHead(path)),
    row(`If-None-Match ${path}`, path, OK, STEADY, unchanged(path)),
    row(`open to every origin: ${path}`, path, OK, header("access-control-allow-origin", "*")),
    row(`nosniff: ${path}`, path, OK, header("x-content-type-options", "nosniff")),
    row(`Vary names Accept: ${path}`, path, OK, header("vary", /\baccept\b/i)),
  ];
}

const preflight = {
  method: "OPTIONS",
  headers: {
    origin: "https://example.org",
    "access-control-request-method": "GET",
    "access-control-request-headers": "x-api-key",
  },
};
const gzip = { headers: { "accept-encoding": "gzip" } };

export const TRANSPORT: readonly Statement[] = [
  ...clause(
    "decisions.md, Requests: HEAD and If-None-Match work everywhere",
    [...PAGES, ...QUERIES, ...OTHERS, DATASET_BADGE, ODD_BADGE].flatMap(ofEach),
  ),
  ...clause("decisions.md, URLs: Cache", [
    ...[...PAGES, ...QUERIES].map((path) =>
      row(path, path, OK, header("cache-control", namesPeople.test(path) ? personCache : cache)),
    ),
    ...[...PAGES, ...QUERIES].map((path) =>
      row(`the release of ${path}`, path, OK, header("share-release", /^sha256:[0-9a-f]{64}$/)),
    ),
    ...[...PAGES, ...QUERIES].map((path) =>
      row(`the media type of ${path}`, path, OK, header("content-type", /^application\/json(; charset=utf-8)?$/i)),
    ),
    asked("a rejection of HEAD has its status and no body", "/records?page=0", { method: "HEAD" }, status(400), EMPTY),
    asked("a 404 matches no condition", "/nothing", { headers: { "if-none-match": "*" } }, status(404)),
    asked("a 404 of HEAD has no body", "/nothing", { method: "HEAD" }, status(404), EMPTY),
    row(
      "a 404 is cached for at most 60 s",
      "/records/r000000000000000000000000",
      header("cache-control", /^public, max-age=60$|^no-store$/),
    ),
    row("other errors never", "/records?page=0", header("cache-control", "no-store")),
  ]),
  ...clause("conventions, HTTP: origins and compression", [
    asked(
      "a preflight of a list",
      "/records",
      preflight,
      status(200, 204),
      header("access-control-allow-methods", /GET/),
      header("access-control-allow-origin", "*"),
      header("access-control-allow-headers", /\*|x-api-key/i),
    ),
    asked(
      "a preflight of a record",
      RECORD,
      preflight,
      status(200, 204),
      header("access-control-allow-methods", /GET/),
    ),
    row(
      "headers of ours can be read by scripts",
      "/records",
      header("access-control-expose-headers", /SHARE-Release/i),
    ),
    asked(
      "an origin of its own changes nothing",
      "/records",
      { headers: { origin: "https://evil.example" } },
      OK,
      header("access-control-allow-origin", "*"),
    ),
    asked(
      "gzip if the client accepts it",
      "/records?limit=100",
      gzip,
      OK,
      header("content-encoding", "gzip"),
      header("vary", /accept-encoding/i),
    ),
    row("no compression if the client does not accept it", "/records?limit=100", OK, header("content-encoding", null)),
  ]),
  ...clause(
    "decisions.md, Errors: 405",
    PAGES.map((path) =>
      asked(`PATCH ${path}`, path, { method: "PATCH" }, rejected(405, "method-not-allowed"), header("allow", /GET/)),
    ),
  ),
];
