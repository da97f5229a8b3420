/** Hostile requests for fuzz tests: parameters, keys, headers and bodies. */

import { METHODS } from "node:http";
import fc from "fast-check";
import { AUTHOR, RECORD } from "./conformance/addresses.ts";

/** Paths of every endpoint of the read API, including feeds and files of repairs; `*` stands for a key. */
export const TEMPLATES = [
  "/records",
  "/records/*",
  "/records/*/impact",
  "/authors",
  "/authors/*",
  "/metrics/live",
  "/metrics/history",
  "/rubrics",
  "/rubrics/*",
  "/institutions",
  "/geography",
  "/widgets/datasets/*/badge.svg",
  "/widgets/repositories/*/badge.svg",
  "/widgets/researchers/*/badge.svg",
  "/releases",
  "/releases/*",
  "/releases/*/*",
  "/health",
  "/status",
  "/problems/*",
  "/openapi.json",
  "/docs",
  "/",
  "/api-keys/register",
  "/*",
  "/metrics/*",
  "/improvements",
  "/repositories/*/improvements",
  "/repositories/*/crosswalk",
  "/repositories/*/repairs.csv",
  "/repositories/*/updates.jsonl",
  "/repositories/*/changes.atom",
  "/researchers/*/changes.atom",
  "/datasets/*/changes.atom",
  "/datasets/*/linkset",
  "/datasets.atom",
  "/releases/*/changes",
  "/funders/*/changes.atom",
  "/organisations/*/changes.atom",
  "/card.png",
  "/datasets/*/card.png",
  "/researchers/*/card.png",
  "/repositories/*/card.png",
  "/organisations/*/card.png",
  "/funders/*/card.png",
  "/signals/*/card.png",
] as const;

export const PARAMETERS = [
  "rubric",
  "page",
  "limit",
  "sortBy",
  "sortOrder",
  "search",
  "identifier",
  "repository",
  "recordKind",
  "disease",
  "ageGroup",
  "dataType",
  "accessStatus",
  "license",
  "spellings",
  "minScore",
  "maxScore",
  "minSupportedChecks",
  "minSIndex",
  "minDatasets",
  "countryCode",
  "institution",
  "cursor",
  "ids",
  "fields",
  "__proto__",
  "constructor",
  "toString",
] as const;

/** Words that have made other services fail. */
const KNOWN = [
  "",
  " ",
  "\0",
  "a\0b",
  "%",
  "%00",
  "%zz",
  "%25",
  "..",
  "../../etc/passwd",
  "..\\..",
  "'",
  "''",
  '"',
  "`",
  "\\",
  "' or '1'='1",
  "1; drop table record; --",
  "') union select null --",
  "$1",
  "$value",
  "?",
  "{{7*7}}",
  "#{7*7}",
  "<script>alert(1)</script>",
  "\r\nX: y",
  "\u202e",
  "\ufeff",
  "\u{10ffff}",
  "e\u0301",
  "İ",
  "ﬃ",
  "𝟙",
  "ß",
  "ς",
  "\u2028",
  "🏳️‍🌈",
  "null",
  "undefined",
  "NaN",
  "Infinity",
  "-Infinity",
  "-0",
  "+1",
  "0x10",
  "1e3",
  "1e999",
  "1_0",
  "1,5",
  "１",
  ".5",
  "5.",
  "00",
  "-1",
  "0",
  "1",
  "10000",
  "10001",
  "9007199254740993",
  "99999999999999999999",
  "1.0000000000000001",
  "true",
  "[]",
  "{}",
  "[object Object]",
  "__proto__",
  "10.",
  "10.5072/",
  "10.5072/*",
  "doi:",
  "doi:10.",
  "https://doi.org/",
  "zenodo/",
  "/",
  "//",
  "asc",
  "desc",
  "score",
  "2.0",
  "1.0",
  "*",
  "a*",
  '"a',
  "a OR b",
  "(",
  "a".repeat(81),
  "é".repeat(257),
  "長".repeat(300),
  "a ".repeat(250),
  "10.1/".repeat(100),
];

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...KNOWN) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 500, maxLength: 1500 }) },
  { weight: 1, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.bigInt().map(String) },
);

/** Encodes a text. UTF-8 cannot encode lone surrogates, so they become the replacement character. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

/** Texts that a request target can contain although they are not a valid encoding, such as `%zz`. */
const raw = fc.string({
  unit: fc.constantFrom(..."%0123456789abcdefABCDEF&=;+?/#.:~_-!$'()*,@[]{}|\\^`<>\"ÿé".split("")),
  maxLength: 30,
});

const key = fc.oneof(
  { weight: 3, arbitrary: word.map(encoded) },
  { weight: 2, arbitrary: raw },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      RECORD.slice(9),
      AUTHOR.slice(9),
      "2.0",
      "Zenodo",
      "internal",
      "release.json",
      `sha256-${"0".repeat(64)}`,
    ),
  },
);

const pair = fc.tuple(
  fc.constantFrom(...PARAMETERS),
  fc.oneof({ weight: 5, arbitrary: word.map(encoded) }, { weight: 1, arbitrary: raw }),
);

/** Request targets: an endpoint with keys and up to five parameters. */
export const target = fc
  .tuple(fc.constantFrom(...TEMPLATES), fc.array(key, { minLength: 2, maxLength: 2 }), fc.array(pair, { maxLength: 5 }))
  .map(([template, keys, pairs]) => {
    let used = 0;
    const path = template.replace(/\*/g, () => keys[used++] ?? "");
    const query = pairs.map(([name, value]) => `${name}=${value}`).join("&");
    return query === "" ? path : `${path}?${query}`;
  });

/** Returns request targets of lists, records and metrics that have this parameter with any value. */
export const makeParameter = (name: string) =>
  fc
    .tuple(
      fc.constantFrom("/records", "/authors", "/institutions", "/geography", RECORD, AUTHOR, "/metrics/live"),
      word,
    )
    .map(([path, value]) => `${path}?${encoded(name)}=${encoded(value)}`);

/** Bytes that are possible in a header. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

const HEADERS = [
  "accept",
  "if-none-match",
  "if-match",
  "if-modified-since",
  "if-range",
  "range",
  "x-api-key",
  "x-forwarded-for",
  "x-real-ip",
  "forwarded",
  "origin",
  "accept-encoding",
  "accept-language",
  "cookie",
  "authorization",
  "content-type",
  "access-control-request-method",
  "x-http-method-override",
  "x-request-id",
  "te",
] as const;

const VALUES = [
  "*",
  "*/*",
  "text/csv",
  "text/csv;q=2",
  "application/json;q=",
  ";;;",
  "text/html",
  '"',
  'W/"',
  'W/"a","',
  "bytes=0-",
  "bytes=-1",
  "bytes=5-1",
  "bytes=0-0,2-3",
  "bytes=99999999999999999999-",
  "bytes=a-b",
  "gzip;q=0",
  "br, gzip, zstd",
  "identity;q=0",
  "null",
  "http://x",
  "share_live_",
  `share_live_${"a".repeat(32)}`,
  "127.0.0.1",
  "::1",
  "203.0.113.7, 10.0.0.1",
  "for=_x",
  "DELETE",
  "application/json",
  "multipart/form-data",
  "0",
  "a".repeat(6000),
] as const;

export const headers = fc.dictionary(fc.constantFrom(...HEADERS), fc.oneof(fc.constantFrom(...VALUES), headerText), {
  maxKeys: 5,
});

/** Every method that a client can send, except CONNECT, which requests a tunnel and is answered by the HTTP parser. */
export const method = fc.constantFrom(...METHODS.filter((name) => name !== "CONNECT"));

const field = fc.oneof(
  fc.constantFrom("name", "email", "description", "__proto__", "constructor", "key"),
  fc.string({ maxLength: 10 }),
);

/** Bodies of a registration: almost valid bodies, any JSON, and any text. */
export const body = fc.oneof(
  fc.dictionary(field, fc.oneof(word, fc.jsonValue())).map((value) => JSON.stringify(value)),
  fc
    .record({ name: word, email: fc.oneof(fc.emailAddress(), word), description: word }, { requiredKeys: [] })
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom(
    "",
    "{",
    "[".repeat(5000),
    `{"name":${"1".repeat(400)}}`,
    '{"name":"\\ud800"}',
    '{"name":"a","name":"b"}',
    "x".repeat(65 * 1024),
    "\ufeff{}",
  ),
);

export const mediaType = fc.constantFrom(
  "application/json",
  "application/json; charset=utf-16",
  "application/json;x",
  "text/plain",
  "application/problem+json",
  "",
  "json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
);
