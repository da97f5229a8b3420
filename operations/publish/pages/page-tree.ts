/**
 * The pages of a release as a tree of files beside the releases of a folder: pages/sha256-<hex>/. Any static host can serve
 * it: files are at the paths of the API, with an extension that gives their content type. `pages/current` links to the
 * tree of the active release.
 */

import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, syncFolder } from "../../../pipeline/files/durable.ts";
import { RELEASE_FAMILY } from "../../../pipeline/packs/format.ts";
import { PageStore } from "../../../pipeline/packs/page-store.ts";
import { lockFolder } from "../../../pipeline/store/folder-lock.ts";
import { linkPages, type StoreChange } from "../../../pipeline/store/releases.ts";
import { type Store, UNFINISHED } from "../../../pipeline/store/store.ts";
import { changingLinks } from "../../../pipeline/store/store-lock.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import { shareFile } from "../target/content-file.ts";
import { inParallel } from "../target/in-parallel.ts";
import type { PageCounts, PagesOptions } from "../target/target.ts";
import { checkedPage } from "./checked-page.ts";
import { fileNameOf, pageObject } from "./page-objects.ts";
import { indexObject, siteObjects } from "./site-objects.ts";

/** Where the release lies, and what it is. */
interface Source {
  readonly folder: string;
  readonly receipt: Receipt;
}

/**
 * Makes the tree of a release in `store`, unless it is whole there: it gets its name when it is. Files that a tree named in
 * `before` has are second names of its files. Interrupted, the same call goes on.
 */
export async function makeTree(
  store: Store,
  { folder, receipt: { releaseDigest } }: Source,
  before: readonly (string | null)[],
  { parallel, dryRun, effects }: PagesOptions,
  change: StoreChange,
): Promise<PageCounts> {
  const tree = store.tree(releaseDigest);
  const pages = await PageStore.open(folder);
  const unlock = dryRun ? async () => undefined : await lockTrees(store);
  try {
    const earlier = before.flatMap((digest) => (digest === null ? [] : [store.tree(digest)]));
    const growing = new GrowingTree(existsSync(tree) ? tree : `${tree}${UNFINISHED}`, earlier, dryRun);
    await inParallel(filesOf(pages), parallel, async (file) => {
      await growing.bring(file);
      const done = growing.uploaded + growing.unchanged;
      effects.progress({ stage: "publish", step: "pages", done, total: null, unit: "files" });
    });
    if (!dryRun && !existsSync(tree)) await finish(`${tree}${UNFINISHED}`, tree, store);
    if (!dryRun) await changingLinks(store, change.sleep ?? null, () => linkPages(store));
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

interface TreeFile {
  /** Below the tree. */
  readonly name: string;
  readonly bytes: Buffer;
  /** Throws if the bytes are damaged. */
  readonly check: () => void;
}

/** Pages about researchers are left out: only a server can leave out people who asked to be hidden. */
function* filesOf(pages: PageStore): Generator<TreeFile> {
  const names = new Map<string, string>();
  for (const family of pages.families) {
    for (const { key, ...page } of pages.each(family)) {
      const object = pageObject({ family, key });
      if (object === null || object.showsResearchers) continue;
      const name = fileNameOf(object);
      if (family === RELEASE_FAMILY) names.set(object.path, name);
      yield { name, bytes: page.bytes, check: () => checkedPage(name, page) };
    }
  }
  const site = siteObjects();
  for (const object of site) names.set(object.path, fileNameOf(object));
  for (const object of [...site, indexObject((path) => names.get(path) ?? null)]) {
    yield { name: fileNameOf(object), bytes: Buffer.from(object.text), check: () => undefined };
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

  async bring({ name, bytes, check }: TreeFile): Promise<void> {
    if ((await holds(join(this.#root, name), bytes)) || (await this.#share(name, bytes))) {
      this.unchanged += 1;
      return;
    }
    check();
    if (!this.#dryRun) await this.#write(name, bytes);
    this.uploaded += 1;
    this.bytes += bytes.length;
  }

  /** An unchanged file keeps its time, and with it the entity tag that static hosts make of time and size. */
  async #share(name: string, bytes: Buffer): Promise<boolean> {
    for (const root of this.#earlier) {
      const from = join(root, name);
      if (!(await holds(from, bytes))) continue;
      if (this.#dryRun) return true;
      await this.#makeFolderOf(name);
      if (await shareFile(from, join(this.#root, name))) return true;
    }
    return false;
  }

  /** Never into a file that is there: it may be another tree's as well. */
  async #write(name: string, bytes: Buffer): Promise<void> {
    await this.#makeFolderOf(name);
    const file = join(this.#root, name);
    await writeFile(`${file}${PART}`, bytes);
    await rename(`${file}${PART}`, file);
  }

  async #makeFolderOf(name: string): Promise<void> {
    const folder = dirname(name);
    if (this.#made.has(folder)) return;
    await mkdir(join(this.#root, folder), { recursive: true });
    this.#made.add(folder);
  }
}

/** Whether the file is there with these bytes. */
async function holds(path: string, bytes: Buffer): Promise<boolean> {
  const found = await readFile(path).catch(() => null);
  return found?.equals(bytes) === true;
}
