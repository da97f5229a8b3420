/** Removing old releases: never one that is in use, or that something in use goes on from. */

import { link, mkdir, readdir, readFile, readlink, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { publishFile, replaceFile } from "../pipeline/files/durable.ts";
import { appendEvent, readJournal } from "../pipeline/store/journal.ts";
import { changingLinks, lockFolder, lockStore, StoreLocked } from "../pipeline/store/locks.ts";
import { currentDigest, listReleases, readReceipt, type StoreChange } from "../pipeline/store/releases.ts";
import { removeWork, type Store, UNFINISHED } from "../pipeline/store/store.ts";
import type { Receipt } from "../schemas/public/release.ts";

/** A release that was not removed, though it is older than those to keep, and why. */
export interface Kept {
  readonly releaseDigest: string;
  readonly why: "active" | "served" | "held" | "history";
}

export interface Pruned {
  readonly removed: readonly string[];
  readonly kept: readonly Kept[];
  /** Folders of work/ that builds left which failed or were killed. */
  readonly leftovers: readonly string[];
}

/**
 * Keeps the `keep` newest releases and every one that is needed. The receipts of those removed stay in pruned/, so that
 * `log` can still follow the chain. What builds left in work/ goes first: nothing here needs room before it gave some,
 * so that a full disk can be cleared. No build runs meanwhile; `dryRun` removes nothing.
 * @throws BuildRunning
 */
export async function prune(store: Store, keep: number, dryRun: boolean, change: StoreChange = {}): Promise<Pruned> {
  const unlock = await lockStore(store, "pruning");
  try {
    return await changingLinks(store, change.sleep ?? null, async () => {
      const leftovers = await removeWork(store, { dryRun });
      if (!dryRun) await finishRemovals(store, change.at ?? null);
      const plan = await planOf(store, keep);
      for (const digest of dryRun ? [] : plan.removed) await remove(store, digest, change.at ?? null);
      return { ...plan, leftovers };
    });
  } finally {
    await unlock();
  }
}

async function planOf(store: Store, keep: number): Promise<Omit<Pruned, "leftovers">> {
  const receipts = await listReleases(store);
  const old = receipts.slice(0, Math.max(0, receipts.length - keep));
  const newest = receipts.slice(old.length).map(({ releaseDigest }) => releaseDigest);
  const used = await inUse(store);
  const staying = [...newest, ...used.keys()];
  for (const digest of await carriers(store, staying)) if (!used.has(digest)) used.set(digest, "history");
  const removed: string[] = [];
  const kept: Kept[] = [];
  for (const { releaseDigest } of old) {
    const why = used.get(releaseDigest);
    if (why === undefined) removed.push(releaseDigest);
    else kept.push({ releaseDigest, why });
  }
  return { removed, kept };
}

/** What is active, served, or held by a process that reads it, such as one that publishes it. */
async function inUse(store: Store): Promise<Map<string, Kept["why"]>> {
  const used = new Map<string, Kept["why"]>();
  for (const digest of await heldReleases(store)) used.set(digest, "held");
  const serving = await readlink(store.serving).catch(() => null);
  if (serving !== null) used.set(basename(serving).replace("-", ":"), "served");
  const active = await currentDigest(store);
  if (active !== null) used.set(active, "active");
  return used;
}

/** A release without history goes on from the nearest one before it that has one: the next build reads it there. */
async function carriers(store: Store, digests: readonly string[]): Promise<Set<string>> {
  const needed = new Set<string>();
  for (const digest of digests) {
    const seen = new Set<string>();
    for (let at: string | null = digest; at !== null && !seen.has(at); ) {
      seen.add(at);
      const receipt: Receipt | null = await readReceipt(store.release(at)).catch(() => null);
      if (receipt?.history === true && at !== digest) needed.add(at);
      at = receipt === null || receipt.history ? null : receipt.previousReleaseDigest;
    }
  }
  return needed;
}

const HOLD = /^hold-(sha256-[0-9a-f]{64})-/;

/** Keeps a release from being pruned while this process reads it; answers the function that lets go. */
export async function holdRelease(
  store: Store,
  digest: string,
  change: StoreChange = {},
): Promise<() => Promise<void>> {
  const folder = store.work(`hold-${digest.replace(":", "-")}-${process.pid}`);
  const unlock = await changingLinks(store, change.sleep ?? null, () => lockFolder(folder));
  return async () => {
    await unlock();
    await rm(folder, { recursive: true, force: true });
  };
}

async function heldReleases(store: Store): Promise<string[]> {
  const held: string[] = [];
  for (const name of await namesIn(store.work(""))) {
    const digest = HOLD.exec(name)?.[1]?.replace("-", ":");
    if (digest !== undefined && (await isLocked(store.work(name)))) held.push(digest);
  }
  return held;
}

async function isLocked(folder: string): Promise<boolean> {
  try {
    await (await lockFolder(folder))();
    return false;
  } catch (error) {
    if (error instanceof StoreLocked) return true;
    throw error;
  }
}

const REMOVED = ".removed";

/** The receipt is put aside, the release leaves the list by one rename, and only then its files go. */
async function remove(store: Store, digest: string, at: string | null): Promise<void> {
  const folder = store.release(digest);
  await mkdir(store.pruned, { recursive: true });
  await keepReceipt(join(folder, "release.json"), join(store.pruned, `${basename(folder)}.json`));
  await publishFile(folder, `${folder}${REMOVED}`);
  await removeTree(store, basename(folder));
  await finishRemoval(store, `${folder}${REMOVED}`, at);
}

/** Another name for the same file, which takes no room; a copy where the file system has no such names. */
async function keepReceipt(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await link(from, to).catch(async () => replaceFile(to, await readFile(from, "utf8")));
}

/** Its tree of pages, whole or not: nobody looks for it once the release is gone. */
async function removeTree(store: Store, name: string): Promise<void> {
  for (const end of ["", UNFINISHED]) await rm(join(store.trees, `${name}${end}`), { recursive: true, force: true });
}

/** The journal's line comes once the files have made room for it; the receipt stays to the last, and says that it is due. */
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

/** Whether the last thing the journal says of a release is that it was pruned. */
async function isNoted(store: Store, digest: string): Promise<boolean> {
  const { entries } = await readJournal(store);
  return entries.findLast(({ releaseDigest }) => releaseDigest === digest)?.event === "pruned";
}

/** What a prune that was killed left half removed. */
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
