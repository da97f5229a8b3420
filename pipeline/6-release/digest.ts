/** The release digest: what a release holds, in one number that does not depend on where or how it was computed (ADR 2). */

import { createHash, type Hash, hash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ROUTES } from "../../api-static/routes/index.ts";
import type { RubricReceipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { publishedName, type Table } from "../../schemas/public/tables.ts";
import { type Database, quote } from "../engine/open.ts";
import { canonicalJson } from "../files/canonical-json.ts";
import { changedPath, type RowFiles } from "../pages/previous-release.ts";
import { contractDigest, POLICY, policyDigest, publicContracts, readContracts } from "../rubrics/contracts.ts";
import { pledgeDigest, readPledges } from "../sources/pledges.ts";
import { loadVocabularies } from "../vocabularies/index.ts";

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
  /** Digests of the last release, and a folder of the rows that changed since; null if all are computed again. */
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

/** Bytes of a key digest that a record has: no two keys agree in so many. */
export const KEY = 16;
/** A record: the first half of a row's key digest, and its row digest. Records are in the order of keys. */
const RECORD = KEY + 32;

/** A row that is new or another (`row` is its digest), or is no more (null), by key. */
export interface RowChange {
  readonly key: Buffer;
  readonly row: Buffer | null;
}

/** The root of a table, of its records in order: shard by shard, as ADR 2 says. */
export class TableRoot {
  readonly #root = createHash("sha256");
  #shard = -1;
  #rows: Buffer = Buffer.alloc(1 << 14);
  #used = 0;

  /** Whole records, as many as there are at hand. */
  add(records: Buffer): void {
    for (let at = 0; at < records.length; at += RECORD) {
      // A shard is named by the first three hex digits of its keys.
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

/** Records of a file, many at a time; `read` gets its bytes. */
export async function* recordsOf(path: string, read: Hash): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: RECORD * (1 << 14) })) {
    read.update(chunk);
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % RECORD);
    rest = bytes.subarray(whole);
    yield bytes.subarray(0, whole);
  }
}

/** The records with `changes` put in, in the place of those with the same key. Both are in order, and so is what comes out. */
export async function* putIn(
  records: AsyncGenerator<Buffer>,
  changes: AsyncGenerator<readonly RowChange[]>,
): AsyncGenerator<Buffer> {
  const waiting = new Waiting(changes);
  await waiting.fill();
  for await (const batch of records) {
    const pieces: Buffer[] = [];
    let from = 0;
    for (let change = waiting.first; change !== undefined; change = waiting.first) {
      const at = placeOf(change.key, batch, from);
      if (at === batch.length) break;
      pieces.push(batch.subarray(from, at), recordOf(change));
      from = at + (isAt(change.key, batch, at) ? RECORD : 0);
      await waiting.next();
    }
    yield Buffer.concat([...pieces, batch.subarray(from)]);
  }
  for (let change = waiting.first; change !== undefined; change = waiting.first) {
    yield recordOf(change);
    await waiting.next();
  }
}

/** Where the first record is whose key is not before this one; the end of the batch where all are. */
function placeOf(key: Buffer, batch: Buffer, start: number): number {
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

function recordOf({ key, row }: RowChange): Buffer {
  return row === null ? Buffer.alloc(0) : Buffer.concat([key, row], RECORD);
}

/** The changes that were not put in yet. */
class Waiting {
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

  /** After it, {@link first} is undefined only where there are no more. */
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
  readonly withheld: readonly string[];
  /** Digests of enrichments by name, such as the ROR dump. */
  readonly enrichments: Readonly<Record<string, string>>;
}

/** Input digests, for the release digest and the receipt. */
export async function inputDigests(options: InputOptions): Promise<Record<string, string>> {
  const contracts = [...(await readContracts())].map(([id, contract]) => [`contract ${id}`, contractDigest(contract)]);
  const pledges = [...(await readPledges())].map(([name, pledge]) => [`pledge ${name}`, pledgeDigest(pledge)]);
  const { digest: vocabularies } = await loadVocabularies();
  return {
    asOf: options.asOf,
    ...Object.fromEntries(contracts),
    ...Object.fromEntries(pledges),
    vocabularies: digestOf(canonicalJson(vocabularies)),
    enrichments: digestOf(canonicalJson(options.enrichments)),
    withheld: withheldDigest(options.withheld),
    policy: policyDigest(POLICY),
    pages: pageFormatDigest(),
  };
}

/** Digest of a list of withheld researcher ids, in any order. */
export function withheldDigest(ids: readonly string[]): string {
  return digestOf([...new Set(ids)].sort().join("\n"));
}

/** What schemas say in words is no part of the format: this registry holds none of it. */
const NO_WORDS = z.registry<object>();

/** The page format is the routes that have pages, with their files and the schemas of their answers. */
function pageFormatDigest(): string {
  const format = ROUTES.filter(({ pages }) => pages.length > 0).map(({ name, path, pages, answer }) => ({
    name,
    path,
    pages: pages.map((page) => ({ ...page })),
    answer: answer === null ? null : z.toJSONSchema(answer, { metadata: NO_WORDS }),
  }));
  return digestOf(canonicalJson(format));
}

/** Receipts of the published rubrics; `insufficient`: records without a total under each. */
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
      digest: contractDigest(contract),
      insufficient: insufficient.get(version) ?? 0,
    }));
}
