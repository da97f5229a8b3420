/** Conditional requests: a client that has the content is told so, whatever it asks for. */

import { beforeAll, describe, expect, test } from "vitest";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { ask } from "./ask.ts";
import { idOf, type Listening, ODD_LABEL, SPECIAL } from "./test-store.ts";
import type { World } from "./world.ts";

const PATHS = [
  "/",
  "/health",
  "/status",
  "/problems/internal",
  "/records",
  `/records/${idOf(SPECIAL.winner)}?rubric=1.0`,
  `/widgets/datasets/${idOf(SPECIAL.winner)}/badge.svg`,
  `/widgets/repositories/${encodeURIComponent(ODD_LABEL)}/badge.svg`,
  "/releases",
  "/releases/{digest}",
  "/releases/{digest}/release.json",
  "/releases/{digest}/manifest.ndjson",
  "/releases/{digest}/data/records/part-0000.parquet",
];

const CONDITIONS = [
  { name: "the tag", header: (tag: string) => tag, status: 304 },
  { name: "the weak tag", header: (tag: string) => `W/${tag}`, status: 304 },
  { name: "one of several", header: (tag: string) => `"a", W/"b",${tag}`, status: 304 },
  { name: "any", header: () => "*", status: 304 },
  { name: "another tag", header: () => '"0123"', status: 200 },
  { name: "the tag unquoted", header: (tag: string) => tag.slice(1, -1), status: 200 },
  { name: "part of the tag", header: (tag: string) => `${tag.slice(0, 8)}"`, status: 200 },
];

export function conditionalCases(world: () => World): void {
  describe("conditional requests", () => {
    let server: Listening;
    beforeAll(async () => {
      server = await world().serve(world().store);
    });

    const placed = (path: string) => path.replace("{digest}", world().full.releaseDigest.replace(":", "-"));

    test.each(PATHS)("%s", async (template) => {
      const path = placed(template);
      const whole = await ask(server.port, path);
      const etag = whole.headers.etag ?? "";
      expect(etag).toMatch(/^"[0-9a-f]{1,8}-[0-9a-f]+"$/);
      for (const { header, status } of CONDITIONS) {
        for (const method of ["GET", "HEAD"]) {
          const reply = await ask(server.port, path, { method, headers: { "if-none-match": header(etag) } });
          expect(reply.status).toBe(status);
          expect(reply.headers).toMatchObject({
            etag,
            "cache-control": whole.headers["cache-control"],
            vary: SHARED_HEADERS.vary,
          });
          expect(reply.headers["share-release"]).toBe(whole.headers["share-release"]);
          if (status === 304) expect([reply.body.length, reply.headers["content-type"]]).toEqual([0, undefined]);
        }
      }
    });

    test("a record's page keeps its tag from release to release, a list does not", async () => {
      const other = await world().serve(await world().altered(world().next));
      const tags = async (path: string) => [
        (await ask(server.port, path)).headers.etag,
        (await ask(other.port, path)).headers.etag,
      ];
      const [record, same] = await tags(`/records/${idOf(SPECIAL.winner)}`);
      expect(record).toBe(same);
      const [list, changed] = await tags("/records");
      expect(list).not.toBe(changed);
    });

    test("an error is no match for a condition", async () => {
      const reply = await ask(server.port, "/nothing", { headers: { "if-none-match": "*" } });
      expect(reply.status).toBe(404);
    });
  });
}
