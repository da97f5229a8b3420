/** The sha256 of pages, one after the other, without room of its own for each: making that costs as much as the digest. */

import { hash } from "node:crypto";
import type { Page } from "../../api-static/pages/page.ts";

/** No UTF-16 code unit takes more bytes of UTF-8. */
const MOST_BYTES = 3;

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
