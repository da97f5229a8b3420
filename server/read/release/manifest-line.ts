/** Reads lines of a release's manifest without reading the manifest: they are sorted by path. */

import { type FileHandle, open } from "node:fs/promises";
import { type ManifestLine, manifestLine } from "../../../schemas/public/release.ts";

/** A line has a path of at most a few hundred characters, a size and a digest. */
const LONGEST_LINE = 4096;

interface PlacedLine {
  readonly start: number;
  /** Where the next line starts. */
  readonly end: number;
  readonly line: ManifestLine;
}

/** The line of `path` in the manifest file; null where the release has no such file. Reads about log2(lines) blocks. */
export async function findManifestLine(manifest: string, path: string): Promise<ManifestLine | null> {
  const file = await open(manifest);
  try {
    // The line sought, if there is one, starts in [low, high); low is always where a line starts.
    let low = 0;
    let high = (await file.stat()).size;
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      const found = await lineFrom(file, middle);
      if (found === null || found.start >= high) high = middle;
      else if (found.line.path === path) return found.line;
      else if (found.line.path < path) low = found.end;
      else high = middle;
    }
    return null;
  } finally {
    await file.close();
  }
}

/** Up to `count` lines from all over the manifest. */
export async function someManifestLines(manifest: string, count: number): Promise<ManifestLine[]> {
  const file = await open(manifest);
  try {
    const { size } = await file.stat();
    const found = new Map<string, ManifestLine>();
    for (let i = 0; i < count; i += 1) {
      const placed = await lineFrom(file, Math.floor((size * i) / count));
      if (placed !== null) found.set(placed.line.path, placed.line);
    }
    return [...found.values()];
  } finally {
    await file.close();
  }
}

/** The first line that starts at or after `position`; null behind the last. */
async function lineFrom(file: FileHandle, position: number): Promise<PlacedLine | null> {
  const from = Math.max(0, position - 1);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2 * LONGEST_LINE), 0, 2 * LONGEST_LINE, from);
  const block = buffer.subarray(0, bytesRead);
  const start = position === 0 ? 0 : block.indexOf("\n") + 1;
  if (position !== 0 && start === 0) return null;
  if (start >= block.length) return null;
  const end = block.indexOf("\n", start);
  if (end < 0) throw new Error(`the manifest has no line end within ${LONGEST_LINE} bytes of byte ${from + start}`);
  const line = manifestLine.parse(JSON.parse(block.toString("utf8", start, end)));
  return { start: from + start, end: from + end + 1, line };
}
