/** Writes packs of made-up pages as stage 5 writes them. */

import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { computePlace, readPackPath } from "../../pipeline/packs/format.ts";
import { chooseFrames, type PackOptions, PackWriter, type WrittenPack } from "../../pipeline/packs/pack-writer.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";

export type Pages = ReadonlyMap<string, string>;

/** Creates a folder that is removed at the end of its scope. */
export function scratchFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "share-packs-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Returns keys in the order in which a pack stores their pages. */
export function inOrder(keys: Iterable<string>): string[] {
  return [...keys].sort((one, other) => computePlace(one).compare(computePlace(other)));
}

/** Writes a new pack with these pages into a file. */
export function writePack(file: string, pages: Pages, frames: PackOptions["frames"]): WrittenPack {
  mkdirSync(dirname(file), { recursive: true });
  const writer = new PackWriter(file, { frames });
  for (const key of inOrder(pages.keys())) writer.add(key, pages.get(key) ?? "");
  return writer.finish();
}

/** Writes a pack at `path` in a release folder, and returns its manifest line. */
export function writePackAt(folder: string, path: string, pages: Pages): ManifestLine {
  const family = readPackPath(path)?.family ?? "";
  const { bytes, sha256, index } = writePack(join(folder, path), pages, chooseFrames(family));
  return { path, bytes, sha256, index };
}

/** Returns a record id that is derived from a number and ends with `end`. */
export function makeRecordId(number: number, end = ""): string {
  return `r${hash("sha256", String(number)).slice(0, 24 - end.length)}${end}`;
}

/** Returns `count` different record pages of about two hundred bytes, by record id. */
export function somePages(count: number, say = "page"): Pages {
  return new Map(
    Array.from({ length: count }, (_, i) => {
      const id = makeRecordId(i);
      return [id, `{"id":"${id}","say":"${say} ${i}","more":"${hash("sha512", id)}"}\n`];
    }),
  );
}
