/**
 * Publishes releases to a folder. The folder has the layout of a store (releases/, `current`, and incoming/ for incomplete
 * releases), so all commands that read a store can read it.
 */

import { hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { makeFolder, replaceFile, syncFolder } from "../../pipeline/files/durable.ts";
import { appendEvent } from "../../pipeline/store/journal.ts";
import { lockFolder, StoreLocked, withLinkLock } from "../../pipeline/store/locks.ts";
import { activate, currentDigest, type StoreChange } from "../../pipeline/store/releases.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { makeTree } from "./page-tree.ts";
import type { CopySource, PublishedFile, PublishTarget, TargetPlace } from "./target.ts";
import { hasFile, PublishRejected, SMALL_BYTES, shareFile, verifiedBytes, verifiedStream } from "./target.ts";

/**
 * Returns the target for the folder `root`, which is created if it is missing. `change` has the time for entries in the
 * journal of the folder.
 */
export function folderTarget(root: string, change: StoreChange): PublishTarget {
  const store = openStore(root);
  return {
    name: root,
    current: () => activeDigest(store),
    text: (path) => readText(join(root, path)),
    write: async (path, text) => {
      const file = join(root, path);
      await makeFolder(dirname(file));
      await replaceFile(file, text);
    },
    point: ({ releaseDigest }: Receipt, when) => activate(store, releaseDigest, when),
    tidy: () => tidy(store),
    place: (releaseDigest) => new FolderPlace(store, releaseDigest, change),
    pages: async (release, options) =>
      makeTree(store, release, [await activeDigest(store), release.receipt.previousReleaseDigest], options, change),
    listObject: null,
  };
}

async function activeDigest(store: Store): Promise<string | null> {
  return currentDigest(store).catch((cause: unknown) => {
    if (getErrorCode(cause) !== "EINVAL") throw cause;
    throw new PublishRejected(
      `${store.current} is not a link to a release, so this folder is used for something else: give another folder with --to`,
      { cause },
    );
  });
}

/**
 * Removes unfinished files at the top of the folder, and temporary files of releases that are complete. Incomplete releases
 * stay, so that their publication can be resumed.
 */
async function tidy(store: Store): Promise<void> {
  for (const name of await namesIn(store.root)) {
    if (/\.json\.tmp$/.test(name)) await rm(join(store.root, name), { force: true });
  }
  for (const name of await namesIn(store.incoming)) {
    if ((await readText(join(store.releases, name, "release.json"))) === null) continue;
    const folder = join(store.incoming, name);
    const unlock = await lockFolder(folder).catch((error: unknown) => {
      if (error instanceof StoreLocked) return null;
      throw error;
    });
    if (unlock === null) continue;
    await rm(folder, { recursive: true, force: true });
    await unlock();
  }
  await rmdir(store.incoming).catch(() => undefined);
}

class FolderPlace implements TargetPlace {
  readonly #store: Store;
  readonly #digest: string;
  readonly #change: StoreChange;
  /** Path to which the release is moved when it is complete. */
  readonly #whole: string;
  readonly #incoming: string;
  readonly #tree: string;
  readonly #parts: string;

  constructor(store: Store, digest: string, change: StoreChange) {
    this.#store = store;
    this.#digest = digest;
    this.#change = change;
    this.#whole = store.release(digest);
    this.#incoming = join(store.incoming, basename(this.#whole));
    this.#tree = join(this.#incoming, "tree");
    this.#parts = join(this.#incoming, "parts");
  }

  receipt(): Promise<string | null> {
    return readText(join(this.#whole, "release.json"));
  }

  manifest(): Promise<string | null> {
    return readText(join(this.#whole, "manifest.ndjson"));
  }

  async begin(): Promise<() => Promise<void>> {
    await makeFolder(this.#incoming);
    const unlock = await lockFolder(this.#incoming);
    await rm(this.#parts, { recursive: true, force: true });
    for (const folder of [this.#tree, this.#parts]) await mkdir(folder, { recursive: true });
    return async () => {
      await rm(this.#parts, { recursive: true, force: true });
      if ((await this.receipt()) !== null) await rm(this.#incoming, { recursive: true, force: true });
      await unlock();
      await rmdir(this.#store.incoming).catch(() => undefined);
    };
  }

  async *list(): AsyncGenerator<{ path: string; bytes: number }> {
    yield* filesBelow(this.#tree, "");
  }

  has(file: PublishedFile): Promise<boolean> {
    return hasFile(join(this.#tree, file.path), file);
  }

  /**
   * Makes a hard link to a file of another release after checking its bytes. Returns false if they differ, or if no link is
   * possible.
   */
  async copy(file: PublishedFile, source: CopySource): Promise<boolean> {
    const folder = source.releaseDigest === this.#digest ? this.#tree : this.#store.release(source.releaseDigest);
    const from = join(folder, source.path);
    if (!(await hasFile(from, file))) return false;
    return shareFile(from, await this.#placeFor(file));
  }

  async send(file: PublishedFile, local: string): Promise<void> {
    await this.#write(file, local, await this.#placeFor(file));
  }

  async putBeside(file: PublishedFile, local: string): Promise<boolean> {
    const place = join(this.#whole, file.path);
    if (await hasFile(place, file)) return false;
    const end = await this.begin();
    try {
      await this.#write(file, local, place);
    } finally {
      await end();
    }
    return true;
  }

  async #write(file: PublishedFile, local: string, place: string): Promise<void> {
    const part = join(this.#parts, hash("sha256", file.path));
    if (file.bytes <= SMALL_BYTES) await writeFile(part, await verifiedBytes(local, file));
    else await pipeline(verifiedStream(local, file), createWriteStream(part, { flush: true }));
    await rename(part, place);
  }

  remove(path: string): Promise<void> {
    return rm(join(this.#tree, path), { force: true });
  }

  async finish(receipt: string): Promise<void> {
    await replaceFile(join(this.#tree, "release.json"), receipt);
    await syncFolder(this.#tree);
    await mkdir(this.#store.releases, { recursive: true });
    await withLinkLock(this.#store, this.#change.sleep ?? null, async () => {
      if ((await this.receipt()) !== null) return;
      // A folder at this path has no receipt. It may have lost the receipt while `current` points to the folder.
      const aside = `${this.#whole}.removed`;
      await rm(aside, { recursive: true, force: true });
      await rename(this.#whole, aside).catch(ignoreMissing);
      await rename(this.#tree, this.#whole);
      await rm(aside, { recursive: true, force: true });
      await syncFolder(this.#store.releases);
      await appendEvent(this.#store, { event: "fetched", releaseDigest: this.#digest, at: this.#change.at ?? null });
    });
  }

  async #placeFor({ path }: PublishedFile): Promise<string> {
    const place = join(this.#tree, path);
    await mkdir(dirname(place), { recursive: true });
    return place;
  }
}

async function* filesBelow(root: string, below: string): AsyncGenerator<{ path: string; bytes: number }> {
  for (const entry of await readdir(join(root, below), { withFileTypes: true }).catch(() => [])) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, path);
    else yield { path, bytes: (await stat(join(root, path))).size };
  }
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (getErrorCode(error) === "ENOENT") return null;
    throw error;
  });
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (getErrorCode(error) === "ENOENT") return [];
    throw error;
  });
}

function ignoreMissing(error: unknown): void {
  if (getErrorCode(error) !== "ENOENT") throw error;
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
