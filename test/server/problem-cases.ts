/**
 * Test cases for the error responses of a server: status, problem document and headers. No response may disclose internals such
 * as paths or SQL.
 */

import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { ROUTES } from "../../api-static/routes/index.ts";
import { isBadge, SVG_TYPE } from "../../api-static/routes/route.ts";
import { PROBLEMS, type ProblemType, problem } from "../../schemas/public/problem.ts";
import { ask, type Question, type Reply } from "./ask.ts";
import { type Listening, makeRecordId, SPECIAL } from "./test-store.ts";
import type { World } from "./world.ts";

interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Sends `text` as a raw request in Latin-1, and returns the reply once the connection is closed. The request should have
 * "Connection: close".
 */
async function askRaw(port: number, text: string): Promise<RawReply> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // The server may close the connection before the client has sent the whole request.
  socket.on("error", () => {});
  const closed = once(socket, "close");
  socket.write(text, "latin1");
  await closed;
  const all = Buffer.concat(chunks).toString("latin1");
  const end = all.indexOf("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(all)?.[1]), head: all.slice(0, end), body: all.slice(end + 4) };
}

interface Row {
  /**
   * The server that gets the request, by its release: complete, with SHARE 2.0 only, with incomplete attribution, or without a
   * score under SHARE 1.0.
   */
  readonly of: "full" | "limited" | "incomplete" | "unscored";
  readonly path: string;
  readonly type: ProblemType;
  readonly question?: Question;
  /** A text that `detail` of the problem document must contain. */
  readonly detail?: string;
  /** The parameters that `errors` of the problem document must name, in order. */
  readonly errors?: readonly string[];
}

const ID = makeRecordId(SPECIAL.winner);

const row = (of: Row["of"], path: string, type: ProblemType, rest: Partial<Row> = {}): Row => ({
  of,
  path,
  type,
  ...rest,
});

const ROWS: readonly Row[] = [
  ...["/records", "/authors", "/rubrics", "/geography", "/metrics/live", "/widgets/datasets", "/releases"].flatMap(
    (path) =>
      ["/", "/?", "/?limit=1", "/?rubric=2.0", "/?rubric=9"].map((end) => row("full", `${path}${end}`, "not-found")),
  ),
  row("full", "/records?rubric=3.0", "unsupported-rubric", { errors: ["rubric"], detail: "2.0 and 1.0" }),
  row("full", "/records?rubric=2.0&x=1&rubric=2.0", "invalid-parameter", { errors: ["rubric", "x"], detail: "rubric" }),
  row("full", "/records?doi=10.1%2Fx", "invalid-parameter", { errors: ["doi"] }),
  row("full", "/records?orcid=0000-0002-1825-0097&page=0", "invalid-parameter", { errors: ["page", "orcid"] }),
  ...["2020-02-30", "2021-02-29", "2020-04-31"].map((day) =>
    row("full", `/records?publishedFrom=${day}`, "invalid-parameter", { errors: ["publishedFrom"] }),
  ),
  row("full", "/records?q=x&rubric=9", "unsupported-rubric", { errors: ["rubric", "q"] }),
  row("limited", "/records?rubric=1.0", "rubric-not-published", { detail: "SHARE 1.0" }),
  row("full", "/records?page=1&page=1&search=a&search=b", "invalid-parameter", { errors: ["page", "search"] }),
  row("incomplete", "/institutions", "attribution-not-published"),
  row("incomplete", "/geography?rubric=2.0", "attribution-not-published"),
  row("incomplete", "/records?countryCode=NOR", "attribution-not-published"),
  row("incomplete", `/records?institution=${"0".repeat(64)}`, "attribution-not-published"),
  row("incomplete", `/authors?institution=${"0".repeat(64)}`, "attribution-not-published"),
  ...["/records", "/records?minScore=1", "/authors", "/metrics/live"].map((path) =>
    row("unscored", `${path}${path.includes("?") ? "&" : "?"}rubric=1.0`, "rubric-not-published", {
      detail: "No record of the current release has a total under SHARE 1.0.",
    }),
  ),
  row("full", "/rubrics/3.0", "unsupported-rubric", { errors: ["version"], detail: "2.0 and 1.0" }),
  row("full", `/rubrics/${"2".repeat(50)}`, "unsupported-rubric", { errors: ["version"] }),
  row("full", `/records/${makeRecordId(SPECIAL.tombstone)}`, "dataset-not-found", {
    detail: "Zenodo marks the record as deleted",
  }),
  row("full", `/records/${makeRecordId(SPECIAL.gone)}`, "dataset-not-found", { detail: "the DOI does not exist" }),
  row("full", `/records/${makeRecordId(SPECIAL.withheld)}`, "dataset-not-found", { detail: "withheld by its sponsor" }),
  row("full", "/records/10.5281", "dataset-not-found", { detail: "24 hexadecimal digits" }),
  // If the path has a DOI or another identifier in place of the id, the error names the URL that looks it up.
  ...["10.5072%2Fe", "doi:10.5072%2FE", "https:%2F%2Fdoi.org%2F10.5072%2Fe", "10.5072%2Fe/impact"].map((name) =>
    row("full", `/records/${name}`, "dataset-not-found", { detail: "use /records?doi=10.5072%2Fe." }),
  ),
  ...["10.5072/e", "https://doi.org/10.5072/e", "doi:10.5072/E?rubric=1.0"].map((name) =>
    row("full", `/records/${name}`, "not-found", { detail: "use /records?doi=10.5072%2Fe." }),
  ),
  row("full", "/records/zenodo%2F99000001", "dataset-not-found", { detail: "/records?identifier=zenodo%2F99000001." }),
  row("full", "/records/zenodo/99000001", "not-found", { detail: "/records?identifier=zenodo%2F99000001." }),
  row("full", "/records/NCT00465816", "dataset-not-found", { detail: "?identifier=clinicaltrials%2FNCT00465816." }),
  row("full", "/authors/jane-doe-0000-0000-0000-0000", "researcher-not-found"),
  row("full", "/authors/jane-doe-0000000000", "researcher-not-found"),
  row("full", "/authors/caf%C3%A9", "researcher-not-found"),
  row("full", `/records/${"a".repeat(170)}`, "dataset-not-found", { detail: "24 hexadecimal digits" }),
  row("full", `/authors/${"a".repeat(170)}`, "researcher-not-found"),
  row("full", "/problems/nothing", "not-found"),
  row("full", "/nothing", "not-found", { question: { method: "POST", body: "{", headers: { "content-type": "a/b" } } }),
  row("full", `/releases/sha256-${"0".repeat(64)}`, "release-not-found"),
  row("full", "/releases/newest", "release-not-found"),
  ...["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"].map((method) =>
    row("full", "/records", "method-not-allowed", {
      question: { method, body: "{", headers: { "content-type": "a/b" } },
    }),
  ),
  row("full", "/releases", "method-not-allowed", { question: { method: "DELETE" } }),
];

/** URLs that try to leave the folder of pages or of a release. Each must return 404. */
const TRAVERSALS = [
  "/records/..%2f..%2frelease.json",
  "/records/%2e%2e",
  "/records/..%5c..%5cetc",
  "/records/%00",
  `/records/${ID}%00`,
  `/records/${ID}%2f..%2f${ID}`,
  "/records/%zz",
  "/records/%ff%fe",
  `/records/${"r".repeat(5000)}`,
  `/records/${"%41".repeat(4000)}`,
  "/authors/..%2f..%2f..%2f..%2fetc%2fpasswd",
  "/authors/..",
  "/authors/...",
  "/authors/~root",
  "/authors/%2e%2e%2f",
  "/authors/__proto__",
  "/widgets/repositories/..%2f..%2f..%2frelease.json/badge.svg",
  // This file exists in the release, but a path with the label of a repository must not reach it.
  `/widgets/repositories/..%2fdatasets%2f${ID.slice(1, 4)}%2f${ID}/badge.svg`,
  `/widgets/researchers/..%2f..%2fdatasets%2f${ID.slice(1, 4)}%2f${ID}/badge.svg`,
  "/widgets/repositories/%2e%2e/badge.svg",
  "/widgets/repositories/..%00/badge.svg",
  `/widgets/repositories/${"a".repeat(5000)}/badge.svg`,
  "/widgets/repositories/Zenodo'%20or%20'1'='1/badge.svg",
  "/records/a..",
  "/records/a../impact",
  "/widgets/datasets/a../badge.svg",
  "/records/../release.json",
  "/../release.json",
  "/releases/..",
  "/releases/%2e%2e/raw/zenodo/000001.ndjson.zst",
  "/releases/sha256-{hex}/../../raw/zenodo/000001.ndjson.zst",
  "/releases/sha256-{hex}/%2e%2e/%2e%2e/raw/zenodo/000001.ndjson.zst",
  "/releases/sha256-{hex}/..%2f..%2fraw%2fzenodo%2f000001.ndjson.zst",
  "/releases/sha256-{hex}/data/../release.json",
  "/releases/sha256-{hex}/data%2f..%2frelease.json",
  "/releases/sha256-{hex}/%00release.json",
  "/releases/sha256-{hex}/release.json%00.json",
  "/releases/sha256-{hex}//release.json",
  "/releases/sha256-{hex}/data",
  "/releases/sha256-{hex}/",
  "/releases/sha256-{hex}/data/RECORDS/part-0000.parquet",
  `/releases/sha256-{hex}/${"data/".repeat(1000)}`,
];

const END = "Host: x\r\nConnection: close\r\n\r\n";

interface RawRow {
  readonly name: string;
  readonly request: string;
  readonly type: ProblemType;
  readonly method?: "HEAD";
}

/** Requests that the HTTP parser rejects. */
const MALFORMED: readonly RawRow[] = [
  { name: "no Host header", request: "GET /rubrics HTTP/1.1\r\nConnection: close\r\n\r\n", type: "invalid-request" },
  { name: "two Host headers", request: `GET /rubrics HTTP/1.1\r\nHost: y\r\n${END}`, type: "invalid-request" },
  { name: "two equal Host headers", request: `GET /rubrics HTTP/1.1\r\nhost: x\r\n${END}`, type: "invalid-request" },
  {
    name: "an invalid Host header",
    request: "GET /rubrics HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
    type: "invalid-request",
  },
  { name: "an Expect header", request: `GET /rubrics HTTP/1.1\r\nExpect: x\r\n${END}`, type: "expectation-failed" },
  {
    name: "an Expect header with HEAD",
    request: `HEAD /rubrics HTTP/1.1\r\nExpect: x\r\n${END}`,
    type: "expectation-failed",
    method: "HEAD",
  },
  {
    name: "an Expect header with a body",
    request: `POST /evaluations HTTP/1.1\r\nExpect: x\r\nContent-Length: 2\r\n${END}{}`,
    type: "expectation-failed",
  },
  { name: "bytes that are not HTTP", request: "hello\r\n\r\n", type: "invalid-request" },
  {
    name: "two Content-Length headers",
    request: `POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${END}`,
    type: "invalid-request",
  },
];

const WELL_FORMED = [
  { name: "HTTP/1.0 without a host", request: "GET /rubrics HTTP/1.0\r\n\r\n" },
  ...["", "x:80", "x:", "[::1]:8080", "127.0.0.1", "a_b.example"].map((host) => ({
    name: `the host "${host}"`,
    request: `GET /rubrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  })),
];

export function problemCases(world: () => World): void {
  describe("problem responses", () => {
    const servers = new Map<Row["of"], Listening>();

    beforeAll(async () => {
      const { full, limited, store } = world();
      const attribution = { complete: false, records: 10, attributed: 4, unattributed: 5 };
      servers.set("full", await world().serve(store));
      servers.set("limited", await world().serve(await world().altered(limited)));
      const { scored, insufficient } = full.coverage;
      const rubrics = full.rubrics.map((rubric) => ({
        ...rubric,
        insufficient: rubric.version === "1.0" ? scored + insufficient : rubric.insufficient,
      }));
      servers.set("unscored", await world().serve(await world().altered(full, { rubrics })));
      servers.set("incomplete", await world().serve(await world().altered(full, { attribution })));
    });

    const port = (of: Row["of"]) => servers.get(of)?.port ?? 0;

    function expectProblem(reply: Reply, type: ProblemType, path: string) {
      const { status, title } = PROBLEMS[type];
      expect(reply.status).toBe(status);
      expect(reply.headers["content-type"]).toBe("application/problem+json");
      expect(reply.headers["cache-control"]).toBe(status === 404 ? "public, max-age=60" : "no-store");
      expect(reply.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
      const document = problem.strict().parse(JSON.parse(reply.text));
      expect(document).toMatchObject({ type: `/problems/${type}`, title, status, instance: path.split("?")[0] });
      // No response discloses the machine, the engine or the code.
      expect(reply.text).not.toMatch(/\/tmp\/|\.ts\b|node_modules|\bat \w+ \(|select |parquet|ENOENT/i);
      return document;
    }

    test.each(ROWS)(
      "$path of the $of release returns the problem $type",
      async ({ of, path, type, question, detail = "", errors }) => {
        const reply = await ask(port(of), path, question);
        const document = expectProblem(reply, type, path);
        expect(document.detail).toContain(detail);
        expect(document.errors?.map((error) => error.path)).toEqual(errors);
        if (type === "method-not-allowed") expect(reply.headers.allow).toBe("GET, HEAD, OPTIONS");
      },
    );

    const ADDRESSES = ROUTES.filter((route) => !route.session && !isBadge(route) && route.name !== "orcid-callback");
    test.each(ADDRESSES)("$method $path rejects unknown parameters", async ({ method, path, key, query }) => {
      const target = path.replace("{file}", "release.json").replace(/\{\w+\}/, encodeURIComponent(key?.example ?? ""));
      const { port: own } = servers.get("full") ?? { port: 0 };
      const question = { method: method.toUpperCase(), headers: { origin: `http://localhost:${own}` } };
      const rejected = await ask(own, `${target}?nothing=1`, question);
      const missing = Object.keys(query.shape).filter((name) => !query.shape[name]?.safeParse(undefined).success);
      expect([rejected.status, JSON.parse(rejected.text).errors.map((error: { path: string }) => error.path)]).toEqual([
        400,
        [...missing, "nothing"],
      ]);
      if (missing.length > 0) {
        const bare = await ask(own, target, question);
        expect([bare.status, JSON.parse(bare.text).errors.map((error: { path: string }) => error.path)]).toEqual([
          400,
          missing,
        ]);
      }
      const ignored = await ask(own, `${target}?utm_source=1&_=2&cb=3`, question);
      expect(ignored.text).not.toContain("is not a parameter");
    });

    const KEYED = ROUTES.flatMap(({ key, ...route }) =>
      key === null || route.session ? [] : [{ ...route, unknown: key.unknown.problem }],
    );
    test.each(KEYED)(
      "$path returns the problem $unknown for a key that is too long",
      async ({ path, unknown, ...route }) => {
        const reply = await ask(
          port("full"),
          path.replace("{file}", "release.json").replace(/\{\w+\}/, "x".repeat(500)),
        );
        expect(reply.status).toBe(PROBLEMS[unknown].status);
        if (!isBadge(route)) expect(JSON.parse(reply.text).type).toBe(`/problems/${unknown}`);
      },
    );

    test.each(["/", "/docs", "/problems/not-found", "/auth/magic"])(
      "%s ignores campaign parameters in a link",
      async (path) => {
        const accept = { headers: { accept: "text/html" } };
        const shown = await ask(port("full"), `${path}?fbclid=IwAR0&gclid=x&utm_source=y`, accept);
        expect([shown.status, shown.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
        expect((await ask(port("full"), `${path}?q=x&fbclid=IwAR0`, accept)).status).toBe(400);
      },
    );

    test.each(TRAVERSALS)("a path that leaves its folder returns 404: %s", async (template) => {
      const path = template.replace("{hex}", world().full.releaseDigest.slice(7));
      const { status, headers, text } = await ask(port("full"), path);
      expect(status).toBe(404);
      expect(headers["content-type"]).toBe(path.endsWith("/badge.svg") ? SVG_TYPE : "application/problem+json");
      expect(text).not.toContain(world().store.root);
    });

    test("headers that are too large or malformed are rejected", async () => {
      const large = await ask(port("full"), `/records/${"a".repeat(20_000)}`);
      expect([large.status, JSON.parse(large.text).type]).toEqual([431, "/problems/headers-too-large"]);
      const socket = connect(port("full"), "127.0.0.1");
      socket.end("hello\r\n\r\n");
      const [answer] = await once(socket, "data");
      const [head = "", body = ""] = String(answer).split("\r\n\r\n");
      expect(head).toMatch(
        /^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application\/problem\+json/,
      );
      expect(JSON.parse(body)).toMatchObject({ type: "/problems/invalid-request", status: 400 });
    });

    test.each(MALFORMED)(
      "a malformed request gets the problem $type: $name",
      async ({ request, type, method = "GET" }) => {
        const { status, head, body } = await askRaw(port("full"), request);
        expect(status).toBe(PROBLEMS[type].status);
        const lines = head.toLowerCase().split("\r\n");
        for (const [name, value] of Object.entries(SHARED_HEADERS))
          expect(lines).toContain(`${name}: ${value}`.toLowerCase());
        expect(lines).toContain("content-type: application/problem+json");
        expect(lines).toContain("cache-control: no-store");
        if (method === "HEAD") expect(body).toBe("");
        else expect(problem.strict().parse(JSON.parse(body))).toMatchObject({ type: `/problems/${type}`, status });
      },
    );

    test.each(WELL_FORMED)("a request with $name is accepted", async ({ request }) => {
      expect((await askRaw(port("full"), request)).status).toBe(200);
    });

    test("a request with an Expect header that cannot be met has a request ID and counts towards the rate limit", async () => {
      const { head, body } = await askRaw(port("full"), `GET /rubrics?x=1 HTTP/1.1\r\nExpect: x\r\n${END}`);
      expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/m);
      expect(head).toMatch(/^ratelimit: "anonymous";r=\d+;t=\d+$/m);
      expect(JSON.parse(body).instance).toBe("/rubrics");
    });

    test("the fields __proto__ and constructor of a body are ignored", async () => {
      const { port: own } = await world().serve(world().store, {
        accounts: { sqlite: join(world().store.root, "own.sqlite") },
      });
      const body =
        '{"name":"A","email":"a@example.org","__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}';
      const headers = { "content-type": "application/json" };
      const { status, text } = await ask(own, "/api-keys/register", { method: "POST", headers, body });
      expect([status, JSON.parse(text).name]).toEqual([201, "A"]);
    });

    test("a page that is missing in the release is made from its tables, byte for byte", async () => {
      const store = await world().altered(world().full);
      const [author] = await world().researchers();
      const folder = store.release(world().full.releaseDigest);
      for (const pack of ["2.0/record", "2.0/author", "release"]) rmSync(join(folder, `pages/${pack}.zst`));
      const { port } = await world().serve(store);
      for (const path of [`/records/${ID}`, `/authors/${author?.slug}`, "/rubrics"]) {
        const [lost, whole] = [await ask(port, path), await ask(servers.get("full")?.port ?? 0, path)];
        expect([path, lost.status, lost.text]).toEqual([path, 200, whole.text]);
        expect(lost.headers.etag).toBe(whole.headers.etag);
      }
    });

    test("every problem type has a page as JSON and as HTML", async () => {
      for (const type of Object.keys(PROBLEMS)) {
        const json = await ask(port("full"), `/problems/${type}`);
        expect(JSON.parse(json.text)).toMatchObject({ type: `/problems/${type}` });
        const html = await ask(port("full"), `/problems/${type}`, { headers: { accept: "text/html" } });
        expect([html.status, html.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
        expect(html.headers["content-security-policy"]).toContain("default-src 'none'");
        expect(html.headers.etag).not.toBe(json.headers.etag);
      }
    });

    test("a request with an unsupported method is rejected before its body has arrived", async () => {
      const socket = connect(port("full"), "127.0.0.1");
      socket.write(
        "DELETE /records HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{",
      );
      const [answer] = await once(socket, "data");
      socket.destroy();
      expect(String(answer)).toMatch(/^HTTP\/1\.1 405 /);
    });

    test("OPTIONS lists the allowed methods for browsers", async () => {
      const { status, headers } = await ask(port("full"), "/records", { method: "OPTIONS" });
      expect([status, headers.allow]).toEqual([204, "GET, HEAD, OPTIONS"]);
      expect(headers["access-control-allow-methods"]).toContain("GET");
      expect(headers["access-control-max-age"]).toBe("86400");
      expect(headers["ratelimit-policy"]).toMatch(/^"preflight";/);
    });
  });
}
