/**
 * Publishing: a release of the store copied to a folder or a bucket. Only what the target lacks is sent; the receipt
 * comes when everything else is there, and the pointer last.
 */

import { readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { changeNow, ReleaseNotFound, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { holdRelease } from "../prune/index.ts";
import { manifestLines } from "../verify/files.ts";
import { PublishRefused } from "./errors.ts";
import { LIST_HEADERS } from "./object-headers.ts";
import { RELEASE_LIST, releaseListText } from "./release-list.ts";
import { takeScratch } from "./scratch.ts";
import { type Counts, type Publication, sendRelease, UNLISTED_FILES } from "./send-release.ts";
import type { Target } from "./target.ts";
import { requireWhole } from "./whole.ts";

export interface PublishOptions {
  /** Files on their way at once. */
  readonly parallel: number;
  /** Say what would be done, and change nothing at the target. */
  readonly dryRun: boolean;
}

export interface Published extends Counts {
  readonly releaseDigest: string;
  readonly target: string;
  readonly dryRun: boolean;
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
    const scratch = await takeScratch(store, target.name, change);
    try {
      const place = target.place(releaseDigest);
      const counts = await carryOut({ receipt, folder, target, place, scratch: scratch.folder, effects, ...options });
      return { releaseDigest, target: target.name, ...counts, dryRun: options.dryRun };
    } finally {
      await scratch.end();
    }
  } finally {
    await letGo();
    await rmdir(store.work("")).catch(() => undefined);
  }
}

async function carryOut(publication: Omit<Publication, "files">): Promise<Counts> {
  const { receipt, folder, target, place, dryRun, effects } = publication;
  const ours = await readFile(join(folder, "release.json"), "utf8");
  if (!dryRun) await target.tidy();
  const theirs = await place.receipt();
  if (theirs !== null && theirs !== ours) throw another(target, receipt);
  const counts =
    theirs === null
      ? await sendRelease({ ...publication, files: await requireWhole(folder, receipt, effects) }, ours)
      : { uploaded: 0, unchanged: await filesOf(folder), bytes: 0 };
  if (!dryRun) await point(publication);
  return counts;
}

/** What was published is never changed: caches keep it for a year. */
function another(target: Target, { releaseDigest }: Receipt): PublishRefused {
  return new PublishRefused(
    `${target.name} has another build of ${releaseDigest}, with another receipt, and what is published does not change; ` +
      "publish it from the store it came from, or remove it there first",
  );
}

async function filesOf(folder: string): Promise<number> {
  let files = UNLISTED_FILES;
  for await (const _ of manifestLines(join(folder, "manifest.ndjson"))) files += 1;
  return files;
}

/** The list of releases, then the pointer; neither is written where it says so already. */
async function point({ receipt, target, effects }: Pick<Publication, "receipt" | "target" | "effects">): Promise<void> {
  const before = await target.text(RELEASE_LIST);
  const list = await releaseListText(target, receipt, before);
  if (list !== before) await target.write(RELEASE_LIST, list, LIST_HEADERS);
  if ((await target.current()) !== receipt.releaseDigest) await target.point(receipt, changeNow(effects));
}
