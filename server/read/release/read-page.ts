/** Reads the files of pages. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../../pipeline/files/is-missing.ts";
import { etagOf, etagOfDigest, etagOfFile } from "../../frame/answering/etag.ts";
import { someManifestLines } from "./manifest-line.ts";

export interface Page {
  readonly body: Uint8Array;
  readonly etag: string;
}

/**
 * A page and its entity tag, of its file's time where `timely`; null where there is none. A disk that fails is an error,
 * never "not found".
 *
 * It is read at once, and everything else waits: a page is a few kilobytes, mostly in the memory of the operating system,
 * and comes in 8 µs of processor time, where the trips through Node's thread pool take 40 and more.
 */
export function readPage(path: string, timely: boolean): Page | null {
  const file = openPage(path);
  if (file === null) return null;
  try {
    const { size, mtimeMs } = fstatSync(file);
    const body = Buffer.allocUnsafeSlow(size);
    let read = 0;
    while (read < size) {
      const more = readSync(file, body, read, size - read, read);
      if (more === 0) throw new Error(`${path} became shorter while it was read`);
      read += more;
    }
    return { body, etag: timely ? etagOfFile(mtimeMs, size) : etagOf(body) };
  } finally {
    closeSync(file);
  }
}

function openPage(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Files that are looked at: a copy either keeps times or does not. */
const SAMPLE = 64;

/** Where pages lie in a release; tables carry the time they were written at. */
const PAGES = /^(?:api|widgets)\//;

/** Whether the pages of a release carry the times of their contents, as the pipeline writes them; many a copy does not. */
export async function isTimely(folder: string): Promise<boolean> {
  for (const { path, sha256, bytes } of await someManifestLines(join(folder, "manifest.ndjson"), SAMPLE)) {
    if (!PAGES.test(path)) continue;
    const found = await stat(join(folder, path)).catch(() => null);
    // A copy may come without some of its files.
    if (found !== null && etagOfFile(found.mtimeMs, found.size) !== etagOfDigest(sha256, bytes)) return false;
  }
  return true;
}
