/** Removes old releases. Keeps those that are in use, and those whose history later releases need. */

import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, readlink, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { publishFile, replaceFile } from "../pipeline/files/durable.ts";
import { appendEvent, readJournal } from "../pipeline/store/journal.ts";
import { isLocked, lockFolder, lockStore, withLinkLock } from "../pipeline/store/locks.ts";
import { currentDigest, listReleases, readReceipt, type StoreChange } from "../pipeline/store/releases.ts";
import { hasRunningServer } from "../pipeline/store/signs-of-life.ts";
import { removeWork, type Store, UNFINISHED } from "../pipeline/store/store.ts";
import type { Receipt } from "../schemas/public/release.ts";

/** An old release that is not removed, with the reason. */
export interface RetainedRelease {
  readonly releaseDigest: string;
  readonly why: "active" | "served" | "held" | "history";
}

export interface PruneResult {
  readonly removed: readonly string[];
  readonly kept: readonly RetainedRelease[];
  /** Folders in work/ that failed or killed builds left. */
  readonly leftovers: readonly string[];
}

/**
 * Removes all releases except the `keep` newest, those in use, and those whose history later releases need. The receipts of
 * removed releases are saved in pruned/, so that `release log` can follow the chain. First removes folders in work/,
 * because on a full disk nothing else works. Fails if a build is running. With `dryRun`, does not remove anything.
 *
 * @throws BuildRunning
 */
export async function prune(
  store: Store,
  keep: number,
  dryRun: boolean,
  change: StoreChange = {},
): Promise<PruneResult> {
  const unlock = await lockStore(store, "pruning");
  try {
    return await withLinkLock(store, change.sleep ?? null, async () => {
      const leftovers = await removeWork(store, { dryRun });
      if (!dryRun) await finishRemovals(store, change.at ?? null);
      const plan = await planPrune(store, keep);
      for (const digest of dryRun ? [] : plan.removed) await remove(store, digest, change.at ?? null);
      if (!dryRun) await removePrepared(store);
      return { ...plan, leftovers };
    });
  } finally {
    await unlock();
  }
}

async function planPrune(store: Store, keep: number): Promise<Omit<PruneResult, "leftovers">> {
  const receipts = await listReleases(store);
  const old = receipts.slice(0, Math.max(0, receipts.length - keep));
  const newest = receipts.slice(old.length).map(({ releaseDigest }) => releaseDigest);
  const used = await inUse(store);
  const staying = [...newest, ...used.keys()];
  for (const digest of await historyCarriers(store, staying)) if (!used.has(digest)) used.set(digest, "history");
  const removed: string[] = [];
  const retained: RetainedRelease[] = [];
  for (const { releaseDigest } of old) {
    const why = used.get(releaseDigest);
    if (why === undefined) removed.push(releaseDigest);
    else retained.push({ releaseDigest, why });
  }
  return { removed, kept: retained };
}

/** Returns the releases that are active, that a server uses, or that a process such as a publication reads. */
async function inUse(store: Store): Promise<Map<string, RetainedRelease["why"]>> {
  const used = new Map<string, RetainedRelease["why"]>();
  for (const digest of await heldReleases(store)) used.set(digest, "held");
  const serving = await readlink(store.serving).catch(() => null);
  // The link outlives the server that set it.
  if (serving !== null && (await hasRunningServer(store))) used.set(basename(serving).replace("-", ":"), "served");
  const active = await currentDigest(store);
  if (active !== null) used.set(active, "active");
  return used;
}

/**
 * Returns the releases whose history file is still needed. For each of `digests` that has no history itself, this is the
 * nearest earlier release with one, because the next build continues that history.
 */
async function historyCarriers(store: Store, digests: readonly string[]): Promise<Set<string>> {
  const needed = new Set<string>();
  for (const digest of digests) {
    const visited = new Set<string>();
    for (let at: string | null = digest; at !== null && !visited.has(at); ) {
      visited.add(at);
      const receipt: Receipt | null = await readReceipt(store.release(at)).catch(() => null);
      if (receipt?.history === true && at !== digest) needed.add(at);
      at = receipt === null || receipt.history ? null : receipt.previousReleaseDigest;
    }
  }
  return needed;
}

const HOLD = /^hold-(sha256-[0-9a-f]{64})-/;

/** Protects a release from pruning while this process reads it. Returns a function that ends the protection. */
export async function holdRelease(
  store: Store,
  digest: string,
  change: StoreChange = {},
): Promise<() => Promise<void>> {
  const folder = store.work(`hold-${digest.replace(":", "-")}-${randomUUID()}`);
  const unlock = await withLinkLock(store, change.sleep ?? null, () => lockFolder(folder));
  return async () => {
    await unlock();
    await rm(folder, { recursive: true, force: true });
  };
}

async function heldReleases(store: Store): Promise<string[]> {
  const heldDigests: string[] = [];
  for (const name of await namesIn(store.work(""))) {
    const digest = HOLD.exec(name)?.[1]?.replace("-", ":");
    if (digest !== undefined && isLocked(store.work(name))) heldDigests.push(digest);
  }
  return heldDigests;
}

const REMOVED = ".removed";

/** Saves the receipt of a release, hides the release by renaming its folder, and then deletes its files. */
async function remove(store: Store, digest: string, at: string | null): Promise<void> {
  const folder = store.release(digest);
  await mkdir(store.pruned, { recursive: true });
  await saveReceipt(join(folder, "release.json"), join(store.pruned, `${basename(folder)}.json`));
  await publishFile(folder, `${folder}${REMOVED}`);
  await removeTree(store, basename(folder));
  await finishRemoval(store, `${folder}${REMOVED}`, at);
}

/** Saves a receipt as a hard link, which needs no disk space. On a file system without links, copies it. */
async function saveReceipt(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await link(from, to).catch(async () => replaceFile(to, await readFile(from, "utf8")));
}

/** Removes the page files of a release, complete or not. */
async function removeTree(store: Store, name: string): Promise<void> {
  for (const end of ["", UNFINISHED]) await rm(join(store.trees, `${name}${end}`), { recursive: true, force: true });
}

/**
 * Removes the tables that servers prepared from releases, unless the release is active, in use or protected. If another
 * release becomes active later, a server prepares its tables again.
 */
async function removePrepared(store: Store): Promise<void> {
  const used = new Set([...(await inUse(store)).keys()].map((digest) => basename(store.prepared(digest))));
  for (const name of await namesIn(store.prepared("")))
    if (!used.has(name)) await rm(store.prepared(name), { recursive: true, force: true });
}

/**
 * Deletes the files of a release, and then records the removal in the journal, because on a full disk the entry needs the
 * space that the files occupied. The receipt is deleted last, because it shows that a removal is unfinished.
 */
async function finishRemoval(store: Store, folder: string, at: string | null): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (name !== "release.json") await rm(join(folder, name), { recursive: true, force: true });
  }
  const releaseDigest = basename(folder, REMOVED).replace("-", ":");
  const receipt = await readFile(join(folder, "release.json")).catch(() => null);
  if (receipt !== null && !(await isNoted(store, releaseDigest))) {
    await appendEvent(store, { event: "pruned", releaseDigest, at });
  }
  await rm(folder, { recursive: true, force: true });
}

/** Returns whether the journal already records the removal of a release, as the last entry about it. */
async function isNoted(store: Store, digest: string): Promise<boolean> {
  const { entries } = await readJournal(store);
  return entries.findLast(({ releaseDigest }) => releaseDigest === digest)?.event === "pruned";
}

/** Finishes the removals that a killed process began. */
async function finishRemovals(store: Store, at: string | null): Promise<void> {
  for (const name of await namesIn(store.releases)) {
    if (!name.endsWith(REMOVED)) continue;
    await removeTree(store, basename(name, REMOVED));
    await finishRemoval(store, join(store.releases, name), at);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
}
