/** Tests how pages are found by their keys, however the packs of a release are split. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkPack } from "../../pipeline/packs/check-pack.ts";
import {
  computePlace,
  decodeLeaf,
  decodeRoot,
  encodeLeaf,
  encodeRoot,
  findInLeaf,
  listRanges,
  PackDamaged,
  packPath,
  readPackPath,
  SPLITS,
  type Split,
} from "../../pipeline/packs/format.ts";
import { PackSink } from "../../pipeline/packs/pack-sink.ts";
import { PageStore, pagesRoot } from "../../pipeline/packs/page-store.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { makePageEntry } from "./forged-pack.ts";
import { inOrder, makeRecordId, type Pages, scratchFolder, somePages, writePack } from "./written-pack.ts";

const FAMILIES: readonly (readonly [family: string, pages: Pages])[] = [
  ["2.0/record", somePages(700)],
  ["2.0/dataset-badge", new Map(Array.from({ length: 700 }, (_, i) => [makeRecordId(i), `<svg>${i % 50}</svg>`]))],
  ["2.0/author", new Map(Array.from({ length: 700 }, (_, i) => [`jane-doe-${i}`, `{"slug":"jane-doe-${i}"}\n`]))],
];

/** Writes a release folder with only packs and a manifest, and returns the lines of the manifest. */
async function writeSplit(folder: string, family: string, pages: Pages, split: Split): Promise<ManifestLine[]> {
  const lines: ManifestLine[] = [];
  for (const range of listRanges(split)) {
    const sink = await PackSink.open(folder, range, [family]);
    for (const key of inOrder(pages.keys())) {
      const place = computePlace(key).toString("hex");
      if (place >= range.from && place < range.to) sink.write({ family, key }, pages.get(key) ?? "");
    }
    lines.push(...sink.finish().map(({ line }) => line));
  }
  writeFileSync(join(folder, "manifest.ndjson"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return lines;
}

const fail = (message: string) => {
  throw new Error(message);
};

for (const [family, pages] of FAMILIES) {
  describe(`pages of ${family}`, () => {
    const roots = new Map<Split, string>();
    for (const split of SPLITS) {
      test(`the pages of a family are all found if they are split over ${split} packs, and other keys have no page`, async () => {
        using folder = scratchFolder();
        const lines = await writeSplit(folder.path, family, pages, split);
        expect(lines).toHaveLength(split);
        roots.set(split, pagesRoot(lines.flatMap((line) => checkPack(folder.path, line, fail).shards)));
        const store = await PageStore.open(folder.path);
        try {
          expect(store.families).toEqual([family]);
          for (const [key, text] of pages) expect(store.get({ family, key })?.bytes.toString("utf8")).toBe(text);
          const absent = [makeRecordId(-1), "nobody", "", `r${"0".repeat(24)}`, `r${"f".repeat(24)}`, "x".repeat(300)];
          for (const key of absent) expect(store.get({ family, key }), key).toBeNull();
          expect(store.get({ family: "1.0/record", key: makeRecordId(1) })).toBeNull();
          expect([...store.entries(family)].map(({ key }) => key)).toEqual(inOrder(pages.keys()));
          const read = new Map([...store.each(family)].map(({ key, bytes }) => [key, bytes.toString("utf8")]));
          expect(read).toEqual(pages);
        } finally {
          store.close();
        }
      });
    }

    test("the pages of a family have the same root digest however many packs they are split over", () => {
      expect(roots.size).toBe(SPLITS.length);
      expect(new Set(roots.values()).size).toBe(1);
    });
  });
}

test("a key has no page if the pack of its range is missing", async () => {
  using folder = scratchFolder();
  const family = "2.0/record";
  const pages = new Map(["4", "5", "9"].map((digit) => [`r${digit}${"0".repeat(23)}`, `page ${digit}`]));
  const lines = await writeSplit(folder.path, family, pages, 16);
  expect(lines.map(({ path }) => path)).toEqual(["4", "5", "9"].map((digit) => `pages/2.0/record.${digit}.zst`));
  const store = await PageStore.open(folder.path);
  try {
    for (const digit of "0123456789abcdef") {
      const key = `r${digit}${"0".repeat(23)}`;
      expect(store.get({ family, key })?.bytes.toString("utf8") ?? null).toBe(pages.get(key) ?? null);
    }
    expect(store.get({ family, key: `r5${"f".repeat(23)}` })).toBeNull();
  } finally {
    store.close();
  }
});

describe("names of packs", () => {
  test("the names of packs contain the family and the range, and leave no gap between ranges", () => {
    for (const split of SPLITS) {
      const ranges = listRanges(split);
      expect(ranges.map(({ to }) => to)).toEqual([...ranges.slice(1).map(({ from }) => from), "g"]);
      for (const range of ranges)
        expect(readPackPath(packPath("2.0/record", range))).toEqual({ family: "2.0/record", ...range });
    }
  });

  const NONE = [
    "pages/2.0/record.g.zst",
    "pages/2.0/record.01.zst",
    "pages/2.0/record.000.zst",
    "pages/2.0/record..zst",
    "pages/2.0/record.zst.1234",
    "pages/2.0/record",
    "pages/../record.zst",
    "data/2.0/record.zst",
    "pages/2.0/record.zst\n",
  ];
  for (const path of NONE)
    test(`${JSON.stringify(path)} is not the name of a pack`, () => expect(readPackPath(path)).toBeNull());
});

describe("indices of packs", () => {
  const frames = [
    { offset: 0, packed: 90, inflated: 8 },
    { offset: 2 ** 40, packed: 300, inflated: 70_000_000 / 2 },
  ] as const;
  const entries = [
    makePageEntry("r1", frames[0], "one"),
    makePageEntry("éà-\u{1f9ec}", frames[0], "other", 3),
    makePageEntry("k".repeat(255), frames[1], "far", 12_345_678),
  ];

  test("the index of a pack has leaves that are read as they were written", () => {
    const leaf = encodeLeaf(entries);
    expect(decodeLeaf(leaf)).toEqual(entries);
    for (const entry of entries) expect(findInLeaf(leaf, entry.key)).toEqual(entry);
    expect(findInLeaf(leaf, "r2")).toBeNull();
    expect(() => encodeLeaf([makePageEntry("k".repeat(256), frames[0], "one")])).toThrow(RangeError);
  });

  test("the index of a pack has a root that is read as it was written", () => {
    const branches = [1, 2].map((n) => ({
      place: Buffer.alloc(12, n),
      offset: n * 2 ** 40,
      length: 1000 * n,
      sha256: Buffer.alloc(32, n),
    }));
    const root = { pages: 2 ** 40, branches };
    expect(decodeRoot(encodeRoot(root), 2 ** 42)).toEqual(root);
    expect(decodeRoot(encodeRoot({ pages: 0, branches: [] }), 0)).toEqual({ pages: 0, branches: [] });
  });

  test("the index of a pack has leaves that are damaged if they are truncated to any length", () => {
    const leaf = encodeLeaf(entries);
    for (let length = 0; length < leaf.length; length += 1) {
      const cut = Buffer.from(leaf.subarray(0, length));
      // A truncated leaf is damaged even if its header has the new length.
      if (length >= 8) cut.writeUInt32LE(length - 8, 4);
      expect(() => decodeLeaf(cut), `${length}`).toThrow(PackDamaged);
      expect(() => findInLeaf(cut, "k".repeat(255)), `${length}`).toThrow(PackDamaged);
    }
  });
});

test("files that a killed writer left behind do not affect later writers", () => {
  using folder = scratchFolder();
  const pages = somePages(5);
  const left = ["pack.zst.1", "pack.zst.b2f7c2de-0000-4000-8000-000000000000"];
  for (const name of left) writeFileSync(join(folder.path, name), "half of a pack");
  const { pages: written } = writePack(join(folder.path, "pack.zst"), pages, { bits: 2 });
  expect(written).toBe(5);
  expect(readdirSync(folder.path).sort()).toEqual(["pack.zst", ...left]);
});
