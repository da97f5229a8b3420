/** Tests `publish --pages`, which writes pages as single files at the paths of the API, into a folder or a bucket. */

import { lstat, readdir, readFile, readlink, rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CACHE, JSON_TYPE, REFERENCE_GROUPS, SVG_TYPE } from "../../api-static/routes/route.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { prune } from "../../releases/prune.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import { listPageAddresses } from "../release/page-address.ts";
import { runCommand } from "../support/command-line.ts";
import { pagesIn } from "../support/release-pages.ts";
import type { FilledStore } from "../support/temporary-store.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { pathsIn, touchesIn } from "../support/tree.ts";
import { at } from "../trust/world.ts";
import { objectAddress, PLACES, type PublishedPlace } from "./places.ts";
import { getReleaseFolder, published } from "./publications.ts";

const PAGES = { pages: { researchers: false } };

export function pagesCases(getWorld: () => FilledStore): void {
  const publish = (place: PublishedPlace, digest: string, researchers = false) =>
    published(getWorld().store, place, digest, { pages: { researchers } });
  const both = () => [at(getWorld().digests, 0), at(getWorld().digests, 1)] as const;

  /**
   * Returns the pages that must be published, by path without a query, such as "records" or "1.0/records". Pages of the version
   * that is not the default begin with the version.
   */
  async function addresses(digest: string, researchers: boolean): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    for (const [path, page] of await pagesIn(getWorld().store.release(digest))) {
      for (const { route, file, key } of listPageAddresses(path)) {
        if (route.showsResearchers && !researchers) continue;
        const asked = route.pages.filter((entry) => entry.path === file.path).map(({ query }) => query);
        const address = route.path.slice(1).replace(/\{\w+\}/, key);
        if (asked.includes("")) found.set(address, page);
        else if (asked.includes("rubric=1.0")) found.set(`1.0/${address}`, page);
      }
    }
    return found;
  }

  /** Returns the pages that must be published, by the path of their file in a published folder, such as "records.json". */
  async function readPageFiles(digest: string): Promise<ReadonlyMap<string, Buffer>> {
    const pages = await addresses(digest, false);
    return new Map([...pages].map(([path, page]) => [path.endsWith(".svg") ? path : `${path}.json`, page]));
  }

  describe("pages in a folder", () => {
    const open = () => at(PLACES, 0).open();
    const openPlace = (place: PublishedPlace) => openStore(at(place.options, 1));

    const SITE = [
      "404.html",
      "404.json",
      "404.svg",
      "docs.html",
      ...REFERENCE_GROUPS.map((group) => `docs/${group}.html`),
      "index.html",
      "openapi.json",
    ];

    test("pages are published to a folder of the release to which the link `pages/current` points, and a second run changes nothing", async () => {
      const [, newer] = both();
      await using place = await open();
      const pages = await readPageFiles(newer);
      const dry = await published(getWorld().store, place, newer, { ...PAGES, dryRun: true });
      expect(await place.paths()).toEqual([]);
      const started = Date.now();
      const first = await publish(place, newer);
      expect(first.pages).toMatchObject({ uploaded: pages.size + SITE.length, unchanged: 0, removed: 0 });
      expect(dry).toEqual({ ...first, dryRun: true });
      const { currentTree } = openPlace(place);
      expect(await readlink(currentTree)).toBe(getReleaseFolder(newer).slice(9));
      const tree = openPlace(place).tree(newer);
      expect(await pathsIn(tree)).toEqual([...pages.keys(), ...SITE].sort());
      for (const [path, page] of pages) {
        expect([path, (await readFile(join(tree, path))).equals(page)]).toEqual([path, true]);
        // The time of the file must be new, because web servers compare it with `If-Modified-Since`.
        expect((await lstat(join(tree, path))).mtimeMs).toBeGreaterThan(started - 1000);
      }
      const touched = await touchesIn(tree);
      expect((await publish(place, newer)).pages).toMatchObject({ uploaded: 0, removed: 0, bytes: 0 });
      expect(await touchesIn(tree)).toEqual(touched);
      const verified = await runCommand(["release", "verify", "--store", openPlace(place).root]);
      expect(verified.stdout).toContain("is valid");
    });

    test("pages published to a folder share their files with those of the next release if they are unchanged, and are removed with their release", async () => {
      const [older, newer] = both();
      await using place = await open();
      await publish(place, older);
      const had = await readPageFiles(older);
      const pages = await readPageFiles(newer);
      const same = [...pages].filter(([path, page]) => had.get(path)?.equals(page) === true).map(([path]) => path);
      expect(same.length).toBeGreaterThan(10);
      expect((await publish(place, newer)).pages).toMatchObject({
        uploaded: pages.size - same.length,
        unchanged: same.length + SITE.length,
      });
      const store = openPlace(place);
      for (const path of same) {
        const [one, other] = await Promise.all([older, newer].map((digest) => lstat(join(store.tree(digest), path))));
        expect([path, one?.ino]).toEqual([path, other?.ino]);
      }
      await prune(store, 1, false);
      expect((await readdir(store.trees)).sort()).toEqual(["current", getReleaseFolder(newer).slice(9)]);
    });

    test("pages published to a folder are completed by the next run after an interruption, which writes only incomplete files again", async () => {
      const [, newer] = both();
      await using place = await open();
      await publish(place, newer);
      const tree = openPlace(place).tree(newer);
      const before = await pathsIn(tree);
      const [gone, torn] = [at(before, 0), at(before, 1)];
      await rename(tree, `${tree}.unfinished`);
      await rm(join(`${tree}.unfinished`, gone));
      await truncate(join(`${tree}.unfinished`, torn), 1);
      expect((await publish(place, newer)).pages).toMatchObject({ uploaded: 2 });
      expect(await pathsIn(tree)).toEqual(before);
      expect((await readdir(openPlace(place).trees)).sort()).toEqual(["current", getReleaseFolder(newer).slice(9)]);
    });

    test("pages published to a folder can be written into the store itself", async () => {
      const [older] = both();
      await using copy = await temporaryStore(getWorld().store);
      const { root } = copy.store;
      const { exitCode } = await runCommand(["release", "publish", older, "--to", root, "--pages", "--store", root]);
      expect(exitCode).toBe(0);
      expect(await pathsIn(copy.store.tree(older))).toEqual([...(await readPageFiles(older)).keys(), ...SITE].sort());
    });
  });

  describe("pages in a bucket", () => {
    const open = () => at(PLACES, 1).open();
    const below = (paths: readonly string[]) => paths.filter((path) => !path.startsWith("releases/"));

    const SITE = [
      "404.html",
      "404.json",
      "404.svg",
      "docs",
      ...REFERENCE_GROUPS.map((group) => `docs/${group}`),
      "index.html",
      "openapi.json",
    ];
    const BESIDE = ["current", "releases", "releases.json"];

    test("pages published to a bucket are at the paths of the API with content type and cache rule, and a second run sends nothing", async () => {
      const [, newer] = both();
      await using place = await open();
      const { s3 } = place;
      if (s3 === null) throw new Error("the place is not a bucket, so it has no S3 server");
      const wanted = await addresses(newer, false);
      expect([...wanted.keys()]).toEqual(
        expect.arrayContaining(["records", "1.0/records", "metrics/live", "rubrics/2.0"]),
      );
      const dry = await published(getWorld().store, place, newer, { ...PAGES, dryRun: true });
      expect(await place.paths()).toEqual([]);
      const first = await publish(place, newer);
      expect(first.pages).toMatchObject({ uploaded: wanted.size + SITE.length, unchanged: 0, removed: 0 });
      expect(dry).toEqual({ ...first, dryRun: true });
      expect(below(await place.paths())).toEqual([...wanted.keys(), ...SITE, ...BESIDE].sort());
      for (const [path, page] of wanted) {
        const answer = await fetch(objectAddress(s3, path));
        expect([path, Buffer.from(await answer.arrayBuffer()).equals(page)]).toEqual([path, true]);
        const badge = path.endsWith(".svg");
        const namesCreators = /^(1\.0\/)?records\/[^/]+$/.test(path);
        expect([path, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
          path,
          badge ? SVG_TYPE : JSON_TYPE,
          badge ? CACHE.badge : namesCreators ? CACHE.person : CACHE.page,
        ]);
      }
      const index = await (await fetch(objectAddress(s3, "index.html"))).text();
      for (const [, link = ""] of index.matchAll(/href="\/([^"]+)"/g)) expect(await place.paths()).toContain(link);
      expect(releaseList.parse(JSON.parse(String(await place.read("releases"))))).toMatchObject([{ active: true }]);

      const before = s3.requests.length;
      expect((await publish(place, newer)).pages).toMatchObject({ uploaded: 0, removed: 0, bytes: 0 });
      expect(s3.requests.slice(before).filter((request) => !/^(?:GET|HEAD) /.test(request))).toEqual([]);
    });

    test("pages published to a bucket are sent only if they changed, and removed if the release lacks them, before the pointer is moved", async () => {
      const [older, newer] = both();
      await using place = await open();
      const { s3 } = place;
      await publish(place, newer);
      await fetch(objectAddress(s3 ?? expect.unreachable(), "favicon.ico"), { method: "PUT", body: "x" });
      const [had, wanted] = [await addresses(newer, false), await addresses(older, false)];
      const changed = [...wanted].filter(([path, page]) => had.get(path)?.equals(page) !== true);
      const gone = [...had.keys()].filter((path) => !wanted.has(path));
      expect(gone.length).toBeGreaterThan(0);
      const before = s3?.requests.length ?? 0;
      expect((await publish(place, older)).pages).toMatchObject({ uploaded: changed.length, removed: gone.length });
      const writes = (s3?.requests ?? []).slice(before).filter((request) => !/^(?:GET|HEAD) /.test(request));
      const findNumber = (end: RegExp) => writes.findIndex((request) => end.test(request));
      const metrics = /^PUT .*\/metrics\/live(?:\?|$)/;
      expect(findNumber(metrics)).toBeGreaterThan(-1);
      expect(findNumber(metrics)).toBeLessThan(findNumber(/^DELETE /));
      expect(writes.at(-1)).toMatch(/^PUT .*\/current/);
      expect(below(await place.paths())).toEqual([...wanted.keys(), ...SITE, ...BESIDE, "favicon.ico"].sort());
    });

    test("pages published to a bucket are sent after all other pages if they contain the release digest", async () => {
      const [older, newer] = both();
      await using place = await open();
      await publish(place, older);
      const before = place.s3?.requests.length ?? 0;
      await publish(place, newer);
      const puts = (place.s3?.requests ?? []).slice(before).filter((request) => request.startsWith("PUT "));
      const lastRecord = puts.findLastIndex((request) => /\/v1\/(?:1\.0\/)?records\/r/.test(request));
      expect(lastRecord).toBeGreaterThan(-1);
      expect(lastRecord).toBeLessThan(puts.findIndex((request) => /\/metrics\/live(?:\?|$)/.test(request)));
    });

    test("pages published to a bucket are completed by the next run after an error, and only then the pointer is moved", async () => {
      const [older, newer] = both();
      await using place = await open();
      const { s3 } = place;
      await publish(place, older);
      let left = 7;
      s3?.interfere((request) => {
        if (request.method !== "PUT" || !/v1\/(?:1\.0\/)?(?:records|widgets|metrics)\//.test(request.url ?? ""))
          return null;
        left -= 1;
        return left < 0 ? { status: 403, code: "AccessDenied" } : null;
      });
      await expect(publish(place, newer)).rejects.toThrow("do not permit this request");
      expect(await place.pointed()).toBe(older);
      s3?.interfere(() => null);
      await publish(place, newer);
      expect(await place.pointed()).toBe(newer);
      expect(below(await place.paths())).toEqual(
        [...(await addresses(newer, false)).keys(), ...SITE, ...BESIDE].sort(),
      );
    });

    test("pages published to a bucket include researchers only with the option, and lose them when published without it", async () => {
      const [, newer] = both();
      await using place = await open();
      const { s3 } = place;
      await publish(place, newer, true);
      const shown = [...(await addresses(newer, true)).keys()].filter((path) => /authors|researchers/.test(path));
      expect(shown.length).toBeGreaterThan(10);
      const paths = await place.paths();
      expect(paths).toEqual(expect.arrayContaining(shown));
      const answer = await fetch(objectAddress(s3 ?? expect.unreachable(), at(shown, 0)), { method: "HEAD" });
      expect(answer.headers.get("cache-control")).toBe(CACHE.person);
      expect((await publish(place, newer)).pages).toMatchObject({ removed: shown.length });
      expect((await place.paths()).filter((path) => shown.includes(path))).toEqual([]);
    });
  });
}
