/** The release digest: what a release holds, in one number that does not depend on where or how it was computed (ADR 2). */

import { createHash, hash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Table } from "../../schemas/public/tables.ts";
import { publishedName } from "../../schemas/public/tables.ts";
import { type Database, quote } from "../engine/open.ts";
import { canonicalJson } from "../files/canonical-json.ts";
import { changedPath } from "../previous/changed-rows.ts";
import type { RowFiles } from "../previous/previous-release.ts";
import { KEY, putIn, type RowChange, recordsOf, TableRoot } from "./row-digests.ts";

/** sha256 of a text, written `sha256:<hex>`. */
export function digestOf(text: string): string {
  return `sha256:${hash("sha256", text, "hex")}`;
}

/** What a release is made of: its inputs by name, the root of every table, and the root over the pages of every family. */
export interface ReleaseContent {
  readonly inputs: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, string>>;
  /** Left out in format 1, whose pages were single files that the digest did not cover. */
  readonly pages?: Readonly<Record<string, string>> | undefined;
}

/** The digest of a release's content. */
export function releaseDigest({ inputs, tables, pages }: ReleaseContent): string {
  const content = pages === undefined ? { format: 1, inputs, tables } : { format: 2, inputs, tables, pages };
  return digestOf(canonicalJson(content));
}

/** Where the digests of rows are kept from one release to the next, so that only changed rows are digested again. */
export interface KeptRows {
  /** Folder that gets a file a table, for the next build. */
  readonly to: string;
  /** The last release's, and a folder of the rows that changed since (previous/changed-rows.ts); null where all are made anew. */
  readonly from: (RowFiles & { readonly changed: string }) | null;
}

/** The Merkle root of every one of the tables by published name. */
export async function tableRoots(db: Database, tables: readonly Table[]): Promise<Record<string, string>> {
  return (await digestTables(db, tables, null)).roots;
}

/** The same, and the digests of the files that `kept` got by table name. */
export async function digestTables(
  db: Database,
  tables: readonly Table[],
  kept: KeptRows | null,
): Promise<{ roots: Record<string, string>; rows: Record<string, string> }> {
  if (kept !== null) {
    await rm(kept.to, { recursive: true, force: true });
    await mkdir(kept.to, { recursive: true });
  }
  // Few rows are digested where the rest is carried on: tables need not wait for each other's reading and writing.
  const carried = await Promise.all(tables.map((table) => carryOn(db, table, kept)));
  const roots: Record<string, string> = {};
  const rows: Record<string, string> = {};
  for (const [place, table] of tables.entries()) {
    const { root, file } = carried[place] ?? (await digestRecords(recordsOfTable(db, table), pathIn(kept, table)));
    roots[publishedName(table)] = root;
    if (file !== null) rows[table.name] = file;
  }
  return { roots, rows };
}

interface TableDigests {
  readonly root: string;
  /** sha256 of the file of row digests, where one was written. */
  readonly file: string | null;
}

/** The last release's row digests with what changed since; null where there are none, or they are not what they were. */
async function carryOn(db: Database, table: Table, kept: KeptRows | null): Promise<TableDigests | null> {
  const from = kept?.from ?? null;
  if (from === null || !existsSync(rowsPath(from.folder, table))) return null;
  const read = createHash("sha256");
  const records = putIn(recordsOf(rowsPath(from.folder, table), read), changesOf(db, table, from.changed));
  const digests = await digestRecords(records, pathIn(kept, table));
  return read.digest("hex") === from.digests[table.name] ? digests : null;
}

function pathIn(kept: KeptRows | null, table: Table): string | null {
  return kept === null ? null : rowsPath(kept.to, table);
}

function rowsPath(folder: string, table: Table): string {
  return join(folder, `${table.name}.rows`);
}

/** Digests records in order, and leaves them in a file. */
async function digestRecords(records: AsyncGenerator<Buffer>, to: string | null): Promise<TableDigests> {
  const root = new TableRoot();
  const written = createHash("sha256");
  const file = to === null ? null : await open(to, "w");
  try {
    for await (const batch of records) {
      root.add(batch);
      written.update(batch);
      await file?.writeFile(batch);
    }
  } finally {
    await file?.close();
  }
  return { root: root.digest(), file: file === null ? null : written.digest("hex") };
}

/**
 * Row digest: sha256 over every column as `<length in characters>:<text>`, `-` for null, whole numbers in decimal, means
 * with two decimals, truth as true or false. A row belongs to the shard named by the first three hex digits of the
 * sha256 of its key columns in the same spelling.
 */
function recordsOfTable(db: Database, table: Table): AsyncGenerator<Buffer> {
  // A record of 48 bytes goes as three UUIDs: texts would have to be made and read one by one.
  return db.streamUuids(
    `select cast(key_digest as uuid) as first, cast(substr(row_digest, 1, 32) as uuid) as second, cast(substr(row_digest, 33) as uuid) as third
     from (select ${keyDigest(table)} as key_digest, ${rowDigest(table)} as row_digest from ${table.name})
     order by first, second, third`,
  );
}

/** What became of the changed rows, by key digest. */
async function* changesOf(db: Database, table: Table, changed: string): AsyncGenerator<readonly RowChange[]> {
  const changes = db.stream(
    `select ${keyDigest(table)} as key_digest, case when here then ${rowDigest(table)} end as row_digest
     from read_parquet(${quote(changedPath(changed, table))}) order by key_digest`,
  );
  for await (const batch of changes) {
    yield batch.map(([key, row]) => ({
      key: Buffer.from(String(key), "hex"),
      row: row === null ? null : Buffer.from(String(row), "hex"),
    }));
  }
}

/** As much of a key digest as a record has. */
function keyDigest(table: Table): string {
  return `substr(sha256(${spelled(table.key)}), 1, ${2 * KEY})`;
}

function rowDigest(table: Table): string {
  return `sha256(${spelled(Object.keys(table.columns))})`;
}

function spelled(columns: readonly string[]): string {
  const cells = columns.map((name) => {
    const cell = `cast("${name}" as varchar)`;
    return `case when "${name}" is null then '-' else concat(length(${cell}), ':', ${cell}) end`;
  });
  return `concat(${cells.join(", ")})`;
}
