/**
 * Writes the look-up table of a release, in which a client finds the record of a DOI with a single range request
 * (docs/packs.md). Its content depends only on the table of records.
 */

import { open } from "node:fs/promises";
import type { Database } from "../engine/open.ts";
import { BUCKET_BYTES, BUCKET_MARK, ENTRY_BYTES, HEAD_BYTES, MAX_BUCKET_ENTRIES } from "../packs/doi-lookup.ts";

/**
 * Largest average number of entries in a bucket, far below its capacity. Digests of DOIs are distributed evenly, so no
 * bucket then becomes full.
 */
const USUAL = 96;

/**
 * Largest factor by which the number of buckets may grow if a bucket is full. If one is full even then, its DOIs are
 * equal or have similar digests.
 */
const MAX_SPREAD = 64;

/** Number of buckets that are written together. */
const WRITTEN_AT_ONCE = 256;

/** The error if too many records have the same DOI, or DOIs with similar digests, to fit into one bucket. */
export class DoisTooClose extends Error {
  readonly code = "ERR_DOIS_TOO_CLOSE";
  constructor({ entries, id }: Fullest) {
    super(
      `the look-up of DOIs has no room for ${entries} records with the same DOI, or with DOIs whose digests begin alike; at most ${MAX_BUCKET_ENTRIES} fit. One of them is ${id}: check the DOI in its payload`,
    );
    this.name = "DoisTooClose";
  }
}

/**
 * Writes the look-up table. `db` has the tables of the release under their names.
 * @throws DoisTooClose
 */
export async function writeDoiLookup(db: Database, file: string): Promise<void> {
  await db.runFile(new URL("./doi-lookup.sql", import.meta.url));
  const buckets = await bucketsFor(db);
  const writing = await open(file, "w");
  try {
    for await (const part of writeParts(readEntries(db), buckets)) await writing.write(part);
    await writing.sync();
  } finally {
    await writing.close();
    await db.run("drop table doi_place");
  }
}

/** Returns the smallest number of buckets, a power of two, with which every bucket has room for its entries. */
async function bucketsFor(db: Database): Promise<number> {
  const [total] = await db.rows("select cast(count(*) as double) as entries from doi_place");
  let usual = 1;
  while (usual * USUAL < Number(total?.entries)) usual *= 2;
  for (let buckets = usual; buckets <= usual * MAX_SPREAD; buckets *= 2) {
    const { entries } = await fullest(db, buckets);
    if (entries <= MAX_BUCKET_ENTRIES) return buckets;
  }
  throw new DoisTooClose(await fullest(db, usual * MAX_SPREAD));
}

interface Fullest {
  readonly entries: number;
  /** Id of one record in the bucket, for the error message; empty if there are no records. */
  readonly id: string;
}

async function fullest(db: Database, buckets: number): Promise<Fullest> {
  const [row] = await db.rows(
    `select cast(count(*) as double) as entries, min(id) as id from doi_place group by (half * $buckets) >> 32
     order by entries desc, id limit 1`,
    { buckets },
  );
  return { entries: Number(row?.entries ?? 0), id: String(row?.id ?? "") };
}

interface LookupEntry {
  readonly half: number;
  /** The start of the DOI's digest, by which entries are sorted, and the id of the record. Together 48 hex digits. */
  readonly digits: string;
}

async function* readEntries(db: Database): AsyncGenerator<LookupEntry> {
  const sql = "select cast(half as double), place || substr(id, 2) from doi_place order by place, id";
  for await (const rows of db.stream(sql))
    for (const [half, digits] of rows) yield { half: Number(half), digits: String(digits) };
}

/** Yields the bytes of all buckets in order, several buckets at a time. */
async function* writeParts(entries: AsyncIterable<LookupEntry>, buckets: number): AsyncGenerator<Buffer> {
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
    const count = bucket.readUInt16LE(BUCKET_MARK.length);
    bucket.write(digits, HEAD_BYTES + count * ENTRY_BYTES, "hex");
    bucket.writeUInt16LE(count + 1, BUCKET_MARK.length);
  }
  for (; number < buckets; number += 1) {
    part.push(bucket);
    bucket = emptyBucket();
  }
  yield Buffer.concat(part);
}

function emptyBucket(): Buffer {
  const bucket = Buffer.alloc(BUCKET_BYTES);
  bucket.write(BUCKET_MARK, "latin1");
  return bucket;
}
