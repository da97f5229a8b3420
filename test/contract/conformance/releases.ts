/** Statements about endpoints that this project added: releases and their files, the state of the service, versioning. */

import { hash } from "node:crypto";
import { SOURCES } from "../../../pipeline/sources/index.ts";
import { every, field, header, json, OK, rejected, status } from "./expectations.ts";
import { asked, clause, type Expectation, row, type Statement } from "./statement.ts";
import {
  ARRAY,
  at,
  DIGEST,
  exactly,
  INSTANT,
  INTEGER,
  kind,
  like,
  listAt,
  numberAt,
  OBJECT,
  parseJson,
  shown,
  TEXT,
  textAt,
} from "./values.ts";

const RELEASE = "/releases/{digest}";
const UNKNOWN = `/releases/sha256-${"0".repeat(64)}`;
const IMMUTABLE = header("cache-control", /max-age=31536000.*immutable/);

/** Expects the files of a release to have the bytes and digests of the manifest. Fetches only the thirty smallest. */
const MANIFEST: Expectation = {
  text: "files have the bytes and sha256 that the manifest says",
  async fault({ text }, ask) {
    const lines = text
      .trim()
      .split("\n")
      .map(parseJson)
      .toSorted((one, other) => numberAt(one, "bytes") - numberAt(other, "bytes"));
    if (lines.length < 30) return `${lines.length} lines`;
    for (const line of lines.slice(0, 30)) {
      const { body, status: seen } = await ask(`${RELEASE}/${textAt(line, "path")}`);
      const right = body.length === numberAt(line, "bytes") && hash("sha256", body) === textAt(line, "sha256");
      if (seen !== 200 || !right) return `${seen} for ${shown(line)}`;
    }
    return null;
  },
};

const RANGE: Expectation = {
  text: "the first ten bytes",
  async fault({ body, headers }, ask) {
    const whole = (await ask(`${RELEASE}/manifest.ndjson`)).body;
    const right = body.equals(whole.subarray(0, 10)) && headers["content-range"] === `bytes 0-9/${whole.length}`;
    return right ? null : `${body.length} bytes, content-range ${headers["content-range"]}`;
  },
};

const RECEIPT = {
  scoreReleaseVersion: exactly("2026.11.01"),
  releaseDigest: DIGEST,
  manifestDigest: DIGEST,
  publishedAt: INSTANT,
  asOf: exactly("2026-11-01"),
  previousReleaseDigest: DIGEST,
  rubrics: ARRAY,
  tool: OBJECT,
  sources: ARRAY,
  coverage: OBJECT,
  rejected: OBJECT,
  attribution: OBJECT,
  withheld: OBJECT,
} as const;

const RECONCILED = json("coverage and attribution reconcile", (body) => {
  const { harvested, ...rest } = Object(at(body, "coverage"));
  const sum = Object.values(rest).reduce<number>((all, count) => all + Number(count), 0);
  const attributed = numberAt(body, "attribution.attributed") + numberAt(body, "attribution.unattributed");
  const right =
    harvested === sum &&
    attributed === numberAt(body, "attribution.records") &&
    at(body, "attribution.complete") === true;
  return right ? null : shown([at(body, "coverage"), at(body, "attribution")]);
});

const DESCRIBED = json("every path of the endpoint table that the read API has", (body) => {
  const paths = [
    "/records",
    "/records/{id}",
    "/records/{id}/impact",
    "/authors",
    "/authors/{slug}",
    "/metrics/live",
    "/metrics/history",
    "/api-keys/register",
    "/rubrics",
    "/rubrics/{version}",
    "/institutions",
    "/geography",
    "/widgets/datasets/{id}/badge.svg",
    "/widgets/repositories/{repository}/badge.svg",
    "/widgets/researchers/{slug}/badge.svg",
  ];
  const missing = paths.filter((path) => at(Object(at(body, "paths"))[path], "") === undefined);
  return missing.length === 0 ? null : `not described: ${missing.join(", ")}`;
});

const NO_THIRD_PARTY: Expectation = {
  text: "nothing loaded from another host",
  fault: ({ text }) => {
    const loaded = /<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\/[^"]*"/i.exec(text);
    return loaded === null ? null : loaded[0];
  },
};

const HTML = { headers: { accept: "text/html" } };

export const RELEASES: readonly Statement[] = [
  ...clause("decisions.md, URLs: releases", [
    row(
      "the list, newest first",
      "/releases",
      OK,
      json("two releases", (body) => {
        const versions = (JSON.stringify(body) ?? "").match(/"scoreReleaseVersion":"[^"]+"/g) ?? [];
        return versions.join().includes("2026.11.01") &&
          versions.join().includes("2026.10.31") &&
          versions.findIndex((text) => text.includes("11.01")) < versions.findIndex((text) => text.includes("10.31"))
          ? null
          : shown(versions);
      }),
    ),
    ...Object.entries(RECEIPT).map(([name, wanted]) => row(`receipt: ${name}`, RELEASE, OK, field(name, wanted))),
    row("a receipt reconciles", RELEASE, OK, RECONCILED),
    row("a receipt is cached for a year", RELEASE, OK, IMMUTABLE),
    row("release.json is a file of it", `${RELEASE}/release.json`, OK, IMMUTABLE, RECONCILED),
    row("files of the manifest", `${RELEASE}/manifest.ndjson`, OK, IMMUTABLE, MANIFEST),
    row("tables", `${RELEASE}/data/records/part-0000.parquet`, OK, IMMUTABLE),
    asked("part of a file", `${RELEASE}/manifest.ndjson`, { headers: { range: "bytes=0-9" } }, status(206), RANGE),
    asked(
      "a part beyond the end",
      `${RELEASE}/manifest.ndjson`,
      { headers: { range: "bytes=999999999-" } },
      rejected(416, "range-not-satisfiable"),
    ),
    row(
      "the colon form is redirected",
      "/releases/{colon}",
      status(308),
      header("location", /^\/releases\/sha256-[0-9a-f]{64}$/),
    ),
    row(
      "the colon form of a file is redirected",
      "/releases/{colon}/release.json",
      status(308),
      header("location", /^\/releases\/sha256-[0-9a-f]{64}\/release\.json$/),
    ),
    row("the changes since the release before", `${RELEASE}/diff`, OK),
    row("each change", `${RELEASE}/changes`, OK),
    asked("each change as CSV", `${RELEASE}/changes?limit=3`, { headers: { accept: "text/csv" } }, OK),
    row("some fields of each change", `${RELEASE}/changes?fields=id,kind,points`, OK),
    row(
      "a kind of change that is unknown",
      `${RELEASE}/changes?kind=nothing`,
      rejected(400, "invalid-parameter", "kind"),
    ),
    ...["diff", "changes"].map((name) =>
      row(`${name} of an unknown release`, `${UNKNOWN}/${name}`, rejected(404, "release-not-found")),
    ),
    row("the public keys for signatures of releases", "/.well-known/share-release-keys.json", OK),
    row("an unknown release", UNKNOWN, rejected(404, "release-not-found")),
    row("an invalid digest", "/releases/newest", rejected(404, "release-not-found")),
    row("a file the manifest does not name", `${RELEASE}/nothing.json`, rejected(404, "not-found")),
    row("a path that leaves the folder", `${RELEASE}/..%2f..%2f..%2fetc%2fpasswd`, rejected(404, "not-found")),
    row("the digest of the receipt is the list's", "/records", OK, {
      text: "_meta names the release that /releases/{digest} describes",
      fault: async ({ text }, ask) => {
        const digest = textAt(parseJson((await ask(RELEASE)).text), "releaseDigest");
        return textAt(parseJson(text), "_meta.scoreRelease.releaseDigest") === digest ? null : digest;
      },
    }),
  ]),
  ...clause("decisions.md, URLs: the service itself", [
    row("/health", "/health", OK, field("status", exactly("ok"))),
    row(
      "/status: per source",
      "/status",
      OK,
      json("every source with expected, got, age, errors by class", (body) => {
        const sources = listAt(body, "sources");
        const told = sources.every((source) =>
          ["expected", "got", "ageSeconds", "rejected"].every((name) => at(source, name) !== undefined),
        );
        return sources.length === SOURCES.length && told ? null : shown(body);
      }),
    ),
    row("/: where to begin", "/", OK, field("", OBJECT)),
    row(
      "/docs is a page",
      "/docs",
      OK,
      header("content-type", /^text\/html/),
      NO_THIRD_PARTY,
      header("content-security-policy", /default-src 'none'/),
    ),
    row("/docs/{group} is a page", "/docs/records", OK, header("content-type", /^text\/html/), NO_THIRD_PARTY),
    row(
      "/problems/{type}: JSON",
      "/problems/dataset-not-found",
      OK,
      field("type", exactly("/problems/dataset-not-found")),
    ),
    asked(
      "/problems/{type}: a page for people",
      "/problems/dataset-not-found",
      HTML,
      OK,
      header("content-type", /^text\/html/),
      NO_THIRD_PARTY,
    ),
    row("an unknown problem", "/problems/no-such-problem", rejected(404, "not-found")),
  ]),
  ...clause("interface.md, Versioning", [
    row("the API version is 1.6.0", "/openapi.json", OK, field("info.version", exactly("1.6.0"))),
    row("OpenAPI 3.1", "/openapi.json", OK, field("openapi", like(/^3\.1\.\d+$/))),
    row("identifies SHARE 2.0", "/openapi.json", OK, field("x-share-version", exactly("2.0"))),
    row("describes the read API", "/openapi.json", OK, DESCRIBED),
    row(
      "an API key in the header X-API-Key",
      "/openapi.json",
      OK,
      json("an apiKey scheme in a header", (body) => {
        const schemes = Object.values(Object(at(body, "components.securitySchemes")));
        return schemes.some(
          (scheme) =>
            at(scheme, "type") === "apiKey" && at(scheme, "in") === "header" && at(scheme, "name") === "X-API-Key",
        )
          ? null
          : shown(schemes);
      }),
    ),
    row("a title to know it by", "/openapi.json", OK, field("info.title", TEXT)),
    row(
      "scores come from an immutable release",
      "/metrics/live",
      OK,
      field("release.releaseDigest", DIGEST),
      field("release.coverage.failed", INTEGER),
    ),
    row(
      "snapshots keep their digest",
      "/metrics/history",
      OK,
      every(
        "",
        "releaseDigest",
        kind("a digest", (value) => DIGEST.is(value)),
      ),
    ),
  ]),
];
