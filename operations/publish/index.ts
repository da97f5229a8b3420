/**
 * Publishing: a release of the store copied to a folder or a bucket, and where it is asked for its pages as single files. Only
 * what the target lacks is sent; the receipt comes when everything else is there, and the pointer last.
 */

import { readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { storeKeys } from "../../pipeline/store/key-set.ts";
import { requireReadable } from "../../pipeline/store/release-format.ts";
import { changeNow, ReleaseNotFound, readReceipt } from "../../pipeline/store/releases.ts";
import { listRetractions } from "../../pipeline/store/retractions.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { holdRelease } from "../prune/index.ts";
import { sendKeys } from "./keys.ts";
import { linesOf } from "./manifest.ts";
import { RELEASE_LIST, releaseListText } from "./release-list.ts";
import { requireStanding, sendRetractions } from "./retractions.ts";
import { takeScratch } from "./scratch.ts";
import { sendCsv } from "./send-csv.ts";
import { type Counts, type Publication, sendRelease, UNLISTED_FILES } from "./send-release.ts";
import { PublishRefused } from "./target/errors.ts";
import { LIST_HEADERS } from "./target/object-headers.ts";
import type { PageCounts, Target } from "./target/target.ts";
import { requireWhole } from "./whole.ts";

export interface PublishOptions {
  /** Files on their way at once. */
  readonly parallel: number;
  /** Say what would be done, and change nothing at the target. */
  readonly dryRun: boolean;
  /** Its pages as single files as well; with those that show researchers where the target has them at their own paths. */
  readonly pages?: { readonly researchers: boolean } | null;
  /** Its tables as CSV as well, which no release has: made here. */
  readonly csv?: boolean;
  /** Why the pointer is to lead to a release that was retracted; null or left out: it is not moved there. */
  readonly force?: string | null;
}

export interface Published extends Counts {
  readonly releaseDigest: string;
  readonly target: string;
  readonly dryRun: boolean;
  /** Null where only packs were asked for. */
  readonly pages: PageCounts | null;
  /** Null where none was asked for. */
  readonly csv: Counts | null;
  /** Releases there of which it was said now that they were retracted. */
  readonly retractions: readonly string[];
}

/**
 * Publishes a release. Interrupted, the same call goes on; done, it changes nothing. Until its end the target answers
 * from the release it answered from before.
 * @throws PublishRefused where it must not be done; PublishInterrupted where it could not be done to the end
 */
export async function publish(
  store: Store,
  releaseDigest: string,
  target: Target,
  options: PublishOptions,
  effects: Effects,
): Promise<Published> {
  const change = changeNow(effects);
  const letGo = await holdRelease(store, releaseDigest, change);
  try {
    const folder = store.release(releaseDigest);
    const receipt = await readReceipt(folder);
    if (receipt === null) throw new ReleaseNotFound(releaseDigest, store);
    requireReadable(receipt);
    const scratch = await takeScratch(store, target.name, change);
    try {
      const publication = { receipt, folder, store, target, place: target.place(releaseDigest), effects, ...options };
      const counts = await carryOut(publication, scratch.folder, options);
      return { releaseDigest, target: target.name, ...counts, dryRun: options.dryRun };
    } finally {
      await scratch.end();
    }
  } finally {
    await letGo();
    await rmdir(store.work("")).catch(() => undefined);
  }
}

async function carryOut(
  publication: Publication,
  scratch: string,
  { pages = null, csv = false, force = null }: PublishOptions,
): Promise<Counts & Pick<Published, "pages" | "csv" | "retractions">> {
  const { receipt, folder, target, place, dryRun } = publication;
  await sendKeys(publication);
  const retractions = await sendRetractions(publication);
  await requireStanding(publication, force);
  const ours = await readFile(join(folder, "release.json"), "utf8");
  if (!dryRun) await target.tidy();
  const theirs = await place.receipt();
  if (theirs !== null && theirs !== ours) throw another(target, receipt);
  const lines =
    theirs === null || pages !== null
      ? await requireWhole(folder, receipt)
      : linesOf(await readFile(join(folder, "manifest.ndjson"), "utf8"));
  const counts =
    theirs === null
      ? await sendRelease(publication, lines, ours)
      : { uploaded: 0, unchanged: lines.length + UNLISTED_FILES.length, bytes: 0 };
  const sent = pages && (await target.pages({ folder, receipt }, { ...publication, ...pages, scratch }));
  const tables = csv ? await sendCsv(publication, scratch) : null;
  if (!dryRun) await point(publication, pages !== null, force);
  return { ...counts, pages: sent, csv: tables, retractions };
}

/** What was published is never changed: caches keep it for a year. */
function another(target: Target, { releaseDigest }: Receipt): PublishRefused {
  return new PublishRefused(
    `${target.name} has another build of ${releaseDigest}, with another receipt, and what is published does not change; ` +
      "publish it from the store it came from, or remove it there first",
  );
}

/** The list of releases, then the pointer; neither is written where it says so already. */
async function point(
  { receipt, store, target, effects }: Publication,
  pages: boolean,
  reason: string | null,
): Promise<void> {
  const before = await target.text(RELEASE_LIST);
  const list = await releaseListText(target, receipt, before, await listRetractions(store), await storeKeys(store));
  if (list !== before) await target.write(RELEASE_LIST, list, LIST_HEADERS);
  const { listObject } = target;
  if (pages && listObject !== null && (await target.text(listObject)) !== list) {
    await target.write(listObject, list, LIST_HEADERS);
  }
  if ((await target.current()) !== receipt.releaseDigest)
    await target.point(receipt, { ...changeNow(effects), reason });
}
