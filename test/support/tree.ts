/** Lists the content of a folder, to compare it with another. */

import { hash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Returns the path of every file below `root`, in order. */
export async function pathsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/** Returns the sha256 of every file below `root` by path, or the target of a link. */
export async function digestsIn(root: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const path of await pathsIn(root)) {
    const file = join(root, path);
    const link = (await lstat(file)).isSymbolicLink();
    digests.set(path, link ? `-> ${await readlink(file)}` : hash("sha256", await readFile(file)));
  }
  return digests;
}

/** Like {@link digestsIn}, with the times of modification, which are equal only if no file was written. */
export async function touchesIn(root: string): Promise<Map<string, string>> {
  const touches = new Map<string, string>();
  for (const [path, digest] of await digestsIn(root)) {
    const { mtimeMs, ino } = await lstat(join(root, path));
    touches.set(path, `${digest} ${mtimeMs} ${ino}`);
  }
  return touches;
}
