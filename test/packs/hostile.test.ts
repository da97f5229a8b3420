/** Tests damaged and forged packs: each is reported or rejected as damaged, within the limits of memory. */

import { createHash, hash } from "node:crypto";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CheckedPack, checkPack } from "../../pipeline/packs/check-pack.ts";
import {
  type FrameEntry,
  MAX_INFLATED_BYTES,
  PackDamaged,
  SKIPPED_HEADER,
  TAIL_BYTES,
} from "../../pipeline/packs/format.ts";
import { PackReader, packCache } from "../../pipeline/packs/pack-reader.ts";
import { pagesRoot } from "../../pipeline/packs/page-store.ts";
import { readPack } from "../../releases/verify/packs-worker.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { ForgedPack, makePageEntry, packed, sealed } from "./forged-pack.ts";
import { inOrder, makeRecordId, type Pages, scratchFolder, somePages, writePackAt } from "./written-pack.ts";

const RECORDS = "pages/2.0/record.zst";
const BADGES = "pages/2.0/dataset-badge.zst";

/**
 * A small pack of each kind: record pages with different texts, and badges that share a few texts and have two index leaves.
 */
const SMALL: readonly (readonly [name: string, pages: Pages, write: (folder: string, pages: Pages) => ManifestLine])[] =
  [
    ["pages", somePages(9), (folder, pages) => writePackAt(folder, RECORDS, pages)],
    [
      "badges",
      new Map(inOrder(somePages(8).keys()).map((id, i) => [id, `<svg>${i % 3}</svg>`])),
      (folder, pages) => {
        const pack = new ForgedPack();
        const frame = pack.frame("<svg>0</svg><svg>1</svg><svg>2</svg>");
        const all = [...pages].map(([id, text], i) => makePageEntry(id, frame, text, 12 * (i % 3)));
        pack.leaf(all.slice(0, 5));
        pack.leaf(all.slice(5));
        return pack.write(folder, BADGES);
      },
    ],
  ];

/** Checks a pack, and returns the result with the faults of pages; null if the check throws PackDamaged. */
function checked(folder: string, line: ManifestLine): (CheckedPack & { readonly wrong: readonly string[] }) | null {
  const wrong: string[] = [];
  try {
    return { ...checkPack(folder, line, (message) => void wrong.push(message)), wrong };
  } catch (error) {
    if (error instanceof PackDamaged) return null;
    throw error;
  }
}

/** Reads pages by their keys, with null for a damaged page. Returns null if the whole pack cannot be read. */
function readAll(folder: string, line: ManifestLine, keys: Iterable<string>): Map<string, string | null> | null {
  let reader: PackReader | null = null;
  const pages = new Map<string, string | null>();
  try {
    reader = PackReader.open(join(folder, line.path), packCache(1), line.index);
    for (const key of keys) {
      try {
        pages.set(key, reader.get(key)?.bytes.toString("utf8") ?? null);
      } catch (error) {
        if (!(error instanceof PackDamaged)) throw error;
        pages.set(key, null);
      }
    }
    return pages;
  } catch (error) {
    if (error instanceof PackDamaged) return null;
    throw error;
  } finally {
    reader?.close();
  }
}

for (const [name, pages, write] of SMALL) {
  describe(`small packs of ${name}`, () => {
    test("a small pack is valid, and its pages can be read", () => {
      using folder = scratchFolder();
      const line = write(folder.path, pages);
      expect(checked(folder.path, line)).toMatchObject({ sha256: line.sha256, pages: pages.size, wrong: [] });
      expect(readAll(folder.path, line, pages.keys())).toEqual(new Map(pages));
    });

    test("a small pack is reported as damaged if it is truncated to any length", () => {
      using folder = scratchFolder();
      const line = write(folder.path, pages);
      for (let length = line.bytes - 1; length >= 0; length -= 1) {
        truncateSync(join(folder.path, line.path), length);
        expect(checked(folder.path, line), `${length}`).toBeNull();
        const { index: _, ...unknown } = line;
        expect(readAll(folder.path, unknown, [...pages.keys()].slice(0, 2)), `${length}`).toBeNull();
      }
    });

    test("a small pack has another digest for every flipped bit, and is almost always reported as damaged when it is read", async () => {
      using folder = scratchFolder();
      const line = write(folder.path, pages);
      const file = join(folder.path, line.path);
      const genuine = readFileSync(file);
      const keys = [...pages.keys()].slice(0, 2);
      let unread = 0;
      for (let at = 0; at < genuine.length; at += 1) {
        const flipped = Buffer.from(genuine);
        flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (at % 8)), at);
        writeFileSync(file, flipped);
        const read = await readPack(folder.path, line);
        expect(read.sha256, `byte ${at}`).not.toBe(line.sha256);
        if (read.shards === null) expect(read.wrong, `byte ${at}`).toHaveLength(1);
        else if (read.wrong.length === 0) unread += 1;
        readAll(folder.path, line, keys);
      }
      // Readers do not use some bits of a frame's header, so only the digest of the file shows a change in them.
      expect(unread).toBeLessThan(genuine.length / 50);
    });

    test("a small pack gives the same pages or an error if its index is overwritten and has a matching digest", () => {
      using folder = scratchFolder();
      const line = write(folder.path, pages);
      const genuine = readFileSync(join(folder.path, line.path));
      const root = pagesRoot(checked(folder.path, line)?.shards ?? []);
      const rootAt = genuine.length - (line.index?.bytes ?? 0);
      const leafAt = genuine.readUIntLE(rootAt + SKIPPED_HEADER + 6 + 12, 6);
      const edit = fc.tuple(fc.integer({ min: leafAt, max: genuine.length - 1 }), fc.nat(255));
      fc.assert(
        fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
          const forged = Buffer.from(genuine);
          for (const [at, byte] of edits) forged.writeUInt8(byte, at);
          resealLeaf(forged, rootAt);
          const claims = sealed(folder.path, line.path, forged, genuine.length - rootAt);
          const result = checked(folder.path, claims);
          const read = readAll(folder.path, claims, pages.keys());
          // A forgery that passes the checks has the same pages.
          if (result === null || result.wrong.length > 0 || pagesRoot(result.shards) !== root) return;
          expect(read).toEqual(new Map(pages));
        }),
        { numRuns: 1500, seed: 15, endOnFailure: true },
      );
    });
  });
}

/** Updates the digest of the first leaf in the root, so that a changed leaf matches it. */
function resealLeaf(pack: Buffer, rootAt: number): void {
  const branch = rootAt + SKIPPED_HEADER + 6;
  const [offset, length] = [pack.readUIntLE(branch + 12, 6), pack.readUInt32LE(branch + 18)];
  hash("sha256", pack.subarray(offset, offset + length), "buffer").copy(pack, branch + 22);
}

/** The ids of two records, in the order of a pack. */
const [ONE = "", OTHER = ""] = inOrder([makeRecordId(1), makeRecordId(2)]);

/** Turns an edit in place into a function that returns the edited bytes. */
const edited = (edit: (bytes: Buffer) => unknown) => (bytes: Buffer) => {
  edit(bytes);
  return bytes;
};

interface Lie {
  readonly name: string;
  readonly forge: (pack: ForgedPack) => void;
  readonly path?: string;
  readonly pages?: number;
  readonly root?: (root: Buffer) => Buffer;
  /** A pattern of the fault that must be reported. */
  readonly says: RegExp;
}

const entries = (frame: FrameEntry) => [makePageEntry(ONE, frame, "one"), makePageEntry(OTHER, frame, "other", 3)];
const whole = (pack: ForgedPack) => pack.leaf(entries(pack.frame("oneother")));

const LIES: readonly Lie[] = [
  {
    name: "an index entry with the bytes of another page",
    forge: (pack) => {
      const frame = pack.frame("oneother");
      const [, other] = entries(frame);
      pack.leaf([
        { ...makePageEntry(ONE, frame, "one"), start: 3, length: 5 },
        ...(other === undefined ? [] : [other]),
      ]);
    },
    says: /has bytes that belong to no page, or to two/,
  },
  {
    name: "two pages with swapped digests",
    forge: (pack) => {
      const frame = pack.frame("otherone");
      pack.leaf(
        [makePageEntry(ONE, frame, "other"), makePageEntry(OTHER, frame, "one", 5)].map((entry, i) => ({
          ...entry,
          sha256: hash("sha256", i === 0 ? "one" : "other", "buffer"),
        })),
      );
    },
    says: /does not match its digest in the index/,
  },
  {
    name: "an index entry that ends beyond its frame",
    forge: (pack) => pack.leaf([makePageEntry(ONE, pack.frame("one"), "one and more")]),
    says: /outside the zstd frames/,
  },
  {
    name: "two index entries that overlap",
    forge: (pack) => {
      const frame = pack.frame("oneother");
      pack.leaf([makePageEntry(ONE, frame, "oneot"), makePageEntry(OTHER, frame, "other", 3)]);
    },
    says: /has bytes that belong to no page, or to two/,
  },
  {
    name: "two pages at the same position",
    forge: (pack) => {
      const frame = pack.frame("one");
      pack.leaf([makePageEntry(ONE, frame, "one"), makePageEntry(OTHER, frame, "one")]);
    },
    says: /has the same bytes as/,
  },
  {
    name: "bytes in a frame that belong to no page",
    forge: (pack) => pack.leaf([makePageEntry(ONE, pack.frame("one and more"), "one")]),
    says: /has bytes that belong to no page/,
  },
  {
    name: "a frame that decompresses to more than its stated size",
    forge: (pack) => pack.leaf([makePageEntry(ONE, pack.frame("one and more", { inflated: 3 }), "one")]),
    says: /does not inflate to 3 bytes/,
  },
  {
    name: "a frame that decompresses without end, with a small stated size",
    forge: (pack) => pack.leaf([makePageEntry(ONE, pack.frame("0".repeat(50_000_000), { inflated: 3 }), "000")]),
    says: /states a packed size of \d+ bytes|does not inflate to 3 bytes/,
  },
  {
    name: "a frame that decompresses without end, with a large stated size",
    forge: (pack) => pack.leaf([makePageEntry(ONE, pack.frame("one", { inflated: MAX_INFLATED_BYTES + 1 }), "one")]),
    says: /states that the zstd frame at byte \d+ inflates to 67371009 bytes/,
  },
  {
    name: "a frame with a wrong header",
    forge: (pack) => {
      const bytes = packed("one");
      bytes.writeUInt8(4, 5);
      const frame = { offset: pack.bytes(bytes), packed: bytes.length, inflated: 4 };
      pack.leaf([makePageEntry(ONE, frame, "one\0")]);
    },
    says: /cannot be inflated to 4 bytes|inflates to 3 bytes/,
  },
  {
    name: "a frame that needs much memory",
    forge: (pack) => {
      // A zstd header: the magic number, and a byte that asks for a window of 2^41 bytes.
      const bytes = Buffer.concat([
        Buffer.from("28b52ffd80f8", "hex"),
        Buffer.from([3, 0, 0, 0, 1 + (3 << 3), 0, 0]),
        Buffer.from("one"),
      ]);
      pack.leaf([makePageEntry(ONE, { offset: pack.bytes(bytes), packed: bytes.length, inflated: 3 }, "one")]);
    },
    says: /is damaged, or does not inflate/,
  },
  {
    name: "a frame longer than zstd could make it",
    forge: (pack) => pack.leaf([makePageEntry(ONE, pack.frame("one", { packed: 200_000 }), "one")]),
    says: /states a packed size of 200000 bytes/,
  },
  {
    name: "two frames in place of one",
    forge: (pack) => {
      const bytes = Buffer.concat([packed("one"), packed("two")]);
      pack.leaf([makePageEntry(ONE, { offset: pack.bytes(bytes), packed: bytes.length, inflated: 3 }, "one")]);
    },
    says: /ends 12 bytes before the end that the index states/,
  },
  {
    name: "a skipped frame before a frame",
    forge: (pack) => {
      const bytes = Buffer.concat([Buffer.from("5e2a4d1803000000616263", "hex"), packed("one")]);
      pack.leaf([makePageEntry(ONE, { offset: pack.bytes(bytes), packed: bytes.length, inflated: 3 }, "one")]);
    },
    says: /is damaged, or does not inflate/,
  },
  {
    name: "bytes that are not a frame",
    forge: (pack) =>
      pack.leaf([makePageEntry(ONE, { offset: pack.bytes(Buffer.from("nonsense")), packed: 8, inflated: 3 }, "one")]),
    says: /is damaged, or does not inflate/,
  },
  {
    name: "surplus bytes between frames",
    forge: (pack) => {
      const one = pack.frame("one");
      pack.bytes(Buffer.from("surplus"));
      pack.leaf([makePageEntry(ONE, one, "one"), makePageEntry(OTHER, pack.frame("other"), "other")]);
    },
    says: /does not follow the bytes before it/,
  },
  {
    name: "surplus bytes before a leaf",
    forge: (pack) => {
      const one = pack.frame("one");
      pack.bytes(Buffer.from("surplus"));
      pack.leaf([makePageEntry(ONE, one, "one")]);
    },
    says: /the index block at byte \d+ does not follow/,
  },
  {
    name: "surplus bytes before the root",
    forge: (pack) => {
      whole(pack);
      pack.bytes(Buffer.from("surplus"));
    },
    says: /there are bytes before the root/,
  },
  {
    name: "an entry with a frame of another leaf, although pages are not shared",
    forge: (pack) => {
      const frame = pack.frame("one");
      pack.leaf([makePageEntry(ONE, frame, "one")]);
      pack.leaf([makePageEntry(OTHER, frame, "one")]);
    },
    says: /its text cannot be there/,
  },
  {
    name: "an entry with a text of another leaf that does not exist",
    path: BADGES,
    forge: (pack) => {
      const frame = pack.frame("oneother");
      pack.leaf([makePageEntry(ONE, frame, "oneother")]);
      pack.leaf([makePageEntry(OTHER, frame, "other", 3)]);
    },
    says: /its text cannot be there/,
  },
  {
    name: "an entry with a frame of another leaf and a larger size",
    path: BADGES,
    forge: (pack) => {
      const frame = pack.frame("one");
      pack.leaf([makePageEntry(ONE, frame, "one")]);
      pack.leaf([makePageEntry(OTHER, { ...frame, inflated: 5 }, "one")]);
    },
    says: /its text cannot be there/,
  },
  {
    name: "an entry with another text of another leaf",
    path: BADGES,
    forge: (pack) => {
      const frame = pack.frame("one");
      pack.leaf([makePageEntry(ONE, frame, "one")]);
      pack.leaf([{ ...makePageEntry(OTHER, frame, "two") }]);
    },
    says: /does not match its digest in the index/,
  },
  {
    name: "leaves in the wrong order",
    forge: (pack) => {
      pack.leaf([makePageEntry(OTHER, pack.frame("other"), "other")]);
      pack.leaf([makePageEntry(ONE, pack.frame("one"), "one")]);
    },
    says: /lists a block at byte \d+, which is out of order/,
  },
  {
    name: "pages of a leaf in the wrong order",
    forge: (pack) => {
      const frame = pack.frame("oneother");
      pack.leaf([makePageEntry(OTHER, frame, "one"), makePageEntry(ONE, frame, "other", 3)]);
    },
    says: /is not in the order of the index/,
  },
  {
    name: "a repeated key",
    forge: (pack) => {
      const frame = pack.frame("oneother");
      pack.leaf([makePageEntry(ONE, frame, "one"), makePageEntry(ONE, frame, "other", 3)]);
    },
    says: /is not in the order of the index/,
  },
  {
    name: "a leaf with the place of another",
    forge: (pack) => pack.leaf([makePageEntry(ONE, pack.frame("one"), "one")], { place: Buffer.alloc(12, 9) }),
    says: /does not begin with the page/,
  },
  {
    name: "a leaf beyond the end of the file",
    forge: (pack) => pack.leaf([makePageEntry(ONE, pack.frame("one"), "one")], { offset: 2 ** 40 }),
    says: /lists a block at byte \d+, which is out of order/,
  },
  {
    name: "a leaf with a size of four gigabytes",
    forge: (pack) => pack.leaf([makePageEntry(ONE, pack.frame("one"), "one")], { length: 2 ** 32 - 1 }),
    says: /lists a block at byte \d+, which is out of order/,
  },
  {
    name: "a frame beyond the end of the file",
    forge: (pack) => {
      const frame = pack.frame("one", { offset: 2 ** 40 });
      pack.leaf([makePageEntry(ONE, frame, "one")]);
    },
    says: /does not follow the bytes before it/,
  },
  {
    name: "a huge number of frames",
    forge: (pack) =>
      pack.leaf(
        entries(pack.frame("oneother")),
        {},
        edited((leaf) => leaf.writeUInt16LE(65535, 8)),
      ),
    says: /ends too early|states that the zstd frame at byte \d+ inflates to/,
  },
  {
    name: "a huge number of pages in a leaf",
    forge: (pack) =>
      pack.leaf(
        entries(pack.frame("oneother")),
        {},
        edited((leaf) => leaf.writeUInt16LE(65535, 10)),
      ),
    says: /ends too early/,
  },
  {
    name: "a number of pages that is too small",
    forge: (pack) =>
      pack.leaf(
        entries(pack.frame("oneother")),
        {},
        edited((leaf) => leaf.writeUInt16LE(1, 10)),
      ),
    says: /has bytes that belong to no page/,
  },
  {
    name: "a frame without pages",
    forge: (pack) => {
      const frame = pack.frame("oneother");
      pack.leaf(entries(frame), {}, (leaf) => {
        const more = Buffer.concat([leaf.subarray(0, 26), leaf.subarray(12, 26), leaf.subarray(26)]);
        more.writeUInt32LE(more.length - 8, 4);
        more.writeUInt16LE(2, 8);
        return more;
      });
    },
    says: /has bytes that belong to no page/,
  },
  { name: "a leaf without pages", forge: (pack) => pack.leaf([]), says: /does not begin with the page/ },
  { name: "no pages", forge: () => undefined, says: /the pack has no page/ },
  {
    name: "a huge number of all pages",
    forge: whole,
    pages: 2 ** 48 - 1,
    says: /has 2 pages, but its root states 281474976710655/,
  },
  {
    name: "a root with a size beyond the file",
    forge: whole,
    root: edited((root) => root.writeUInt32LE(1_000_000, root.length - TAIL_BYTES)),
    says: /shorter than the root/,
  },
  {
    name: "a root with a size of gigabytes",
    forge: whole,
    root: edited((root) => root.writeUInt32LE(2 ** 32 - 1, root.length - TAIL_BYTES)),
    says: /states a length of 4294967295 bytes/,
  },
  {
    name: "a root with a size that is too small",
    forge: whole,
    root: edited((root) => root.writeUInt32LE(30, root.length - TAIL_BYTES)),
    says: /does not match the manifest|does not begin with its length/,
  },
  {
    name: "a key with a line break",
    forge: (pack) => pack.leaf([makePageEntry(`x ${"0".repeat(64)}\ny`, pack.frame("one"), "one")]),
    says: /is not a valid key/,
  },
  {
    name: "a key that is not text",
    forge: (pack) =>
      pack.leaf(
        [makePageEntry(ONE, pack.frame("one"), "one")],
        {},
        edited((leaf) => leaf.writeUInt8(0xff, leaf.indexOf(ONE))),
      ),
    says: /is not a valid key/,
  },
  {
    name: "a pack with the name of another range",
    path: "pages/2.0/record.0.zst",
    forge: (pack) => pack.leaf([makePageEntry(`r4${"0".repeat(23)}`, pack.frame("one"), "one")]),
    says: /belongs in another pack/,
  },
  {
    name: "a page before its pack's range",
    path: "pages/2.0/record.5.zst",
    forge: (pack) => pack.leaf([makePageEntry(`r4${"0".repeat(23)}`, pack.frame("one"), "one")]),
    says: /belongs in another pack/,
  },
];

/** The memory that reading a forged pack may use, in bytes: enough for the largest allowed frame and the reader itself. */
const MEMORY = 3 * MAX_INFLATED_BYTES;

describe("forged packs", () => {
  for (const { name, forge, path = RECORDS, pages, root, says } of LIES) {
    test(`a forged pack that agrees with its manifest is rejected as damaged: ${name}`, async () => {
      using folder = scratchFolder();
      const pack = new ForgedPack();
      forge(pack);
      const line = pack.write(folder.path, path, pages, root);
      const before = process.memoryUsage().rss;
      const { wrong, sha256 } = await readPack(folder.path, line);
      expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY);
      expect(wrong.join("\n")).toMatch(says);
      expect(sha256).toBe(line.sha256);
      readAll(folder.path, line, [ONE, OTHER]);
    });
  }

  test("a forged pack that agrees with its manifest is accepted if it has no fault, which shows that the forgeries fail only for their faults", async () => {
    using folder = scratchFolder();
    const pack = new ForgedPack();
    whole(pack);
    const line = pack.write(folder.path, RECORDS);
    expect(await readPack(folder.path, line)).toMatchObject({ sha256: line.sha256, wrong: [] });
    expect(readAll(folder.path, line, [ONE, OTHER])).toEqual(
      new Map([
        [ONE, "one"],
        [OTHER, "other"],
      ]),
    );
  });

  test("a forged pack that agrees with its manifest is rejected if its manifest line has the index of another pack, or none", async () => {
    using folder = scratchFolder();
    const line = writePackAt(folder.path, RECORDS, somePages(3));
    const other = writePackAt(folder.path, BADGES, somePages(4));
    const { index: _, ...without } = line;
    const told = async (given: ManifestLine) => (await readPack(folder.path, given)).wrong;
    expect(await told({ ...line, ...(other.index && { index: other.index }) })).toEqual([
      expect.stringContaining("match the manifest"),
    ]);
    expect(await told({ ...line, index: { bytes: 1, sha256: line.index?.sha256 ?? "" } })).toEqual([
      expect.stringContaining("match the manifest"),
    ]);
    expect(await told(without)).toEqual([expect.stringContaining("does not describe the index")]);
  });
});

test("an index entry for a shared text that is too far back in the pack is rejected", async () => {
  using folder = scratchFolder();
  const pack = new ForgedPack();
  const ids = inOrder(Array.from({ length: 4200 }, (_, i) => makeRecordId(i)));
  const last = ids.pop() ?? "";
  const texts = ids.map((_, i) => `<svg>${i}</svg>`);
  let firstFrame: FrameEntry | null = null;
  for (let at = 0; at < ids.length; at += 256) {
    const some = ids.slice(at, at + 256);
    const frame = pack.frame(texts.slice(at, at + 256).join(""));
    firstFrame ??= frame;
    let start = 0;
    pack.leaf(
      some.map((id, i) => {
        const text = texts[at + i] ?? "";
        start += text.length;
        return makePageEntry(id, frame, text, start - text.length);
      }),
    );
  }
  if (firstFrame !== null) pack.leaf([makePageEntry(last, firstFrame, texts[0] ?? "")]);
  const { wrong } = await readPack(folder.path, pack.write(folder.path, BADGES));
  expect(wrong).toEqual([expect.stringContaining("its text cannot be there")]);
});

test("a frame is accepted with each encoding of its size in the zstd header (1 byte to 3 MB)", async () => {
  for (const length of [1, 2, 255, 256, 65_791, 65_792, 3_000_000]) {
    using folder = scratchFolder();
    const noise = createHash("shake256", { outputLength: length >> 1 })
      .update("noise")
      .digest("hex");
    const line = writePackAt(
      folder.path,
      RECORDS,
      new Map([
        [ONE, "a".repeat(length)],
        [OTHER, `${noise}b`],
      ]),
    );
    expect((await readPack(folder.path, line)).wrong).toEqual([]);
  }
});
