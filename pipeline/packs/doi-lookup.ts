/** Defines the layout of the look-up table of DOIs in a release (docs/packs.md), and reads it from a release folder. */

import { hash } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../files/durable.ts";

export const DOI_LOOKUP = "lookup/doi.bin";

/** The first bytes of each bucket. */
export const BUCKET_MARK = "SHARELK1";

/** Size of a bucket in bytes, of its head, and of an entry: 12 bytes of the DOI's digest, and 12 bytes of the record id. */
export const [BUCKET_BYTES, HEAD_BYTES, ENTRY_BYTES] = [4096, 16, 24];

export const MAX_BUCKET_ENTRIES = (BUCKET_BYTES - HEAD_BYTES) / ENTRY_BYTES;

/**
 * Returns the ids of the records that may have a DOI in the release in `folder`. Two DOIs can share an entry, so the caller
 * must compare the DOI of each record. A release without the table, or with another layout, gives no ids.
 */
export async function findIdsOfDoi(folder: string, doi: string): Promise<readonly string[]> {
  const file = await open(join(folder, DOI_LOOKUP)).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (file === null) return [];
  try {
    const digest = Buffer.from(hash("sha256", doi), "hex");
    // The number of buckets is a power of two. The first bits of the digest are the number of the bucket.
    const buckets = (await file.stat()).size / BUCKET_BYTES;
    const start = Math.floor((digest.readUInt32BE(0) / 2 ** 32) * buckets) * BUCKET_BYTES;
    const bucket = Buffer.alloc(BUCKET_BYTES);
    await file.read(bucket, 0, BUCKET_BYTES, start);
    if (bucket.toString("latin1", 0, BUCKET_MARK.length) !== BUCKET_MARK) return [];
    const count = Math.min(bucket.readUInt16LE(BUCKET_MARK.length), MAX_BUCKET_ENTRIES);
    const entries = Array.from({ length: count }, (_, i) =>
      bucket.subarray(HEAD_BYTES + i * ENTRY_BYTES, HEAD_BYTES + (i + 1) * ENTRY_BYTES),
    );
    return entries
      .filter((entry) => entry.subarray(0, 12).equals(digest.subarray(0, 12)))
      .map((entry) => `r${entry.toString("hex", 12)}`);
  } finally {
    await file.close();
  }
}
