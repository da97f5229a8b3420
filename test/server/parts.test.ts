/** Parts of the server that are tested without requests: the response cache, the search for a line in a manifest, and ETags. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { contentResponse, isFresh } from "../../server/http/response.ts";
import { findManifestLine } from "../../server/read/open-release.ts";
import { ResponseCache } from "../../server/read/response-cache.ts";

const folder = mkdtempSync(join(tmpdir(), "share-server-parts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the response cache", () => {
  const page = (size: number) => contentResponse(Buffer.alloc(size), "text/plain", "no-store");

  /** Stores a response by requesting it twice, because only the second request stores it. */
  const keep = (cache: ResponseCache, target: string, size: number) => {
    for (let times = 0; times < 2; times += 1) cache.set(target, page(size));
  };

  test("the response cache stores a response when it is requested again, unless many others were requested in between", () => {
    const cache = new ResponseCache(6400);
    cache.set("p", page(100));
    expect(cache.get("p")).toBeUndefined();
    cache.set("p", page(100));
    expect(cache.get("p")?.body).toHaveLength(100);
    cache.set("q", page(100));
    for (let i = 0; i < 100_000; i += 1) cache.set(`other ${i}`, page(100));
    const before = cache.bytes;
    cache.set("q", page(100));
    expect([cache.get("q"), cache.bytes]).toEqual([undefined, before]);
  });

  test("the response cache never exceeds its limit, and drops the responses that were unused for longest", () => {
    const cache = new ResponseCache(9600);
    for (let i = 0; i < 64; i += 1) keep(cache, `p${i}`, 100);
    // Each response of 100 bytes counts as 150, because its compressed forms take about half as much again.
    expect(cache.bytes).toBe(9600);
    expect(cache.get("p0")).toBeDefined();
    keep(cache, "q", 100);
    expect([cache.get("p0"), cache.get("q")].every((held) => held !== undefined)).toBe(true);
    expect(cache.get("p1")).toBeUndefined();
    expect(cache.bytes).toBe(9600);
  });

  test("the response cache does not store a page that would displace many others, and counts a page only once", () => {
    const cache = new ResponseCache(6400);
    keep(cache, "large", 101);
    expect([cache.get("large"), cache.bytes]).toEqual([undefined, 0]);
    keep(cache, "p", 100);
    keep(cache, "p", 100);
    expect(cache.bytes).toBe(150);
  });
});

describe("the search in a manifest", () => {
  const sha256 = "0".repeat(64);
  const written = (paths: readonly string[]) => {
    const file = join(folder, "manifest.ndjson");
    writeFileSync(file, paths.map((path) => `${JSON.stringify({ path, bytes: path.length, sha256 })}\n`).join(""));
    return file;
  };

  test("the search finds the line of every path in a sorted manifest, and no line for other paths", async () => {
    const path = fc.stringMatching(/^[A-Za-z0-9 ._~/-]{1,300}$/);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(path, { maxLength: 60 }), path, async (paths, other) => {
        const file = written(paths.toSorted());
        for (const wanted of paths) expect((await findManifestLine(file, wanted))?.path).toBe(wanted);
        expect((await findManifestLine(file, other))?.path).toBe(paths.includes(other) ? other : undefined);
      }),
      { numRuns: 40 },
    );
  });

  test("the search finds no line in an empty manifest or for an invalid path", async () => {
    expect(await findManifestLine(written([]), "a")).toBeNull();
    for (const wanted of ["", "\u0000", "é", "\uffff", "../a"]) {
      expect(await findManifestLine(written(["a", "b"]), wanted)).toBeNull();
    }
  });
});

describe("If-None-Match", () => {
  test.each([
    { header: undefined, fresh: false },
    { header: "", fresh: false },
    { header: '"a"', fresh: true },
    { header: 'W/"a"', fresh: true },
    { header: '"b" , "a"', fresh: true },
    { header: " * ", fresh: true },
    { header: '"ab"', fresh: false },
    { header: "a", fresh: false },
  ])('If-None-Match: $header matches the ETag "a": $fresh', ({ header, fresh }) => {
    expect(isFresh(header, '"a"')).toBe(fresh);
  });
});
