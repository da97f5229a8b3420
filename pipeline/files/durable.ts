/** Writing so that a power cut leaves either the old or the new: flush, rename, flush the folder. */

import { createHash } from "node:crypto";
import { copyFile, link, mkdir, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { readChunks } from "./line-batches.ts";

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Gives a finished file its final name for good. */
export async function publishFile(temporary: string, path: string): Promise<void> {
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Replaces a small file as a whole; `mode` where not everybody may read it. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, "w", mode);
  try {
    // One that was left behind keeps the mode it was made with.
    if (mode !== 0o666) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await publishFile(temporary, path);
}

/** Tells "there is no such file" from every other fault of a disk. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** Only for files that nobody ever writes to again: both names lead to the same bytes. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to);
  }
}

/**
 * As `mkdir` with `recursive`, which says "no such file" where the truth is that the file system is read-only. `mode` is
 * that of the folder itself.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  if ((await stat(path).catch(() => null))?.isDirectory()) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path, { mode }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
}

/** Hex digits. */
export async function fileDigest(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of readChunks(path)) digest.update(chunk);
  return digest.digest("hex");
}
