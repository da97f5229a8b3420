/** Rate limits that are counted in Redis: all servers share one count, and requests continue if Redis does not respond. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../server/ask.ts";
import { startServerChild } from "../support/killing.ts";
import { HAS_REDIS, type StartedRedis, startRedis } from "../support/redis.ts";
import { startTestApp, type TestApp } from "./test-app.ts";

const folder = mkdtempSync(join(tmpdir(), "share-redis-limits-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let stores = 0;
function newTarget() {
  stores += 1;
  return { sqlite: join(folder, `${stores}.sqlite`) };
}

test.each(["localhost:6379", "http://localhost:6379", "secret", "/secret.sock"])(
  "the text %s is rejected as a Redis URL",
  async (redisUrl) => {
    const rejected = startTestApp({ target: newTarget(), redisUrl });
    await expect(rejected).rejects.toMatchObject({
      code: "ERR_REDIS_URL",
      message: expect.stringContaining("REDIS_URL is not a Redis URL"),
    });
    await expect(rejected).rejects.not.toThrow(/secret/);
  },
);

describe.skipIf(!HAS_REDIS)("rate limits with Redis", () => {
  let redis: StartedRedis;
  const open: TestApp[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const app of open.splice(0)) await app.close();
    await redis.kill();
    await redis.start();
  });
  afterAll(() => redis.stop());

  async function serve(): Promise<TestApp> {
    const app = await startTestApp({ target: newTarget(), redisUrl: redis.url });
    open.push(app);
    return app;
  }
  const left = async ({ port }: TestApp) => Number((await ask(port, "/caller")).headers["x-ratelimit-remaining"]);
  const events = ({ logged }: TestApp) => logged.map(({ event }) => event);

  test("two servers with the same Redis share a rate limit: of 130 requests they accept 100", async () => {
    const servers = await Promise.all(
      [1, 2].map(() =>
        startServerChild(new URL("./server-child.ts", import.meta.url), { target: newTarget(), redisUrl: redis.url }),
      ),
    );
    const replies = await Promise.all(
      Array.from({ length: 130 }, (_, i) => ask(servers[i % 2]?.port ?? 0, "/caller").then(({ status }) => status)),
    );
    expect(replies.filter((status) => status === 200)).toHaveLength(100);
    expect(replies.filter((status) => status === 429)).toHaveLength(30);
    for (const server of servers) await server.close();
  });

  test("every Redis key of a rate limit begins with share:limit: and expires", async () => {
    const app = await serve();
    await ask(app.port, "/caller");
    await ask(app.port, "/evaluation", { method: "POST" });
    expect((await redis.keys()).sort()).toEqual([
      "share:limit:anonymous:anonymous:127.0.0.1",
      "share:limit:evaluation:anonymous:127.0.0.1",
    ]);
    expect(await redis.lasting()).toEqual([]);
  });

  test("while Redis is down, requests are counted in memory, and the loss and the return of Redis are logged once", async () => {
    const app = await serve();
    expect([await left(app), await left(app)]).toEqual([99, 98]);
    await redis.kill();
    expect([await left(app), await left(app), await left(app)]).toEqual([99, 98, 97]);
    expect(events(app)).toEqual(["redis-lost"]);
    await redis.start();
    while ((await redis.keys()).length === 0) await left(app);
    expect(events(app)).toEqual(["redis-lost", "redis-back"]);
    expect(JSON.stringify(app.logged)).not.toContain("redis://");
  });

  test("if Redis hangs, the request that waits for it still gets a response, and later requests do not wait", async () => {
    const app = await serve();
    expect(await left(app)).toBe(99);
    redis.freeze();
    const counts: number[] = [];
    for (let i = 0; i < 20; i += 1) counts.push(await left(app));
    expect(counts).toEqual(Array.from({ length: 20 }, (_, i) => 99 - i));
    expect(events(app)).toEqual(["redis-lost"]);
    redis.thaw();
    while (!events(app).includes("redis-back")) await left(app);
  });

  test("if Redis hangs during twenty requests, its connection is closed only once", async () => {
    const warned: Error[] = [];
    const remember = (warning: Error) => warned.push(warning);
    process.on("warning", remember);
    try {
      const app = await serve();
      expect(await left(app)).toBe(99);
      redis.freeze();
      const counts = await Promise.all(Array.from({ length: 20 }, () => left(app)));
      expect(counts.toSorted((one, other) => other - one)).toEqual(Array.from({ length: 20 }, (_, i) => 99 - i));
      redis.thaw();
      while (!events(app).includes("redis-back")) await left(app);
      // Node emits a warning only one turn of the event loop later.
      await new Promise(setImmediate);
      expect(warned.map(({ message }) => message)).toEqual([]);
    } finally {
      process.off("warning", remember);
    }
  });

  test("if Redis is missing at the start, the server starts, and uses Redis as soon as it is there", async () => {
    await redis.kill();
    const app = await serve();
    expect([await left(app), await left(app)]).toEqual([99, 98]);
    expect(events(app)).toEqual(["redis-lost"]);
    await redis.start();
    while (!events(app).includes("redis-back")) await left(app);
    expect(await redis.keys()).toHaveLength(1);
  });

  test("if Redis hangs at the start, the server still starts", async () => {
    redis.freeze();
    const app = await serve();
    expect(await left(app)).toBe(99);
    redis.thaw();
    while (!events(app).includes("redis-back")) await left(app);
  });
});
