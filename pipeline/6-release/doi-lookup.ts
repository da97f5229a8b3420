/**
 * The look-up of a release: from a DOI to the record that has it, by one request for a part (docs/packs.md). It follows from
 * the table of records alone.
 */

import { open } from "node:fs/promises";
import type { Database } from "../engine/open.ts";

/** Its path in a release. */
export const DOI_LOOKUP = "lookup/doi.bin";

const MARK = "SHARELK1";
const [BUCKET, HEAD, ENTRY] = [4096, 16, 24];

/** Entries that fit into a bucket. */
const MOST = (BUCKET - HEAD) / ENTRY;

/** Entries of a bucket on average, at most: where digests spread as they do, none comes near to what fits. */
const USUAL = 96;

/** Buckets are put together before they are written. */
const WRITTEN_AT_ONCE = 256;

/** `db` has the release's tables under their names. */
export async function writeDoiLookup(db: Database, file: string): Promise<void> {
  await db.runFile(new URL("./doi-lookup.sql", import.meta.url));
  const buckets = await bucketsFor(db);
  const writing = await open(file, "w");
  try {
    for await (const part of partsOf(entriesOf(db), buckets)) await writing.write(part);
    await writing.sync();
  } finally {
    await writing.close();
    await db.run("drop table doi_place");
  }
}

/** The smallest power of two by which no bucket is too full. */
async function bucketsFor(db: Database): Promise<number> {
  const [total] = await db.rows("select cast(count(*) as double) as entries from doi_place");
  let buckets = 1;
  while (buckets * USUAL < Number(total?.entries)) buckets *= 2;
  for (; ; buckets *= 2) {
    const [row] = await db.rows(
      `select cast(max(entries) as double) as fullest
       from (select count(*) as entries from doi_place group by (half * $buckets) >> 32)`,
      { buckets },
    );
    if (Number(row?.fullest ?? 0) <= MOST) return buckets;
  }
}

interface Entry {
  readonly half: number;
  /** Place and id: 48 hex digits. */
  readonly digits: string;
}

async function* entriesOf(db: Database): AsyncGenerator<Entry> {
  const sql = "select cast(half as double), place || substr(id, 2) from doi_place order by place, id";
  for await (const rows of db.stream(sql))
    for (const [half, digits] of rows) yield { half: Number(half), digits: String(digits) };
}

/** All buckets in order, some at a time. */
async function* partsOf(entries: AsyncIterable<Entry>, buckets: number): AsyncGenerator<Buffer> {
  let part: Buffer[] = [];
  let bucket = emptyBucket();
  let number = 0;
  for await (const { half, digits } of entries) {
    for (const own = Math.floor((half / 2 ** 32) * buckets); number < own; number += 1) {
      part.push(bucket);
      bucket = emptyBucket();
      if (part.length < WRITTEN_AT_ONCE) continue;
      yield Buffer.concat(part);
      part = [];
    }
    const count = bucket.readUInt16LE(MARK.length);
    bucket.write(digits, HEAD + count * ENTRY, "hex");
    bucket.writeUInt16LE(count + 1, MARK.length);
  }
  for (; number < buckets; number += 1) {
    part.push(bucket);
    bucket = emptyBucket();
  }
  yield Buffer.concat(part);
}

function emptyBucket(): Buffer {
  const bucket = Buffer.alloc(BUCKET);
  bucket.write(MARK, "latin1");
  return bucket;
}
