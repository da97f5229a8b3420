/**
 * Writes files so that a power cut leaves either the complete old file or the complete new one. To do so, flushes the
 * new file to the disk, renames it, and flushes its folder.
 */

import { createHash } from "node:crypto";
import { copyFile, link, mkdir, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { readChunks } from "./line-batches.ts";

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Renames a finished file to its final name, and flushes its folder. */
export async function publishFile(temporary: string, path: string): Promise<void> {
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Replaces a small file in one step. `mode` has the permissions of the new file, such as 0o600 for a secret. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, "w", mode);
  try {
    // A file of an earlier attempt would keep its mode.
    if (mode !== 0o666) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await publishFile(temporary, path);
}

/** True if the error means that a file does not exist. Callers treat all other errors as faults of the disk. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** Makes a hard link to a file that never changes. Copies the file if links are not possible. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to);
  }
}

/**
 * Makes a folder and its parents. `mode` only applies to the folder itself. Does not use the option `recursive` of
 * `mkdir`, because on a read-only file system it reports a missing file instead of the real fault.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  if ((await stat(path).catch(() => null))?.isDirectory()) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path, { mode }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
}

export async function fileDigest(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of readChunks(path)) digest.update(chunk);
  return digest.digest("hex");
}
