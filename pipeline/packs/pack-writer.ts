/**
 * Writes a pack from pages that are sorted by {@link computePlace}. At most one frame, one leaf and a write buffer are
 * in memory.
 */

import { createHash, hash, randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { type PageText, pageBytes } from "../../api-static/pages/read-page.ts";
import { oneFrame } from "../files/inflate.ts";
import {
  type Branch,
  computePlace,
  encodeLeaf,
  encodeRoot,
  FRAME_PAGES,
  type FrameEntry,
  KEY,
  LEAF_PAGES,
  MAX_FRAME_BYTES,
  MAX_PAGE_BYTES,
  PackDamaged,
  TEXTS_BACK,
} from "./format.ts";
import type { PackedFrame } from "./pack-reader.ts";
import { type PageShard, PageShards } from "./page-store.ts";

export interface PackOptions {
  /**
   * Determines where a frame of pages ends. With `bits`, a frame ends after a page whose place ends in that many zero
   * bits, which is one page in 2^bits. So adding or removing other pages does not move the end of a frame. With
   * `alike`, a text that several pages share is stored only once.
   */
  readonly frames: { readonly bits: number } | "alike";
}

export interface WrittenPack {
  readonly pages: number;
  readonly bytes: number;
  readonly sha256: string;
  /** The root of the index, which is at the end of the file. */
  readonly index: { readonly bytes: number; readonly sha256: string };
  readonly shards: readonly PageShard[];
}

/** A page whose leaf is not written yet. */
interface PendingPage {
  readonly key: string;
  readonly place: Buffer;
  readonly sha256: Buffer;
  readonly text: StoredText;
}

/** The position of a stored text. `frame` is null until the frame is written. */
interface StoredText {
  frame: FrameEntry | null;
  readonly start: number;
  readonly length: number;
  readonly sha256: Buffer;
}

/** Size of the write buffer in bytes. With smaller buffers, the calls would take longer than the writing itself. */
const WRITTEN_AT_ONCE = 256 * 1024;

/**
 * The fastest compression level, although it results in 4 % more bytes. Changing it would change the bytes of packs
 * with the same pages.
 */
const PACKING_LEVEL = 1;

export class PackWriter {
  readonly #path: string;
  readonly #attempt: string;
  readonly #file: number;
  readonly #digest = createHash("sha256");
  readonly #shards = new PageShards();
  readonly #frames: PackOptions["frames"];
  readonly #shared = new Map<string, StoredText>();
  /** The stored texts that pages can share. The text itself is the key, so that its digest is computed only once. */
  readonly #texts = new Map<string, StoredText>();
  readonly #branches: Branch[] = [];
  #room = Buffer.allocUnsafeSlow(2 * MAX_FRAME_BYTES);
  #used = 0;
  #inFrame: StoredText[] = [];
  #leaf: PendingPage[] = [];
  /** The write buffer, and the number of bytes in it that are not written yet. */
  readonly #unwritten = Buffer.allocUnsafeSlow(WRITTEN_AT_ONCE);
  #held = 0;
  #isOpen = true;
  #bytes = 0;
  #pages = 0;
  #last: Buffer | null = null;

  /** Opens a file with a temporary name, so that other attempts do not overwrite it. */
  constructor(path: string, { frames }: PackOptions) {
    this.#path = path;
    this.#attempt = `${path}.${randomUUID()}`;
    this.#file = openSync(this.#attempt, "w");
    this.#frames = frames;
  }

  /**
   * True if the bytes of a frame of another pack can be copied, because this pack would contain exactly the same frame.
   * This requires that the frame ends at the same page here, or that no page follows it (`ends`).
   */
  canCopyFrame({ frame, pages }: PackedFrame, ends: boolean): boolean {
    const last = pages.at(-1);
    if (this.#frames === "alike" || this.#used > 0 || last === undefined) return false;
    return ends || isFull(frame.inflated, pages.length) || endsIn(computePlace(last.key), this.#frames.bits);
  }

  /**
   * Adds a page. Its place must be after those of all earlier pages. `sha256` is the digest of the page, if it is
   * already known.
   */
  add(key: string, page: PageText, sha256?: Buffer): void {
    const place = this.#begin(key);
    const stored = this.#frames === "alike" ? this.#alike(page, sha256) : this.#store(page, sha256);
    this.#note(key, place, stored);
    const ends = this.#frames !== "alike" && endsIn(place, this.#frames.bits);
    if (ends || isFull(this.#used, this.#inFrame.length)) this.#endFrame();
    if (this.#frames === "alike" && this.#leaf.length >= LEAF_PAGES) this.#endLeaf();
  }

  /**
   * Adds a page whose text is already stored for another page. Adds nothing and returns false if no stored text has
   * this sha256.
   */
  addShared(key: string, sha256: Buffer): boolean {
    const stored = this.#frames === "alike" ? this.#shared.get(sha256.toString("latin1")) : undefined;
    if (stored === undefined) return false;
    this.#note(key, this.#begin(key), stored);
    if (this.#leaf.length >= LEAF_PAGES) this.#endLeaf();
    return true;
  }

  /** Adds a frame of another pack unchanged. Only allowed if {@link canCopyFrame} returned true for this frame. */
  addFrame(packed: Buffer, { frame: { inflated }, pages }: PackedFrame): void {
    const frame: FrameEntry = { offset: this.#bytes, packed: packed.length, inflated };
    this.#write(packed);
    for (const { key, start, length, sha256 } of pages) {
      this.#note(key, this.#begin(key), { frame, start, length, sha256 });
    }
    if (this.#leaf.length >= LEAF_PAGES) this.#endLeaf();
  }

  /**
   * Writes the index at the end of the file, and renames the file to its final name. Removes a file without pages
   * instead.
   */
  finish(): WrittenPack {
    this.#endLeaf();
    const root = encodeRoot({ pages: this.#pages, branches: this.#branches });
    this.#write(root);
    this.#flush();
    fsyncSync(this.#file);
    this.#close();
    if (this.#pages > 0) renameSync(this.#attempt, this.#path);
    else rmSync(this.#attempt);
    return {
      pages: this.#pages,
      bytes: this.#bytes,
      sha256: this.#digest.digest("hex"),
      index: { bytes: root.length, sha256: hash("sha256", root) },
      shards: this.#shards.finish(),
    };
  }

  abandon(): void {
    this.#close();
    rmSync(this.#attempt, { force: true });
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#file);
  }

  #begin(key: string): Buffer {
    const place = computePlace(key);
    if (this.#last !== null && place.compare(this.#last) <= 0)
      throw new Error(
        `the page ${key} is out of order, because pages must be written in the order of the index; report this`,
      );
    if (!KEY.test(key))
      throw new Error(
        `${JSON.stringify(key)} cannot be the key of a page, which must not be empty or contain control characters; report this`,
      );
    this.#last = place;
    return place;
  }

  #note(key: string, place: Buffer, text: StoredText): void {
    this.#leaf.push({ key, place, sha256: text.sha256, text });
    this.#shards.add(place, key, text.sha256);
    this.#pages += 1;
  }

  #alike(page: PageText, sha256: Buffer | undefined): StoredText {
    const text = typeof page === "string" ? page : null;
    const known = text === null ? undefined : this.#texts.get(text);
    if (known !== undefined) return known;
    const stored = this.#sharedBy(sha256 ?? hash("sha256", pageBytes(page), "buffer"), page);
    if (text !== null) this.#texts.set(text, stored);
    return stored;
  }

  #sharedBy(sha256: Buffer, page: PageText): StoredText {
    const name = sha256.toString("latin1");
    const known = this.#shared.get(name);
    if (known !== undefined) return known;
    if (this.#shared.size >= TEXTS_BACK) {
      this.#shared.clear();
      this.#texts.clear();
    }
    // The digest from the earlier pack is not trusted here, because new pages will share the text.
    const stored = this.#store(page);
    if (!stored.sha256.equals(sha256))
      throw new PackDamaged("a page of the earlier pack does not match its digest in the index");
    this.#shared.set(name, stored);
    return stored;
  }

  #store(page: PageText, sha256?: Buffer): StoredText {
    const start = this.#used;
    if (typeof page === "string") this.#put(page, start);
    else for (const piece of page) this.#put(piece, start);
    const bytes = this.#room.subarray(start, this.#used);
    const stored = { frame: null, start, length: bytes.length, sha256: sha256 ?? hash("sha256", bytes, "buffer") };
    this.#inFrame.push(stored);
    return stored;
  }

  /** Appends a piece to the page that begins at `start` in the buffer. */
  #put(piece: string | Uint8Array, start: number): void {
    const most = this.#used + (typeof piece === "string" ? 3 * piece.length : piece.length);
    if (most - start > MAX_PAGE_BYTES)
      throw new Error(`a page of the release has more than ${MAX_PAGE_BYTES} bytes, which is the limit; report this`);
    if (most > this.#room.length) this.#grow(most);
    if (typeof piece === "string") this.#used += this.#room.write(piece, this.#used, "utf8");
    else {
      this.#room.set(piece, this.#used);
      this.#used += piece.length;
    }
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(bytes + MAX_FRAME_BYTES);
    this.#room.copy(larger, 0, 0, this.#used);
    this.#room = larger;
  }

  #endFrame(): void {
    this.#writeFrame();
    if (this.#frames !== "alike" && this.#leaf.length >= LEAF_PAGES) this.#endLeaf();
  }

  #writeFrame(): void {
    if (this.#inFrame.length === 0) return;
    const packed = oneFrame(this.#room.subarray(0, this.#used), PACKING_LEVEL);
    const frame: FrameEntry = { offset: this.#bytes, packed: packed.length, inflated: this.#used };
    this.#write(packed);
    for (const text of this.#inFrame) text.frame = frame;
    this.#inFrame = [];
    this.#used = 0;
  }

  #endLeaf(): void {
    this.#writeFrame();
    const [first] = this.#leaf;
    if (first === undefined) return;
    const entries = this.#leaf.map(({ key, text: { frame, start, length, sha256 } }) => {
      if (frame === null) throw new Error(`${key} is in no frame`);
      return { key, frame, start, length, sha256 };
    });
    const leaf = encodeLeaf(entries);
    const { place } = first;
    this.#branches.push({ place, offset: this.#bytes, length: leaf.length, sha256: hash("sha256", leaf, "buffer") });
    this.#write(leaf);
    this.#leaf = [];
  }

  #write(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#held + bytes.length > WRITTEN_AT_ONCE) this.#flush();
    if (bytes.length > WRITTEN_AT_ONCE) this.#writeNow(bytes);
    else this.#held += bytes.copy(this.#unwritten, this.#held);
  }

  #flush(): void {
    this.#writeNow(this.#unwritten.subarray(0, this.#held));
    this.#held = 0;
  }

  #writeNow(bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    this.#digest.update(bytes);
  }
}

function isFull(bytes: number, pages: number): boolean {
  return bytes >= MAX_FRAME_BYTES || pages >= FRAME_PAGES;
}

/** True if the last `bits` bits of a place are zero. */
function endsIn(place: Buffer, bits: number): boolean {
  return (place.readUInt16BE(place.length - 2) & ((1 << bits) - 1)) === 0;
}

/**
 * By route: the number of zero bits at the end of a place after which a frame ends. Chosen so that a frame has about 32
 * KiB (docs/packs.md).
 */
const BITS: Readonly<Record<string, number>> = { record: 2, impact: 7, author: 5 };

/**
 * Returns how the pages of a family are grouped into frames. The text of a badge is stored once for all equal badges,
 * because most badges are equal.
 */
export function chooseFrames(family: string): PackOptions["frames"] {
  const route = family.slice(family.indexOf("/") + 1);
  return route.endsWith("badge") ? "alike" : { bits: BITS[route] ?? 1 };
}
