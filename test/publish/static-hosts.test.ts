/**
 * Tests published pages on hosts that know nothing of this program (nginx and Python with their defaults, a bucket behind the
 * sample function for CloudFront), and the sample for Caddy. They serve the same bytes as the server.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ROUTES } from "../../api-static/routes/index.ts";
import { MAX_BODY_BYTES } from "../../api-static/routes/route.ts";
import { ask, keptConnection } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve } from "../server/test-store.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { freePort } from "../support/free-port.ts";
import { type LoopbackProgram, startProgram } from "../support/loopback-program.ts";
import { HAS_NGINX, startNginx } from "../support/nginx.ts";
import { makeTrees } from "../support/page-trees.ts";
import { type Canonical, canonicalAddresses, FOR_THE_SERVER, ID, isServedFromFile } from "./front-cases.ts";
import { bucketPlace, PREFIX, type PublishedBucket } from "./places.ts";
import { published } from "./publications.ts";
import { BUCKET } from "./s3-server.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const SAMPLES = join(REPOSITORY, "docs/operate");
const HAS_CADDY = spawnSync("caddy", ["version"]).status === 0;
if (!HAS_CADDY) console.warn("the sample for Caddy is not tested: there is no caddy on the PATH");

let released: ReleasedStore;
let server: Listening;
let pages: readonly (Canonical & { readonly own: Buffer })[];
const agent = keptConnection();

beforeAll(async () => {
  released = await releasedStore({});
  const { store, receipt } = released;
  await makeTrees(store, receipt.releaseDigest);
  server = await serve(store, { trustProxy: ["127.0.0.1"] });
  const all = await canonicalAddresses(store.release(receipt.releaseDigest));
  const files = all.filter(({ route }) => !route.showsResearchers);
  pages = await Promise.all(
    files.map(async (each) => {
      const { status, body } = await ask(server.port, `${each.target}${buildQuery(each)}`, { agent });
      expect([each.target, status]).toEqual([each.target, 200]);
      return { ...each, own: body };
    }),
  );
  expect(pages.length).toBeGreaterThan(400);
});

afterAll(async () => {
  agent.destroy();
  await server?.close();
  await released?.[Symbol.asyncDispose]();
});

const buildQuery = ({ folder }: Canonical) => (folder === "" ? "" : `?rubric=${folder.slice(0, -1)}`);

/** Returns the path of the file with the page, such as "/1.0/records.json". */
const getFilePath = ({ target, folder }: Canonical) =>
  `/${folder}${target.slice(1)}${target.endsWith(".svg") ? "" : ".json"}`;

const HOSTS: readonly { name: string; isMissing: boolean; start: (root: string) => Promise<LoopbackProgram> }[] = [
  {
    name: "nginx with its default configuration",
    isMissing: !HAS_NGINX,
    start: async (root) => {
      const port = await freePort();
      const nginx = await startNginx(`server { listen 127.0.0.1:${port}; root ${root}; }`, port);
      return { port, [Symbol.asyncDispose]: () => nginx.stop() };
    },
  },
  {
    name: "python3 -m http.server",
    isMissing: false,
    start: async (root) => {
      const port = await freePort();
      return startProgram(
        "python3",
        ["-m", "http.server", String(port), "--bind=127.0.0.1", `--directory=${root}`],
        port,
      );
    },
  },
];

for (const { name, isMissing, start } of HOSTS) {
  describe.skipIf(isMissing)(name, () => {
    let host: LoopbackProgram;

    beforeAll(async () => {
      host = await start(released.store.currentTree);
    });

    afterAll(() => host?.[Symbol.asyncDispose]());

    test("serves every page as the server does, with the content type of the file extension", async () => {
      for (const page of pages) {
        const { status, body, headers } = await ask(host.port, getFilePath(page));
        expect([getFilePath(page), status, body.equals(page.own)]).toEqual([getFilePath(page), 200, true]);
        const type = page.target.endsWith(".svg") ? "image/svg+xml" : "application/json";
        expect([getFilePath(page), headers["content-type"]]).toEqual([getFilePath(page), type]);
      }
    });

    test("serves an index page whose links work", async () => {
      const index = await ask(host.port, "/");
      expect([index.status, index.headers["content-type"]]).toEqual([200, "text/html"]);
      const links = [...index.text.matchAll(/<li><a href="([^"]+)"/g)].map(([, link = ""]) => link);
      expect(links.sort()).toEqual(["docs.html", "metrics/live.json", "openapi.json", "records.json", "rubrics.json"]);
      for (const link of links) {
        const { status, headers } = await ask(host.port, `/${link}`);
        const type = link.endsWith(".json") ? "application/json" : "text/html";
        expect([link, status, headers["content-type"]]).toEqual([link, 200, type]);
      }
    });

    test("returns 404 for the path of a page without its file extension", async () => {
      expect((await ask(host.port, "/metrics/live")).status).toBe(404);
    });
  });
}

interface FrontRequest {
  readonly uri: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, { readonly value: string }>>;
  readonly querystring: Readonly<Record<string, { readonly value: string }>>;
}

/**
 * Runs the sample function as CloudFront does. Returns the changed request to the bucket; null if the function selects the
 * server.
 */
function inCloudFront(target: string, method: string, headers: Readonly<Record<string, string>>): FrontRequest | null {
  const selected: string[] = [];
  const cf = { selectRequestOriginById: (id: string) => selected.push(id) };
  const sandbox = createContext({ cf });
  runInContext(
    readFileSync(join(SAMPLES, "cloudfront.js"), "utf8").replace('import cf from "cloudfront";', ""),
    sandbox,
  );
  const { pathname, searchParams } = new URL(target, "http://cdn.example");
  const valued = (entries: Iterable<readonly [string, string]>) =>
    Object.fromEntries([...entries].map(([key, value]) => [key.toLowerCase(), { value }]));
  const request = {
    uri: pathname,
    method,
    headers: valued(Object.entries(headers)),
    querystring: valued(searchParams),
  };
  const made: FrontRequest = runInContext(`handler(${JSON.stringify({ request })})`, sandbox);
  expect(selected.filter((id) => id !== "share-server")).toEqual([]);
  return selected.length === 0 ? made : null;
}

describe("CloudFront", () => {
  let place: PublishedBucket;

  beforeAll(async () => {
    place = await bucketPlace();
    await published(released.store, place, released.receipt.releaseDigest, { pages: { researchers: false } });
  });

  afterAll(() => place?.[Symbol.asyncDispose]());

  const object = (uri: string) => fetch(`${place.s3.url}/${BUCKET}/${PREFIX}${uri}`);

  test("a published release behind the sample function of CloudFront is served at the paths of the API with the server's bytes, content type and cache header", async () => {
    for (const page of pages) {
      const made = inCloudFront(`${page.target}${buildQuery(page)}`, "GET", { accept: "application/json" });
      expect(made).toMatchObject({ uri: `/${page.folder}${page.target.slice(1)}`, querystring: {} });
      const answer = await object(made?.uri ?? "");
      const { headers, status } = answer;
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect([page.target, status, bytes.equals(page.own)]).toEqual([page.target, 200, true]);
      expect([headers.get("content-type"), headers.get("cache-control")]).toEqual([
        page.route.contentType,
        page.route.cache,
      ]);
    }
  });

  test("a published release behind the sample function of CloudFront has its index page at the root", async () => {
    const answer = await object(inCloudFront("/", "GET", { accept: "text/html" })?.uri ?? "");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  });

  test.each([
    ["a list with a search", "/records?search=x", "GET", {}],
    ["an unknown rubric", "/records?rubric=9.9", "GET", {}],
    ["a list with a rubric and a limit", "/records?rubric=2.0&limit=3", "GET", {}],
    ["CSV", "/records", "GET", { accept: "text/csv" }],
    ["linked data", `/records/${ID}`, "GET", { accept: "application/ld+json" }],
    ["a list with an API key", "/records", "GET", { "x-api-key": "x" }],
    ["POST", "/records", "POST", {}],
  ])(
    "a published release behind the sample function of CloudFront sends requests for %s to the server",
    (_name, target, method, headers) => {
      expect(inCloudFront(target, method, headers)).toBeNull();
    },
  );
});

describe.skipIf(!HAS_CADDY)("the sample configuration for Caddy", () => {
  const folder = mkdtempSync(join(tmpdir(), "share-caddy-"));
  let caddy: LoopbackProgram;
  let seen: string[] = [];

  beforeAll(async () => {
    const port = await freePort();
    const changes = [
      ["scores.example.org {", `{\n\tadmin off\n\tauto_https off\n}\nhttp://127.0.0.1:${port} {`],
      ["/srv/share/pages", `${released.store.root}/pages`],
      ["127.0.0.1:8081", `127.0.0.1:${server.port}`],
    ] as const;
    const configuration = changes.reduce(
      (text, [from, to]) => {
        expect(text).toContain(from);
        return text.replaceAll(from, () => to);
      },
      readFileSync(join(SAMPLES, "Caddyfile"), "utf8"),
    );
    writeFileSync(join(folder, "Caddyfile"), configuration);
    const parameters = ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
    caddy = await startProgram("caddy", parameters, port, {
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
    });
    server.app.server.on("request", ({ url = "" }) => seen.push(url));
  });

  afterAll(async () => {
    await caddy?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("Caddy with the sample configuration serves pages without researchers from their files, with the same headers as the sample for nginx", async () => {
    seen = [];
    for (const { target, own, route } of pages.filter(isServedFromFile)) {
      const { status, body, headers } = await ask(caddy.port, target, { agent });
      expect([target, status, body.equals(own)]).toEqual([target, 200, true]);
      expect(headers).toMatchObject({
        "content-type": expect.stringContaining(route.contentType.replace(/;.*/, "")),
        "cache-control": route.cache,
        "x-content-type-options": "nosniff",
        "access-control-allow-origin": "*",
      });
      expect(headers.vary).toContain("X-API-Key");
    }
    expect(seen).toEqual([]);
  });

  test.each(FOR_THE_SERVER)(
    "Caddy with the sample configuration passes $name to the server: $target",
    async ({ target, status, question = {} }) => {
      seen = [];
      const reply = await ask(caddy.port, target, { agent, ...question });
      expect([reply.status, seen]).toEqual([status, [target]]);
    },
  );

  test.each(ROUTES.filter(({ method, key }) => method === "post" && key === null))(
    "Caddy with the sample configuration passes bodies to $path that the server reads, and ends requests with longer ones",
    async ({ path, largestBody }) => {
      const headers = { "content-type": "application/json" };
      const post = (bytes: number) => ask(caddy.port, path, { method: "POST", headers, body: "x".repeat(bytes) });
      expect((await post(largestBody)).headers["x-request-id"]).toBeDefined();
      // Caddy 2.6 responds with 502 if the length is known, or ends the connection while the client still sends.
      const longer = await post(largestBody === MAX_BODY_BYTES ? MAX_BODY_BYTES + 1 : 12 * 1024 * 1024).catch(
        () => null,
      );
      // The server rejects a body above its own limit (413) or without a session (401) before it reads the body.
      if (longer !== null) expect([401, 413, 502]).toContain(longer.status);
    },
  );
});
