/** Every canonical address: answered from its file, with the server's own bytes and headers, and without the server. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { etagOf } from "../../server/frame/answering/etag.ts";
import { ask, keptConnection, type Question, type Reply } from "../server/ask.ts";
import type { World } from "../server/world.ts";
import { pathsIn } from "../support/tree.ts";
import { type Canonical, canonicalAddresses } from "./canonical.ts";
import { type Front, front } from "./front.ts";

/** Headers that must be the server's own; the others are about one connection or one request. */
const COMPARED = [
  ...Object.keys(SHARED_HEADERS),
  "cache-control",
  "content-length",
  "content-security-policy",
  "content-type",
  "etag",
  "last-modified",
  "accept-ranges",
  "location",
  "share-release",
];

/** What a client gets, as far as it must not depend on who answers. */
export function answerOf({ status, headers, text }: Reply) {
  return { status, text, headers: Object.fromEntries(COMPARED.map((name) => [name, headers[name]])) };
}

/** Conditions by the tag a client has. */
const CONDITIONS = [
  { name: "the tag", header: (tag: string) => tag, status: 304 },
  { name: "the weak tag", header: (tag: string) => `W/${tag}`, status: 304 },
  { name: "one of several", header: (tag: string) => `"a", W/"b", ${tag}`, status: 304 },
  { name: "any", header: () => "*", status: 304 },
  { name: "another tag", header: () => '"1-1"', status: 200 },
  { name: "part of the tag", header: (tag: string) => `${tag.slice(0, 5)}"`, status: 200 },
] as const;

const PAST = "Thu, 01 Jan 1970 00:00:01 GMT";
const FUTURE = "Tue, 19 Jan 2038 03:14:07 GMT";

/** Conditions that the server ignores, and that nginx would judge by a time that is none. */
const IGNORED = [
  { "if-modified-since": FUTURE },
  { "if-unmodified-since": PAST },
  { "if-match": '"1-1"' },
  { range: "bytes=0-1" },
] as const;

export function pageCases(world: () => World): void {
  describe("canonical addresses", () => {
    let at: Front;
    let fromFile: readonly Canonical[];
    let throughServer: readonly Canonical[];
    let samples: readonly Canonical[];
    const agent = keptConnection();
    const tree = () => world().store.tree(world().full.releaseDigest);
    const through = (target: string, question: Question = {}) => ask(at.port, target, { agent, ...question });
    const direct = (target: string, question: Question = {}) => ask(at.server, target, { agent, ...question });

    beforeAll(async () => {
      at = await front(world().store);
      const all = await canonicalAddresses(world().store.release(world().full.releaseDigest));
      fromFile = all.filter(({ route }) => !route.showsResearchers);
      throughServer = all.filter(({ route }) => route.showsResearchers);
      samples = [...Map.groupBy(fromFile, ({ route }) => route.name).values()].flatMap((some) => some.slice(0, 2));
    });

    afterAll(async () => {
      agent.destroy();
      await at[Symbol.asyncDispose]();
    });

    test("all are answered by their file, with the tag of its bytes, and the server hears of none", async () => {
      const before = at.seen.length;
      expect(fromFile.length).toBeGreaterThan(500);
      expect(fromFile.filter(({ target }) => target.includes("%20")).length).toBeGreaterThan(0);
      for (const { target, bytes, route } of fromFile) {
        const { status, body, headers } = await through(target);
        expect([target, status, headers.etag]).toEqual([target, 200, etagOf(bytes)]);
        expect(body.equals(bytes)).toBe(true);
        expect(headers).toMatchObject({
          "content-type": route.contentType,
          "cache-control": route.cache,
          "share-release": world().full.releaseDigest,
        });
      }
      expect(at.seen.slice(before)).toEqual([]);
    });

    test("every route that may be is among them", () => {
      expect([...new Set(samples.map(({ route }) => route.name))].sort()).toEqual([
        "dataset-badge",
        "geography",
        "history",
        "impact",
        "institutions",
        "metrics",
        "record",
        "records",
        "repository-badge",
        "rubric",
        "rubrics",
      ]);
    });

    test("researchers' pages are asked of the server", async () => {
      const routes = Map.groupBy(throughServer, ({ route }) => route.name);
      expect([...routes.keys()].sort()).toEqual(["author", "authors", "researcher-badge"]);
      for (const { target } of [...routes.values()].flatMap((some) => some.slice(0, 3))) {
        const before = at.seen.length;
        const answer = answerOf(await through(target));
        expect(at.seen.slice(before).map((seen) => seen.target)).toEqual([target]);
        expect(answer).toEqual(answerOf(await direct(target)));
      }
    });

    test("bytes and headers are the server's own, on GET and HEAD", async () => {
      for (const { target } of samples) {
        for (const method of ["GET", "HEAD"]) {
          const answer = answerOf(await through(target, { method }));
          expect({ target, method, ...answer }).toEqual({
            target,
            method,
            ...answerOf(await direct(target, { method })),
          });
        }
      }
    });

    test("compressed, the content and its tag are the same, the tag weak", async () => {
      const headers = { "accept-encoding": "gzip" };
      let compressed = 0;
      for (const { target, bytes } of samples) {
        for (const port of [at.port, at.server]) {
          const reply = await ask(port, target, { agent, headers });
          const gzip = reply.headers["content-encoding"] === "gzip";
          expect([target, gzip]).toEqual([target, bytes.length >= 1024]);
          expect((gzip ? gunzipSync(reply.body) : reply.body).equals(bytes)).toBe(true);
          expect(reply.headers.etag).toBe(`${gzip ? "W/" : ""}${etagOf(bytes)}`);
          expect(reply.headers.vary).toBe(SHARED_HEADERS.vary);
          if (gzip) compressed += 1;
        }
      }
      expect(compressed).toBeGreaterThan(10);
    });

    test.each(CONDITIONS)("If-None-Match: $name", async ({ header, status }) => {
      for (const { target, bytes } of samples) {
        const condition = header(etagOf(bytes));
        for (const encoding of ["identity", "gzip"]) {
          const headers = { "if-none-match": condition, "accept-encoding": encoding };
          const [reply, own] = [await through(target, { headers }), await direct(target, { headers })];
          expect([target, reply.status, own.status]).toEqual([target, status, status]);
          if (status === 304) expect(answerOf(reply)).toEqual(answerOf(own));
        }
      }
    });

    test.each(IGNORED)("%j changes nothing", async (condition) => {
      for (const { target } of samples.slice(0, 4)) {
        const reply = await through(target, { headers: condition });
        expect(answerOf(reply)).toEqual(answerOf(await direct(target)));
        expect(reply.status).toBe(200);
      }
    });

    test("files carry the time of their content", () => {
      for (const { path, bytes } of samples) {
        const { mtimeMs, size } = statSync(join(tree(), path));
        const tag = `"${(mtimeMs / 1000).toString(16)}-${size.toString(16)}"`;
        expect(tag).toBe(etagOf(bytes));
      }
    });

    test("no page of a researcher lies in the tree, and no release has a path to it", async () => {
      const paths = await pathsIn(tree());
      expect(paths).toEqual([...new Set(fromFile.map(({ path }) => path))].sort());
      const [shown] = throughServer;
      const digest = world().full.releaseDigest.replace(":", "-");
      for (const path of [`/pages/${digest}/${paths[0]}`, `/releases/${digest}/pages/${paths[0]}`, `/${shown?.path}`]) {
        expect([path, (await through(path)).status]).toEqual([path, 404]);
      }
    });

    test("nginx has nothing to complain of", () => {
      expect(at.errors()).not.toMatch(/\[(?:warn|error|crit|alert|emerg)\]/);
    });
  });
}
