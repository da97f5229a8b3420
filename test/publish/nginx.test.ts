/**
 * Tests the sample configuration in docs/operate with a real nginx: it serves pages from published files, and passes everything
 * else to the server.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { type IncomingHttpHeaders, request as requestPlain } from "node:http";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect } from "node:tls";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SANDBOX, SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { ROUTES } from "../../api-static/routes/index.ts";
import { MAX_BODY_BYTES } from "../../api-static/routes/route.ts";
import { activate } from "../../pipeline/store/releases.ts";
import { storeRetraction } from "../../pipeline/store/retractions.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { ask, keptConnection, type Question } from "../server/ask.ts";
import { type Listening, serve } from "../server/test-store.ts";
import { World } from "../server/world.ts";
import type { Browser } from "../sign-in/browser.ts";
import { tokenIn } from "../sign-in/mailbox.ts";
import { SignInWorld } from "../sign-in/world.ts";
import { freePort } from "../support/free-port.ts";
import { HAS_NGINX, type SampleOptions, sampleConfiguration, startNginx } from "../support/nginx.ts";
import { makeTrees } from "../support/page-trees.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { pathsIn } from "../support/tree.ts";
import { IS_FIRST } from "../tiers.ts";
import { type Canonical, canonicalAddresses, FOR_THE_SERVER, ID, isServedFromFile } from "./front-cases.ts";

// The builds take seconds on an idle machine, and longer while other tests build too.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const sleep = async (milliseconds: number) => {
  await setTimeout(milliseconds);
};

const HAS_OPENSSL = spawnSync("openssl", ["version"]).status === 0;
if (!HAS_OPENSSL) console.warn("nginx is not tested over TLS: there is no openssl on the PATH");

interface Front extends AsyncDisposable {
  readonly port: number;
  readonly server: Listening;
  /** The requests that the server received from nginx or directly, in order. */
  readonly seen: { readonly method: string; readonly target: string; readonly headers: IncomingHttpHeaders }[];
  errors(): string;
}

/** Starts nginx with the sample configuration, and a server behind it. */
async function front(store: Store, options: Pick<SampleOptions, "tls" | "limit"> = {}): Promise<Front> {
  const plenty = { requests: 1_000_000, seconds: 60 };
  const server = await serve(store, { trustProxy: ["127.0.0.1"], quotas: { anonymous: plenty } });
  const seen: Front["seen"] = [];
  server.app.server.on("request", ({ method = "", url = "", headers }) => seen.push({ method, target: url, headers }));
  const port = await freePort();
  const nginx = await startNginx(
    sampleConfiguration({ store: store.root, port, servers: [server.port], ...options }),
    port,
  );
  return {
    port,
    server,
    seen,
    errors: nginx.errors,
    async [Symbol.asyncDispose]() {
      await nginx.stop();
      await server.close();
    },
  };
}

describe.skipIf(!HAS_NGINX)("the sample configuration of nginx", () => {
  let world: World;
  let at: Front;
  let pages: readonly Canonical[];
  let samples: readonly Canonical[];
  const agent = keptConnection();
  const through = (target: string, question: Question = {}) => ask(at.port, target, { agent, ...question });
  const direct = (target: string, question: Question = {}) => ask(at.server.port, target, { agent, ...question });

  beforeAll(async () => {
    world = await World.make();
    await makeTrees(world.store, world.full.releaseDigest);
    at = await front(world.store);
    const all = await canonicalAddresses(world.store.release(world.full.releaseDigest));
    pages = all.filter(isServedFromFile);
    samples = [...Map.groupBy(pages, ({ route }) => route.name).values()].flatMap((some) => some.slice(0, 2));
  });

  afterAll(async () => {
    agent.destroy();
    await at?.[Symbol.asyncDispose]();
    await world?.end();
  });

  test("nginx with the sample configuration serves every page without researchers from its file with the right headers, and without a request to the server", async () => {
    const before = at.seen.length;
    expect(pages.length).toBeGreaterThan(200);
    expect(pages.filter(({ target }) => target.includes("%20")).length).toBeGreaterThan(0);
    for (const { target, bytes, route } of pages) {
      const { status, body, headers } = await through(target);
      expect([target, status, body.equals(bytes)]).toEqual([target, 200, true]);
      expect(headers).toMatchObject({
        "content-type": route.contentType.replace(/;.*/, ""),
        "cache-control": route.cache,
        "content-security-policy": SANDBOX.replace(" base-uri 'none'; form-action 'none';", ""),
        "x-content-type-options": "nosniff",
        "access-control-allow-origin": "*",
      });
      const names = (vary: string) => vary.toLowerCase().split(", ").sort();
      expect(names(headers.vary ?? "")).toEqual(names(SHARED_HEADERS.vary));
    }
    expect(at.seen.length).toBe(before);
    expect([...new Set(samples.map(({ route }) => route.name))].sort()).toEqual([
      "dataset-badge",
      "geography",
      "history",
      "impact",
      "institutions",
      "metrics",
      "records",
      "repository-badge",
      "rubric",
      "rubrics",
    ]);
  });

  test("nginx with the sample configuration responds to GET, HEAD, gzip and If-None-Match for a page as the server does", async () => {
    for (const { target, bytes } of samples) {
      expect([target, (await through(target)).text]).toEqual([target, (await direct(target)).text]);
      const head = await through(target, { method: "HEAD" });
      expect([head.status, head.headers["content-length"]]).toEqual([200, String(bytes.length)]);
      const gzip = await through(target, { headers: { "accept-encoding": "gzip" } });
      expect((gzip.headers["content-encoding"] === "gzip" ? gunzipSync(gzip.body) : gzip.body).equals(bytes)).toBe(
        true,
      );
      const { etag = "" } = head.headers;
      expect((await through(target, { headers: { "if-none-match": etag } })).status).toBe(304);
    }
  });

  test.each(FOR_THE_SERVER)(
    "nginx with the sample configuration passes $name to the server: $target",
    async ({ target, status, question = {} }) => {
      const before = at.seen.length;
      const reply = await through(target, question);
      expect(at.seen.slice(before)).toMatchObject([{ method: question.method ?? "GET", target }]);
      const own = await direct(target, question);
      expect([reply.status, own.status]).toEqual([status, status]);
      const shown = ["content-type", "cache-control", "location", "allow", "etag"] as const;
      expect(shown.map((name) => reply.headers[name])).toEqual(shown.map((name) => own.headers[name]));
      if (status === 200) expect(reply.body.equals(own.body)).toBe(true);
    },
  );

  test("nginx with the sample configuration has no files with pages of researchers, so it cannot serve those", async () => {
    const paths = await pathsIn(world.store.tree(world.full.releaseDigest));
    expect(paths.filter((path) => /^(?:\d\.\d\/)?(?:authors|widgets\/researchers)/.test(path))).toEqual([]);
  });

  test("nginx with the sample configuration overwrites forwarded headers from a client, and passes drafts to the server", async () => {
    const headers = {
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-host": "evil.example",
      forwarded: "for=203.0.113.7",
      "x-forwarded-proto": "https",
    };
    await through("/status", { headers });
    const seen = at.seen.at(-1)?.headers;
    expect(seen).toMatchObject({
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      host: `127.0.0.1:${at.port}`,
    });
    expect([seen?.forwarded, seen?.["x-forwarded-host"]]).toEqual([undefined, undefined]);
    const body = `{"metadata":"${"x".repeat(500_000)}"}`;
    const draft = { method: "POST", headers: { "content-type": "application/json" }, body };
    expect((await through("/evaluations/draft?source=zenodo", draft)).headers["content-type"]).toContain("problem");
  });

  test("nginx with the sample configuration passes the longest queries of a list, also to a browser, which is redirected", async () => {
    const ids = Array.from({ length: 100 }, (_, i) => `r${i.toString(16).padStart(24, "0")}`).join(",");
    for (const query of [`ids=${ids}`, `page=2&search=${"%F0%9F%98%80".repeat(512)}`]) {
      expect((await through(`/records?${query}`)).status).toBe(200);
      const headers = { accept: "text/html", "sec-fetch-mode": "navigate" };
      expect((await through(`/records?${query}`, { headers })).status).toBeLessThan(400);
    }
  });

  const posts = ROUTES.filter(({ method, key }) => method === "post" && key === null);

  test.each(posts)(
    "nginx with the sample configuration passes bodies to $path that the server accepts, and rejects longer ones with 413",
    async (route) => {
      const { path, largestBody } = route;
      const headers = { "content-type": "application/json" };
      const post = (bytes: number) => through(path, { method: "POST", headers, body: "x".repeat(bytes) });
      const before = at.seen.length;
      expect((await post(largestBody)).headers["x-request-id"]).toBeDefined();
      expect(at.seen.length).toBe(before + 1);
      const longer = await post(largestBody === MAX_BODY_BYTES ? MAX_BODY_BYTES + 1 : 12 * 1024 * 1024);
      expect([longer.status, longer.headers["x-request-id"], at.seen.length]).toEqual([413, undefined, before + 1]);
    },
  );

  test("nginx with the sample configuration serves files of the active release only if it has files and was not retracted", async () => {
    await using copy = await temporaryStore(world.store);
    const { store } = copy;
    const { full, next, limited } = world;
    await makeTrees(store, full.releaseDigest, next.releaseDigest);
    await using other = await front(store);
    const answered = async (receipt: typeof full) => {
      const before = other.seen.length;
      const { status, text, headers } = await ask(other.port, "/metrics/live");
      const { releaseDigest } = JSON.parse(text)._meta.scoreRelease;
      expect([status, releaseDigest]).toEqual([200, receipt.releaseDigest]);
      return { fromFile: other.seen.length === before, headers };
    };
    const badge = `/widgets/datasets/${ID}/badge.svg`;
    const tag = async () => (await ask(other.port, badge)).headers.etag;
    const first = await tag();
    expect((await answered(full)).fromFile).toBe(true);
    await activate(store, next.releaseDigest, { sleep });
    expect((await answered(next)).fromFile).toBe(true);
    // The page did not change, so both releases share its file.
    expect(await tag()).toBe(first);
    await activate(store, limited.releaseDigest, { sleep });
    while ((await ask(other.port, "/metrics/live")).headers["share-release"] !== limited.releaseDigest) await sleep(20);
    expect((await answered(limited)).fromFile).toBe(false);
    await activate(store, full.releaseDigest, { sleep });
    expect((await answered(full)).fromFile).toBe(true);
    const at = "2026-11-20T09:00:00.000Z";
    const statement = { releaseDigest: full.releaseDigest, reason: "Wrong.", retractedAt: at, signature: "x.y.z" };
    await storeRetraction(store, statement, { at, sleep });
    while ((await ask(other.port, "/metrics/live")).headers["share-release"] !== full.releaseDigest) await sleep(20);
    expect((await answered(full)).fromFile).toBe(false);
  });

  if (IS_FIRST) return;

  test("nginx with the sample configuration serves pages while the server is down, and returns 502 for other requests", async () => {
    await using alone = await front(world.store);
    await alone.server.close();
    expect((await ask(alone.port, "/metrics/live")).status).toBe(200);
    for (const target of ["/records?limit=3", "/authors", "/nothing"]) {
      expect([target, (await ask(alone.port, target)).status]).toEqual([target, 502]);
    }
  });

  test("nginx with the sample configuration passes all requests to the server while there is no release", async () => {
    await using empty = await temporaryStore();
    await mkdir(empty.store.root, { recursive: true });
    await using alone = await front(empty.store);
    const reply = await ask(alone.port, "/records");
    expect([reply.status, JSON.parse(reply.text).type]).toEqual([503, "/problems/no-release"]);
  });

  test("nginx with the sample configuration limits requests to the server, but not requests for pages", async () => {
    await using narrow = await front(world.store, { limit: { rate: 1, burst: 5 } });
    const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(narrow.port, "/authors")));
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200, 429]));
    for (let i = 0; i < 20; i += 1) expect((await ask(narrow.port, "/metrics/live")).status).toBe(200);
  });

  test("nginx with the sample configuration causes no warnings in the log of nginx", () => {
    // Buffering a body to a temporary file would cause a warning.
    const errors = at.errors().replace(/.*client intended to send too large body.*/g, "");
    expect(errors).not.toMatch(/\[(?:warn|error|crit|alert|emerg)\]/);
  });

  describe.skipIf(!HAS_OPENSSL)("TLS", () => {
    const folder = mkdtempSync(join(tmpdir(), "share-tls-"));
    const HOST = "scores.example.org";
    const HSTS = "max-age=31536000";
    const tls = { certificate: join(folder, "chain.pem"), key: join(folder, "key.pem") };
    let secure: Front;
    let plain: number;

    beforeAll(async () => {
      const made = spawnSync("openssl", [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
        ...["-subj", `/CN=${HOST}`, "-addext", `subjectAltName=DNS:${HOST}`],
        ...["-keyout", tls.key, "-out", tls.certificate],
      ]);
      expect([made.status, String(made.stderr)]).toEqual([0, expect.any(String)]);
      plain = await freePort();
      secure = await front(world.store, { tls: { ...tls, plain } });
    });

    afterAll(async () => {
      await secure?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Sends a request over TLS as a client that trusts only the certificate of this test. */
    function over(options: RequestOptions): Promise<{ status: number | undefined; headers: IncomingHttpHeaders }> {
      const host = { host: "127.0.0.1", port: secure.port, servername: HOST, agent: false } as const;
      return new Promise((resolve, reject) => {
        const ca = readFileSync(tls.certificate);
        const outgoing = request({ ...host, ca, headers: { host: HOST }, ...options }, (incoming) => {
          incoming.resume();
          incoming.on("end", () => resolve({ status: incoming.statusCode, headers: incoming.headers }));
        });
        outgoing.on("error", reject);
        outgoing.end();
      });
    }

    test.each([
      { name: "a page", path: "/metrics/live", status: 200 },
      { name: "a response of the server", path: "/authors?limit=1", status: 200 },
      { name: "an error of the server", path: "/nothing", status: 404 },
      { name: "an error of nginx", path: `/${"x".repeat(40_000)}`, status: 414 },
    ])("nginx over TLS sends Strict-Transport-Security with $name", async ({ path, status }) => {
      const reply = await over({ path });
      expect([reply.status, reply.headers["strict-transport-security"]]).toEqual([status, HSTS]);
    });

    test.each(["GET", "POST"])("nginx over TLS redirects %s without TLS to the same URL with TLS", async (method) => {
      const path = "/records/r0?rubric=1.0&a=%C3%A9";
      const headers = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
        const options = {
          host: "127.0.0.1",
          port: plain,
          method,
          path,
          headers: { host: HOST },
          agent: false as const,
        };
        const outgoing = requestPlain(options, (incoming) => {
          incoming.resume();
          resolve({ ...incoming.headers, status: String(incoming.statusCode) });
        });
        outgoing.on("error", reject);
        outgoing.end();
      });
      expect([headers.status, headers.location]).toEqual(["308", `https://${HOST}${path}`]);
      // A response without TLS must not have the header (RFC 6797, 7.2).
      expect(headers["strict-transport-security"]).toBeUndefined();
    });

    test.each([
      { version: "TLSv1.1", isAccepted: false },
      { version: "TLSv1.2", isAccepted: true },
      { version: "TLSv1.3", isAccepted: true },
    ] as const)("nginx over TLS accepts connections with $version: $isAccepted", async ({ version, isAccepted }) => {
      // OpenSSL offers old versions only at security level 0.
      const bounds = { minVersion: version, maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" };
      const asked = over({ path: "/metrics/live", ...bounds });
      if (isAccepted) expect((await asked).status).toBe(200);
      else await expect(asked).rejects.toThrow(/protocol version|alert/i);
    });

    test("nginx over TLS uses HTTP/2", async () => {
      const ca = readFileSync(tls.certificate);
      const options = { host: "127.0.0.1", port: secure.port, servername: HOST, ca, ALPNProtocols: ["h2", "http/1.1"] };
      const socket = connect(options);
      const protocol = await new Promise((resolve, reject) => {
        socket.on("secureConnect", () => resolve(socket.alpnProtocol));
        socket.on("error", reject);
      });
      socket.destroy();
      expect(protocol).toBe("h2");
    });
  });

  test("nginx with the sample configuration lets users sign in, and lets the server reject requests from other origins", async () => {
    await using signIn = await SignInWorld.make({
      server: { site: new URL("https://share.example"), trustProxy: ["127.0.0.1"] },
    });
    const port = await freePort();
    const nginx = await startNginx(
      sampleConfiguration({ store: signIn.store.root, port, servers: [signIn.port] }),
      port,
    );
    try {
      const browsers: Browser[] = [];
      for (const email of ["one@example.org", "two@example.org"]) {
        const browser = signIn.browser({ port });
        expect((await browser.post("/auth/magic/request", { email })).status).toBe(201);
        const token = tokenIn(await signIn.mailbox.next());
        const { status, text } = await browser.post("/auth/magic/consume", { token });
        expect([status, JSON.parse(text).user.email]).toEqual([201, email]);
        browsers.push(browser);
      }
      const [first, second] = await Promise.all(
        browsers.map(async (browser) => JSON.parse((await browser.get("/account/sessions")).text).data),
      );
      expect([first.length, second.length, first[0].id === second[0].id]).toEqual([1, 1, false]);
      expect((await signIn.browser({ port }).get("/account/sessions")).status).toBe(401);
      const forged = signIn.browser({ port, origin: `http://127.0.0.1:${port}` });
      expect((await forged.post("/auth/logout")).status).toBe(403);
    } finally {
      await nginx.stop();
    }
  });
});
