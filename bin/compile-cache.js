/**
 * Sets up the compile cache of Node, which halves the start time. The cache is in a folder that only this user can
 * write to. This file is JavaScript, because for TypeScript Node would first load its TypeScript compiler, which takes
 * as long as the rest of a start.
 */

import { lstat, mkdir, realpath } from "node:fs/promises";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

/** Permission bits of users other than the owner. */
const OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Enables the cache for this process and its child processes. Node runs code from the cache, so the default folder, a
 * temporary folder shared by all users, is not safe. Without a private folder, there is no cache.
 */
export async function enablePrivateCompileCache() {
  const { NODE_COMPILE_CACHE: chosen, XDG_CACHE_HOME: caches = "" } = process.env;
  if (chosen === undefined) {
    const folder = join(isAbsolute(caches) ? caches : join(homedir(), ".cache"), "share-release", "compiled");
    if (!(await makeOwnFolder(folder))) return;
    process.env.NODE_COMPILE_CACHE = folder;
  }
  enableCompileCache();
}

/** Creates the folder if it is missing. Returns false if other users can write to it, replace it or rename it. */
export async function makeOwnFolder(folder) {
  const user = process.getuid?.();
  // Windows has no user ids, so the owner cannot be checked.
  if (user === undefined) return false;
  try {
    // Creates at most three levels, because a recursive mkdir does not end on some mounts.
    for (const each of [dirname(dirname(folder)), dirname(folder), folder]) await makeFolder(each);
    const found = await lstat(folder);
    if (!found.isDirectory() || found.uid !== user || (found.mode & OTHERS) !== 0) return false;
    return await isProtected(dirname(await realpath(folder)), user);
  } catch {
    // A service may have no home, or a home that it cannot write to.
    return false;
  }
}

async function makeFolder(folder) {
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
}

/** True if only this user and root can rename the entries of the folder and of all its parents. */
async function isProtected(folder, user) {
  const { uid, mode } = await lstat(folder);
  if (uid !== user && uid !== 0) return false;
  if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false;
  return dirname(folder) === folder || isProtected(dirname(folder), user);
}
