/** Releases that links name by their digest, whichever is active: what a dataset's badge said in each. */

import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { BadgeScore } from "../../../api-static/pages/badge.ts";
import { routeNamed } from "../../../api-static/routes/index.ts";
import { CACHE, pageOf } from "../../../api-static/routes/route.ts";
import { pageAddress } from "../../../pipeline/packs/format.ts";
import { PageStore } from "../../../pipeline/packs/page-store.ts";
import { readReceipt } from "../../../pipeline/store/releases.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import { recordId, scoreStatus } from "../../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { type Answer, ProblemError, redirectAnswer } from "../../http/answer.ts";
import type { ReadRequest } from "../../http/read-request.ts";

/** Releases that are held open at once: each has the list of its packs in memory. */
const MOST = 4;

/** Of the packs of one: a few readers at a time. */
const CACHE_BYTES = 1024 * 1024;

/** What is read of a page that another version of the program may have made. */
const scored = z.object({ scoreStatus, score: z.object({ total: z.int() }).nullable() });

interface Pinned {
  readonly scoreReleaseVersion: string;
  readonly pages: PageStore;
}

/** A total as one release had it, and the name of that release. */
export interface PinnedScore {
  readonly score: BadgeScore;
  readonly scoreReleaseVersion: string;
}

export class PinnedReleases {
  readonly #store: Store;
  /** By digest. What is put out while somebody opens it is closed once it is open: they read of it before. */
  readonly #open = new LRUCache<string, Promise<Pinned | null>>({
    max: MOST,
    dispose: (pinned) => void pinned.then((opened) => opened?.pages.close()).catch(() => {}),
  });

  constructor(store: Store) {
    this.#store = store;
  }

  /** @throws ProblemError `release-not-found`, or `dataset-not-found` where that release has no such page */
  async scoreOf(id: string, version: PublicVersion, digest: string): Promise<PinnedScore> {
    const pinned = await this.#pinned(digest);
    if (pinned === null) throw new ProblemError("release-not-found", "There is no release of this digest here.");
    const route = routeNamed("record");
    const isId = recordId.safeParse(id).success;
    const page = isId ? pinned.pages.getIfThere(pageAddress(route, pageOf(route, version), id)) : null;
    if (page === null) {
      throw new ProblemError("dataset-not-found", `That release has no page of this dataset under SHARE ${version}.`);
    }
    const said = scored.parse(JSON.parse(page.bytes.toString("utf8")));
    const score = said.scoreStatus === "scored" ? (said.score?.total ?? "failed") : said.scoreStatus;
    return { score, scoreReleaseVersion: pinned.scoreReleaseVersion };
  }

  close(): void {
    this.#open.clear();
  }

  async #pinned(digest: string): Promise<Pinned | null> {
    const known = this.#open.get(digest);
    if (known !== undefined) return known;
    const opening = this.#read(digest);
    this.#open.set(digest, opening);
    // A release that is not there may be tomorrow, and a disk that failed may be well.
    const opened = await opening.catch((error: unknown) => {
      this.#open.delete(digest);
      throw error;
    });
    if (opened === null) this.#open.delete(digest);
    return opened;
  }

  async #read(digest: string): Promise<Pinned | null> {
    const folder = this.#store.release(digest);
    const receipt = await readReceipt(folder);
    if (receipt?.releaseDigest !== digest) return null;
    return { scoreReleaseVersion: receipt.scoreReleaseVersion, pages: await PageStore.open(folder, CACHE_BYTES) };
  }
}

/**
 * The redirect to the address with the digest; null where this is it. `active` is the digest of the active release.
 * @throws ProblemError `no-release` for the latest of none
 */
export function digestAddress({ parameters, path, query }: ReadRequest, active: string | null): Answer | null {
  const { digest = "" } = parameters;
  const asked = query === "" ? "" : `?${query}`;
  if (digest === "latest") {
    if (active === null) throw new ProblemError("no-release", "No release is active yet.");
    const location = path.replace("/latest", `/${active.replace(":", "-")}`);
    return redirectAnswer(`${location}${asked}`, CACHE.page, 307);
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return null;
  return redirectAnswer(`${path.replace(/sha256(:|%3a)/i, "sha256-")}${asked}`, CACHE.immutable);
}
