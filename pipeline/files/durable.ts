/** Writing so that a power cut leaves either the old or the new: flush, rename, flush the folder. */

import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

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
