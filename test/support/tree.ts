/** What a folder holds, so that two can be compared. */

import { hash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Every path below `root`, in order; folders are not named. */
export async function pathsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/** sha256 of every file below `root` by path; a link by where it leads. */
export async function digestsIn(root: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const path of await pathsIn(root)) {
    const file = join(root, path);
    const link = (await lstat(file)).isSymbolicLink();
    digests.set(path, link ? `-> ${await readlink(file)}` : hash("sha256", await readFile(file)));
  }
  return digests;
}

/** As {@link digestsIn}, and when each was last written: equal only if nothing was touched. */
export async function touchesIn(root: string): Promise<Map<string, string>> {
  const touches = new Map<string, string>();
  for (const [path, digest] of await digestsIn(root)) {
    const { mtimeMs, ino } = await lstat(join(root, path));
    touches.set(path, `${digest} ${mtimeMs} ${ino}`);
  }
  return touches;
}
