/**
 * What of a release a web server under a user of its own could not read. Modes alone are looked at: who is in the group,
 * and what lists of access say besides, is for the administrator to know.
 */

import { opendir, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const ENTER = 0o001;
const READ = 0o004;

/** A sentence on what helps; for people. */
export const OPENING =
  "put nginx's user into the group, or build with umask 022 and open what lies above; without nginx it is as it should be";

/**
 * The first file or folder that only its owner and group can read, of one file of each kind and all folders above; null
 * where there is none. `tree`: of its pages as single files, of which one is looked at.
 */
export async function closedToOthers(release: string, tree: string | null = null): Promise<string | null> {
  const folder = resolve(release);
  const page = tree === null ? null : await firstFile(resolve(tree));
  const files = [...(await samples(folder)), ...(page === null ? [] : [page])];
  const folders = new Set([...foldersAbove(join(folder, "release.json")), ...files.flatMap(foldersAbove)]);
  return (await firstWithout(ENTER, folders)) ?? (await firstWithout(READ, files));
}

/** The files that lie in a folder itself, and of each folder in it the first. */
async function samples(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile()) found.push(path);
    else if (entry.isDirectory()) found.push(...(await samples(path)).slice(0, 1));
  }
  return found;
}

/** A tree has more folders than anyone wants to list: the way to one file is as the way to the others. */
async function firstFile(folder: string): Promise<string | null> {
  const listing = await opendir(folder).catch(() => null);
  const entry = await listing?.read();
  await listing?.close();
  if (entry === undefined || entry === null) return null;
  const path = join(folder, entry.name);
  return entry.isDirectory() ? firstFile(path) : path;
}

/** What cannot be listed is told of elsewhere. */
async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}

async function firstWithout(bit: number, paths: Iterable<string>): Promise<string | null> {
  for (const path of paths) {
    const mode = (await stat(path).catch(() => null))?.mode;
    if (mode !== undefined && (mode & bit) === 0) return path;
  }
  return null;
}
