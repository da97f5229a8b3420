/** From a DOI to the record that has it: the file `lookup/doi.bin` of a release (docs/packs.md, "From a DOI to its record"). */

import { type Files, hexOf, Kept, ReleaseFault, sha256 } from "./files.ts";
import type { ManifestLine } from "./manifest.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export const LOOKUP = "lookup/doi.bin";

const MARK = "SHARELK1";
const [BUCKET, HEAD, ENTRY] = [4096, 16, 24];

const RESOLVER = /^\s*(?:https?:\/\/(?:dx\.|www\.)?doi\.org\/|doi:\s*)/i;

/** In lower case, without its resolver; null for what is no DOI. */
export function bareDoi(text: string): string | null {
  const after = text.replace(RESOLVER, "").trim();
  const bare = (after === text.trim() ? after : decoded(after)).toLowerCase();
  return /^10\.\d{4,9}(?:\.\d+)*\/\S+$/.test(bare) ? bare : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Buckets that are kept: 4 MiB, which is all there are of some ninety thousand DOIs. */
const MOST_KEPT = 1024;

export const keptBuckets = () => new Kept<Bytes>(MOST_KEPT);

/**
 * Ids of the records that have the DOI, by one request, or none where its bucket was read before; whoever reads a record
 * sees whether it does.
 */
export async function idsOf(
  doi: string,
  file: ManifestLine,
  files: Files,
  kept: Kept<Bytes>,
): Promise<readonly string[]> {
  const digest = await sha256(new TextEncoder().encode(doi));
  const place = hexOf(digest.subarray(0, 12));
  // The file has as many buckets as a power of two: so many bits of the digest are the bucket's number.
  const number = Math.floor((new DataView(digest.buffer).getUint32(0) / 2 ** 32) * (file.bytes / BUCKET));
  const part = { offset: number * BUCKET, bytes: BUCKET };
  const bucket = await kept.get(String(number), () => files.part(file.path, part));
  const mark = new TextDecoder().decode(bucket.subarray(0, 8));
  if (mark !== MARK)
    throw new ReleaseFault(files.address(file.path), `has the layout ${mark}, which is not known here`);
  const count = new DataView(bucket.buffer).getUint16(8, true);
  const entries = Array.from({ length: count }, (_, i) =>
    hexOf(bucket.subarray(HEAD + i * ENTRY, HEAD + (i + 1) * ENTRY)),
  );
  return entries.filter((entry) => entry.startsWith(place)).map((entry) => `r${entry.slice(24)}`);
}
