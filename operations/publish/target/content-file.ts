/** Files in a folder that is published to, recognised by their content. */

import { link, lstat, rm } from "node:fs/promises";
import { fileDigest } from "../../../pipeline/files/durable.ts";
import type { PublishedFile } from "./target.ts";

/** Returns whether the file is there with exactly these bytes; a file of another size is not read. */
export async function isFile(path: string, { bytes, sha256 }: Omit<PublishedFile, "path">): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() === true && stats.size === bytes && (await fileDigest(path)) === sha256;
}

/** Gives a file another name; false where the file system has no such names, or the file has too many. */
export async function shareFile(from: string, to: string): Promise<boolean> {
  await rm(to, { force: true });
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (/^E(?:MLINK|XDEV|PERM|NOTSUP|OPNOTSUPP|NOSYS|NOENT)$/.test(code)) return false;
    throw error;
  }
}
