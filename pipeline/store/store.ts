/** Defines the paths of all files and folders of a store (decisions.md, "The release"). */

import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockFolder, StoreLocked } from "./locks.ts";

export interface Store {
  readonly root: string;
  /** raw/<source>: stored payloads of the source. Files are only added. */
  raw(source: string): string;
  /** work/<run>: outputs of the stages of a build; may be removed. */
  work(run: string): string;
  /** cache/: data that later builds reuse; may be removed while no build runs. */
  readonly cache: string;
  /** queries/<server>: temporary files of a server; may be removed while that server does not run. */
  queries(server: string): string;
  /** prepared/sha256-<hex>: tables of a release in the form that servers query; may be removed. */
  prepared(digest: string): string;
  /** run/: lock and progress of the command `share-release run`. */
  readonly run: string;
  readonly releases: string;
  /** releases/sha256-<hex>: the release with the digest `sha256:<hex>`. */
  release(digest: string): string;
  /** pages/: page files of published releases; may be removed. */
  readonly trees: string;
  /** Link pages/current to the page files of the active release, for static hosts. */
  readonly currentTree: string;
  /**
   * pages/sha256-<hex>: page files of the release with this digest. The name ends with {@link UNFINISHED} until all
   * files are written.
   */
  tree(digest: string): string;
  /** Link to the active release. */
  readonly current: string;
  /** Link to the release from which the server currently responds. */
  readonly serving: string;
  /** Journal of the store: one line for each event of a release. */
  readonly journal: string;
  /** Incomplete last lines that were removed from the journal. `share-release doctor` reports them. */
  readonly journalCut: string;
  /** Receipts of pruned releases, which are needed to follow the chain of releases back. */
  readonly pruned: string;
  /** Folder of retractions. They are never removed. */
  readonly retractions: string;
  /** retractions/sha256-<hex>.json: the retraction of the release with the digest `sha256:<hex>`. */
  retraction(digest: string): string;
  /** incoming/sha256-<hex>: a release while it is being fetched; may be removed. */
  readonly incoming: string;
  /** The public keys that verify receipts, as a JSON Web Key Set. */
  readonly publicKeys: string;
  /** Keys of other publishers that this store trusts, and the last head of each publisher. Not published. */
  readonly followed: string;
  /** Default folder for private keys. */
  readonly privateKeys: string;
}

/** Suffix of a folder whose page files are incomplete. */
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
 * Removes the folders in work/ that are not locked, except those for which `keep` returns true, and returns their
 * names. Also works on a full disk. With `dryRun`, only returns the names.
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

/**
 * Removes a folder. Renames it first, because if the process is killed halfway, the rest must not be mistaken for a
 * complete folder.
 */
async function removeFolder(folder: string): Promise<void> {
  const aside = folder.endsWith(REMOVED) ? folder : `${folder}${REMOVED}`;
  if (aside !== folder) {
    await rm(aside, { recursive: true, force: true });
    await rename(folder, aside);
  }
  await rm(aside, { recursive: true, force: true });
}

/** Suffix of a work folder that is being removed. */
const REMOVED = ".removed";

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
}
