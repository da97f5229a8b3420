/** The releases of a store: which there are, which is active, and how one becomes active. */

import { readdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { type Receipt, receipt } from "../schemas/release.ts";
import { syncFolder } from "./raw/durable.ts";
import type { Store } from "./store.ts";

const FOLDER = /^sha256-[0-9a-f]{64}$/;

/** There is no finished release of that digest. */
export class ReleaseNotFound extends Error {
  readonly code = "ERR_RELEASE_NOT_FOUND";
  constructor(digest: string, store: Store) {
    super(`there is no release ${digest} in ${store.releases}; see \`share-release releases\``);
    this.name = "ReleaseNotFound";
  }
}

/** The receipt of a release folder, or null where it has none: the receipt is written last. */
export async function readReceipt(folder: string): Promise<Receipt | null> {
  try {
    return receipt.parse(JSON.parse(await readFile(join(folder, "release.json"), "utf8")));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** All finished releases, oldest first. */
export async function listReleases(store: Store): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for (const name of await namesIn(store.releases)) {
    if (!FOLDER.test(name)) continue;
    const found = await readReceipt(join(store.releases, name));
    if (found !== null) receipts.push(found);
  }
  return receipts.sort((one, other) =>
    one.publishedAt < other.publishedAt ? -1 : one.publishedAt > other.publishedAt ? 1 : 0,
  );
}

/** Digest of the activated release (`sha256:<hex>`), or null. */
export async function currentDigest(store: Store): Promise<string | null> {
  try {
    const name = basename(await readlink(store.current));
    return FOLDER.test(name) ? name.replace("-", ":") : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The one release whose digest starts with `prefix` (with or without `sha256:` or `sha256-`). */
export async function findRelease(store: Store, prefix: string): Promise<Receipt> {
  const hex = prefix.replace(/^sha256[:-]/, "");
  const found = (await listReleases(store)).filter((release) => release.releaseDigest.startsWith(`sha256:${hex}`));
  if (found.length !== 1 || found[0] === undefined) throw new ReleaseNotFound(prefix, store);
  return found[0];
}

/** Makes a finished release the active one: the link moves in one step, so that it always leads to a whole release. */
export async function activate(store: Store, digest: string): Promise<void> {
  const folder = store.release(digest);
  if ((await readReceipt(folder)) === null) throw new ReleaseNotFound(digest, store);
  await moveLink(store, store.current, folder);
}

/** Points a link of the store at a release folder, atomically. */
export async function moveLink(store: Store, link: string, folder: string): Promise<void> {
  const temporary = `${link}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  await symlink(relative(store.root, folder), temporary);
  await rename(temporary, link);
  await syncFolder(store.root);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
