/** Computes the release digest, which only depends on the content of a release (ADR 2). */

import { createHash, type Hash, hash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ROUTES } from "../../api-static/routes/index.ts";
import type { Receipt, RubricReceipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { hasJoinTables, publishedName, type Table } from "../../schemas/public/tables.ts";
import { type Database, quote } from "../engine/open.ts";
import { canonicalJson } from "../files/canonical-json.ts";
import { jsonDigest } from "../files/json-digest.ts";
import { changedPath, type RowFiles } from "../pages/previous-release.ts";
import { POLICY, publicContracts, readContracts } from "../rubrics/contracts.ts";
import { readPledges } from "../sources/pledges.ts";
import { loadVocabularies } from "../vocabularies/index.ts";

export function digestText(text: string): string {
  return `sha256:${hash("sha256", text, "hex")}`;
}

/**
 * The content that a release digest covers: digests of the inputs by name, the root of each table, and the root of each
 * family of pages.
 */
export interface ReleaseContent {
  readonly inputs: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, string>>;
  /** The root of each family of pages. Undefined for releases of format 1, whose digest did not cover pages. */
  readonly pages?: Readonly<Record<string, string>> | undefined;
}

export function releaseDigest({ inputs, tables, pages }: ReleaseContent): string {
  const content =
    pages === undefined
      ? { format: 1, inputs, tables }
      : { format: hasJoinTables(tables) ? 3 : 2, inputs, tables, pages };
  return digestText(canonicalJson(content));
}

/** Folders of row digests, which are cached so that the next release only computes the digests of changed rows. */
export interface RowDigestFolders {
  /** Folder for new row digests, with one file for each table. */
  readonly to: string;
  /**
   * Cached row digests of the last release, and a folder with the rows that changed since then. Null to compute all
   * digests.
   */
  readonly from: (RowFiles & { readonly changed: string }) | null;
}

/** Returns the Merkle root of each table, by published name. */
export async function tableRoots(db: Database, tables: readonly Table[]): Promise<Record<string, string>> {
  return (await digestTables(db, tables, null)).roots;
}

/** Returns the root of each table by its published name, and the digest of each new file by table name. */
export async function digestTables(
  db: Database,
  tables: readonly Table[],
  digestFolders: RowDigestFolders | null,
): Promise<{ roots: Record<string, string>; rows: Record<string, string> }> {
  if (digestFolders !== null) {
    await rm(digestFolders.to, { recursive: true, force: true });
    await mkdir(digestFolders.to, { recursive: true });
  }
  // Unchanged tables need few new digests, so all tables are read in parallel.
  const carried = await Promise.all(tables.map((table) => updateDigests(db, table, digestFolders)));
  const roots: Record<string, string> = {};
  const rows: Record<string, string> = {};
  for (const [place, table] of tables.entries()) {
    const { root, file } =
      carried[place] ?? (await digestRecords(recordsOfTable(db, table), pathIn(digestFolders, table)));
    roots[publishedName(table)] = root;
    if (file !== null) rows[table.name] = file;
  }
  return { roots, rows };
}

interface TableDigests {
  readonly root: string;
  /** The sha256 of the file of row digests; null if none was written. */
  readonly file: string | null;
}

/**
 * Updates the row digests of the last release with the changed rows. Returns null if the old digests are missing or
 * damaged.
 */
async function updateDigests(
  db: Database,
  table: Table,
  digestFolders: RowDigestFolders | null,
): Promise<TableDigests | null> {
  const from = digestFolders?.from ?? null;
  if (from === null || !existsSync(rowsPath(from.folder, table))) return null;
  const read = createHash("sha256");
  const records = applyChanges(readRecords(rowsPath(from.folder, table), read), streamChanges(db, table, from.changed));
  const digests = await digestRecords(records, pathIn(digestFolders, table));
  return read.digest("hex") === from.digests[table.name] ? digests : null;
}

function pathIn(digestFolders: RowDigestFolders | null, table: Table): string | null {
  return digestFolders === null ? null : rowsPath(digestFolders.to, table);
}

function rowsPath(folder: string, table: Table): string {
  return join(folder, `${table.name}.rows`);
}

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
 * Yields one record for each row of a table: the digest of the row's key, and the digest of the row. The row digest is
 * the sha256 of all columns, each as `<length in characters>:<text>`, or `-` for null. Whole numbers are in decimal,
 * averages have two decimals, and booleans are true or false. The key digest is computed in the same way from the key
 * columns. Its first three hex digits are the shard of the row.
 */
function recordsOfTable(db: Database, table: Table): AsyncGenerator<Buffer> {
  // Three UUIDs transfer the 48 bytes of a record faster than text.
  return db.streamUuids(
    `select cast(key_digest as uuid) as first, cast(substr(row_digest, 1, 32) as uuid) as second, cast(substr(row_digest, 33) as uuid) as third
     from (select ${keyDigest(table)} as key_digest, ${rowDigest(table)} as row_digest from ${table.name})
     order by first, second, third`,
  );
}

async function* streamChanges(db: Database, table: Table, changed: string): AsyncGenerator<readonly RowChange[]> {
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

/** Returns the SQL expression for the part of a key digest that a record contains. */
function keyDigest(table: Table): string {
  return `substr(sha256(${spellCells(table.key)}), 1, ${2 * KEY})`;
}

function rowDigest(table: Table): string {
  return `sha256(${spellCells(Object.keys(table.columns))})`;
}

function spellCells(columns: readonly string[]): string {
  const cells = columns.map((name) => {
    const cell = `cast("${name}" as varchar)`;
    return `case when "${name}" is null then '-' else concat(length(${cell}), ':', ${cell}) end`;
  });
  return `concat(${cells.join(", ")})`;
}

/** Number of bytes of a key digest in a record. 16 of the 32 bytes are enough to tell all keys apart. */
export const KEY = 16;
/** Length of a record in bytes: half of the key digest (16), then the row digest (32). Records are sorted by key. */
const RECORD = KEY + 32;

export interface RowChange {
  readonly key: Buffer;
  readonly row: Buffer | null;
}

/** Computes the Merkle root of a table from its records, shard by shard (ADR 2). */
export class TableRoot {
  readonly #root = createHash("sha256");
  #shard = -1;
  #rows: Buffer = Buffer.alloc(1 << 14);
  #used = 0;

  add(records: Buffer): void {
    for (let at = 0; at < records.length; at += RECORD) {
      // The first three hex digits of a key name the shard.
      const shard = records.readUInt16BE(at) >> 4;
      if (shard !== this.#shard) this.#endShard(shard);
      if (this.#used === this.#rows.length) this.#rows = Buffer.concat([this.#rows, Buffer.alloc(this.#used)]);
      this.#used += records.copy(this.#rows, this.#used, at + KEY, at + RECORD);
    }
  }

  digest(): string {
    this.#endShard(-1);
    return `sha256:${this.#root.digest("hex")}`;
  }

  #endShard(next: number): void {
    if (this.#used > 0) {
      const digest = hash("sha256", this.#rows.toString("hex", 0, this.#used));
      this.#root.update(`${this.#shard.toString(16).padStart(3, "0")} ${digest}\n`);
    }
    this.#shard = next;
    this.#used = 0;
  }
}

/**
 * Yields the records of a file in batches. Also adds every byte it reads to the hash `read`, so that the caller can
 * verify the file.
 */
export async function* readRecords(path: string, read: Hash): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: RECORD * (1 << 14) })) {
    read.update(chunk);
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const completeBytes = bytes.length - (bytes.length % RECORD);
    rest = bytes.subarray(completeBytes);
    yield bytes.subarray(0, completeBytes);
  }
}

/**
 * Merges changes into the records of a table: replaces, inserts and removes records. Both inputs are sorted by key, and
 * so is the output.
 */
export async function* applyChanges(
  records: AsyncGenerator<Buffer>,
  changes: AsyncGenerator<readonly RowChange[]>,
): AsyncGenerator<Buffer> {
  const waiting = new PendingChanges(changes);
  await waiting.fill();
  for await (const batch of records) {
    const pieces: Buffer[] = [];
    let from = 0;
    for (let change = waiting.first; change !== undefined; change = waiting.first) {
      const at = findPlace(change.key, batch, from);
      if (at === batch.length) break;
      pieces.push(batch.subarray(from, at), writeRecord(change));
      from = at + (isAt(change.key, batch, at) ? RECORD : 0);
      await waiting.next();
    }
    yield Buffer.concat([...pieces, batch.subarray(from)]);
  }
  for (let change = waiting.first; change !== undefined; change = waiting.first) {
    yield writeRecord(change);
    await waiting.next();
  }
}

/**
 * Returns the byte position of the first record in the batch whose key is at least `key`; the end of the batch if there
 * is none.
 */
function findPlace(key: Buffer, batch: Buffer, start: number): number {
  let [from, to] = [start / RECORD, batch.length / RECORD];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compareAt(key, batch, middle * RECORD) > 0) from = middle + 1;
    else to = middle;
  }
  return from * RECORD;
}

function isAt(key: Buffer, batch: Buffer, at: number): boolean {
  return compareAt(key, batch, at) === 0;
}

function compareAt(key: Buffer, batch: Buffer, at: number): number {
  return key.compare(batch, at, at + KEY);
}

function writeRecord({ key, row }: RowChange): Buffer {
  return row === null ? Buffer.alloc(0) : Buffer.concat([key, row], RECORD);
}

class PendingChanges {
  readonly #batches: AsyncGenerator<readonly RowChange[]>;
  #batch: readonly RowChange[] = [];
  #place = 0;

  constructor(batches: AsyncGenerator<readonly RowChange[]>) {
    this.#batches = batches;
  }

  get first(): RowChange | undefined {
    return this.#batch[this.#place];
  }

  async next(): Promise<void> {
    this.#place += 1;
    await this.fill();
  }

  /** Loads the next batch. If {@link first} is undefined afterwards, there are no more changes. */
  async fill(): Promise<void> {
    while (this.first === undefined) {
      const { done, value } = await this.#batches.next();
      if (done === true) return;
      [this.#batch, this.#place] = [value, 0];
    }
  }
}

interface InputOptions {
  readonly asOf: string;
  readonly withheld: Pick<Receipt["withheld"], "digest">;
  /** Digests of additional files by name, such as the ROR dump. */
  readonly enrichments: Readonly<Record<string, string>>;
}

export async function inputDigests(options: InputOptions): Promise<Record<string, string>> {
  const { policy, pages, ...rules } = await ruleDigests();
  return {
    asOf: options.asOf,
    ...rules,
    enrichments: digestText(canonicalJson(options.enrichments)),
    withheld: options.withheld.digest,
    policy,
    pages,
  };
}

/** Returns the digests of the inputs that are parts of this program: contracts, pledges and word lists. */
export async function ruleDigests(): Promise<
  Record<string, string> & Record<"policy" | "pages" | "vocabularies", string>
> {
  const contracts = [...(await readContracts())].map(([id, contract]) => [`contract ${id}`, jsonDigest(contract)]);
  const pledges = [...(await readPledges())].map(([name, pledge]) => [`pledge ${name}`, jsonDigest(pledge)]);
  const { digest: vocabularies } = await loadVocabularies();
  return {
    ...Object.fromEntries(contracts),
    ...Object.fromEntries(pledges),
    vocabularies: digestText(canonicalJson(vocabularies)),
    policy: jsonDigest(POLICY),
    pages: pageFormatDigest(),
  };
}

/** Returns the number of hidden researchers, and the digest of their ids, which does not depend on the order. */
export function withheldReceipt(ids: readonly string[]): Receipt["withheld"] {
  const list = [...new Set(ids)].sort();
  return { count: list.length, digest: digestText(list.join("\n")) };
}

/**
 * An empty zod registry, for schemas without their descriptions, so that a reworded description does not change the
 * digest.
 */
const NO_WORDS = z.registry<object>();

/** The digest of the page format; null until it is first needed. It cannot change while the program runs. */
let pageFormat: string | null = null;

/** Returns the digest of the page format: the routes with pages, their files and the schemas of their responses. */
function pageFormatDigest(): string {
  if (pageFormat !== null) return pageFormat;
  const format = ROUTES.filter(({ pages }) => pages.length > 0).map(({ name, path, pages, answer }) => ({
    name,
    path,
    pages: pages.map((page) => ({ ...page })),
    answer: answer === null ? null : z.toJSONSchema(answer, { metadata: NO_WORDS }),
  }));
  pageFormat = digestText(canonicalJson(format));
  return pageFormat;
}

/**
 * Returns the entries of a receipt about the published contracts. `insufficient` contains the number of records without a
 * total for each.
 */
export async function rubricReceipts(
  versions: readonly string[],
  insufficient: ReadonlyMap<PublicVersion, number>,
): Promise<RubricReceipt[]> {
  const contracts = await publicContracts();
  return contracts
    .filter(({ version }) => versions.includes(version))
    .map(({ version, contract }) => ({
      version,
      contract: contract.contract,
      digest: jsonDigest(contract),
      insufficient: insufficient.get(version) ?? 0,
    }));
}
