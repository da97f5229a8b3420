/** The paths of everything below the store folder (decisions.md, "The release"). */

import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockFolder, StoreLocked } from "./locks.ts";

export interface Store {
  readonly root: string;
  /** raw/<source>: payloads of the source, append-only. */
  raw(source: string): string;
  /** work/<run>: outputs of the stages of a build; removable. */
  work(run: string): string;
  /** cache/: data that builds reuse; removable while no build runs. */
  readonly cache: string;
  /** queries/<server>: temporary files of servers; removable while none runs. */
  queries(server: string): string;
  /** prepared/sha256-<hex>: tables of a release as servers query them; removable. */
  prepared(digest: string): string;
  /** run/: lock and progress of `run`. */
  readonly run: string;
  readonly releases: string;
  /** releases/sha256-<hex> of a releaseDigest (`sha256:<hex>`). */
  release(digest: string): string;
  /** pages/: page files of published releases; removable. */
  readonly trees: string;
  /** pages/current: link to the page files of the active release, for static hosts. */
  readonly currentTree: string;
  /** pages/sha256-<hex> of a releaseDigest. Its name ends with {@link UNFINISHED} until it is complete. */
  tree(digest: string): string;
  /** Link to the active release. */
  readonly current: string;
  /** Link to the release that the server responds from. */
  readonly serving: string;
  /** Events about releases, one on each line. */
  readonly journal: string;
  /** Last lines of the journal that were cut off; doctor reports them. */
  readonly journalCut: string;
  /** Receipts of pruned releases, so that the chain of releases remains complete. */
  readonly pruned: string;
  /** Retractions of releases, which are never removed. */
  readonly retractions: string;
  /** retractions/sha256-<hex>.json of a releaseDigest (`sha256:<hex>`). */
  retraction(digest: string): string;
  /** incoming/sha256-<hex>: releases that are being fetched; removable. */
  readonly incoming: string;
  /** The public keys of receipts, as a JSON Web Key Set. */
  readonly publicKeys: string;
  /** The keys that were given for other publishers, and the last heads that were seen; not published. */
  readonly followed: string;
  /** Default folder of private keys. */
  readonly privateKeys: string;
}

/** Ends the name of an incomplete folder of page files. */
export const UNFINISHED = ".unfinished";

export function openStore(root: string): Store {
  const releases = join(root, "releases");
  return {
    root,
    raw: (source) => join(root, "raw", source),
    work: (run) => join(root, "work", run),
    cache: join(root, "cache"),
    queries: (server) => join(root, "queries", server),
    prepared: (digest) => join(root, "prepared", digest.replace(":", "-")),
    run: join(root, "run"),
    releases,
    release: (digest) => join(releases, digest.replace(":", "-")),
    trees: join(root, "pages"),
    currentTree: join(root, "pages", "current"),
    tree: (digest) => join(root, "pages", digest.replace(":", "-")),
    current: join(root, "current"),
    serving: join(root, "serving"),
    journal: join(root, "journal.ndjson"),
    journalCut: join(root, "journal.cut"),
    pruned: join(root, "pruned"),
    retractions: join(root, "retractions"),
    retraction: (digest) => join(root, "retractions", `${digest.replace(":", "-")}.json`),
    incoming: join(root, "incoming"),
    publicKeys: join(root, "keys", "share-release-keys.json"),
    followed: join(root, "keys", "followed.json"),
    privateKeys: join(root, "keys", "private"),
  };
}

/**
 * Removes the unlocked folders of work/, except those for which `keep` is true. Returns their names. Works on a full disk.
 * With `dryRun`, removes nothing.
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
    if (!dryRun) await removeFolder(store.work(name));
    await unlock();
    removed.push(name);
  }
  const work = store.work("");
  if (removed.length > 0 && (await namesIn(work)).length === 0) await rm(work, { recursive: true, force: true });
  return removed;
}

/** Removes a folder. Renames it first, so that a kill cannot leave a manifest with missing files. */
async function removeFolder(folder: string): Promise<void> {
  const aside = folder.endsWith(REMOVED) ? folder : `${folder}${REMOVED}`;
  if (aside !== folder) {
    await rm(aside, { recursive: true, force: true });
    await rename(folder, aside);
  }
  await rm(aside, { recursive: true, force: true });
}

/** Ends the name of a work folder that is being removed. */
const REMOVED = ".removed";

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
}
