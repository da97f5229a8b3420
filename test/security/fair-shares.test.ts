/**
 * Clients that take more than their share of drafts, evaluations, streams, requests or connections do not block other clients.
 */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fastify } from "../../server/http/framework.ts";
import { STREAM_PLACES, StreamPlaces } from "../../server/read/list-response.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { openEvaluator } from "../evaluate/open-evaluator.ts";
import { dataciteRecord, services } from "../evaluate/services.ts";
import { keyIn, startTestApp } from "../limits/test-app.ts";
import { ask } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve, UNLIMITED } from "../server/test-store.ts";

vi.setConfig({ testTimeout: 120_000 });

test("evaluations that wait for a silent source do not prevent evaluations of other sources", async () => {
  await using there = await services({ "/dois/10.5072/quick": dataciteRecord("10.5072/quick", "some.one") });
  there.fault = (_request, _response, path) => path.startsWith("/api/records/");
  await using opened = await openEvaluator({ upstreams: there.upstreams, timeoutMs: 20_000, deadlineMs: 20_000 });
  const silent = Array.from({ length: 60 }, (_, i) =>
    opened.evaluate(`10.5281/zenodo.${99_000_100 + i}`, "2.0.0-beta.2").catch((error: unknown) => error),
  );
  const busy = await Promise.race([silent.at(-1), sleep(5000)]);
  expect(busy).toMatchObject({ code: "source-unreachable", retryAfter: 30 });
  const { record } = await opened.evaluate("10.5072/quick", "2.0.0-beta.2");
  expect(record?.identifier).toBe("datacite/10.5072/quick");
});

describe("limits of open streams of lists", () => {
  test("open streams count against the limit of their IP address, whatever API keys they use", () => {
    const places = new StreamPlaces();
    const keyed = (id: string) => ({ kind: "key", id, address: "192.0.2.1" }) as const;
    const leaves = ["k1", "k1", "k2", "k2"].map((id) => places.take(keyed(id)));
    expect(leaves).toHaveLength(STREAM_PLACES.address);
    expect(() => places.take(keyed("k3"))).toThrow(/An address may stream 4 lists/);
    places.take({ ...keyed("k3"), address: "192.0.2.2" });
    leaves[0]?.();
    places.take(keyed("k3"));
  });

  test("a stream is ended if its client reads almost nothing", async () => {
    const app = fastify({ logger: false, idleMilliseconds: 500 });
    // Without this, the time limit of idle connections could end the stream.
    app.server.timeout = 0;
    let ended = false;
    app.get("/endless", (_request, reply) => {
      const rows = (function* () {
        try {
          for (;;) yield "x".repeat(1 << 20);
        } finally {
          ended = true;
        }
      })();
      return reply.send(Readable.from(rows));
    });
    const port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
    const client = connect(port, "127.0.0.1");
    client.on("error", () => undefined);
    client.write("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(client, "readable");
    client.read(1);
    await expect.poll(() => ended, { timeout: 20_000 }).toBe(true);
    client.destroy();
    await app.close();
  });
});

describeEachDatabase("API keys of one address", (newTarget) => {
  test("API keys of one IP address share the request limit of that address", async () => {
    const app = await startTestApp({
      target: await newTarget(),
      quotas: { key: { requests: 5, seconds: 60 }, address: { requests: 8, seconds: 60 } },
    });
    const body = JSON.stringify({ name: "Reader", email: "reader@example.org" });
    const headers = { "content-type": "application/json" };
    const newKey = async () =>
      keyIn((await ask(app.port, "/api-keys/register", { method: "POST", headers, body })).text);
    const keys = [await newKey(), await newKey()];
    const statuses: number[] = [];
    for (const key of keys)
      for (let i = 0; i < 5; i += 1)
        statuses.push((await ask(app.port, "/caller", { headers: { "x-api-key": key } })).status);
    expect(statuses).toEqual([...Array(8).fill(200), 429, 429]);
    const last = await ask(app.port, "/caller", { headers: { "x-api-key": keys[1] ?? "" } });
    expect(last.headers["ratelimit-policy"]).toContain('"key";q=5');
    await app.close();
  });
});

describe("limits of a server with many clients", () => {
  let released: ReleasedStore;
  let server: Listening;
  beforeAll(async () => {
    released = await releasedStore();
    const evaluation = { requests: 1_000_000, seconds: 60 };
    server = await serve(released.store, { quotas: { ...UNLIMITED, evaluation }, addressConnections: 50 });
  }, 300_000);
  afterAll(async () => {
    await server?.close();
    await released?.[Symbol.asyncDispose]();
  });

  test("a draft is scored while nine other addresses send ten drafts each, some of which are rejected with 503", async () => {
    const body = await readFile(new URL("../../fixtures/payloads/zenodo/closed.json", import.meta.url));
    const draft = (host: number) =>
      ask(server.port, "/evaluations/draft?source=zenodo&rubricVersion=2.0", {
        method: "POST",
        headers: { "content-type": "application/json" },
        agent: new Agent({ localAddress: `127.0.0.${host}` }),
        body,
      });
    // Starts the workers, so that all others find them busy.
    expect((await draft(2)).status).toBe(200);
    const greedy = Array.from({ length: 90 }, (_, i) => draft(2 + (i % 9)));
    expect((await draft(20)).status).toBe(200);
    const replies = await Promise.all(greedy);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 503]));
    const retries = replies.filter(({ status }) => status === 503).map(({ headers }) => headers["retry-after"]);
    expect(new Set(retries)).toEqual(new Set(["10"]));
  });

  test("a server limits the connections of each IP address, so that other addresses can still connect", async () => {
    const sockets: Socket[] = [];
    for (let i = 0; i < 90; i += 1) {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      sockets.push(socket);
    }
    const open = () =>
      new Promise<number>((resolve, reject) => {
        server.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      });
    await expect.poll(() => sockets.filter(({ closed }) => closed).length, { timeout: 10_000 }).toBe(40);
    expect(await open()).toBe(50);
    const other = connect({ port: server.port, host: "127.0.0.1", localAddress: "127.0.0.2" });
    other.write("GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const [reply] = await once(other, "data");
    expect(String(reply)).toMatch(/^HTTP\/1.1 200 /);
    for (const socket of [...sockets, other]) socket.destroy();
    await expect.poll(open, { timeout: 10_000 }).toBe(0);
    expect((await ask(server.port, "/health")).status).toBe(200);
  });
});
