/**
 * The pages asked for most, in memory: a release is immutable, so a page once read is right for as long as the release
 * is open. Bounded by bytes; the page unused for longest goes first.
 */

export interface Page {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** A page above this share of the cache is not kept: it would push out hundreds of others. */
const LARGEST_SHARE = 1 / 64;

export class PageCache {
  readonly #limit: number;
  readonly #pages = new Map<string, Page>();
  #bytes = 0;

  /** `limit`: bytes of page bodies. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(path: string): Page | undefined {
    const page = this.#pages.get(path);
    if (page === undefined) return undefined;
    // A map keeps the order of insertion: the last used goes to its end.
    this.#pages.delete(path);
    this.#pages.set(path, page);
    return page;
  }

  set(path: string, page: Page): void {
    if (page.body.length > this.#limit * LARGEST_SHARE || this.#pages.has(path)) return;
    this.#pages.set(path, page);
    this.#bytes += page.body.length;
    for (const [oldest, { body }] of this.#pages) {
      if (this.#bytes <= this.#limit) return;
      this.#pages.delete(oldest);
      this.#bytes -= body.length;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }
}
