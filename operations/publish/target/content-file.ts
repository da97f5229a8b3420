/** Files whose time is made of their content: what a folder that is published to knows them by. */

import { link, lstat, rm } from "node:fs/promises";
import { contentTime } from "../../../api-static/pages/content-time.ts";
import type { PublishedFile } from "./target.ts";

/** Whether the file is there, whole: it gets the time of its content when it is. */
export async function isFile(path: string, { bytes, sha256 }: Omit<PublishedFile, "path">): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() === true && stats.size === bytes && stats.mtimeMs === 1000 * contentTime(sha256);
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
