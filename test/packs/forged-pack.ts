/** Assembles packs by hand, so that every frame and every entry of the index can be false although all digests are right. */

import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import {
  type Branch,
  computePlace,
  encodeLeaf,
  encodeRoot,
  type FrameEntry,
  type PageEntry,
} from "../../pipeline/packs/format.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";

/** Compresses a text into a zstd frame whose header states the content size. */
export function packed(text: string | Buffer): Buffer {
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_contentSizeFlag]: 1 } });
}

/** Returns the index entry of a page that begins at `start` in the decompressed frame. */
export function makePageEntry(key: string, frame: FrameEntry, text: string, start = 0): PageEntry {
  const length = Buffer.byteLength(text);
  return { key, frame, start, length, sha256: hash("sha256", text, "buffer") };
}

export class ForgedPack {
  readonly #parts: Buffer[] = [];
  readonly #branches: Branch[] = [];
  #bytes = 0;
  #pages = 0;

  /** Adds any bytes to the pack, and returns their offset. */
  bytes(bytes: Buffer): number {
    const offset = this.#bytes;
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    return offset;
  }

  frame(text: string, says: Partial<FrameEntry> = {}): FrameEntry {
    const bytes = packed(text);
    return { offset: this.bytes(bytes), packed: bytes.length, inflated: Buffer.byteLength(text), ...says };
  }

  leaf(entries: readonly PageEntry[], says: Partial<Branch> = {}, edit = (leaf: Buffer) => leaf): void {
    const leaf = edit(encodeLeaf(entries));
    const place = computePlace(entries[0]?.key ?? "");
    const offset = this.bytes(leaf);
    this.#branches.push({ place, offset, length: leaf.length, sha256: hash("sha256", leaf, "buffer"), ...says });
    this.#pages += entries.length;
  }

  /** Writes the pack at `path` in a release folder, and returns its manifest line. */
  write(folder: string, path: string, pages = this.#pages, edit = (root: Buffer) => root): ManifestLine {
    const root = edit(encodeRoot({ pages, branches: this.#branches }));
    return sealed(folder, path, Buffer.concat([...this.#parts, root]), root.length);
  }
}

/**
 * Writes the bytes of a pack at `path` in a release folder, and returns its manifest line. `root` is the length of the index
 * root in bytes.
 */
export function sealed(folder: string, path: string, bytes: Buffer, root: number): ManifestLine {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), bytes);
  const index = { bytes: root, sha256: hash("sha256", bytes.subarray(bytes.length - root)) };
  return { path, bytes: bytes.length, sha256: hash("sha256", bytes), index };
}
