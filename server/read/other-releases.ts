/** Reads pages of releases that are not active: scores in earlier releases, and badges whose URL names a release. */

import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type BadgeScore, buildBadgeScore } from "../../api-static/pages/badge.ts";
import { computeExactMean, scoreOfCap } from "../../api-static/pages/numbers.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { CACHE, getPageFile } from "../../api-static/routes/route.ts";
import { findIdsOfDoi } from "../../pipeline/packs/doi-lookup.ts";
import { pageAddress } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { listReleases, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { recordId, scoreStatus } from "../../schemas/public/api/record.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import type { PastFigures, PastScore } from "../../schemas/public/site/queries.ts";
import type { EarlierFigures } from "../../web/components/list-columns.ts";
import type { EarlierCountries } from "../../web/components/world-map.ts";
import type { ApiRequest } from "../http/read-request.ts";
import { type HttpResponse, ProblemError, redirectResponse } from "../http/response.ts";
import { readerVersion } from "./open-release.ts";

/** Largest number of earlier releases that are kept open: one year of monthly releases. */
const MAX_PAST = 12;

/**
 * Size in bytes of the cache for the packs of one earlier release. It is small, because such a release has few requests
 * at the same time.
 */
const CACHE_BYTES = 1024 * 1024;

/**
 * The fields of a page that are needed here. Another version of the program may have made the page, so all others are
 * ignored.
 */
const pastPage = z.object({
  doi: z.string().nullable().default(null),
  title: z.string().nullable().default(null),
  repository: z.string().nullable().default(null),
  scoreStatus: scoreStatus.default("scored"),
  score: z.object({ total: z.int() }).nullable(),
  cap: z.number().nullable().default(null),
  source: z
    .object({ name: z.string(), identifier: z.string().default("") })
    .nullable()
    .default(null),
});

type PastPage = z.infer<typeof pastPage>;

/** The last score of a dataset that the active release does not have. */
export interface LastScore extends Pick<PastPage, "doi" | "title" | "repository"> {
  readonly score: BadgeScore;
  readonly release: Pick<Receipt, "scoreReleaseVersion" | "releaseDigest" | "asOf">;
}

/** The problem for a dataset that an earlier release has, but the active release does not. */
export class DatasetLeft extends ProblemError {
  readonly reason: string;
  readonly last: LastScore;

  /** `reason` is a sentence that says why the dataset is gone. */
  constructor(reason: string, last: LastScore) {
    const { score, release } = last;
    const words = typeof score === "string" ? "without a score" : `with ${scoreOfCap(score.total, score.cap)} points`;
    super("dataset-not-found", `${reason} Release ${release.scoreReleaseVersion} had it last, ${words}.`);
    this.reason = reason;
    this.last = last;
  }
}

const pastRepositories = z.array(
  z.object({
    repository: z.string(),
    count: z.int(),
    meanScore: z.number().nullable(),
    meanCap: z.number().nullable().default(null),
    totalDistribution: z.record(z.string(), z.int()).default({}),
  }),
);
const pastMetrics = z.object({
  repositoryBreakdown: pastRepositories,
  unscoredRepositories: pastRepositories.default([]),
});

const pastCountries = z.object({
  data: z.array(z.object({ countryCode: z.string(), totalDistribution: z.record(z.string(), z.int()).default({}) })),
});

interface PastRelease {
  readonly folder: string;
  readonly receipt: Receipt;
  readonly pages: PageStore;
}

export class PastReleases {
  readonly #store: Store;
  readonly #log: Effects["log"];
  #before: { readonly digest: string; readonly past: Promise<readonly PastRelease[]> } | null = null;

  constructor(store: Store, log: Effects["log"]) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * Returns the scores of a dataset in the releases before `digest`, oldest first. Releases without the dataset or
   * without pages are left out. A release that does not have the record `id` may have the dataset from another source,
   * so it is searched for the DOI.
   */
  async readScores(
    { id, doi }: { readonly id: string; readonly doi: string | null },
    version: PublicVersion,
    digest: string,
  ): Promise<PastScore[]> {
    const route = routeNamed("record");
    const file = route.pages.find((each) => each.version === version);
    if (file === undefined) return [];
    const scores = (await this.#earlier(digest)).map(async ({ receipt, pages, folder }) => {
      const rubric = receipt.rubrics.find((each) => each.version === version);
      if (rubric === undefined) return [];
      const read = (key: string) => this.#read(pages, pageAddress(route, file, key), pastPage);
      const page = read(id) ?? (await this.#findByDoi(folder, doi, read));
      if (page === null) return [];
      const { scoreReleaseVersion, releaseDigest, asOf } = receipt;
      return [
        {
          scoreReleaseVersion,
          releaseDigest,
          asOf,
          contract: rubric.contract,
          total: page.score?.total ?? null,
          cap: page.cap,
          source: page.source?.name ?? null,
          reader: readerVersion(receipt, page.source),
        },
      ];
    });
    return (await Promise.all(scores)).flat();
  }

  /** Returns the page of the record with a DOI in an earlier release; null if it has none. */
  async #findByDoi(
    folder: string,
    doi: string | null,
    read: (id: string) => PastPage | null,
  ): Promise<PastPage | null> {
    if (doi === null) return null;
    const ids = await findIdsOfDoi(folder, doi).catch((error: unknown) => {
      this.#log({ level: "warn", event: "past-release-unreadable", message: String(error) });
      return [];
    });
    return ids.map(read).find((page) => page?.doi === doi) ?? null;
  }

  /**
   * Returns the score of a record in the last earlier release that has the record; null if none has it. `digest` is
   * that of the active release.
   */
  async findLastScore(id: string, digest: string, version = PUBLIC_VERSIONS[0]): Promise<LastScore | null> {
    const route = routeNamed("record");
    for (const { receipt, pages } of (await this.#earlier(digest)).toReversed()) {
      const page = this.#read(pages, pageAddress(route, getPageFile(route, version), id), pastPage);
      if (page === null) continue;
      const { doi, title, repository } = page;
      return { doi, title, repository, score: buildBadgeScore(page), release: receipt };
    }
    return null;
  }

  /**
   * Returns the figures of a repository in the releases before `digest`, oldest first. Releases without the repository
   * are left out.
   */
  async readRepositoryFigures(label: string, version: PublicVersion, digest: string): Promise<PastFigures[]> {
    const route = routeNamed("metrics");
    const file = route.pages.find((each) => each.version === version);
    if (file === undefined) return [];
    const past = await this.#earlier(digest);
    return past.flatMap(({ receipt, pages }) => {
      const rubric = receipt.rubrics.find((each) => each.version === version);
      const page = rubric === undefined ? null : this.#read(pages, pageAddress(route, file, ""), pastMetrics);
      const figures = page?.repositoryBreakdown.find(({ repository }) => repository === label);
      if (rubric === undefined || figures === undefined) return [];
      const { scoreReleaseVersion, releaseDigest, asOf } = receipt;
      return [{ scoreReleaseVersion, releaseDigest, asOf, contract: rubric.contract, ...figures }];
    });
  }

  /**
   * Returns the averages of countries in the release before. Null if there is no such release, or if its scores follow
   * another contract.
   */
  async readCountries(active: Receipt, version: PublicVersion): Promise<EarlierCountries | null> {
    const last = await this.#readLast("geography", pastCountries, active, version);
    if (last === null) return null;
    const averages = last.page.data.map(({ countryCode, totalDistribution }) => {
      return [countryCode, computeExactMean(totalDistribution)] as const;
    });
    return { scoreReleaseVersion: last.scoreReleaseVersion, averages: new Map(averages) };
  }

  /**
   * Returns the figures of repositories in the release before. Null if there is no such release, or if its scores
   * follow another contract.
   */
  async readRepositories(active: Receipt, version: PublicVersion): Promise<EarlierFigures | null> {
    const last = await this.#readLast("metrics", pastMetrics, active, version);
    if (last === null) return null;
    const { repositoryBreakdown: scored, unscoredRepositories: others } = last.page;
    const groups = [...scored, ...others].map(({ repository, count, totalDistribution }) => {
      return [repository, { datasets: count, mean: computeExactMean(totalDistribution) }] as const;
    });
    return { scoreReleaseVersion: last.scoreReleaseVersion, groups: new Map(groups) };
  }

  /**
   * Reads the page of all countries or the page of the metrics in the release before. Null if there is no such release,
   * or if its scores follow another contract.
   */
  async #readLast<Schema extends z.ZodType>(
    name: "geography" | "metrics",
    schema: Schema,
    active: Receipt,
    version: PublicVersion,
  ): Promise<{ readonly scoreReleaseVersion: string; readonly page: z.infer<Schema> } | null> {
    const route = routeNamed(name);
    const last = (await this.#earlier(active.releaseDigest)).at(-1);
    const contractIn = ({ rubrics }: Receipt) => rubrics.find((each) => each.version === version)?.contract;
    if (last === undefined || contractIn(last.receipt) !== contractIn(active)) return null;
    const page = this.#read(last.pages, pageAddress(route, getPageFile(route, version), ""), schema);
    return page === null ? null : { scoreReleaseVersion: last.receipt.scoreReleaseVersion, page };
  }

  async close(): Promise<void> {
    const before = this.#before;
    this.#before = null;
    for (const { pages } of (await before?.past.catch(() => [])) ?? []) pages.close();
  }

  /**
   * Reads a page of an earlier release; null if it is missing or its pack is damaged. Damage is logged for the
   * operator, and the view is shown without that score.
   */
  #read<Schema extends z.ZodType>(
    pages: PageStore,
    address: Parameters<PageStore["getIfPresent"]>[0],
    schema: Schema,
  ): z.infer<Schema> | null {
    try {
      const page = pages.getIfPresent(address);
      return page === null ? null : schema.parse(JSON.parse(page.bytes.toString("utf8")));
    } catch (error) {
      this.#log({ level: "warn", event: "past-release-unreadable", message: String(error) });
      return null;
    }
  }

  async #earlier(digest: string): Promise<readonly PastRelease[]> {
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

  /**
   * Opens the releases before `digest`, oldest first. Each receipt names the previous release, so a release that was
   * rolled back is not among them.
   */
  async #open(digest: string): Promise<readonly PastRelease[]> {
    const known = new Map(
      (
        await listReleases(this.#store, ({ message }) =>
          this.#log({ level: "error", event: "receipt-damaged", message }),
        )
      ).map((receipt) => [receipt.releaseDigest, receipt]),
    );
    const chain: Receipt[] = [];
    let before = known.get(digest)?.previousReleaseDigest ?? null;
    while (before !== null && chain.length < MAX_PAST) {
      const receipt = known.get(before);
      known.delete(before);
      if (receipt === undefined) break;
      chain.unshift(receipt);
      before = receipt.previousReleaseDigest;
    }
    return Promise.all(
      chain.map(async (receipt) => {
        const folder = this.#store.release(receipt.releaseDigest);
        return { folder, receipt, pages: await PageStore.open(folder, CACHE_BYTES) };
      }),
    );
  }
}

/** Number of releases that stay open for badges that name a release. Each has the index of its packs in memory. */
const MAX_PINNED = 4;

const pinnedPage = pastPage.pick({ scoreStatus: true, score: true, cap: true });

interface PinnedRelease {
  readonly scoreReleaseVersion: string;
  readonly pages: PageStore;
}

/** The score of a dataset in one release, with the release's name. */
interface PinnedScore {
  readonly score: BadgeScore;
  readonly scoreReleaseVersion: string;
}

export class PinnedReleases {
  readonly #store: Store;
  /** Open releases by digest. If a release is dropped while it is being opened, it is closed as soon as it is open. */
  readonly #open = new LRUCache<string, Promise<PinnedRelease | null>>({
    max: MAX_PINNED,
    dispose: (pinned) => void pinned.then((opened) => opened?.pages.close()).catch(() => {}),
  });

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Reads the score of a record in a release that is not the active one.
   * @throws ProblemError `release-not-found`, or `dataset-not-found` if that release has no such page
   */
  async readScore(id: string, version: PublicVersion, digest: string): Promise<PinnedScore> {
    const pinned = await this.#pinned(digest);
    if (pinned === null)
      throw new ProblemError("release-not-found", "No release has this digest. /releases lists all releases.");
    const route = routeNamed("record");
    const isId = recordId.safeParse(id).success;
    const page = isId ? pinned.pages.getIfPresent(pageAddress(route, getPageFile(route, version), id)) : null;
    if (page === null) {
      throw new ProblemError(
        "dataset-not-found",
        `The release in the URL has no page of this dataset under SHARE ${version}. /releases lists all releases.`,
      );
    }
    const score = buildBadgeScore(pinnedPage.parse(JSON.parse(page.bytes.toString("utf8"))));
    return { score, scoreReleaseVersion: pinned.scoreReleaseVersion };
  }

  close(): void {
    this.#open.clear();
  }

  /**
   * Returns the promise in the cache, so that whoever waits for it reads the release before {@link LRUCache} disposes of
   * it: handlers of one promise run in the order in which they were added.
   */
  #pinned(digest: string): Promise<PinnedRelease | null> {
    const known = this.#open.get(digest);
    if (known !== undefined) return known;
    const opening = this.#read(digest);
    this.#open.set(digest, opening);
    // Failures are not cached: the release may be added, and a disk error may pass.
    opening.then(
      (opened) => opened ?? this.#open.delete(digest),
      () => this.#open.delete(digest),
    );
    return opening;
  }

  async #read(digest: string): Promise<PinnedRelease | null> {
    const folder = this.#store.release(digest);
    const receipt = await readReceipt(folder);
    if (receipt?.releaseDigest !== digest) return null;
    return {
      scoreReleaseVersion: receipt.scoreReleaseVersion,
      pages: await PageStore.open(folder, CACHE_BYTES),
    };
  }
}

/**
 * Redirects to the URL with the digest in canonical form, `sha256-<hex>`; null if the URL already has it. `active` is
 * the digest of the active release, to which `latest` leads.
 *
 * @throws ProblemError `no-release` for `latest` without an active release
 */
export function digestRedirect({ parameters, path, query }: ApiRequest, active: string | null): HttpResponse | null {
  const { digest = "" } = parameters;
  const suffix = query === "" ? "" : `?${query}`;
  if (digest === "latest") {
    if (active === null) throw new ProblemError("no-release", "No release is active yet. Try again later.");
    const location = path.replace("/latest", `/${active.replace(":", "-")}`);
    return redirectResponse(`${location}${suffix}`, CACHE.page, 307);
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return null;
  return redirectResponse(`${path.replace(/sha256(:|%3a)/i, "sha256-")}${suffix}`, CACHE.immutable);
}
