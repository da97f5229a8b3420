/** Folders made one after the other, so that an error is that of the first that cannot be made. */

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

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
