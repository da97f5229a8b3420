/**
 * Tests `share-release release show --page`, which prints the response that the server would send, or its location in a pack.
 */

import { hash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { askedPage, ROUTES } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import { pageAddress } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { commandHost } from "../support/command-host.ts";
import { jsonLines, runCommand } from "../support/command-line.ts";
import { type BundledRelease, bundledRelease, linkedStore } from "../support/temporary-store.ts";

const host = commandHost(join(import.meta.dirname, "share-release.ts"));
let bundled: BundledRelease;

beforeAll(async () => {
  bundled = await bundledRelease();
});

afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await bundled[Symbol.asyncDispose]();
});

const page = (...parameters: readonly string[]) =>
  host.run(["release", "show", "--page", ...parameters, "--store", bundled.store.root]);

/** Returns one URL for each route that has pages, such as a record that exists, and the page's bytes. */
async function addresses(): Promise<{ target: string; bytes: Buffer }[]> {
  const pages = await PageStore.open(bundled.folder);
  try {
    return ROUTES.flatMap((route: Route) =>
      route.pages.map((file) => {
        const { family } = pageAddress(route, file, "2.0");
        const [first] = pages.each(family);
        const key = route.key === null ? "" : family === "release" ? "2.0" : (first?.key ?? "");
        const bytes = pages.get(pageAddress(route, file, key))?.bytes;
        const path = route.path.replace(/\{\w+\}/, () => encodeURIComponent(key));
        const target = file.query === "" ? path : `${path}?${file.query}`;
        if (bytes === undefined) throw new Error(`there is no page of ${target}`);
        return { target, bytes };
      }),
    );
  } finally {
    pages.close();
  }
}

const place = z.object({
  releaseDigest: z.string(),
  pack: z.string(),
  index: z.object({ bytes: z.int(), sha256: z.string() }),
  leaf: z.object({ offset: z.int(), bytes: z.int(), sha256: z.string() }),
  frame: z.object({ offset: z.int(), bytes: z.int(), inflated: z.int() }),
  page: z.object({ offset: z.int(), bytes: z.int(), sha256: z.string() }),
});

test("release show --page prints the page of every canonical URL, byte for byte", async () => {
  const all = await addresses();
  expect(all.length).toBeGreaterThan(40);
  for (const { target, bytes } of all) {
    const { exitCode, stdout, stderr } = await page(target);
    expect({ target, exitCode, stdout, stderr }).toEqual({ target, exitCode: 0, stdout: bytes.toString(), stderr: "" });
  }
});

test("release show --page writes the bytes of the page into a pipe from a separate process", async () => {
  const { stdout } = await runCommand(["release", "show", "--page", "/rubrics", "--store", bundled.store.root]);
  expect(hash("sha256", stdout)).toBe(hash("sha256", (await page("/rubrics")).stdout));
  expect(stdout).toMatch(/^\[\{.*\}\]\n$/);
});

test("release show --page --index prints the location of the page in its pack", async () => {
  for (const { target, bytes } of await addresses()) {
    const { stdout } = await page(target, "--index", "--json");
    const where = place.parse(jsonLines(stdout).at(-1));
    const pack = readFileSync(join(bundled.folder, where.pack));
    const part = (offset: number, length: number) => pack.subarray(offset, offset + length);
    const { leaf, frame, page: own, index } = where;
    expect(hash("sha256", pack.subarray(-index.bytes))).toBe(index.sha256);
    expect(hash("sha256", part(leaf.offset, leaf.bytes))).toBe(leaf.sha256);
    const inflated = zstdDecompressSync(part(frame.offset, frame.bytes));
    expect(inflated).toHaveLength(frame.inflated);
    const found = inflated.subarray(own.offset, own.offset + own.bytes);
    expect({ target, text: found.toString(), sha256: hash("sha256", found) }).toEqual({
      target,
      text: bytes.toString(),
      sha256: own.sha256,
    });
  }
});

test("release show --page prints the text and location of the page as JSON, and the location as text with --index", async () => {
  const { stdout } = await page("/rubrics", "--json");
  const [line, ...rest] = jsonLines(stdout);
  expect(line).toMatchObject({ releaseDigest: bundled.receipt.releaseDigest, text: (await page("/rubrics")).stdout });
  expect(rest).toEqual([]);
  const { frame, page: own, leaf } = place.parse(line);
  const words = (await page("/rubrics", "--index")).stdout;
  for (const figure of [frame.offset, frame.bytes, frame.inflated, own.offset, own.sha256, leaf.sha256]) {
    expect(words).toContain(String(figure));
  }
});

test("release show --page prints a page of a release that is named by the start of its digest", async () => {
  const digest = bundled.receipt.releaseDigest.slice("sha256:".length, "sha256:".length + 8);
  expect((await page("/rubrics", digest)).stdout).toBe((await page("/rubrics")).stdout);
});

test("release show --page rejects a page whose digest does not match", async () => {
  await using copy = await linkedStore(bundled.store, ["releases", "current"]);
  const pack = join(copy.store.current, "pages/release.zst");
  const { frame } = place.parse(jsonLines((await page("/rubrics", "--index", "--json")).stdout).at(-1));
  const bytes = readFileSync(pack);
  // The changed byte is near the end of a compressed frame, so it changes the page and not the frame's header.
  const at = frame.offset + frame.bytes - 20;
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  rmSync(pack);
  writeFileSync(pack, bytes);
  const { exitCode, stdout, stderr } = await host.run([
    "release",
    "show",
    "--page",
    "/rubrics",
    "--store",
    copy.store.root,
  ]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toContain("pages/release.zst");
});

describe("URLs for which a release has no page", () => {
  test.each([
    { address: "/records/r000000000000000000000000", exitCode: 1, says: "has no page for /records/r0" },
    { address: "/records/r0?rubric=3.0", exitCode: 2, says: "releases have no pages for /records/r0?rubric=3.0" },
    { address: "/records?limit=5", exitCode: 2, says: "releases have no pages for /records?limit=5" },
    { address: "/widgets/repositories/a%2Fb/badge.svg", exitCode: 2, says: "releases have no pages" },
    { address: "/widgets/repositories/%E0%A4%A/badge.svg", exitCode: 2, says: "releases have no pages" },
    { address: "/widgets/repositories/badge.svg", exitCode: 2, says: "releases have no pages" },
    { address: "/health", exitCode: 2, says: "releases have no pages for /health" },
    { address: "records", exitCode: 2, says: "releases have no pages for records" },
  ])("release show --page rejects $address with a message", async ({ address, exitCode, says }) => {
    const ended = await page(address);
    expect({ exitCode: ended.exitCode, stdout: ended.stdout }).toEqual({ exitCode, stdout: "" });
    expect(ended.stderr).toContain(says);
  });

  test("percent-encoding in a URL is decoded only once: %2520 is not a space", () => {
    expect(askedPage("/widgets/repositories/Norvale%20Data%20Archive/badge.svg")?.key).toBe("Norvale Data Archive");
    expect(askedPage("/widgets/repositories/Norvale%2520Data/badge.svg")).toBeNull();
  });
});
