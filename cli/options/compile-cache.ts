/** Node keeps what it compiles, types stripped, so that the next start is twice as fast: in a folder nobody else can write to. */

import { lstat, mkdir, realpath } from "node:fs/promises";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

/** Permissions that let others than the owner in. */
const OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Switches it on, here and in the processes started from here. Code is read from there and run, so Node's own default,
 * a folder below the shared temporary one, will not do: without a folder of the user's own nothing is kept.
 */
export async function keepCompiled(): Promise<void> {
  const { NODE_COMPILE_CACHE: chosen, XDG_CACHE_HOME: caches = "" } = process.env;
  if (chosen === undefined) {
    const folder = join(isAbsolute(caches) ? caches : join(homedir(), ".cache"), "share-release", "compiled");
    if (!(await makeOwnFolder(folder))) return;
    process.env.NODE_COMPILE_CACHE = folder;
  }
  enableCompileCache();
}

/** Makes the folder where it is missing; false where it is not this user's alone, or lies where others can exchange it. */
export async function makeOwnFolder(folder: string): Promise<boolean> {
  const user = process.getuid?.();
  // Windows: the folder of a user is nobody else's, but neither can that be checked here.
  if (user === undefined) return false;
  try {
    // The caches of a user who has a home, and no more: making whole paths does not end where a mount will not have it.
    for (const each of [dirname(dirname(folder)), dirname(folder), folder]) await makeFolder(each);
    const found = await lstat(folder);
    if (!found.isDirectory() || found.uid !== user || (found.mode & OTHERS) !== 0) return false;
    return await isOutOfReach(dirname(await realpath(folder)), user);
  } catch {
    // No home, or one that cannot be written to: a service may have neither.
    return false;
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
}

/** True where nobody but this user and root can rename what lies in the folder, or in one that it lies in. */
async function isOutOfReach(folder: string, user: number): Promise<boolean> {
  const { uid, mode } = await lstat(folder);
  if (uid !== user && uid !== 0) return false;
  if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false;
  return dirname(folder) === folder || isOutOfReach(dirname(folder), user);
}
