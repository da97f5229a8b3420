/** Writes a pack: pages in the order of their places in, one file out, never more in memory than a frame, a leaf and what is about to be written. */

import { createHash, hash, randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { type Page, pageBytes } from "../../api-static/pages/read-page.ts";
import { oneFrame } from "../files/inflate.ts";
import {
  type Branch,
  encodeLeaf,
  encodeRoot,
  FRAME_LIMIT,
  FRAME_PAGES,
  type FrameEntry,
  KEY,
  LEAF_PAGES,
  PAGE_LIMIT,
  PackDamaged,
  placeOf,
  TEXTS_BACK,
} from "./format.ts";
import type { PackedFrame } from "./pack-reader.ts";
import { type PageShard, PageShards } from "./page-store.ts";

export interface PackOptions {
  /**
   * How pages share frames. `bits`: a frame ends with a page whose place ends in so many zero bits, so that one in 2^bits
   * does, and the boundary is the same whatever else is in the pack. `alike`: pages of the same text are stored once.
   */
  readonly frames: { readonly bits: number } | "alike";
}

/** What is known of a pack once it is written. */
export interface WrittenPack {
  readonly pages: number;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  /** The root of its index: the last bytes of the file. */
  readonly index: { readonly bytes: number; readonly sha256: string };
  readonly shards: readonly PageShard[];
}

/** A page that waits for its frame or leaf. */
interface Waiting {
  readonly key: string;
  readonly place: Buffer;
  readonly sha256: Buffer;
  readonly text: StoredText;
}

/** Where a text lies; `frame` is null until it is written. */
interface StoredText {
  frame: FrameEntry | null;
  readonly start: number;
  readonly length: number;
  readonly sha256: Buffer;
}

/** Bytes that are written and digested at once: a frame has a few thousand, and each call takes as long as so many. */
const WRITTEN_AT_ONCE = 256 * 1024;

/** The level that costs a build least, for some four bytes more in a hundred; what a pack's bytes are depends on it. */
const PACKING_LEVEL = 1;

export class PackWriter {
  readonly #path: string;
  readonly #attempt: string;
  readonly #file: number;
  readonly #digest = createHash("sha256");
  readonly #shards = new PageShards();
  readonly #frames: PackOptions["frames"];
  /** Texts that pages share, by their sha256. */
  readonly #shared = new Map<string, StoredText>();
  /** Those of them that came as text, by it: a text that comes again is not digested again. */
  readonly #texts = new Map<string, StoredText>();
  readonly #branches: Branch[] = [];
  #room = Buffer.allocUnsafeSlow(2 * FRAME_LIMIT);
  #used = 0;
  #inFrame: StoredText[] = [];
  #leaf: Waiting[] = [];
  /** What was not written yet, and how many bytes of it there are. */
  readonly #unwritten = Buffer.allocUnsafeSlow(WRITTEN_AT_ONCE);
  #held = 0;
  #isOpen = true;
  #bytes = 0;
  #pages = 0;
  #last: Buffer | null = null;

  /** The file has a name of this attempt until it is whole: what a killed one left, or another one writes, is in nobody's way. */
  constructor(path: string, { frames }: PackOptions) {
    this.#path = path;
    this.#attempt = `${path}.${randomUUID()}`;
    this.#file = openSync(this.#attempt, "w");
    this.#frames = frames;
  }

  /**
   * Whether a frame of another pack can be taken over: it stands where it would be written anew, and would end where it
   * does, by its pages alone or because (`ends`) nothing comes behind it.
   */
  takesFrame({ frame, pages }: PackedFrame, ends: boolean): boolean {
    const last = pages.at(-1);
    if (this.#frames === "alike" || this.#used > 0 || last === undefined) return false;
    return ends || isFull(frame.inflated, pages.length) || endsIn(placeOf(last.key), this.#frames.bits);
  }

  /** Adds a page after all others. `sha256` where it is known already. */
  add(key: string, page: Page, sha256?: Buffer): void {
    const place = this.#begin(key);
    const stored = this.#frames === "alike" ? this.#alike(page, sha256) : this.#store(page, sha256);
    this.#note(key, place, stored);
    const ends = this.#frames !== "alike" && endsIn(place, this.#frames.bits);
    if (ends || isFull(this.#used, this.#inFrame.length)) this.#endFrame();
    if (this.#frames === "alike" && this.#leaf.length >= LEAF_PAGES) this.#endLeaf();
  }

  /** Adds a page by the sha256 of its text, where pages share one that is there; otherwise it is false, and nothing was added. */
  addShared(key: string, sha256: Buffer): boolean {
    const stored = this.#frames === "alike" ? this.#shared.get(sha256.toString("latin1")) : undefined;
    if (stored === undefined) return false;
    this.#note(key, this.#begin(key), stored);
    if (this.#leaf.length >= LEAF_PAGES) this.#endLeaf();
    return true;
  }

  /** Adds a whole frame as another pack has it. Only where {@link takesFrame}. */
  addFrame(packed: Buffer, { frame: { inflated }, pages }: PackedFrame): void {
    const frame: FrameEntry = { offset: this.#bytes, packed: packed.length, inflated };
    this.#write(packed);
    for (const { key, start, length, sha256 } of pages) {
      this.#note(key, this.#begin(key), { frame, start, length, sha256 });
    }
    if (this.#leaf.length >= LEAF_PAGES) this.#endLeaf();
  }

  /** Gives the pack its name; one without a page is not kept. */
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

  /** Gives up a pack that is not to be finished, or could not be. */
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
    const place = placeOf(key);
    if (this.#last !== null && place.compare(this.#last) <= 0)
      throw new Error(`${key} comes after a page that it stands before`);
    if (!KEY.test(key)) throw new Error(`${JSON.stringify(key)} cannot be the key of a page`);
    this.#last = place;
    return place;
  }

  #note(key: string, place: Buffer, text: StoredText): void {
    this.#leaf.push({ key, place, sha256: text.sha256, text });
    this.#shards.add(place, key, text.sha256);
    this.#pages += 1;
  }

  #alike(page: Page, sha256: Buffer | undefined): StoredText {
    const text = typeof page === "string" ? page : null;
    const known = text === null ? undefined : this.#texts.get(text);
    if (known !== undefined) return known;
    const stored = this.#sharedBy(sha256 ?? hash("sha256", pageBytes(page), "buffer"), page);
    if (text !== null) this.#texts.set(text, stored);
    return stored;
  }

  #sharedBy(sha256: Buffer, page: Page): StoredText {
    const name = sha256.toString("latin1");
    const known = this.#shared.get(name);
    if (known !== undefined) return known;
    if (this.#shared.size >= TEXTS_BACK) {
      this.#shared.clear();
      this.#texts.clear();
    }
    // Fresh pages will share it too: that an earlier pack calls it so is not enough.
    const stored = this.#store(page);
    if (!stored.sha256.equals(sha256)) throw new PackDamaged("a page is not what its index says");
    this.#shared.set(name, stored);
    return stored;
  }

  #store(page: Page, sha256?: Buffer): StoredText {
    const start = this.#used;
    if (typeof page === "string") this.#put(page, start);
    else for (const piece of page) this.#put(piece, start);
    const bytes = this.#room.subarray(start, this.#used);
    const stored = { frame: null, start, length: bytes.length, sha256: sha256 ?? hash("sha256", bytes, "buffer") };
    this.#inFrame.push(stored);
    return stored;
  }

  /** Puts a piece of the page that begins at `start` behind what is there. */
  #put(piece: string | Uint8Array, start: number): void {
    const most = this.#used + (typeof piece === "string" ? 3 * piece.length : piece.length);
    if (most - start > PAGE_LIMIT) throw new Error(`a page has more than ${PAGE_LIMIT} bytes`);
    if (most > this.#room.length) this.#grow(most);
    if (typeof piece === "string") this.#used += this.#room.write(piece, this.#used, "utf8");
    else {
      this.#room.set(piece, this.#used);
      this.#used += piece.length;
    }
  }

  #grow(bytes: number): void {
    const room = Buffer.allocUnsafeSlow(bytes + FRAME_LIMIT);
    this.#room.copy(room, 0, 0, this.#used);
    this.#room = room;
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
  return bytes >= FRAME_LIMIT || pages >= FRAME_PAGES;
}

/** Whether the last `bits` bits of a place are zero. */
function endsIn(place: Buffer, bits: number): boolean {
  return (place.readUInt16BE(place.length - 2) & ((1 << bits) - 1)) === 0;
}

/** No UTF-16 code unit takes more bytes of UTF-8. */
const MOST_BYTES = 3;

/** The sha256 of pages, one after the other, without room of its own for each: making that costs as much as the digest. */
export class PageDigester {
  #room: Buffer = Buffer.allocUnsafeSlow(1 << 16);

  /** Of the bytes that `pageBytes` gives. */
  sha256(page: Page): Buffer {
    if (typeof page === "string") return hash("sha256", page, "buffer");
    const most = page.reduce((sum, piece) => sum + piece.length * (typeof piece === "string" ? MOST_BYTES : 1), 0);
    if (most > this.#room.length) this.#room = Buffer.allocUnsafeSlow(2 * most);
    let end = 0;
    for (const piece of page) {
      if (typeof piece === "string") end += this.#room.write(piece, end);
      else {
        this.#room.set(piece, end);
        end += piece.length;
      }
    }
    return hash("sha256", this.#room.subarray(0, end), "buffer");
  }
}

/** Pages in a frame, as a power of two: enough that a frame has some 32 KiB (docs/packs.md). */
const BITS: Readonly<Record<string, number>> = { record: 2, impact: 7, author: 5 };

/** Badges are mostly alike. */
export function framesOf(family: string): PackOptions["frames"] {
  const route = family.slice(family.indexOf("/") + 1);
  return route.endsWith("badge") ? "alike" : { bits: BITS[route] ?? 1 };
}
