/** What nginx passes on and keeps: who the client is said to be, which answers are given out again and to whom. */

import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, type Question } from "../server/ask.ts";
import { idOf, SPECIAL } from "../server/test-store.ts";
import type { World } from "../server/world.ts";
import { type Front, front } from "./front.ts";

const KEPT = [
  { name: "what is missing", target: "/records/r000000000000000000000001" },
  { name: "a list of researchers", target: "/authors" },
  { name: "the index", target: "/" },
];

const NOT_KEPT: readonly { name: string; target: string; question: Question }[] = [
  { name: "what the server keeps from caches", target: "/status", question: {} },
  {
    name: "a request with a key",
    target: "/problems/internal",
    question: { headers: { "x-api-key": "share_live_x" } },
  },
  { name: "a request with a session", target: "/problems/internal", question: { headers: { cookie: "a=b" } } },
  {
    name: "a request with a password",
    target: "/problems/internal",
    question: { headers: { authorization: "Basic x" } },
  },
  { name: "a refused method", target: "/problems/internal", question: { method: "POST" } },
  { name: "a file of a release", target: "/releases/{digest}/diff", question: {} },
];

export function proxyCases(world: () => World): void {
  describe("what goes through", () => {
    let at: Front;
    const touches = async (work: () => Promise<unknown>) => {
      const before = at.seen.length;
      await work();
      return at.seen.length - before;
    };

    beforeAll(async () => {
      at = await front(world().store);
    });

    afterAll(() => at[Symbol.asyncDispose]());

    test.each(KEPT)("$name is kept for a while", async ({ target }) => {
      const first = await ask(at.port, target);
      const own = { "x-request-id": expect.any(String), ratelimit: expect.any(String) };
      expect(first.headers).toMatchObject(own);
      expect(
        await touches(async () => {
          const second = await ask(at.port, target);
          expect([second.status, second.text, second.headers.etag]).toEqual([
            first.status,
            first.text,
            first.headers.etag,
          ]);
          // The id of a request, and what is left of a quota, are nobody else's.
          expect(Object.keys(second.headers).filter((name) => name in own)).toEqual([]);
        }),
      ).toBe(0);
    });

    test.each(NOT_KEPT)("$name is not", async ({ target, question }) => {
      const path = target.replace("{digest}", world().full.releaseDigest.replace(":", "-"));
      expect(
        await touches(async () => {
          const first = await ask(at.port, path, question);
          const second = await ask(at.port, path, question);
          expect(second.status).toBe(first.status);
          expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
        }),
      ).toBe(2);
    });

    test("a browser is led to the page for people, programs and who follows a link there are given the file", async () => {
      const id = idOf(SPECIAL.winner);
      const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
      for (const round of [1, 2]) {
        for (const [path, page] of [
          [`/records/${id}`, `/datasets/${id}`],
          ["/rubrics", "/signals"],
          ["/authors", "/researchers"],
        ] as const) {
          const led = await ask(at.port, path, { headers: browser });
          expect([round, led.status, led.headers.location]).toEqual([round, 307, page]);
          for (const headers of [{}, { ...browser, "sec-fetch-site": "same-origin" }]) {
            const given = await ask(at.port, path, { headers });
            expect([round, path, given.status]).toEqual([round, path, 200]);
            expect(given.headers["content-type"]).toContain("application/json");
          }
        }
      }
    });

    test("a draft may have what the server takes, and everything else what it takes", async () => {
      const post = (path: string, bytes: number) =>
        ask(at.port, path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: `{"metadata":"${"x".repeat(bytes)}"}`,
        });
      expect((await post("/evaluations/draft?source=zenodo", 500_000)).status).toBe(400);
      expect((await post("/evaluations/draft?source=zenodo", 2_000_000)).status).toBe(413);
      expect((await post("/evaluations", 100_000)).status).toBe(413);
    });

    test("forms of one address are kept apart", async () => {
      const asked = async (accept: string) =>
        (await ask(at.port, "/problems/draining", { headers: { accept } })).headers["content-type"];
      for (const round of [1, 2]) {
        expect([round, await asked("text/html"), await asked("*/*"), await asked("application/json")]).toEqual([
          round,
          "text/html; charset=utf-8",
          "application/json; charset=utf-8",
          "application/json; charset=utf-8",
        ]);
      }
    });

    test("a kept answer meets conditions, and is compressed for whom it suits", async () => {
      const target = "/authors?rubric=1.0";
      const whole = await ask(at.port, target);
      const etag = whole.headers.etag ?? "";
      expect(
        await touches(async () => {
          for (const condition of [etag, `W/${etag}`, `"a", ${etag}`]) {
            expect((await ask(at.port, target, { headers: { "if-none-match": condition } })).status).toBe(304);
          }
          const small = await ask(at.port, target, { headers: { "accept-encoding": "gzip" } });
          expect(small.headers).toMatchObject({ "content-encoding": "gzip", etag: `W/${etag}` });
        }),
      ).toBe(0);
    });

    test("rows as they are read, linked data, sets of links and the feed are compressed, and are the server's own", async () => {
      const { data } = JSON.parse((await ask(at.port, "/records?limit=1")).text);
      const compressed = new Set<string>();
      for (const [target, accept] of [
        ["/records", "application/x-ndjson"],
        ["/records", "application/vnd.apache.arrow.stream"],
        [`/records/${data[0].id}`, "application/ld+json"],
        [`/datasets/${data[0].id}/linkset`, "*/*"],
        ["/history.atom", "*/*"],
      ] as const) {
        const plain = await ask(at.server, target, { headers: { accept } });
        const packed = await ask(at.port, target, { headers: { accept, "accept-encoding": "gzip" } });
        const gzip = packed.headers["content-encoding"] === "gzip";
        // Smaller ones fit into one packet as they are.
        expect([target, packed.status, gzip]).toEqual([target, 200, plain.body.length >= 1024]);
        expect((gzip ? gunzipSync(packed.body) : packed.body).equals(plain.body)).toBe(true);
        if (gzip) compressed.add(accept);
      }
      expect(compressed.size).toBeGreaterThanOrEqual(3);
    });

    test("a part of a release's file is a part", async () => {
      const target = `/releases/${world().full.releaseDigest.replace(":", "-")}/data/records/part-0000.parquet`;
      const part = await ask(at.port, target, { headers: { range: "bytes=0-3" } });
      expect([part.status, part.text]).toEqual([206, "PAR1"]);
      const whole = await ask(at.port, target);
      expect(whole.body.equals((await ask(at.server, target)).body)).toBe(true);
    });

    test("the client's word on its own address is not passed on", async () => {
      const headers = {
        "x-forwarded-for": "203.0.113.7",
        "x-forwarded-host": "evil.example",
        forwarded: "for=203.0.113.7",
        "x-forwarded-proto": "https",
      };
      await ask(at.port, "/status", { headers });
      const seen = at.seen.at(-1)?.headers;
      expect(seen).toMatchObject({
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-proto": "http",
        host: `127.0.0.1:${at.port}`,
      });
      expect([seen?.forwarded, seen?.["x-forwarded-host"]]).toEqual([undefined, undefined]);
    });

    test("a proxy in front is believed where it is named, and only as far as it goes", async () => {
      await using behind = await front(world().store, { realIpFrom: ["127.0.0.0/8"] });
      const CASES = [
        ["198.51.100.7", "198.51.100.7"],
        ["192.0.2.1, 198.51.100.7", "198.51.100.7"],
        ["192.0.2.1, 198.51.100.7, 127.0.0.9", "198.51.100.7"],
        ["2001:db8::7", "2001:db8::7"],
        ["nonsense", "127.0.0.1"],
      ] as const;
      for (const [said, believed] of CASES) {
        await ask(behind.port, "/status", { headers: { "x-forwarded-for": said } });
        expect([said, behind.seen.at(-1)?.headers["x-forwarded-for"]]).toEqual([said, believed]);
      }
    });

    test("without its server, pages are answered and the rest is a problem", async () => {
      await using alone = await front(world().store);
      await alone.stopServer();
      const page = await ask(alone.port, "/metrics/live");
      expect(page.status).toBe(200);
      for (const target of ["/records?limit=3", "/authors", "/nothing"]) {
        const reply = await ask(alone.port, target);
        const { pathname } = new URL(target, "http://localhost");
        expect([reply.status, JSON.parse(reply.text)]).toEqual([
          503,
          expect.objectContaining({ type: "/problems/unavailable", status: 503, instance: pathname }),
        ]);
        expect(reply.headers).toMatchObject({
          "content-type": "application/problem+json",
          "cache-control": "no-store",
          "retry-after": "5",
          "access-control-allow-origin": "*",
        });
      }
    });
  });
}
