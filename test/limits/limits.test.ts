/** Rate limits as clients see them: exact, stated on every response, and counted for the real client behind a proxy. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { problem } from "../../schemas/public/problem.ts";
import { trustedProxies } from "../../server/http/limits.ts";
import { ask, keptConnection, type Question, type Reply } from "../server/ask.ts";
import { HAS_REDIS, type StartedRedis, startRedis } from "../support/redis.ts";
import { keyIn, startTestApp, type TestApp, type TestAppOptions } from "./test-app.ts";

/** Starts a server with a new account store, which is stopped after the test. */
type Serve = (options?: Omit<TestAppOptions, "target" | "redisUrl">) => Promise<TestApp>;

function describeEachCounter(name: string, suite: (serve: Serve) => void): void {
  describe(`${name}, in memory`, () => suite(server(() => null)));

  describe.skipIf(!HAS_REDIS)(`${name}, in Redis`, () => {
    let redis: StartedRedis | null = null;
    beforeAll(async () => {
      redis = await startRedis();
    });
    // A restart empties Redis for the next test.
    afterEach(async () => {
      await redis?.kill();
      await redis?.start();
    });
    afterAll(async () => {
      await redis?.stop();
    });
    suite(server(() => redis?.url ?? null));
  });
}

function server(redisUrl: () => string | null): Serve {
  const open: TestApp[] = [];
  const folder = mkdtempSync(join(tmpdir(), "share-limits-"));
  let stores = 0;
  afterEach(async () => {
    for (const app of open.splice(0)) await app.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return async (options = {}) => {
    stores += 1;
    const target = { sqlite: join(folder, `${stores}.sqlite`) };
    const app = await startTestApp({ ...options, target, redisUrl: redisUrl() });
    open.push(app);
    return app;
  };
}

const UNKNOWN_KEY = `share_live_${"0".repeat(32)}`;

function times(count: number, work: () => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, work));
}

/** Counts the responses by their status. */
function statuses(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function register({ port }: TestApp, headers: Record<string, string> = {}): Promise<string> {
  const body = JSON.stringify({ name: "A reader", email: "reader@example.org" });
  const reply = await ask(port, "/api-keys/register", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  expect(reply.status).toBe(201);
  return keyIn(reply.text);
}

function remaining({ headers }: Reply): number {
  return Number(headers["x-ratelimit-remaining"]);
}

describeEachCounter("rate limits", (serve) => {
  test("an IP address can send 100 requests in a minute, and the next is rejected", async () => {
    const { port } = await serve();
    const agent = keptConnection();
    const first = await ask(port, "/caller", { agent });
    expect(first.headers).toMatchObject({
      "ratelimit-policy": '"anonymous";q=100;w=60',
      ratelimit: '"anonymous";r=99;t=60',
      "x-ratelimit-limit": "100",
      "x-ratelimit-remaining": "99",
      "x-ratelimit-reset": "60",
    });
    expect(first.headers["retry-after"]).toBeUndefined();
    expect(JSON.parse(first.text)).toEqual({ kind: "anonymous", id: "127.0.0.1", address: "127.0.0.1" });
    const rest = await times(104, () => ask(port, "/caller", { agent }));
    agent.destroy();
    expect(statuses(rest)).toEqual({ 200: 99, 429: 5 });
    expect(rest.slice(0, 99).map(remaining)).toEqual(Array.from({ length: 99 }, (_, i) => 98 - i));

    const rejected = rest[99];
    expect(problem.parse(JSON.parse(rejected?.text ?? ""))).toMatchObject({
      type: "/problems/rate-limited",
      status: 429,
    });
    expect(rejected?.headers).toMatchObject({
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-ratelimit-remaining": "0",
    });
    const seconds = rejected?.headers["retry-after"] ?? "";
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThanOrEqual(60);
    expect(rejected?.headers.ratelimit).toBe(`"anonymous";r=0;t=${seconds}`);
  });

  test("a key allows 1,000 requests in a minute from any IP addresses, which keep their own limit", async () => {
    const app = await serve({ trustProxy: "loopback" });
    const key = await register(app);
    const agent = keptConnection();
    const addresses = ["192.0.2.1", "192.0.2.2", "2001:db8::1"];
    const replies = await Promise.all(
      Array.from({ length: 1003 }, (_, i) =>
        ask(app.port, "/caller", {
          agent,
          headers: { "x-api-key": key, "x-forwarded-for": addresses[i % addresses.length] ?? "" },
        }),
      ),
    );
    agent.destroy();
    expect(statuses(replies)).toEqual({ 200: 1000, 429: 3 });
    expect(replies[0]?.headers["ratelimit-policy"]).toBe('"key";q=1000;w=60');
    const id = JSON.parse(replies[0]?.text ?? "").id;
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect(JSON.parse(replies[2]?.text ?? "")).toEqual({ kind: "key", id, address: "2001:db8::" });
    const anonymous = await ask(app.port, "/caller", { headers: { "x-forwarded-for": "192.0.2.1" } });
    expect(remaining(anonymous)).toBe(99);
  });

  test("a request with a key is accepted even if its IP address has used up its own limit", async () => {
    const app = await serve({ quotas: { anonymous: { requests: 2, seconds: 60 } } });
    const key = await register(app);
    await ask(app.port, "/caller");
    expect((await ask(app.port, "/caller")).status).toBe(429);
    expect((await ask(app.port, "/caller", { headers: { "x-api-key": key } })).status).toBe(200);
  });

  const EVERY_ANSWER: readonly { path: string; question?: Question; status: number }[] = [
    { path: "/caller", status: 200 },
    { path: "/caller", question: { method: "HEAD" }, status: 200 },
    { path: "/nothing", status: 404 },
    { path: "/%zz", status: 404 },
    { path: "/rejected", status: 405 },
    { path: "/broken", status: 500 },
    { path: "/not-modified", status: 304 },
    { path: "/stop", status: 503 },
    { path: "/caller", question: { headers: { "x-api-key": UNKNOWN_KEY } }, status: 401 },
    {
      path: "/api-keys/register",
      question: { method: "POST", headers: { "content-type": "application/json" }, body: "{}" },
      status: 400,
    },
  ];
  test("every response states the rate limit in its headers, whatever its status", async () => {
    const { port } = await serve();
    const seen: { path: string; status: number; remaining: number }[] = [];
    for (const { path, question } of EVERY_ANSWER) {
      const reply = await ask(port, path, question);
      seen.push({ path, status: reply.status, remaining: remaining(reply) });
      expect(reply.headers["ratelimit-policy"]).toBe('"anonymous";q=100;w=60');
    }
    expect(seen).toEqual(EVERY_ANSWER.map(({ path, status }, i) => ({ path, status, remaining: 99 - i })));
  });

  test("CORS preflight requests have a rate limit of their own, and their keys are not looked up", async () => {
    const { port } = await serve({
      quotas: { anonymous: { requests: 2, seconds: 60 }, preflight: { requests: 3, seconds: 60 } },
    });
    const preflight = (headers: Record<string, string>) => ask(port, "/caller", { method: "OPTIONS", headers });
    const replies: Reply[] = [];
    for (const sent of [{}, { "x-api-key": UNKNOWN_KEY }, { "x-api-key": "" }, {}]) replies.push(await preflight(sent));
    expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 429]);
    expect(replies.map(remaining)).toEqual([2, 1, 0, 0]);
    expect(replies[0]?.headers["ratelimit-policy"]).toBe('"preflight";q=3;w=60');
    expect(remaining(await ask(port, "/caller"))).toBe(1);
  });

  test("rate limits also apply to requests that Fastify itself rejects", async () => {
    const { port } = await serve({ quotas: { anonymous: { requests: 1, seconds: 60 } } });
    expect((await ask(port, "/%zz")).status).toBe(404);
    expect((await ask(port, "/%zz")).status).toBe(429);
  });

  test.each(["/%zz", "/records/%ff%fe", `/records/${"x".repeat(8200)}`])(
    "behind a proxy, a request that Fastify itself rejects counts for the client, not for the proxy: %.20s",
    async (path) => {
      const { port } = await serve({ trustProxy: "loopback" });
      const askFrom = (address: string) => ask(port, path, { headers: { "x-forwarded-for": address } });
      const replies = [];
      for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2"]) replies.push(await askFrom(address));
      expect(replies.map((reply) => [reply.status, remaining(reply)])).toEqual([
        [404, 99],
        [404, 98],
        [404, 99],
      ]);
    },
  );

  const BAD_KEYS = ["", "x", UNKNOWN_KEY, `${UNKNOWN_KEY}0`, ` ${UNKNOWN_KEY.toUpperCase()}`, "share_live_' or 1=1 --"];
  test("a request with an invalid key returns 401, and counts towards the limit of its IP address", async () => {
    const app = await serve({ quotas: { anonymous: { requests: BAD_KEYS.length + 3, seconds: 60 } } });
    const key = await register(app);
    const answers: Reply[] = [];
    for (const sent of [...BAD_KEYS, `${key}, ${key}`]) {
      answers.push(await ask(app.port, "/caller", { headers: { "x-api-key": sent } }));
    }
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    for (const { headers, text } of answers) {
      expect(JSON.parse(text)).toMatchObject({ type: "/problems/bad-api-key", instance: "/caller" });
      expect(headers["www-authenticate"]).toBe('ApiKey header="X-API-Key"');
      expect(text).not.toContain("share_live_");
    }
    expect(remaining(await ask(app.port, "/caller"))).toBe(0);
    const guessed = await ask(app.port, "/caller", { headers: { "x-api-key": UNKNOWN_KEY } });
    expect(guessed.status).toBe(429);
  });

  const ADDRESSES: readonly { name: string; first: string; second: string; same: boolean }[] = [
    { name: "another IPv4 address", first: "192.0.2.1", second: "192.0.2.2", same: false },
    { name: "an IPv4 address inside IPv6", first: "192.0.2.1", second: "::ffff:192.0.2.1", same: true },
    { name: "an IPv4 address inside IPv6, in hex", first: "192.0.2.1", second: "::ffff:c000:201", same: true },
    { name: "another IPv4 address inside IPv6", first: "::ffff:192.0.2.1", second: "::ffff:192.0.2.2", same: false },
    {
      name: "an address in the same /64",
      first: "2001:db8:1:2::1",
      second: "2001:DB8:1:2:ffff:ffff:ffff:ffff",
      same: true,
    },
    { name: "an address in the next /64", first: "2001:db8:1:2::1", second: "2001:db8:1:3::1", same: false },
    {
      name: "an address that the client wrote before the proxy's",
      first: "192.0.2.1",
      second: "192.0.2.9, 192.0.2.1",
      same: true,
    },
    { name: "another text that is not an address", first: "unknown", second: "_hidden:80", same: true },
  ];
  test.each(ADDRESSES)("behind a proxy, $name is the same client: $same", async ({ first, second, same }) => {
    const { port } = await serve({ trustProxy: "127.0.0.0/8" });
    await ask(port, "/caller", { headers: { "x-forwarded-for": first } });
    const reply = await ask(port, "/caller", { headers: { "x-forwarded-for": second } });
    expect(remaining(reply)).toBe(same ? 98 : 99);
  });

  test.each(["", "10.0.0.0/8", "::1"])(
    'X-Forwarded-For is ignored if the trusted proxies are "%s"',
    async (trustProxy) => {
      const { port } = await serve({ trustProxy });
      const replies: Reply[] = [];
      for (const address of ["192.0.2.1", "192.0.2.2", "2001:db8::1", "127.0.0.1"]) {
        const spoofed = { "x-forwarded-for": address, "x-real-ip": address, forwarded: `for=${address}` };
        replies.push(await ask(port, "/caller", { headers: spoofed }));
      }
      expect(replies.map(remaining)).toEqual([99, 98, 97, 96]);
      expect(JSON.parse(replies[0]?.text ?? "").address).toBe("127.0.0.1");
    },
  );

  test("a client can send requests again when the time window of its limit ends", async () => {
    const { port } = await serve({ quotas: { anonymous: { requests: 1, seconds: 1 } } });
    // Sends requests until one is accepted, the following ones are rejected, and one is accepted again.
    let seen = "";
    while (!/200 (?:429 )+200 $/.test(seen)) seen += `${(await ask(port, "/caller")).status} `;
    expect(seen).toMatch(/^(?:(?:200|429) )+$/);
  });

  test("a request that also counts towards a second quota of 10 is rejected when that is used up", async () => {
    const { port } = await serve();
    const replies = await times(11, () => ask(port, "/evaluation", { method: "POST" }));
    expect(statuses(replies)).toEqual({ 200: 10, 429: 1 });
    const rejected = replies.find(({ status }) => status === 429);
    expect(rejected?.headers).toMatchObject({
      "ratelimit-policy": '"anonymous";q=100;w=60, "evaluation";q=10;w=60',
      "x-ratelimit-limit": "100",
      "retry-after": expect.stringMatching(/^\d+$/),
    });
    expect(rejected?.headers.ratelimit).toMatch(/^"anonymous";r=\d+;t=\d+, "evaluation";r=0;t=\d+$/);
    expect((await ask(port, "/caller")).status).toBe(200);
  });
});

describe("trusted proxies", () => {
  test.each([
    { list: "", trusted: false },
    { list: " , ", trusted: false },
    { list: "loopback", trusted: ["loopback"] },
    { list: "10.0.0.7, 10.1.0.0/16 ,fd00::/8", trusted: ["10.0.0.7", "10.1.0.0/16", "fd00::/8"] },
    { list: "10.0.0.0/255.0.0.0", trusted: ["10.0.0.0/255.0.0.0"] },
  ])('SHARE_TRUST_PROXY="$list" sets the trusted proxies to $trusted', ({ list, trusted }) => {
    expect(trustedProxies(list)).toEqual(trusted);
  });

  test.each([
    { list: "true", entry: "true" },
    { list: "1", entry: "1" },
    { list: "*", entry: "*" },
    { list: "10.0.0.7,", entry: "" },
    { list: "10.0.0.256", entry: "10.0.0.256" },
    { list: "10.0.0.0/33", entry: "10.0.0.0/33" },
    { list: "loopback,proxy.example.org", entry: "proxy.example.org" },
    { list: "0.0.0.0/0", entry: "0.0.0.0/0" },
    { list: "::/0", entry: "::/0" },
    { list: "10.0.0.1/0.0.0.0", entry: "10.0.0.1/0.0.0.0" },
  ])('the list "$list" is rejected because of "$entry"', ({ list, entry }) => {
    expect(() => trustedProxies(list)).toThrow(expect.objectContaining({ code: "ERR_PROXY_LIST" }));
    expect(() => trustedProxies(list)).toThrow(`"${entry}" `);
  });
});
