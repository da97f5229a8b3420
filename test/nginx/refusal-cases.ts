/** What nginx refuses by itself: problem documents like the server's, whatever was wrong with the request. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { problem } from "../../schemas/public/problem.ts";
import { ask } from "../server/ask.ts";
import type { World } from "../server/world.ts";
import { type Front, front } from "./front.ts";
import { askRaw } from "./raw.ts";

const END = "Host: x\r\nConnection: close\r\n\r\n";

const UNREADABLE = [
  { name: "an encoded NUL", text: `GET /records/%00 HTTP/1.1\r\n${END}`, type: "invalid-request" },
  { name: "a NUL", text: `GET /records/\0 HTTP/1.1\r\n${END}`, type: "invalid-request" },
  { name: "an encoding that is none", text: `GET /records/%zz HTTP/1.1\r\n${END}`, type: "invalid-request" },
  { name: "a way above the root", text: `GET /../records HTTP/1.1\r\n${END}`, type: "invalid-request" },
  { name: "a method in small letters", text: `get /records HTTP/1.1\r\n${END}`, type: "invalid-request" },
  { name: "no host", text: "GET /records HTTP/1.1\r\nConnection: close\r\n\r\n", type: "invalid-request" },
  {
    name: "two lengths",
    text: `POST /records HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${END}`,
    type: "invalid-request",
  },
  {
    name: "a very long address",
    text: `GET /records/${"a".repeat(40_000)} HTTP/1.1\r\n${END}`,
    type: "headers-too-large",
  },
  {
    name: "a very long query",
    text: `GET /records?search=${"a".repeat(40_000)} HTTP/1.1\r\n${END}`,
    type: "headers-too-large",
  },
  {
    name: "a very long header",
    text: `GET /records HTTP/1.1\r\nX: ${"a".repeat(40_000)}\r\n${END}`,
    type: "headers-too-large",
  },
  { name: "TRACE", text: `TRACE /records HTTP/1.1\r\n${END}`, type: "method-not-allowed" },
  {
    name: "a body of a size that is too large",
    text: `POST /records HTTP/1.1\r\nContent-Length: 65537\r\n${END}`,
    type: "body-too-large",
  },
  {
    name: "a body that grows too large",
    text: `POST /records HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${END}10001\r\n${"a".repeat(0x10001)}\r\n0\r\n\r\n`,
    type: "body-too-large",
  },
] as const;

export function refusalCases(world: () => World): void {
  describe("what nginx refuses", () => {
    let at: Front;

    beforeAll(async () => {
      at = await front(world().store);
    });

    afterAll(() => at[Symbol.asyncDispose]());

    test.each(UNREADABLE)("$name is $type", async ({ text, type }) => {
      const before = at.seen.length;
      const { status, head, body } = await askRaw(at.port, text);
      const document = problem.parse(JSON.parse(body));
      expect([document.type, document.status]).toEqual([`/problems/${type}`, status]);
      expect(body.endsWith("}\n")).toBe(true);
      const lines = head.toLowerCase().split("\r\n");
      for (const [name, value] of Object.entries(SHARED_HEADERS))
        expect(lines).toContain(`${name}: ${value}`.toLowerCase());
      expect(lines).toContain("content-type: application/problem+json");
      expect(lines).toContain("cache-control: no-store");
      expect(lines).toContain("server: nginx");
      expect(at.seen.length).toBe(before);
    });

    test("a body of 64 KiB passes", async () => {
      const before = at.seen.length;
      const { status } = await askRaw(
        at.port,
        `POST /rubrics HTTP/1.1\r\nContent-Length: 65536\r\n${END}${"a".repeat(65_536)}`,
      );
      expect([status, at.seen.length - before]).toEqual([405, 1]);
    });

    test("an absolute address is the address", async () => {
      const before = at.seen.length;
      const { status, head } = await askRaw(at.port, `GET http://elsewhere.example/rubrics HTTP/1.1\r\n${END}`);
      expect([status, at.seen.length]).toEqual([200, before]);
      expect(head).toContain(world().full.releaseDigest);
    });

    test("a badge that nobody makes is one that says so", async () => {
      await using alone = await front(world().store);
      await alone.stopServer();
      for (const [path, label] of [
        ["/widgets/datasets/r000000000000000000000000/badge.svg?rubric=1.0", "SHARE"],
        ["/widgets/researchers/nobody/badge.svg", "S-Index"],
        ["/widgets/repositories/a%2Fb/badge.svg", "SHARE mean"],
      ] as const) {
        const { status, headers, text } = await ask(alone.port, path);
        expect([status, headers["content-type"]]).toEqual([503, "image/svg+xml; charset=utf-8"]);
        expect(text).toContain(`>${label}<`);
        expect(text).toContain(">try later<");
        expect((await ask(alone.port, path, { method: "HEAD" })).status).toBe(503);
      }
    });

    test("the path asked for is named, but never breaks the document", async () => {
      await using alone = await front(world().store);
      await alone.stopServer();
      const CASES = [
        ["/nothing?a=1", "/nothing"],
        ["/a/b%22c'd&e", "/a/b%22c'd&e"],
        ['/a"b', "/"],
        ["/a\\b?x", "/"],
        ['/a?"}', "/a"],
      ] as const;
      for (const [target, instance] of CASES) {
        const { body } = await askRaw(alone.port, `GET ${target} HTTP/1.1\r\n${END}`);
        expect([target, JSON.parse(body).instance]).toEqual([target, instance]);
      }
    });
  });

  describe("the guard", () => {
    const REQUESTS = 30;
    const GUARD = { rate: 1, burst: 3, realIpFrom: ["127.0.0.1"] } as const;
    let at: Front;

    beforeAll(async () => {
      at = await front(world().store, { ...GUARD, realIpFrom: [...GUARD.realIpFrom] });
    });

    afterAll(() => at[Symbol.asyncDispose]());

    /** One request from each address, at once. */
    const from = (addresses: readonly string[]) =>
      Promise.all(addresses.map((address) => ask(at.port, "/rubrics", { headers: { "x-forwarded-for": address } })));
    const each = (address: (i: number) => string) => Array.from({ length: REQUESTS }, (_, i) => address(i + 1));

    const SAME = [
      { name: "one IPv4 address", address: () => "198.51.100.1" },
      { name: "one IPv4 address mapped into IPv6", address: () => "::ffff:198.51.100.2" },
      { name: "one network of IPv6", address: (i: number) => `2001:db8:0:a::${i}` },
      { name: "one network of IPv6, its end in use", address: (i: number) => `2001:db8:0:b:${i}:0:0:a0a` },
    ];

    test.each(SAME)("$name is one client", async ({ address }) => {
      const replies = await from(each(address));
      const refused = replies.filter(({ status }) => status === 429);
      const passed = replies.filter(({ status }) => status === 200);
      expect(passed.length + refused.length).toBe(REQUESTS);
      expect(passed.length).toBeGreaterThan(GUARD.burst);
      expect(refused.length).toBeGreaterThan(0);
      const [first] = refused;
      expect(problem.parse(JSON.parse(first?.text ?? ""))).toMatchObject({
        type: "/problems/rate-limited",
        instance: "/rubrics",
      });
      expect(first?.headers).toMatchObject({
        "retry-after": "1",
        "cache-control": "no-store",
        "access-control-allow-origin": "*",
      });
    });

    test("badges are refused as badges, and use up no reader's allowance", async () => {
      const badge = "/widgets/repositories/Zenodo/badge.svg";
      const headers = { "x-forwarded-for": "198.51.100.77" };
      const replies = await Promise.all(Array.from({ length: REQUESTS }, () => ask(at.port, badge, { headers })));
      const refused = replies.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      for (const { text, headers: sent } of refused) {
        expect(text).toMatch(/^<svg[^>]*>.*>SHARE mean<.*>try later<.*<\/svg>\n$/s);
        expect(sent).toMatchObject({
          "content-type": "image/svg+xml; charset=utf-8",
          "content-security-policy":
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
          "retry-after": "1",
          "cache-control": "no-store",
        });
      }
      const post = await ask(at.port, badge, { method: "POST", headers: { "x-forwarded-for": "198.51.100.78" } });
      expect([post.status, post.headers["content-type"]]).toEqual([405, "application/problem+json"]);
      for (let i = 0; i < GUARD.burst; i += 1) expect((await ask(at.port, "/rubrics", { headers })).status).toBe(200);
    });

    const DIFFERENT = [
      { name: "IPv4 addresses", address: (i: number) => `203.0.113.${i}` },
      { name: "IPv4 addresses mapped into IPv6", address: (i: number) => `::ffff:203.0.113.${100 + i}` },
      { name: "networks of IPv6", address: (i: number) => `2001:db8:1:${i}::1` },
    ];

    test.each(DIFFERENT)("$name are clients apart", async ({ address }) => {
      const replies = await from(each(address));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    });

    test("who names another address without being a proxy stays who they are", async () => {
      await using bare = await front(world().store, { rate: 1, burst: 3 });
      const replies = await Promise.all(
        each((i) => `203.0.113.${i}`).map((address) =>
          ask(bare.port, "/rubrics", { headers: { "x-forwarded-for": address } }),
        ),
      );
      expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    });
  });
}
