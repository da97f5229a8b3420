/** Tests that a pack that is merged from an earlier pack and changes is byte for byte the pack that is written from scratch. */

import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FRAME_PAGES, LEAF_PAGES, MAX_FRAME_BYTES } from "../../pipeline/packs/format.ts";
import { PackReader, packCache } from "../../pipeline/packs/pack-reader.ts";
import { PackMerge } from "../../pipeline/packs/pack-sink.ts";
import { type PackOptions, PackWriter, type WrittenPack } from "../../pipeline/packs/pack-writer.ts";
import { inOrder, makeRecordId, type Pages, scratchFolder, writePack } from "./written-pack.ts";

type Frames = PackOptions["frames"];
type Changes = ReadonlyMap<string, string | null>;

/**
 * Writes a pack with the pages in `earlier`, and merges `changes` into it. Returns the merged pack, and how many pages it
 * reused.
 */
function merged(folder: string, earlier: Pages, changes: Changes, frames: Frames) {
  const before = writePack(join(folder, "earlier"), earlier, frames);
  const reader = before.pages === 0 ? null : PackReader.open(join(folder, "earlier"), packCache(1 << 20), before.index);
  const writer = new PackWriter(join(folder, "merged"), { frames });
  if (reader === null) {
    for (const key of inOrder(changes.keys())) {
      const text = changes.get(key);
      if (text != null) writer.add(key, text);
    }
    return { written: writer.finish(), taken: 0 };
  }
  const merge = new PackMerge(reader, writer);
  for (const key of inOrder(changes.keys())) merge.change(key, changes.get(key) ?? null);
  merge.finish();
  reader.close();
  return { written: writer.finish(), taken: merge.reused };
}

function after(earlier: Pages, changes: Changes): Pages {
  const pages = new Map(earlier);
  for (const [key, text] of changes) {
    if (text === null) pages.delete(key);
    else pages.set(key, text);
  }
  return pages;
}

function expectSame(earlier: Pages, changes: Changes, frames: Frames): { readonly taken: number } {
  using folder = scratchFolder();
  const { written, taken } = merged(folder.path, earlier, changes, frames);
  const again: WrittenPack = writePack(join(folder.path, "again"), after(earlier, changes), frames);
  expect(written).toEqual(again);
  // A pack without pages has no file, and no temporary file stays behind.
  const names = readdirSync(folder.path);
  expect(names.filter((name) => !["earlier", "merged", "again"].includes(name))).toEqual([]);
  expect(existsSync(join(folder.path, "merged"))).toBe(again.pages > 0);
  if (again.pages > 0) {
    const [one, other] = ["merged", "again"].map((name) => readFileSync(join(folder.path, name)));
    expect(one?.equals(other ?? Buffer.alloc(0))).toBe(true);
    expect([one?.length, one && hash("sha256", one)]).toEqual([written.bytes, written.sha256]);
  }
  return { taken };
}

const KINDS: readonly Frames[] = [...Array.from({ length: 8 }, (_, bits) => ({ bits })), "alike"];

const describeFrames = (frames: Frames) => (frames === "alike" ? frames : `frames of 2^${frames.bits} pages`);

/** Ends of record ids, in hexadecimal. Each ends a frame under some values of `frames`, and "ff" under none. */
const ENDS = ["00", "80", "40", "20", "10", "08", "04", "02", "01", "ff"];

const key = fc.tuple(fc.nat(400), fc.constantFrom(...ENDS)).map(([number, end]) => makeRecordId(number, end));
const slug = fc.nat(200).map((number) => `jane-doe-${number}`);

/** Random texts from one byte to more than a frame can hold. Most are short and similar. */
const text = fc
  .record({
    length: fc.oneof(
      { arbitrary: fc.integer({ min: 1, max: 600 }), weight: 12 },
      {
        arbitrary: fc.constantFrom(
          1,
          MAX_FRAME_BYTES - 1,
          MAX_FRAME_BYTES,
          MAX_FRAME_BYTES + 1,
          2 * MAX_FRAME_BYTES + 7,
        ),
        weight: 1,
      },
    ),
    letter: fc.constantFrom(..."abcdefé\u{1f9ec}"),
  })
  .map(({ length, letter }) => letter.repeat(length));

const pagesBelow = (most: number) =>
  fc
    .array(fc.tuple(fc.oneof({ arbitrary: key, weight: 4 }, slug), text), { maxLength: most })
    .map((list) => new Map(list));

const world = pagesBelow(90).chain((earlier) => {
  const known = earlier.size === 0 ? key : fc.constantFrom(...earlier.keys());
  const change = fc.tuple(fc.oneof({ arbitrary: known, weight: 2 }, key, slug), fc.option(text, { freq: 2 }));
  return fc.record({
    earlier: fc.constant(earlier),
    changes: fc.array(change, { maxLength: 25 }).map((list) => new Map(list)),
  });
});

describe("random changes, additions and removals of pages", () => {
  for (const frames of KINDS) {
    test(`merging random changes gives the bytes of a new pack, with ${describeFrames(frames)}`, () => {
      fc.assert(
        fc.property(world, ({ earlier, changes }) => void expectSame(earlier, changes, frames)),
        { numRuns: 40, seed: 15, endOnFailure: true },
      );
    });
  }
});

/** Enough pages for several leaves of the index, with all ends of ids. */
const MANY: Pages = new Map(
  Array.from({ length: 3 * LEAF_PAGES }, (_, i) => [makeRecordId(i, ENDS[i % ENDS.length]), `page ${i % 40} of few`]),
);
const ordered = inOrder(MANY.keys());
const [first = "", last = ""] = [ordered.at(0), ordered.at(-1)];
const ending = ordered.filter((id) => id.endsWith("00"));
const BEFORE = `r${"0".repeat(24)}`;
const BEHIND = `r${"f".repeat(24)}`;

const CASES: readonly { readonly name: string; readonly changes: Changes; readonly takesMost?: true }[] = [
  { name: "no change", changes: new Map(), takesMost: true },
  { name: "the first page changed", changes: new Map([[first, "another"]]), takesMost: true },
  { name: "the first page removed", changes: new Map([[first, null]]), takesMost: true },
  { name: "the last page changed", changes: new Map([[last, "another"]]), takesMost: true },
  { name: "the last page removed", changes: new Map([[last, null]]), takesMost: true },
  { name: "a new page before the first", changes: new Map([[BEFORE, "new"]]), takesMost: true },
  { name: "a new page after the last", changes: new Map([[BEHIND, "new"]]), takesMost: true },
  {
    name: "two pages removed that do not exist",
    changes: new Map([BEFORE, BEHIND].map((id) => [id, null])),
    takesMost: true,
  },
  { name: "the last pages of frames changed", changes: new Map(ending.slice(0, 3).map((id) => [id, "another"])) },
  { name: "the last pages of frames removed", changes: new Map(ending.map((id) => [id, null])) },
  { name: "all pages removed but one", changes: new Map(ordered.slice(1).map((id) => [id, null])) },
  { name: "all pages removed", changes: new Map(ordered.map((id) => [id, null])) },
  { name: "all pages changed", changes: new Map(ordered.map((id) => [id, `another ${id}`])) },
];

describe("changes in a pack whose index has several leaves", () => {
  for (const { name, changes, takesMost } of CASES) {
    test(`merging changes into a large pack gives the bytes of a new pack: ${name}`, () => {
      for (const frames of KINDS) {
        const { taken } = expectSame(MANY, changes, frames);
        if (takesMost) expect(taken, describeFrames(frames)).toBeGreaterThan(MANY.size - 2 * 256);
      }
    });
  }
});

test("merging ends a frame with the maximum number of pages where a new pack ends it", () => {
  const most = new Map(Array.from({ length: FRAME_PAGES + 300 }, (_, i) => [makeRecordId(i, "01"), `p${i % 7}`]));
  for (const [id] of [...most].slice(0, 2)) {
    expectSame(most, new Map([[id, "another"]]), { bits: 7 });
    expectSame(most, new Map([[id, null]]), { bits: 7 });
  }
});

test("merging gives the bytes of a new pack even with more different texts than the writer remembers", () => {
  const texts = new Map(Array.from({ length: 9000 }, (_, i) => [makeRecordId(i), `text ${i % 4500}`]));
  const keys = inOrder(texts.keys());
  expectSame(
    texts,
    new Map([
      [keys[40] ?? "", "another"],
      [keys[8000] ?? "", null],
    ]),
    "alike",
  );
});

describe("the writer of packs", () => {
  const REJECTED: readonly (readonly [name: string, keys: readonly string[], says: RegExp])[] = [
    ["a repeated key", [makeRecordId(1), makeRecordId(1)], /is out of order/],
    ["keys in the wrong order", inOrder([makeRecordId(1), makeRecordId(2)]).reverse(), /is out of order/],
    ["a key with a line break", [`x ${"0".repeat(64)}\ny`], /cannot be the key/],
    ["an empty key", [""], /cannot be the key/],
  ];
  for (const [name, keys, says] of REJECTED) {
    test(`the writer of packs rejects ${name}`, () => {
      using folder = scratchFolder();
      const writer = new PackWriter(join(folder.path, "pack"), { frames: { bits: 2 } });
      expect(() => keys.forEach((each) => void writer.add(each, "text"))).toThrow(says);
      writer.abandon();
      expect(readdirSync(folder.path)).toEqual([]);
    });
  }
});
