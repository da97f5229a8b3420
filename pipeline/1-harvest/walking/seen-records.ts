/** Remembers which records a walk has had, in memory that does not grow with it: exact up to a number, the latest beyond. */

import { hash } from "node:crypto";

/** A record not had before, had otherwise, or had just so. */
export type Sight = "new" | "changed" | "same";

export class SeenRecords {
  private readonly half: number;
  private recent = new Table();
  private older = new Table();

  /** `limit` records take some fifty bytes each. */
  constructor(limit: number) {
    this.half = Math.max(1, Math.floor(limit / 2));
  }

  has(id: string): boolean {
    const key = keyOf(id);
    return this.recent.get(key) !== null || this.older.get(key) !== null;
  }

  /** Notes a record by its id and what it says. */
  note(id: string, content: string): Sight {
    const key = keyOf(id);
    const digest = Number(keyOf(content) & 0xffff_ffffn);
    const before = this.recent.get(key) ?? this.older.get(key);
    if (this.recent.size >= this.half) {
      this.older = this.recent;
      this.recent = new Table();
    }
    this.recent.set(key, digest);
    return before === null ? "new" : before === digest ? "same" : "changed";
  }

  clear(): void {
    this.recent = new Table();
    this.older = new Table();
  }
}

/** 64 bits of a digest: four million ids have not one pair in common, as good as surely. Zero stands for none. */
function keyOf(text: string): bigint {
  return BigInt(`0x${hash("sha256", text).slice(0, 16)}`) || 1n;
}

/** Open addressing over two arrays: a Set of that many numbers would take ten times as much. */
class Table {
  size = 0;
  private keys = new BigUint64Array(1024);
  private digests = new Uint32Array(1024);

  get(key: bigint): number | null {
    const slot = this.slotOf(key);
    return this.keys[slot] === key ? (this.digests[slot] ?? null) : null;
  }

  set(key: bigint, digest: number): void {
    const slot = this.slotOf(key);
    if (this.keys[slot] !== key) this.size += 1;
    this.keys[slot] = key;
    this.digests[slot] = digest;
    if (this.size * 2 > this.keys.length) this.grow();
  }

  private slotOf(key: bigint): number {
    const mask = this.keys.length - 1;
    let slot = Number(key & BigInt(mask));
    while (this.keys[slot] !== 0n && this.keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { keys, digests } = this;
    this.keys = new BigUint64Array(keys.length * 2);
    this.digests = new Uint32Array(keys.length * 2);
    for (const [i, key] of keys.entries()) {
      if (key === 0n) continue;
      const slot = this.slotOf(key);
      this.keys[slot] = key;
      this.digests[slot] = digests[i] ?? 0;
    }
  }
}
