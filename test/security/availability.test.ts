/** Attacks on availability: a database that hangs, a clock that goes back, clients that never read, pages of other sites. */

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { countAttempt } from "../../server/accounts/attempts.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import { describeEachDatabase, describeOnPostgres } from "../accounts/each-database.ts";
import { keyIn } from "../limits/test-app.ts";
import { ask } from "../server/ask.ts";
import { type ReleasedStore, releasedStore, serve, UNLIMITED } from "../server/test-store.ts";

vi.setConfig({ testTimeout: 300_000 });

let released: ReleasedStore;
beforeAll(async () => {
  released = await releasedStore();
}, 300_000);
afterAll(() => released?.[Symbol.asyncDispose]());
afterEach(() => {
  vi.useRealTimers();
});

const REGISTRATION = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ name: "Reader", email: "reader@example.org" }),
} as const;

describeOnPostgres("a request with a key", (newTarget) => {
  test("a request with a key waits only once for a PostgreSQL that hangs, and the key counts again after PostgreSQL responds", async () => {
    const target = await newTarget();
    const server = await serve(released.store, { accounts: target });
    const blocker = new Client({ connectionString: "postgres" in target ? target.postgres : "" });
    await blocker.connect();
    try {
      const key = keyIn((await ask(server.port, "/api-keys/register", REGISTRATION)).text);
      const keyed = async () => {
        const began = performance.now();
        const { status, headers } = await ask(server.port, "/metrics/live", { headers: { "x-api-key": key } });
        expect(status).toBe(200);
        return { took: performance.now() - began, limit: headers["x-ratelimit-limit"] };
      };
      expect((await keyed()).limit).toBe("1000");
      await blocker.query("begin");
      await blocker.query("lock table api_key in access exclusive mode");
      const first = await keyed();
      expect(first.took).toBeLessThan(3000);
      const rest = await Promise.all(Array.from({ length: 50 }, keyed));
      expect(Math.max(...rest.map(({ took }) => took))).toBeLessThan(900);
      await blocker.query("rollback");
      await expect.poll(async () => (await keyed()).limit, { timeout: 20_000, interval: 500 }).toBe("1000");
    } finally {
      await blocker.end();
      await server.close();
    }
  });
});

describeEachDatabase("a clock that goes back an hour", (newTarget) => {
  test("a clock that goes back an hour does not prolong the limit of registrations, not even with slightly different clocks", async () => {
    const accounts = await openAccounts(await newTarget());
    const quota = { requests: 3, seconds: 3600 };
    const at = (now: string) =>
      accounts.db
        .transaction()
        .execute((trx) => countAttempt(trx, { kind: "registration", subject: "s", quota, now: new Date(now) }));
    try {
      for (let i = 0; i < 3; i += 1) expect(await at("2026-11-02T12:00:00.000Z")).toBeNull();
      expect(await at("2026-11-02T12:00:01.000Z")).toBe(3599);
      expect(await at("2026-11-02T11:00:00.000Z")).toBeNull();
      // The clocks of two servers may differ a little, and their attempts still count together.
      expect(await at("2026-11-02T10:59:50.000Z")).toBeNull();
      expect(await at("2026-11-02T10:59:55.000Z")).toBeNull();
      expect(await at("2026-11-02T10:59:58.000Z")).toBeGreaterThan(3500);
    } finally {
      await accounts.close();
    }
  });
});

test("a clock that goes back an hour does not prolong the request limit of an IP address", async () => {
  const server = await serve(released.store, { quotas: { anonymous: { requests: 2, seconds: 1 } } });
  const status = async () => (await ask(server.port, "/rubrics")).status;
  try {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await Promise.all([status(), status()]);
    vi.setSystemTime(Date.now() - 3_600_000);
    await sleep(1200);
    expect(await status()).toBe(200);
  } finally {
    vi.useRealTimers();
    await server.close();
  }
});

test("the server closes the connection of a client that never reads its response, but not of a client that reads slowly", async () => {
  const server = await serve(released.store, { quotas: UNLIMITED, idleMilliseconds: 3000 });
  const open = () =>
    new Promise<number>((resolve, reject) => {
      server.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  const asking = Buffer.from("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(400));
  const readers = [connect(server.port, "127.0.0.1"), connect(server.port, "127.0.0.1")] as const;
  const [never, slow] = readers;
  try {
    for (const reader of readers) {
      reader.on("error", () => undefined);
      reader.write(asking);
    }
    never.pause();
    let read = 0;
    let closed = false;
    slow.on("close", () => {
      closed = true;
    });
    slow.on("data", (chunk) => {
      read += chunk.length;
      slow.pause();
      setTimeout(() => slow.resume(), 20);
    });
    await expect.poll(open, { timeout: 3000 }).toBe(2);
    await expect.poll(open, { timeout: 60_000 }).toBe(1);
    expect([closed, read > 0]).toEqual([false, true]);
  } finally {
    for (const reader of readers) reader.destroy();
    await server.close();
  }
});

describe("closing the connection of a request that never ends", () => {
  test.each([
    { name: "headers sent letter by letter", begun: "GET /records HTTP/1.1\r\nHost: x\r\nX-Slow: ", more: "a" },
    {
      name: "a body sent letter by letter",
      begun: "POST /evaluations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n",
      more: " ",
    },
    {
      name: "a body sent letter by letter after the server rejected it",
      begun: "POST /auth/logout HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\nContent-Length: 60000\r\n\r\n",
      more: " ",
    },
    { name: "half of the headers", begun: "GET /records HTTP/1.1\r\nHo", more: "" },
    { name: "no bytes", begun: "", more: "" },
  ])("the server closes the connection of a request that never ends: $name", async ({ begun, more }) => {
    const server = await serve(released.store, { quotas: UNLIMITED, requestMilliseconds: 1500 });
    // A client that continues to send after the server has ended its side of the connection.
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    const open = () =>
      new Promise<number>((resolve, reject) => {
        server.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      });
    await once(socket, "connect");
    socket.write(begun);
    const dripping = setInterval(() => socket.write(more), 50);
    try {
      // Other clients get responses in the meantime.
      expect((await ask(server.port, "/health")).status).toBe(200);
      await expect.poll(open, { timeout: 30_000 }).toBe(0);
      expect(answer).toMatch(begun === "" ? /^(?:HTTP\/1\.1 408 |$)/ : /\/problems\/request-timeout"/);
    } finally {
      clearInterval(dripping);
      socket.destroy();
      await server.close();
    }
  });
});

describe("registering a key from a page of another origin", () => {
  test("a page of another origin may register a key, as programs may, but only without the user's cookies", async () => {
    const server = await serve(released.store, {
      quotas: { ...UNLIMITED, registration: { requests: 9, seconds: 3600 } },
    });
    const from = (origin: string | null) =>
      ask(server.port, "/api-keys/register", {
        ...REGISTRATION,
        headers: { ...REGISTRATION.headers, ...(origin === null ? {} : { origin }) },
      });
    try {
      for (const origin of [null, `http://localhost:${server.port}`, "https://example.org", "null"]) {
        const made = await from(origin);
        expect([origin, made.status, made.headers["access-control-allow-origin"]]).toEqual([origin, 201, "*"]);
        expect(made.headers["access-control-allow-credentials"]).toBeUndefined();
        expect(made.headers["cache-control"]).toBe("no-store");
      }
      const preflight = await ask(server.port, "/api-keys/register", {
        method: "OPTIONS",
        headers: {
          origin: "https://example.org",
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
        },
      });
      expect(preflight.headers).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "POST, OPTIONS",
        "access-control-allow-headers": "*",
      });
    } finally {
      await server.close();
    }
  });
});
