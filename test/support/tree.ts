/** Lists the content of a folder, so that a test can compare it with the content at another time or of another folder. */

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

/** Returns, by path, the sha256 of every file below `root`, or the target if the file is a link. */
export async function digestsIn(root: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const path of await pathsIn(root)) {
    const file = join(root, path);
    const link = (await lstat(file)).isSymbolicLink();
    digests.set(path, link ? `-> ${await readlink(file)}` : hash("sha256", await readFile(file)));
  }
  return digests;
}

/** Returns the same as {@link digestsIn} with times of modification. The results are equal only if no file was written. */
export async function touchesIn(root: string): Promise<Map<string, string>> {
  const touches = new Map<string, string>();
  for (const [path, digest] of await digestsIn(root)) {
    const { mtimeMs, ino } = await lstat(join(root, path));
    touches.set(path, `${digest} ${mtimeMs} ${ino}`);
  }
  return touches;
}
