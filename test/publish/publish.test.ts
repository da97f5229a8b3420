/** Publishing to a folder and to a bucket: the same cases, and the same at the end, byte for byte. */

import { appendFile, cp, mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { prune } from "../../releases/prune.ts";
import { publish } from "../../releases/publish/index.ts";
import { asked, IS_FIRST } from "../rings.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, flipByte } from "../support/forgery.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { digestsIn, touchesIn } from "../support/tree.ts";
import { at } from "../trust/world.ts";
import { csvCases } from "./csv-cases.ts";
import { mirrorCases } from "./mirror-cases.ts";
import { pagesCases } from "./pages-cases.ts";
import { PLACES, type PublishedPlace, releaseAt } from "./places.ts";
import { byHand, expectPublished, folderOf, linesOf, published } from "./publications.ts";
import { type SmallWorld, smallWorld } from "./small-world.ts";
import { usageCases } from "./usage-cases.ts";

let world: SmallWorld;
let older: string;
let newer: string;

beforeAll(async () => {
  world = await smallWorld();
  older = at(world.digests, 0);
  newer = at(world.digests, 1);
});
afterAll(() => world[Symbol.asyncDispose]());

/** Requests that change the bucket. */
const writes = (place: PublishedPlace) => place.s3?.requests.filter((request) => !/^(?:GET|HEAD) /.test(request)) ?? [];

describe.each(asked(PLACES))("to $kind", ({ kind, open }) => {
  if (!IS_FIRST) csvCases(() => world, { kind, open });

  test("all of it arrives; a second time nothing is sent, written or touched", async () => {
    await using place = await open();
    const dry = await published(world.store, place, newer, { dryRun: true });
    expect(await place.paths()).toEqual([]);
    const first = await published(world.store, place, newer);
    await expectPublished(world.store, place, [newer]);
    const lines = await linesOf(world.store, newer);
    // The manifest and the receipt are sent as well, and named by no manifest.
    expect(first).toMatchObject({ releaseDigest: newer, uploaded: lines.length + 2, unchanged: 0, pages: null });
    const manifest = (await readFile(join(world.store.release(newer), "manifest.ndjson"))).length;
    const receipt = (await readFile(join(world.store.release(newer), "release.json"))).length;
    expect(first.bytes).toBe(lines.reduce((sum, { bytes }) => sum + bytes, 0) + manifest + receipt);
    expect(dry).toEqual({ ...first, dryRun: true });

    const wrote = writes(place).length;
    const touched = place.s3 === null ? await touchesIn(at(place.options, 1)) : null;
    expect(await published(world.store, place, newer)).toMatchObject({
      uploaded: 0,
      unchanged: lines.length + 2,
      bytes: 0,
    });
    expect(writes(place).length).toBe(wrote);
    if (place.s3 === null) expect(await touchesIn(at(place.options, 1))).toEqual(touched);
    else expect(place.s3.requests.filter((request) => request.includes("list-type")).length).toBeLessThanOrEqual(3);
  });

  test("the next release sends only what no release there has, and the one before stays", async () => {
    await using place = await open();
    await published(world.store, place, older);
    const had = new Set((await linesOf(world.store, older)).map(({ sha256 }) => sha256));
    const lines = await linesOf(world.store, newer);
    const lacking = lines.filter(({ sha256 }) => !had.has(sha256));
    expect(lacking.length).toBeLessThan(lines.length);
    const result = await published(world.store, place, newer);
    expect(result).toMatchObject({ uploaded: lacking.length + 2, unchanged: lines.length - lacking.length });
    await expectPublished(world.store, place, [older, newer]);
  });

  test("an older release, asked for by its digest, is pointed to without sending anything", async () => {
    await using place = await open();
    await published(world.store, place, older);
    await published(world.store, place, newer);
    expect(await published(world.store, place, older)).toMatchObject({ uploaded: 0, bytes: 0 });
    await expectPublished(world.store, place, [newer, older]);
  });

  test("interrupted, it goes on: what is whole is not sent again, what is not is, and what is too many goes", async () => {
    await using place = await open();
    await published(world.store, place, newer);
    const whole = await releaseAt(place, newer);
    await breakUp(place);
    const result = await published(world.store, place, newer);
    expect(await releaseAt(place, newer)).toEqual(whole);
    await expectPublished(world.store, place, [newer]);
    // One pack that was garbled, one that was cut short, the receipt.
    expect(result).toMatchObject({ uploaded: 3, unchanged: whole.size - 3 });
  });

  /** Makes the newer release what a killed publication could have left, and worse. */
  async function breakUp(place: PublishedPlace): Promise<void> {
    const packs = (await linesOf(world.store, newer)).filter(({ path }) => path.endsWith(".zst"));
    const [garbled, short] = [at(packs, 0), at(packs, 1)];
    if (place.s3 === null) {
      const root = at(place.options, 1);
      const incoming = join(root, "incoming", newer.replace(":", "-"));
      await mkdir(join(incoming, "parts"), { recursive: true });
      // Files have other times now: what is whole is recognised by its bytes.
      await cp(join(root, folderOf(newer)), join(incoming, "tree"), { recursive: true });
      await rm(join(root, folderOf(newer)), { recursive: true });
      await rm(join(incoming, "tree/release.json"));
      await writeFile(join(incoming, "tree/release.json.tmp"), "{");
      await writeFile(join(incoming, "parts/half"), "half");
      await writeFile(join(root, "releases.json.tmp"), "[");
      const { atime, mtime } = await stat(join(incoming, "tree", garbled.path));
      await flipByte(join(incoming, "tree", garbled.path));
      await utimes(join(incoming, "tree", garbled.path), atime, mtime);
      await writeFile(join(incoming, "tree", short.path), "{");
      return;
    }
    await byHand(place, "DELETE", `${folderOf(newer)}/release.json`);
    await byHand(place, "PUT", `${folderOf(newer)}/${garbled.path}`, "", Buffer.alloc(garbled.bytes, "x"));
    await byHand(place, "PUT", `${folderOf(newer)}/${short.path}`, "", Buffer.from("{"));
    await byHand(place, "PUT", `${folderOf(newer)}/stray.json`, "", Buffer.from("{}"));
    await byHand(place, "POST", `${folderOf(newer)}/data/records/part-0000.parquet`, "?uploads");
    expect(await place.s3.uploads()).toHaveLength(1);
  }

  test("what the release before lost there is sent anew, and a manifest of it that is damaged is not believed", async () => {
    await using place = await open();
    await published(world.store, place, older);
    const both = new Set((await linesOf(world.store, newer)).map(({ path, sha256 }) => `${path} ${sha256}`));
    const shared = (await linesOf(world.store, older)).filter(({ path, sha256 }) => both.has(`${path} ${sha256}`));
    await lose(place, `${folderOf(older)}/${at(shared, 0).path}`);
    const effects = recordedEffects();
    const first = await publish(
      world.store,
      newer,
      await place.target(effects),
      { parallel: 8, dryRun: true },
      effects,
    );
    const second = await published(world.store, place, newer);
    expect(second.uploaded).toBe(first.uploaded + 1);
    expect(await releaseAt(place, newer)).toEqual(await digestsIn(world.store.release(newer)));

    await using another = await open();
    await published(world.store, another, older);
    await lose(another, `${folderOf(older)}/manifest.ndjson`, Buffer.from("{}\n"));
    await publish(world.store, newer, await another.target(effects), { parallel: 8, dryRun: false }, effects);
    expect(effects.logged).toMatchObject([{ event: "publish-base-damaged", releaseDigest: older }]);
    expect(await releaseAt(another, newer)).toEqual(await digestsIn(world.store.release(newer)));
  });

  async function lose(place: PublishedPlace, path: string, instead: Buffer | null = null): Promise<void> {
    if (place.s3 !== null) return byHand(place, instead === null ? "DELETE" : "PUT", path, "", instead);
    const file = join(at(place.options, 1), path);
    await (instead === null ? rm(file) : writeFile(file, instead));
  }

  test("a whole release that lost a file is mended once its receipt is taken away", async () => {
    await using place = await open();
    for (const digest of [older, newer]) await published(world.store, place, digest);
    for (const path of ["data/scores/part-0000.parquet", "release.json"])
      await lose(place, `${folderOf(newer)}/${path}`);
    await published(world.store, place, newer);
    await expectPublished(world.store, place, [older, newer]);
  });

  describe("what is refused, and leaves the target as it was:", () => {
    const DAMAGES: readonly { name: string; damage: (folder: string) => Promise<unknown>; says: string }[] = [
      {
        name: "a file that is missing",
        damage: (folder) => rm(join(folder, "data/scores/part-0000.parquet")),
        says: "is missing",
      },
      {
        name: "a file that is longer",
        damage: (folder) => appendFile(join(folder, "data/scores/part-0000.parquet"), "x"),
        says: "bytes, not",
      },
      {
        name: "a file with another byte",
        damage: (folder) => flipByte(join(folder, "pages/2.0/record.zst")),
        says: "is not what the release lists",
      },
      {
        name: "another manifest",
        damage: (folder) => appendFile(join(folder, "manifest.ndjson"), "{}\n"),
        says: "its manifest is",
      },
    ];
    let copy: TemporaryStore;
    let place: PublishedPlace;
    let before: Map<string, string>;
    beforeAll(async () => {
      copy = await temporaryStore(world.store);
      place = await open();
      await published(world.store, place, older);
      before = await releaseAt(place, older);
    });
    afterAll(async () => {
      await copy[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    });

    test.each(DAMAGES)("$name", async ({ damage, says }) => {
      const folder = copy.store.release(newer);
      await rm(folder, { recursive: true });
      await cp(world.store.release(newer), folder, { recursive: true, preserveTimestamps: true });
      await damage(folder);
      await expect(published(copy.store, place, newer)).rejects.toThrow(says);
      expect(await releaseAt(place, older)).toEqual(before);
      expect(await place.pointed()).toBe(older);
      expect(await place.paths()).not.toContain(`${folderOf(newer)}/release.json`);
    });

    test("another build of a release that is there", async () => {
      const folder = copy.store.release(older);
      await editReceipt(folder, (receipt) => ({ ...receipt, publishedAt: "2026-12-24T12:00:00.000Z" }));
      await expect(published(copy.store, place, older)).rejects.toThrow("another build of");
      expect(await releaseAt(place, older)).toEqual(before);
    });
  });

  test("meanwhile the release is not pruned, and nobody else publishes there from this store", async () => {
    await using place = await open();
    await using copy = await temporaryStore(world.store);
    const effects = recordedEffects();
    const target = await place.target(effects);
    const seen: unknown[] = [];
    const looking = {
      ...target,
      current: async () => {
        if (seen.length === 0) {
          seen.push(await prune(copy.store, 1, true), await published(copy.store, place, older).catch(String));
        }
        return target.current();
      },
    };
    await publish(copy.store, older, looking, { parallel: 4, dryRun: false }, effects);
    expect(seen).toMatchObject([
      { removed: [], kept: [{ releaseDigest: older, why: "held" }] },
      expect.stringContaining("is at work in this folder"),
    ]);
    expect(kind).not.toBe("");
  });
});

if (!IS_FIRST) {
  describe("what lies there afterwards:", () => mirrorCases(() => world));
  describe("pages as single files:", () => pagesCases(() => world));
  describe("what is asked for:", () => usageCases(() => world));
}
