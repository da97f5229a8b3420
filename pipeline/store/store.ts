/** The places of everything below the store folder: the one place that knows its paths (decisions.md, "The release"). */

import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockFolder, StoreLocked } from "./locks.ts";

export interface Store {
  readonly root: string;
  /** raw/<source>: what the source said, append-only. */
  raw(source: string): string;
  /** work/<run>: stage outputs of a build under way; removable. */
  work(run: string): string;
  /** cache/: what builds keep for the next one; removable while none runs. */
  readonly cache: string;
  /** queries/<server>: scratch of servers, removable while none runs. */
  queries(server: string): string;
  /** run/: the lock of a run, and what the next one goes on with. */
  readonly run: string;
  readonly releases: string;
  /** releases/sha256-<hex> of a releaseDigest (`sha256:<hex>`). */
  release(digest: string): string;
  /** pages/: trees of page files that releases were published with; removable. */
  readonly trees: string;
  /** pages/current: the link to the tree of the active release, for static hosts. */
  readonly currentTree: string;
  /** pages/sha256-<hex> of a releaseDigest; with {@link UNFINISHED} behind it until it is whole. */
  tree(digest: string): string;
  /** The link to the activated release. */
  readonly current: string;
  /** The link to the release the server answers from. */
  readonly serving: string;
  /** What was done with the releases, one line an event. */
  readonly journal: string;
  /** Receipts of releases that were pruned, so that the chain can still be followed. */
  readonly pruned: string;
  /** Statements that releases were withdrawn; kept for ever. */
  readonly retractions: string;
  /** retractions/sha256-<hex>.json of a releaseDigest (`sha256:<hex>`). */
  retraction(digest: string): string;
  /** incoming/sha256-<hex>: releases that are being copied from elsewhere; removable. */
  readonly incoming: string;
  /** The public keys that receipts are signed with, as a JSON Web Key Set. */
  readonly publicKeys: string;
  /** Where private keys lie unless they are kept elsewhere. */
  readonly privateKeys: string;
}

/** Ends the name of a tree of pages that is not whole yet. */
export const UNFINISHED = ".unfinished";

export function openStore(root: string): Store {
  const releases = join(root, "releases");
  return {
    root,
    raw: (source) => join(root, "raw", source),
    work: (run) => join(root, "work", run),
    cache: join(root, "cache"),
    queries: (server) => join(root, "queries", server),
    run: join(root, "run"),
    releases,
    release: (digest) => join(releases, digest.replace(":", "-")),
    trees: join(root, "pages"),
    currentTree: join(root, "pages", "current"),
    tree: (digest) => join(root, "pages", digest.replace(":", "-")),
    current: join(root, "current"),
    serving: join(root, "serving"),
    journal: join(root, "journal.ndjson"),
    pruned: join(root, "pruned"),
    retractions: join(root, "retractions"),
    retraction: (digest) => join(root, "retractions", `${digest.replace(":", "-")}.json`),
    incoming: join(root, "incoming"),
    publicKeys: join(root, "keys", "share-release-keys.json"),
    privateKeys: join(root, "keys", "private"),
  };
}

/**
 * Removes the folders of work/ that nobody is at work in, but for those to keep; answers their names. Needs no room.
 * `dryRun` removes nothing.
 */
export async function removeWork(
  store: Store,
  { keep = () => false, dryRun = false }: { keep?: (name: string) => boolean; dryRun?: boolean } = {},
): Promise<string[]> {
  const removed: string[] = [];
  for (const name of (await namesIn(store.work(""))).filter((each) => !keep(each)).sort()) {
    const unlock = await lockFolder(store.work(name)).catch((error: unknown) => {
      if (!(error instanceof StoreLocked)) throw error;
      return null;
    });
    if (unlock === null) continue;
    if (!dryRun) await removeWhole(store.work(name));
    await unlock();
    removed.push(name);
  }
  const work = store.work("");
  if (removed.length > 0 && (await namesIn(work)).length === 0) await rm(work, { recursive: true, force: true });
  return removed;
}

/** Under another name first: a kill half-way must not leave a folder whose manifests promise what is gone. */
async function removeWhole(folder: string): Promise<void> {
  const aside = folder.endsWith(REMOVED) ? folder : `${folder}${REMOVED}`;
  if (aside !== folder) {
    await rm(aside, { recursive: true, force: true });
    await rename(folder, aside);
  }
  await rm(aside, { recursive: true, force: true });
}

/** Ends the name of a work folder on its way out; no run is called that. */
const REMOVED = ".removed";

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
}
