/** A release opened for reading: its receipt, its pages by path, its prepared tables. Everything by its own folder, never through `current`. */

import { ReleaseNotFound, readReceipt } from "../pipeline/releases.ts";
import type { Store } from "../pipeline/store.ts";
import type { Receipt } from "../schemas/release.ts";
import { etagOf } from "./etag.ts";
import { Lookups } from "./lookups.ts";
import { type Page, PageCache } from "./page-cache.ts";
import { HiddenPositions } from "./queries/hidden-positions.ts";
import type { QueryOptions } from "./queries/options.ts";
import { type Asking, Prepared } from "./queries/prepared.ts";
import { readPage } from "./read-page.ts";

/** Enough for the pages that most requests are for; while releases change there are two of these. */
const CACHE_BYTES = 16 * 1024 * 1024;

export class OpenRelease {
  readonly receipt: Receipt;
  readonly folder: string;
  readonly prepared: Prepared;
  readonly lookups: Lookups;
  /** Where in its lists those are whom it must not show. */
  readonly hidden: HiddenPositions;
  readonly #cache: PageCache;

  private constructor(
    receipt: Receipt,
    folder: string,
    prepared: Prepared,
    cache: PageCache,
    hidden = new HiddenPositions(prepared),
  ) {
    this.#cache = cache;
    this.hidden = hidden;
    this.receipt = receipt;
    this.folder = folder;
    this.prepared = prepared;
    this.lookups = new Lookups(prepared);
  }

  /**
   * Ready to answer when it returns; `signal` gives up.
   * @throws ReleaseNotFound where there is no finished release of that digest, or another in its folder; whatever the
   *   engine says of tables that are damaged
   */
  static async open(store: Store, digest: string, options: QueryOptions, signal: AbortSignal): Promise<OpenRelease> {
    const folder = store.release(digest);
    const receipt = await readReceipt(folder);
    if (receipt?.releaseDigest !== digest) throw new ReleaseNotFound(digest, store);
    const prepared = await Prepared.open(store, receipt, options, signal);
    return new OpenRelease(receipt, folder, prepared, new PageCache(CACHE_BYTES));
  }

  /** The same for one request: what it asks of the tables ends when its signal fires. */
  for(asking: Asking): OpenRelease {
    return new OpenRelease(this.receipt, this.folder, this.prepared.for(asking), this.#cache, this.hidden);
  }

  get digest(): string {
    return this.receipt.releaseDigest;
  }

  /** The page at a path that pagePath() made; null where there is none. A disk that fails is an error, never "not found". */
  page(path: string): Page | null {
    const held = this.#cache.get(path);
    if (held !== undefined) return held;
    const body = readPage(`${this.folder}/${path}`);
    if (body === null) return null;
    const page = { body, etag: etagOf(body) };
    this.#cache.set(path, page);
    return page;
  }

  close(): Promise<void> {
    return this.prepared.close();
  }
}
