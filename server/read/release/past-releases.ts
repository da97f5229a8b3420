/** The releases before the one that answers, and what a record's page says in each: the history of its score. */

import { z } from "zod";
import { routeNamed } from "../../../api-static/routes/index.ts";
import { pageAddress } from "../../../pipeline/packs/format.ts";
import { PageStore } from "../../../pipeline/packs/page-store.ts";
import type { Effects } from "../../../pipeline/stage/effects.ts";
import { listReleases } from "../../../pipeline/store/releases.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import type { PastScore } from "../../../schemas/public/site/queries.ts";
import { readerOf } from "./open-release.ts";

/** A year of monthly releases; each is held open. */
const MOST = 12;

/** Of the packs of one earlier release: a reader or two at a time. */
const CACHE_BYTES = 1024 * 1024;

/** What is read of a page that another version of the program may have made. */
const scored = z.object({
  score: z.object({ total: z.int() }).nullable(),
  cap: z.number().nullable().default(null),
  source: z.object({ name: z.string() }).nullable().default(null),
});

interface Past {
  readonly receipt: Receipt;
  readonly pages: PageStore;
}

export class PastReleases {
  readonly #store: Store;
  readonly #log: Effects["log"];
  /** Those before a release, by its digest: there are no others until another release answers. */
  #before: { readonly digest: string; readonly past: Promise<readonly Past[]> } | null = null;

  constructor(store: Store, log: Effects["log"]) {
    this.#store = store;
    this.#log = log;
  }

  /** Oldest first; releases that do not have the record, or whose pages are kept no more, are left out. */
  async scoresOf(id: string, version: PublicVersion, digest: string): Promise<PastScore[]> {
    const route = routeNamed("record");
    const file = route.pages.find((each) => each.version === version);
    if (file === undefined) return [];
    const past = await this.#earlier(digest);
    return past.flatMap(({ receipt, pages }) => {
      const rubric = receipt.rubrics.find((each) => each.version === version);
      const page = rubric === undefined ? null : this.#read(pages, pageAddress(route, file, id));
      if (rubric === undefined || page === null) return [];
      const { scoreReleaseVersion, releaseDigest, asOf } = receipt;
      return [
        {
          scoreReleaseVersion,
          releaseDigest,
          asOf,
          contract: rubric.contract,
          total: page.score?.total ?? null,
          cap: page.cap,
          reader: readerOf(receipt, page.source?.name),
        },
      ];
    });
  }

  async close(): Promise<void> {
    const before = this.#before;
    this.#before = null;
    for (const { pages } of (await before?.past.catch(() => [])) ?? []) pages.close();
  }

  /** A pack that is damaged is the operator's to hear of, and takes no page from who reads. */
  #read(pages: PageStore, address: Parameters<PageStore["getIfThere"]>[0]): z.infer<typeof scored> | null {
    try {
      const page = pages.getIfThere(address);
      return page === null ? null : scored.parse(JSON.parse(page.bytes.toString("utf8")));
    } catch (error) {
      this.#log({ level: "warn", event: "past-release-unreadable", message: String(error) });
      return null;
    }
  }

  async #earlier(digest: string): Promise<readonly Past[]> {
    if (this.#before?.digest !== digest) {
      await this.close();
      const past = this.#open(digest);
      this.#before = { digest, past };
      past.catch(() => {
        this.#before = null;
      });
    }
    return this.#before?.past ?? [];
  }

  /** Each was the active one when the next was made: one that was taken back is no part of what scores have been. */
  async #open(digest: string): Promise<readonly Past[]> {
    const known = new Map(
      (
        await listReleases(this.#store, ({ message }) =>
          this.#log({ level: "error", event: "receipt-damaged", message }),
        )
      ).map((receipt) => [receipt.releaseDigest, receipt]),
    );
    const chain: Receipt[] = [];
    let before = known.get(digest)?.previousReleaseDigest ?? null;
    while (before !== null && chain.length < MOST) {
      const receipt = known.get(before);
      known.delete(before);
      if (receipt === undefined) break;
      chain.unshift(receipt);
      before = receipt.previousReleaseDigest;
    }
    return Promise.all(
      chain.map(async (receipt) => ({
        receipt,
        pages: await PageStore.open(this.#store.release(receipt.releaseDigest), CACHE_BYTES),
      })),
    );
  }
}
