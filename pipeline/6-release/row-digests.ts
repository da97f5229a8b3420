/** Digests of a table's rows as one file: kept from build to build, so that only changed rows are spelled and hashed again. */

import { createHash, type Hash, hash } from "node:crypto";
import { createReadStream } from "node:fs";

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
