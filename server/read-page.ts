/** Reads the file of a page. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isMissing } from "./is-missing.ts";

/**
 * The bytes of a page; null where there is none. A disk that fails is an error, never "not found".
 *
 * It is read at once, and everything else waits: a page is a few kilobytes, mostly in the memory of the operating system,
 * and comes in 7 µs of processor time, where four trips through Node's thread pool take 40 and more (bench/serving.ts).
 */
export function readPage(path: string): Uint8Array | null {
  const file = openPage(path);
  if (file === null) return null;
  try {
    const body = Buffer.allocUnsafeSlow(fstatSync(file).size);
    let read = 0;
    while (read < body.length) {
      const more = readSync(file, body, read, body.length - read, read);
      if (more === 0) throw new Error(`${path} became shorter while it was read`);
      read += more;
    }
    return body;
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
