/**
 * Stores the records of one page of a walk, which reads the list of a source page by page. Skips repeated records and
 * fetches missing parts.
 */

import { hash } from "node:crypto";
import type { Envelope } from "../../schemas/internal/rows.ts";
import { type Source, type SourceRequest, type Step, WalkFault } from "../sources/adapter/source.ts";
import type { Effects } from "../stage/effects.ts";
import type { Findings, RejectedPart } from "./document.ts";
import type { ListedItem, RecordFetch, RecordFetchResult } from "./fetch-record.ts";
import { REMEMBERED_RECORDS } from "./limits.ts";
import type { ServiceResponse } from "./requests.ts";
import { countRejection, type HttpRun, type RawSession, UpstreamRejected } from "./session.ts";

/** One record of a page. `listed` is null if the page only contains its id. */
interface Item {
  readonly sourceId: string;
  readonly listed: ListedItem | null;
  /** True if the record did not occur earlier in this walk. */
  readonly isNew: boolean;
}

/** The objects of a walk that {@link PageRecords} needs to store records. */
export interface WalkContext {
  readonly session: RawSession;
  readonly source: Source;
  readonly records: RecordFetch;
  readonly log: Effects["log"];
  /** Returns true if the walk has stored as many records as its limit allows. */
  readonly full: () => boolean;
  /** Writes a checkpoint if one is due. Called after each record. */
  readonly kept: () => Promise<void>;
}

export class PageRecords {
  private readonly context: WalkContext;
  private readonly had = new SeenRecords(REMEMBERED_RECORDS);

  constructor(context: WalkContext) {
    this.context = context;
  }

  clear(): void {
    this.had.clear();
  }

  /** Stores the new records of a page in order. Updates the counts and the ids of stored records in `run`. */
  async keep(run: HttpRun, step: Step, found: Findings, answer: ServiceResponse, url: string): Promise<void> {
    for (const rejected of found.rejected) this.reject(run, rejected, url);
    const work = async (item: Item) => ({ item, fetched: await this.fetchOne(item) });
    const items = this.listItems(run, step, found, answer);
    for await (const { item, fetched } of mapInOrder(items, this.context.source.concurrency ?? 1, work)) {
      if (fetched === null || this.context.full()) return;
      await this.keepOne(run, fetched, item);
      run.done.push(item.sourceId);
      await this.context.kept();
    }
  }

  /** Lists the records of a page to store. Skips records of earlier pages that have not changed since. */
  private listItems(run: HttpRun, step: Step, found: Findings, answer: ServiceResponse): Item[] {
    const before = new Set([...run.previous, ...run.done]);
    if (step.fetch !== undefined) {
      const fresh = step.fetch.filter((id) => this.had.note(id, "") === "new" && !before.has(id));
      return fresh.map((sourceId) => ({ sourceId, listed: null, isNew: true }));
    }
    return found.records.flatMap((record) => {
      const { sourceId, payloadDigest } = record;
      const sight = this.had.note(sourceId, payloadDigest);
      if (sight === "same" || (sight === "new" && before.has(sourceId))) return [];
      const listed = { record, url: this.context.source.buildUrl(sourceId), retrievedAt: answer.retrievedAt };
      return [{ sourceId, listed, isNew: sight === "new" }];
    });
  }

  private async fetchOne({ sourceId, listed }: Item): Promise<RecordFetchResult | null> {
    if (this.context.full()) return null;
    return listed === null ? this.context.records.byId(sourceId) : this.context.records.complete(listed);
  }

  private async keepOne(run: HttpRun, fetched: RecordFetchResult, item: Item): Promise<void> {
    const { url, retrievedAt } = fetched;
    if (fetched.kind === "rejected") {
      const { reason, detail } = fetched.objection;
      this.reject(run, { item: null, reason, detail: `${item.sourceId}: ${detail}` }, url);
      return;
    }
    if (item.isNew) run.got += 1;
    if (fetched.kind === "gone") {
      const { sourceId, status } = fetched;
      await this.write(run, { sourceId, retrievedAt, url, status, payloadDigest: hash("sha256", ""), payload: "" });
      return;
    }
    const { sourceId, payload, payloadDigest, bytes } = fetched.record;
    if (fetched.left.length > 0) this.logLeft(sourceId, fetched.left);
    run.counts.bytes += bytes;
    await this.write(run, { sourceId, retrievedAt, url, status: 200, payloadDigest, payload });
  }

  private reject(run: HttpRun, { item, reason, detail }: RejectedPart, url: string): void {
    const { session, source } = this.context;
    const rejected = { source: source.name, file: url, line: item, reason, detail };
    countRejection(run.counts, rejected);
    run.got += 1;
    session.reject(rejected);
  }

  private async write(run: HttpRun, record: Omit<Envelope, "source">): Promise<void> {
    run.counts.records += 1;
    const slow = this.context.session.keep({ source: this.context.source.name, ...record });
    if (slow !== null) await slow;
  }

  private logLeft(sourceId: string, parts: readonly string[]): void {
    const { log, source } = this.context;
    log({ level: "info", event: "harvest-parts-left-out", source: source.name, sourceId, parts });
  }
}

/**
 * Processes at most `ahead` items at a time. Yields the results in the order of the items, and stops at the first failure.
 */
export async function* mapInOrder<T, R>(
  items: readonly T[],
  ahead: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  let next = 0;
  for (;;) {
    while (next < items.length && begun.length < ahead) {
      const [item] = items.slice(next, next + 1);
      next += 1;
      if (item === undefined) continue;
      const result = work(item);
      // The failure is thrown when this result is yielded.
      result.catch(() => {});
      begun.push(result);
    }
    const first = begun.shift();
    if (first === undefined) return;
    yield await first;
  }
}

/** Whether the walk sees a record for the first time, again with other content, or again unchanged. */
type Sight = "new" | "changed" | "same";

export class SeenRecords {
  private readonly half: number;
  private recent = new IdTable();
  private older = new IdTable();

  /** Remembers at most `limit` records, with about fifty bytes for each. */
  constructor(limit: number) {
    this.half = Math.max(1, Math.floor(limit / 2));
  }

  has(id: string): boolean {
    const key = hashKey(id);
    return this.recent.get(key) !== null || this.older.get(key) !== null;
  }

  note(id: string, content: string): Sight {
    const key = hashKey(id);
    const digest = Number(hashKey(content) & 0xffff_ffffn);
    const before = this.recent.get(key) ?? this.older.get(key);
    if (this.recent.size >= this.half) {
      this.older = this.recent;
      this.recent = new IdTable();
    }
    this.recent.set(key, digest);
    return before === null ? "new" : before === digest ? "same" : "changed";
  }

  clear(): void {
    this.recent = new IdTable();
    this.older = new IdTable();
  }
}

/**
 * Returns 64 bits of a digest, which distinguish four million ids. Zero is never returned, because it marks an empty
 * slot of the table.
 */
function hashKey(text: string): bigint {
  return BigInt(`0x${hash("sha256", text).slice(0, 16)}`) || 1n;
}

/** A hash table for ids with open addressing in two typed arrays. It needs a tenth of the memory of a Set. */
class IdTable {
  size = 0;
  private keys = new BigUint64Array(1024);
  private digests = new Uint32Array(1024);

  get(key: bigint): number | null {
    const slot = this.findSlot(key);
    return this.keys[slot] === key ? (this.digests[slot] ?? null) : null;
  }

  set(key: bigint, digest: number): void {
    const slot = this.findSlot(key);
    if (this.keys[slot] !== key) this.size += 1;
    this.keys[slot] = key;
    this.digests[slot] = digest;
    if (this.size * 2 > this.keys.length) this.grow();
  }

  private findSlot(key: bigint): number {
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
      const slot = this.findSlot(key);
      this.keys[slot] = key;
      this.digests[slot] = digests[i] ?? 0;
    }
  }
}

/**
 * True if the error means that the service no longer accepts a position in its list, for example because a page token
 * expired.
 */
export function isStale(error: unknown): boolean {
  if (error instanceof WalkFault) return true;
  return error instanceof UpstreamRejected && [200, 400, 404, 410, 422].includes(error.status);
}

export function getErrorDetail(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

export function isError200(error: unknown): boolean {
  return error instanceof UpstreamRejected && error.status === 200;
}

export function requestKey({ url, headers, body }: SourceRequest): string {
  return hash("sha256", JSON.stringify([url, headers ?? null, body ?? null])).slice(0, 24);
}

export function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, i) => id === other[i]);
}

/**
 * Returns the day before `started`, from which the next harvest lists changes. It is one day earlier because time zones
 * differ and the clocks of services are not exact. Returns null for null.
 */
export function dayBefore(started: string | null): string | null {
  return started === null ? null : new Date(Date.parse(started) - 86_400_000).toISOString().slice(0, 10);
}
