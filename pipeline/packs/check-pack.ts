/** Whether a pack is what the format says to the last byte, and its pages what its index says. */

import { hash } from "node:crypto";
import { type Branch, decodeLeaf, type FrameEntry, PackDamaged, type PageEntry } from "./format.ts";
import type { PackReader } from "./pack-reader.ts";
import { type PageShard, PageShards } from "./pages-root.ts";
import { placeOf } from "./place.ts";

/**
 * Reads all of a pack once, and gives what the root over its family's pages is made of. `from`: where the places of its
 * range begin, as hex digits. `told` gets what is wrong with single pages, each with its key.
 * @throws PackDamaged where it cannot be gone on with
 */
export function checkPack(reader: PackReader, from: string, told: (message: string) => void): readonly PageShard[] {
  const shards = new PageShards();
  const seen = new Set<number>();
  let end = 0;
  let pages = 0;
  let last: Buffer | null = null;
  for (const branch of reader.branches) {
    const entries = decodeLeaf(reader.leaf(branch));
    end = checkFrames(reader, branch, entries, end, seen);
    for (const entry of entries) {
      const place = placeOf(entry.key);
      if (last !== null && place.compare(last) <= 0) throw new PackDamaged(`${entry.key} does not stand in its place`);
      if (place.toString("hex") < from) throw new PackDamaged(`${entry.key} belongs into another pack`);
      last = place;
      checkPage(reader, entry, told);
      shards.add(place, entry.key, entry.sha256);
    }
    pages += entries.length;
  }
  if (end !== reader.rootOffset) throw new PackDamaged("there are bytes before its root that are no page's");
  if (pages !== reader.pages) throw new PackDamaged(`its index has ${pages} pages, its root says ${reader.pages}`);
  return shards.finish();
}

/** Frames and leaves follow one another without a gap, and pages fill their frames. Gives where the leaf ends. */
function checkFrames(
  reader: PackReader,
  branch: Branch,
  entries: readonly PageEntry[],
  from: number,
  seen: Set<number>,
): number {
  const [first] = entries;
  if (first === undefined || !placeOf(first.key).equals(branch.place)) {
    throw new PackDamaged(`the leaf at ${branch.offset} does not begin where its root says`);
  }
  const frames = new Map<number, { readonly frame: FrameEntry; readonly pages: PageEntry[] }>();
  for (const entry of entries) {
    const { frame } = entry;
    const held = frames.get(frame.offset) ?? { frame, pages: [] };
    held.pages.push(entry);
    frames.set(frame.offset, held);
  }
  let end = from;
  for (const [offset, { frame, pages }] of [...frames].sort(([one], [other]) => one - other)) {
    if (seen.has(offset)) continue;
    if (offset !== end) throw new PackDamaged(`the frame at ${offset} does not follow what comes before it`);
    requireFilled(frame, pages);
    seen.add(offset);
    end += frame.packed;
    // Nobody may take up more memory than what pages fill.
    reader.inflate(frame);
  }
  if (branch.offset !== end) throw new PackDamaged(`the leaf at ${branch.offset} does not follow its frames`);
  return end + branch.length;
}

function requireFilled({ offset, inflated }: FrameEntry, pages: readonly PageEntry[]): void {
  let end = 0;
  for (const { start, length } of pages.toSorted((one, other) => one.start - other.start)) {
    if (start > end) break;
    end = Math.max(end, start + length);
  }
  if (end !== inflated) throw new PackDamaged(`the frame at ${offset} has bytes of no page`);
}

function checkPage(
  reader: PackReader,
  { key, frame, start, length, sha256 }: PageEntry,
  told: (message: string) => void,
) {
  const bytes = reader.inflate(frame).subarray(start, start + length);
  if (!hash("sha256", bytes, "buffer").equals(sha256)) told(`${key} is not what its index says`);
}
