/** A finished file under a second name: the same bytes on disk where the file system can, a copy where it cannot. */

import { copyFile, link } from "node:fs/promises";

/** Only for files that nobody ever writes to again: both names lead to the same bytes. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to);
  }
}
