/** Writes a pack that is an earlier one with some pages changed: frames that hold none of those are taken over as bytes. */

import type { Page } from "../../api-static/pages/page.ts";
import type { PackedFrame, PackReader } from "./pack-reader.ts";
import type { PackWriter } from "./pack-writer.ts";
import { placeOf } from "./place.ts";

/** A frame of the earlier pack with the place of its last page. */
interface HeldFrame extends PackedFrame {
  readonly end: Buffer;
}

export class PackMerge {
  readonly #earlier: PackReader;
  readonly #writer: PackWriter;
  readonly #frames: Iterator<PackedFrame>;
  #held: HeldFrame | null = null;
  /** Pages of the held frame that come before this one were dealt with. */
  #next = 0;
  /** Pages that were taken over. */
  taken = 0;

  constructor(earlier: PackReader, writer: PackWriter) {
    this.#earlier = earlier;
    this.#writer = writer;
    this.#frames = earlier.frames();
    this.#advance();
  }

  /** Of the earlier pack. */
  get path(): string {
    return this.#earlier.path;
  }

  /** The page of a key is another now, or (`page` null) is no more. Keys come in the order of their places, each once. */
  change(key: string, page: Page | null): void {
    const place = placeOf(key);
    while (this.#held !== null && this.#held.end.compare(place) < 0) this.#takeRest(false);
    for (let page = this.#page; page !== undefined && placeOf(page.key).compare(place) < 0; page = this.#page) {
      this.#takePage(page);
    }
    if (this.#page?.key === key) this.#skip();
    if (page !== null) this.#writer.add(key, page);
  }

  /** Takes over all that is left. */
  finish(): void {
    while (this.#held !== null) this.#takeRest(true);
  }

  get #page() {
    return this.#held?.pages[this.#next];
  }

  /** `ends`: nothing new comes behind it, so that the last frame, which no key ended, can stay as it is. */
  #takeRest(ends: boolean): void {
    const held = this.#held;
    if (held === null) return;
    const { frame, pages } = held;
    if (this.#next === 0 && this.#writer.takesFrame(held, ends)) {
      this.#writer.addFrame(this.#earlier.packed(frame), held);
      this.taken += pages.length;
      this.#advance();
      return;
    }
    // Of this frame only: the next one may have pages that are to be changed.
    for (let page = this.#page; this.#held === held && page !== undefined; page = this.#page) this.#takePage(page);
  }

  #takePage({ key, start, length, sha256 }: PackedFrame["pages"][number]): void {
    const { frame } = this.#held ?? {};
    if (frame === undefined) return;
    if (!this.#writer.addShared(key, sha256)) {
      this.#writer.add(key, [this.#earlier.inflate(frame).subarray(start, start + length)], sha256);
    }
    this.taken += 1;
    this.#skip();
  }

  #skip(): void {
    this.#next += 1;
    if (this.#page === undefined) this.#advance();
  }

  #advance(): void {
    const { done, value } = this.#frames.next();
    this.#held = done === true ? null : { ...value, end: placeOf(value.pages.at(-1)?.key ?? "") };
    this.#next = 0;
  }
}
