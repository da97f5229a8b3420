/**
 * Test cases for the files of releases: the list of releases, the receipt, every file of the manifest, and ranges of bytes.
 * Also for /status and /health.
 */

import { hash } from "node:crypto";
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { routeNamed } from "../../api-static/routes/index.ts";
import { CACHE } from "../../api-static/routes/route.ts";
import { activate } from "../../pipeline/store/releases.ts";
import { CSV_FILES } from "../../releases/export-csv.ts";
import { manifestLine } from "../../schemas/public/release.ts";
import { etagOfDigest } from "../../server/http/response.ts";
import { ask } from "./ask.ts";
import type { Listening } from "./test-store.ts";
import type { World } from "./world.ts";

const TYPES = [
  ["data/records/part-0000.parquet", "application/vnd.apache.parquet"],
  ["data/records.csv.gz", "application/gzip"],
  ["data/history.json", "application/json; charset=utf-8"],
  ["manifest.ndjson", "application/x-ndjson; charset=utf-8"],
  ["release.json", "application/json; charset=utf-8"],
  ["pages/2.0/record.zst", "application/zstd"],
] as const;

/**
 * Values of the header Range, each with the expected status and part of the file. `part` gets the size of the file in bytes,
 * and returns the first byte and the one after the last.
 */
const RANGES = [
  { range: "bytes=0-9", status: 206, part: (size: number) => [0, Math.min(10, size)] },
  { range: "bytes=10-", status: 206, part: (size: number) => [10, size] },
  { range: "bytes=-7", status: 206, part: (size: number) => [size - 7, size] },
  { range: "bytes=5-99999999", status: 206, part: (size: number) => [5, size] },
  { range: "bytes=-99999999", status: 206, part: (size: number) => [0, size] },
  { range: "bytes=0-0", status: 206, part: () => [0, 1] },
  { range: "bytes=99999999-", status: 416, part: () => [0, 0] },
  { range: "bytes=-0", status: 416, part: () => [0, 0] },
  { range: "bytes=9-2", status: 200, part: (size: number) => [0, size] },
  { range: "bytes=0-1,4-5", status: 200, part: (size: number) => [0, size] },
  { range: "lines=0-9", status: 200, part: (size: number) => [0, size] },
  { range: "bytes=-", status: 200, part: (size: number) => [0, size] },
] as const;

export function releaseFileCases(world: () => World): void {
  describe("files of releases", () => {
    let server: Listening;
    let base: string;
    let folder: string;
    beforeAll(async () => {
      server = await world().serve(world().store);
      base = `/releases/${world().full.releaseDigest.replace(":", "-")}`;
      folder = world().store.release(world().full.releaseDigest);
    });

    test("GET /releases lists every release, newest first, and marks the one that is served", async () => {
      const list: { releaseDigest: string; publishedAt: string; active: boolean; receipt: string }[] = JSON.parse(
        (await ask(server.port, "/releases")).text,
      );
      const { full, next, limited } = world();
      const digests = [full, next, limited].map(({ releaseDigest }) => releaseDigest);
      expect(list.map(({ releaseDigest }) => releaseDigest).sort()).toEqual(digests.sort());
      const times = list.map(({ publishedAt }) => publishedAt);
      expect(times).toEqual(times.toSorted().reverse());
      expect(list.filter(({ active }) => active).map(({ releaseDigest }) => releaseDigest)).toEqual([
        full.releaseDigest,
      ]);
      for (const { receipt } of list) expect((await ask(server.port, receipt)).status).toBe(200);
    });

    test("GET /releases leaves out a release with a damaged receipt, and lists the others", async () => {
      const { full, next } = world();
      const store = world().copy(full, next);
      await activate(store, full.releaseDigest);
      const { port } = await world().serve(store);
      writeFileSync(join(store.release(next.releaseDigest), "release.json"), "{");
      const { status, text } = await ask(port, "/releases");
      const digests = JSON.parse(text).map(({ releaseDigest }: { releaseDigest: string }) => releaseDigest);
      expect([status, digests]).toEqual([200, [full.releaseDigest]]);
    });

    test("the changes of a release under a SHARE version that this release does not publish return 409", async () => {
      const { limited } = world();
      const changes = `/releases/${limited.releaseDigest.replace(":", "-")}/changes`;
      expect((await ask(server.port, changes)).status).toBe(200);
      const { status, text } = await ask(server.port, `${changes}?rubric=1.0`);
      expect([status, JSON.parse(text).detail]).toEqual([
        409,
        "That release publishes no data under SHARE 1.0; it publishes 2.0.",
      ]);
    });

    test("GET /releases/{digest} returns the receipt byte for byte, and is cached for a year", async () => {
      const reply = await ask(server.port, base);
      expect(reply.body).toEqual(readFileSync(join(folder, "release.json")));
      expect(reply.headers["cache-control"]).toBe(CACHE.immutable);
    });

    test("every file of the manifest is served byte for byte, with its digest as ETag", async () => {
      const lines = readFileSync(join(folder, "manifest.ndjson"), "utf8").trimEnd().split("\n");
      expect(lines.length).toBeGreaterThan(30);
      for (const text of lines) {
        const { path, bytes, sha256 } = manifestLine.parse(JSON.parse(text));
        const reply = await ask(server.port, `${base}/${path.split("/").map(encodeURIComponent).join("/")}`);
        expect([path, reply.status, reply.body.length, hash("sha256", reply.body)]).toEqual([path, 200, bytes, sha256]);
        expect(reply.headers.etag).toBe(etagOfDigest(sha256, bytes));
        expect(reply.headers["cache-control"]).toBe(CACHE.immutable);
      }
    });

    test.each(TYPES)("the release file %s has the media type %s", async (path, type) => {
      const get = await ask(server.port, `${base}/${path}`);
      const head = await ask(server.port, `${base}/${path}`, { method: "HEAD" });
      expect([get.status, get.headers["content-type"], get.headers["content-encoding"]]).toEqual([
        200,
        type,
        undefined,
      ]);
      expect([head.status, head.headers["content-length"], head.body.length]).toEqual([
        200,
        String(get.body.length),
        0,
      ]);
      expect(get.headers["content-security-policy"] !== undefined).toBe(type.startsWith("image/svg"));
    });

    test("a table as CSV is not in the manifest, but made once for all requests", async () => {
      const lines = readFileSync(join(folder, "manifest.ndjson"), "utf8");
      for (const path of CSV_FILES.keys()) {
        expect(lines).not.toContain(path);
        const asked = () => ask(server.port, `${base}/${path}`);
        const replies = await Promise.all([asked(), asked(), asked()]);
        const [{ body, headers }] = replies;
        expect(replies.map(({ status, headers: { etag } }) => [status, etag])).toEqual(
          Array(3).fill([200, etagOfDigest(hash("sha256", body), body.length)]),
        );
        expect(headers["cache-control"]).toBe(CACHE.immutable);
        expect(gunzipSync(body).toString("utf8").split("\n", 1)[0]).toBe(
          Object.keys(CSV_FILES.get(path)?.table.columns ?? {}).join(","),
        );
        const part = await ask(server.port, `${base}/${path}`, { headers: { range: "bytes=3-9" } });
        expect([part.status, part.body]).toEqual([206, body.subarray(3, 10)]);
        const fresh = await ask(server.port, `${base}/${path}`, { headers: { "if-none-match": headers.etag ?? "" } });
        expect(fresh.status).toBe(304);
      }
    });

    test.each([
      "data/evidence.csv.gz",
      "data/scores.csv",
      "data/scores.csv.gz/x",
      "scores.csv.gz",
      "data/./scores.csv.gz",
      "data/..%2Fdata/scores.csv.gz",
    ])("a path that is not a file of the release returns 404: %s", async (path) => {
      expect((await ask(server.port, `${base}/${path}`)).status).toBe(404);
    });

    test.each(RANGES)("a request with Range: $range returns status $status", async ({ range, status, part }) => {
      const whole = readFileSync(join(folder, "data/records/part-0000.parquet"));
      const [start = 0, end = 0] = part(whole.length);
      const reply = await ask(server.port, `${base}/data/records/part-0000.parquet`, { headers: { range } });
      expect(reply.status).toBe(status);
      if (status === 416) expect(JSON.parse(reply.text).type).toBe("/problems/range-not-satisfiable");
      else expect(reply.body).toEqual(whole.subarray(start, end));
      if (status === 206) expect(reply.headers["content-range"]).toBe(`bytes ${start}-${end - 1}/${whole.length}`);
      if (status === 416) expect(reply.headers["content-range"]).toBe(`bytes */${whole.length}`);
    });

    test.each(RANGES)("a HEAD request with Range: $range describes the whole file", async ({ range }) => {
      const path = `${base}/data/records/part-0000.parquet`;
      const { status, headers } = await ask(server.port, path, { method: "HEAD", headers: { range } });
      const { size } = statSync(join(folder, "data/records/part-0000.parquet"));
      expect([status, headers["content-length"], headers["content-range"]]).toEqual([200, String(size), undefined]);
    });

    test("a range is returned only if the ETag in If-Range matches", async () => {
      const path = `${base}/data/records/part-0000.parquet`;
      const { headers } = await ask(server.port, path, { method: "HEAD" });
      const asked = (tag: string) => ask(server.port, path, { headers: { range: "bytes=0-1", "if-range": tag } });
      expect((await asked(headers.etag ?? "")).status).toBe(206);
      expect((await asked('"0123"')).status).toBe(200);
    });

    test("a file that the manifest does not list returns 404", async () => {
      const store = await world().altered(world().full);
      const unnamed = ["data/unnamed.json", "pages/unnamed.zst", "unnamed"];
      for (const path of unnamed) writeFileSync(join(store.release(world().full.releaseDigest), path), "{}");
      const { port } = await world().serve(store);
      for (const path of unnamed) expect([path, (await ask(port, `${base}/${path}`)).status]).toEqual([path, 404]);
      expect((await ask(port, `${base}/manifest.ndjson`)).status).toBe(200);
    });

    test("a symbolic link in place of a release file returns 404", async () => {
      const store = await world().altered(world().full);
      const file = join(store.release(world().full.releaseDigest), "data/records/part-0000.parquet");
      rmSync(file);
      symlinkSync(join(folder, "data/records/part-0000.parquet"), file);
      const { port } = await world().serve(store);
      expect((await ask(port, `${base}/data/records/part-0000.parquet`)).status).toBe(404);
    });

    test("GET /status has every source with the age of its last retrieval in seconds", async () => {
      const { headers, text } = await ask(server.port, "/status");
      expect(headers["cache-control"]).toBe("no-store");
      const { sources, release } = JSON.parse(text);
      expect(release.releaseDigest).toBe(world().full.releaseDigest);
      expect(sources.map(({ source }: { source: string }) => source)).toEqual(["clinicaltrials", "datacite", "zenodo"]);
      for (const source of sources) {
        // The clock of these tests stands a day after the retrieval.
        expect(source).toMatchObject({ ageSeconds: 86_400, expected: null, got: null, rejected: {} });
        expect(source.coverage.harvested).toBeGreaterThan(0);
      }
    });

    test("every link in the index at / works, and /health names the release", async () => {
      const { links } = JSON.parse((await ask(server.port, "/")).text);
      const addresses = Object.entries<string>(links).filter(([, link]) => !link.includes("{"));
      for (const [name, path] of addresses.filter(([name]) => !routeNamed(name).ownSite)) {
        const status = routeNamed(name).method === "get" ? 200 : 405;
        expect([path, (await ask(server.port, path)).status]).toEqual([path, status]);
      }
      expect(JSON.parse((await ask(server.port, "/health")).text)).toMatchObject({
        status: "ok",
        release: world().full.releaseDigest,
      });
    });
  });
}
