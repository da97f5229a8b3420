/** A release opened for reading: its receipt, its pages by path, answers made of them, its prepared tables. Everything by its own folder, never through `current`. */

import type { PageAddress } from "../../../pipeline/packs/format.ts";
import { PageStore } from "../../../pipeline/packs/page-store.ts";
import { requireReadable } from "../../../pipeline/store/release-format.ts";
import { ReleaseNotFound, readReceipt } from "../../../pipeline/store/releases.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import { etagOfDigest } from "../../frame/answering/etag.ts";
import type { QueryOptions } from "../queries/engine-bounds.ts";
import { HiddenPositions } from "../queries/hidden-positions.ts";
import { type Asking, Prepared } from "../queries/prepared.ts";
import { AnswerCache } from "./answer-cache.ts";
import { Lookups } from "./lookups.ts";

/** Enough for the answers that most requests are for; while releases change there are two of these. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** What one release has once, however many requests are answered from it. */
interface Opened {
  readonly receipt: Receipt;
  readonly folder: string;
  readonly pages: PageStore;
  readonly answers: AnswerCache;
}

export interface Page {
  readonly body: Uint8Array;
  readonly etag: string;
}

export class OpenRelease {
  readonly #opened: Opened;
  readonly prepared: Prepared;
  readonly lookups: Lookups;
  /** Where in its lists those are whom it must not show. */
  readonly hidden: HiddenPositions;

  private constructor(opened: Opened, prepared: Prepared, hidden = new HiddenPositions(prepared)) {
    this.#opened = opened;
    this.hidden = hidden;
    this.prepared = prepared;
    this.lookups = new Lookups(prepared);
  }

  /**
   * Ready to answer when it returns; `signal` gives up.
   * @throws ReleaseNotFound where there is no finished release of that digest, or another in its folder; ReleaseOutdated;
   *   whatever the engine says of tables that are damaged
   */
  static async open(store: Store, digest: string, options: QueryOptions, signal: AbortSignal): Promise<OpenRelease> {
    const folder = store.release(digest);
    const receipt = await readReceipt(folder);
    if (receipt?.releaseDigest !== digest) throw new ReleaseNotFound(digest, store);
    requireReadable(receipt);
    const pages = await PageStore.open(folder);
    const prepared = await Prepared.open(store, receipt, options, signal);
    return new OpenRelease({ receipt, folder, pages, answers: new AnswerCache(CACHE_BYTES) }, prepared);
  }

  /** The same for one request: what it asks of the tables ends when its signal fires. */
  for(asking: Asking): OpenRelease {
    return new OpenRelease(this.#opened, this.prepared.for(asking), this.hidden);
  }

  get receipt(): Receipt {
    return this.#opened.receipt;
  }

  get folder(): string {
    return this.#opened.folder;
  }

  /** Answers that the release alone decides, by the target they were asked for. */
  get answers(): AnswerCache {
    return this.#opened.answers;
  }

  get digest(): string {
    return this.receipt.releaseDigest;
  }

  /**
   * A page and its entity tag; null where there is none. A disk that fails is an error, never "not found". It is read at
   * once, and everything else waits: two small reads, mostly from the memory of the operating system, and a frame to
   * inflate take less than a trip through Node's thread pool.
   */
  page(address: PageAddress): Page | null {
    const page = this.#opened.pages.getIfThere(address);
    return page && { body: page.bytes, etag: etagOfDigest(page.sha256.toString("hex", 0, 4), page.bytes.length) };
  }

  close(): Promise<void> {
    this.#opened.pages.close();
    return this.prepared.close();
  }
}
