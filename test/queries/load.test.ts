/** More queries than the engine can run: some are rejected or interrupted, and all others must continue. */

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routeNamed } from "../../api-static/routes/index.ts";
import { NO_RESEARCHERS } from "../../server/accounts/standings.ts";
import { fastify } from "../../server/http/framework.ts";
import { readRequest } from "../../server/http/read-request.ts";
import { PageRequest } from "../../server/http/routes.ts";
import type { OpenRelease } from "../../server/read/open-release.ts";
import { PastReleases } from "../../server/read/other-releases.ts";
import { respondToRoute } from "../../server/read/pages.ts";
import type { QueryOptions } from "../../server/read/query-engine.ts";
import { ClientGone } from "../../server/scheduler.ts";
import { ask, type Reply } from "../server/ask.ts";
import { type Listening, serve } from "../server/test-store.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { openRelease } from "./described-release.ts";

/** A query that takes so long that it only ends if it is interrupted. */
const ENDLESS = "select count(*) from range(1000000) as a, range(1000000) as b where a.range * b.range % 7 = 3";

/** Time limit of statements in milliseconds. It is longer than any other statement of this file needs. */
const LONG = 60_000;

const makeRequest = (id: string, { signal }: AbortController) => ({ caller: { kind: "key", id } as const, signal });

describe("the engine under many simultaneous queries", () => {
  let folder: FilledStore;

  beforeAll(async () => {
    folder = await filledStore({ generated: { datacite: 200, seed: 5 }, builds: [{}] });
  }, 300_000);

  afterAll(() => folder?.[Symbol.asyncDispose]());

  async function withRelease(options: Partial<QueryOptions>, work: (release: OpenRelease) => Promise<void>) {
    const release = await openRelease(folder.store, folder.digests[0] ?? "", options);
    try {
      await work(release);
    } finally {
      await release.close();
    }
  }

  test("the engine interrupts a statement that runs too long, and then runs others", async () => {
    await withRelease({ queryThreads: 1, queryMilliseconds: 200 }, async ({ engine: prepared }) => {
      const endless = Array.from({ length: 2 }, () => prepared.rows(ENDLESS).catch((error: unknown) => error));
      for (const error of await Promise.all(endless)) {
        expect(error).toMatchObject({ type: "overloaded", status: 503, headers: { "retry-after": "10" } });
      }
      expect(await prepared.rows("select 7")).toEqual([[7]]);
    });
  }, 300_000);

  test("the engine interrupts a request with several statements if the statements together take too long", async () => {
    await withRelease({ queryThreads: 1, queryMilliseconds: 200 }, async ({ engine: prepared }) => {
      const work = prepared.use(async (db) => [await db.rows("select 7 as seven"), await db.rows(ENDLESS)]);
      await expect(work).rejects.toMatchObject({ type: "overloaded" });
    });
  }, 300_000);

  test("the engine ends a query when its client disconnects", async () => {
    await withRelease({ queryThreads: 1, queryMilliseconds: LONG }, async ({ engine: prepared }) => {
      const client = new AbortController();
      const running = Array.from({ length: 2 }, () => prepared.for(makeRequest("k", client)).rows(ENDLESS));
      const ended = Promise.allSettled(running);
      await sleep(50);
      client.abort();
      for (const each of await ended) expect(each.status === "rejected" && each.reason).toBeInstanceOf(ClientGone);
      expect(await prepared.rows("select 7")).toEqual([[7]]);
    });
  }, 300_000);

  test("the engine answers other callers while more streams run than it can run statements at a time", async () => {
    await withRelease({ queryThreads: 2, queryMilliseconds: LONG }, async (release) => {
      const downloads = new AbortController();
      const streams = Promise.allSettled(
        Array.from({ length: 20 }, (_, i) =>
          release.for(makeRequest(`k${i}`, downloads), "stream").engine.rows(ENDLESS),
        ),
      );
      const reader = release.for(makeRequest("reader", new AbortController()));
      expect(await Promise.all(Array.from({ length: 5 }, () => reader.engine.rows("select 7")))).toHaveLength(5);
      downloads.abort();
      await streams;
    });
  }, 300_000);

  test("the engine answers a caller while another caller has twenty queries that never end", async () => {
    await withRelease({ queryThreads: 2, queryMilliseconds: LONG }, async (release) => {
      const greedy = new AbortController();
      const engine = () => release.engine.for(makeRequest("greedy", greedy));
      const long = Promise.allSettled(Array.from({ length: 20 }, () => engine().rows(ENDLESS)));
      expect(await release.engine.for(makeRequest("reader", new AbortController())).rows("select 7")).toEqual([[7]]);
      greedy.abort();
      await long;
    });
  }, 300_000);

  test("a request that waits for the engine is dropped when its client disconnects", async () => {
    await withRelease({ queryThreads: 1, queryMilliseconds: LONG }, async (release) => {
      const operator = new AbortController();
      const busy = Promise.allSettled(
        ["one", "other"].map((id) => release.engine.for(makeRequest(id, operator)).rows(ENDLESS)),
      );
      const asked = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<unknown>();
      const app = fastify({ logger: false });
      app.get<{ Params: Record<string, string> }>("/records", async (request) => {
        request.caller = { kind: "anonymous", id: "x", address: "127.0.0.1" };
        const unlimited = { charge: async () => Number.POSITIVE_INFINITY, countAs: async () => undefined };
        const standing = { hidden: NO_RESEARCHERS, withheld: NO_RESEARCHERS, verified: NO_RESEARCHERS };
        const answer = respondToRoute(
          new PageRequest(routeNamed("records"), readRequest(request, unlimited)),
          release,
          standing,
          new PastReleases(folder.store, () => undefined),
        );
        asked.resolve();
        answered.resolve(await answer.catch((error: unknown) => error));
        return "";
      });
      const port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
      const socket = connect(port, "127.0.0.1");
      socket.write("GET /records?search=data HTTP/1.1\r\nhost: x\r\n\r\n");
      await asked.promise;
      socket.destroy();
      expect(await answered.promise).toBeInstanceOf(ClientGone);
      operator.abort();
      await busy;
      await app.close();
    });
  }, 300_000);

  describe("a server under many simultaneous queries", () => {
    /** Options of an engine that runs two statements at a time and lets eight wait. */
    const SMALL = { queryMemory: "256MB", queryThreads: 1, queryWaiting: 8 };
    let server: Listening;

    beforeAll(async () => {
      server = await serve(folder.store, SMALL);
    });

    afterAll(() => server?.close());

    /** Returns the path of the i-th search. Each has other filters, so that no response comes from the cache. */
    const path = (i: number) =>
      `/records?search=data&minScore=${i % 40}&maxScore=${60 + (i % 40)}&page=1&limit=${1 + (i % 9)}`;

    test("a server answers some of a thousand simultaneous searches, and all others with 503 and Retry-After", async () => {
      const replies: Reply[] = await Promise.all(Array.from({ length: 1000 }, (_, i) => ask(server.port, path(i))));
      const count = (status: number) => replies.filter((reply) => reply.status === status).length;
      expect(count(200)).toBeGreaterThan(10);
      expect(count(503)).toBeGreaterThan(10);
      expect(count(200) + count(503)).toBe(1000);
      for (const { text, headers } of replies.filter(({ status }) => status === 503)) {
        expect(JSON.parse(text)).toMatchObject({ type: "/problems/overloaded", instance: "/records" });
        expect(headers).toMatchObject({ "retry-after": "1", "cache-control": "no-store" });
      }
      const pages = await Promise.all(Array.from({ length: 50 }, () => ask(server.port, "/records")));
      expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
      expect((await ask(server.port, path(1))).status).toBe(200);
    }, 300_000);
  });
});
