/**
 * The tree of page files of a release, beside the releases of a folder: pages/sha256-<hex>/, which nginx gives out. Its files
 * have times made of their content, for nginx's entity tags: they are the server's own, on every machine.
 */

import { existsSync } from "node:fs";
import { mkdir, rename, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { contentTime } from "../../../api-static/pages/content-time.ts";
import { syncFolder } from "../../../pipeline/files/durable.ts";
import { makeFolder } from "../../../pipeline/files/make-folder.ts";
import type { PackedPage } from "../../../pipeline/packs/pack-reader.ts";
import { PageStore } from "../../../pipeline/packs/page-store.ts";
import { routedPage, treePath } from "../../../pipeline/pages/tree-path.ts";
import { lockFolder } from "../../../pipeline/store/folder-lock.ts";
import { type Store, UNFINISHED } from "../../../pipeline/store/store.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import { isFile, shareFile } from "../target/content-file.ts";
import { inParallel } from "../target/in-parallel.ts";
import type { PageCounts, PagesOptions } from "../target/target.ts";
import { checkedPage } from "./checked-page.ts";

/** Where the release lies, and what it is. */
interface Source {
  readonly folder: string;
  readonly receipt: Receipt;
}

/**
 * Makes the tree of a release in `store`, unless it is whole there: it gets its name when it is. Pages that a tree named in
 * `before` has are second names of its files. Interrupted, the same call goes on.
 */
export async function makeTree(
  store: Store,
  { folder, receipt: { releaseDigest } }: Source,
  before: readonly (string | null)[],
  { parallel, dryRun, effects }: PagesOptions,
): Promise<PageCounts> {
  const tree = store.tree(releaseDigest);
  const pages = await PageStore.open(folder);
  const unlock = dryRun ? async () => undefined : await lockTrees(store);
  try {
    const earlier = before.flatMap((digest) => (digest === null ? [] : [store.tree(digest)]));
    const growing = new GrowingTree(existsSync(tree) ? tree : `${tree}${UNFINISHED}`, earlier, dryRun);
    await inParallel(filesOf(pages), parallel, async (page) => {
      await growing.bring(page);
      const done = growing.uploaded + growing.unchanged;
      effects.progress({ stage: "publish", step: "pages", done, total: null, unit: "files" });
    });
    if (!dryRun && !existsSync(tree)) await finish(`${tree}${UNFINISHED}`, tree, store);
    return { uploaded: growing.uploaded, unchanged: growing.unchanged, removed: 0, bytes: growing.bytes };
  } finally {
    pages.close();
    await unlock();
  }
}

const PART = ".tmp";

async function lockTrees(store: Store): Promise<() => Promise<void>> {
  await makeFolder(store.trees);
  return lockFolder(store.trees);
}

async function finish(from: string, tree: string, store: Store): Promise<void> {
  await mkdir(from, { recursive: true });
  await syncFolder(from);
  await rename(from, tree);
  await syncFolder(store.trees);
}

/** A page of the tree; researchers' pages are in none: only a server can leave out who asked to be hidden. */
type PageOfTree = PackedPage & { readonly path: string };

function* filesOf(pages: PageStore): Generator<PageOfTree> {
  for (const family of pages.families) {
    for (const { key, bytes, sha256 } of pages.each(family)) {
      const address = { family, key };
      if (!routedPage(address).route.showsResearchers) yield { path: treePath(address), bytes, sha256 };
    }
  }
}

class GrowingTree {
  uploaded = 0;
  unchanged = 0;
  bytes = 0;
  readonly #root: string;
  readonly #earlier: readonly string[];
  readonly #dryRun: boolean;
  readonly #made = new Set<string>();

  constructor(root: string, earlier: readonly string[], dryRun: boolean) {
    this.#root = root;
    this.#earlier = earlier;
    this.#dryRun = dryRun;
  }

  async bring({ path, ...page }: PageOfTree): Promise<void> {
    const { sha256, bytes } = page;
    const file = { bytes: bytes.length, sha256: sha256.toString("hex") };
    if ((await isFile(join(this.#root, path), file)) || (await this.#share(path, file))) {
      this.unchanged += 1;
      return;
    }
    if (!this.#dryRun) await this.#write(path, checkedPage(path, page), contentTime(file.sha256));
    this.uploaded += 1;
    this.bytes += bytes.length;
  }

  async #share(path: string, file: { readonly bytes: number; readonly sha256: string }): Promise<boolean> {
    for (const root of this.#earlier) {
      const from = join(root, path);
      if (!(await isFile(from, file))) continue;
      if (this.#dryRun) return true;
      await this.#folderOf(path);
      if (await shareFile(from, join(this.#root, path))) return true;
    }
    return false;
  }

  /** Never into a file that is there: it may be another tree's as well. */
  async #write(path: string, bytes: Buffer, time: number): Promise<void> {
    await this.#folderOf(path);
    const file = join(this.#root, path);
    await writeFile(`${file}${PART}`, bytes);
    await utimes(`${file}${PART}`, time, time);
    await rename(`${file}${PART}`, file);
  }

  async #folderOf(path: string): Promise<void> {
    const folder = dirname(path);
    if (this.#made.has(folder)) return;
    await mkdir(join(this.#root, folder), { recursive: true });
    this.#made.add(folder);
  }
}
