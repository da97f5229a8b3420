/**
 * CSV of the tables of releases, made when it is asked for: one table at a time, kept for the next who asks as long as there
 * is room and the server runs. Those who wait longer than an answer may take are told to come back; the making goes on.
 */

import { rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import pLimit from "p-limit";
import { fileDigest } from "../../../pipeline/files/durable.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import { CSV_FILES, writeCsvOf } from "../../../releases/export-csv.ts";
import { etagOfDigest } from "../../frame/answering/etag.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import { makeScratch, type Scratch } from "../queries/scratch.ts";

export interface MadeFile {
  readonly file: string;
  readonly etag: string;
}

/** Those of some three releases. */
const KEPT = 32;

/** Tables that wait to be made. */
const WAITING = 16;

/** As long as a statement may run, and longer than a table of a million rows takes. */
const PATIENCE_MILLISECONDS = 20_000;

/** The engine's: a table is streamed from Parquet to text. */
const MEMORY = "256MB";

export class MadeCsv {
  readonly #store: Store;
  #scratch: Promise<Scratch> | null = null;
  /** By release and path, least recently asked for first; null where the release has no such table. */
  readonly #made = new Map<string, Promise<MadeFile | null>>();
  readonly #turn = pLimit(1);

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * The table of a release as a packed file; null where `path` is that of none.
   * @throws ProblemError `overloaded` where it is still being made, or too many others are
   */
  async of(releaseDigest: string, path: string): Promise<MadeFile | null> {
    if (!CSV_FILES.has(path)) return null;
    const key = `${releaseDigest}/${path}`;
    const known = this.#made.get(key);
    if (known === undefined && this.#turn.pendingCount >= WAITING) throw later("Too many tables are being made");
    const making = known ?? this.#turn(() => this.#make(releaseDigest, path));
    this.#made.delete(key);
    this.#made.set(key, making);
    // What failed is tried again by who asks next.
    if (known === undefined) making.catch(() => this.#made.delete(key));
    this.#dropOldest();
    return patiently(making);
  }

  async close(): Promise<void> {
    this.#turn.clearQueue();
    await (await this.#scratch?.catch(() => null))?.remove();
  }

  async #make(releaseDigest: string, path: string): Promise<MadeFile | null> {
    this.#scratch ??= makeScratch(this.#store);
    const { folder, spill } = await this.#scratch;
    const file = join(folder, `${releaseDigest.replace(":", "-")}-${basename(path)}`);
    const source = CSV_FILES.get(path);
    const options = { threads: 1, memory: MEMORY, spill };
    const made = source !== undefined && (await writeCsvOf(this.#store.release(releaseDigest), source, file, options));
    if (!made) return null;
    const { size } = await stat(file);
    return { file, etag: etagOfDigest(await fileDigest(file), size) };
  }

  /** An answer under way has the file open, and needs its name no more. */
  #dropOldest(): void {
    for (const [key, making] of this.#made) {
      if (this.#made.size <= KEPT) return;
      this.#made.delete(key);
      making.then((made) => made && rm(made.file, { force: true })).catch(() => {});
    }
  }
}

async function patiently<T>(making: Promise<T>): Promise<T> {
  const patience = Promise.withResolvers<never>();
  const timer = setTimeout(() => patience.reject(later("The table is being made")), PATIENCE_MILLISECONDS);
  try {
    return await Promise.race([making, patience.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function later(why: string): ProblemError {
  return new ProblemError("overloaded", `${why}; ask again in a moment.`, { headers: { "retry-after": "10" } });
}
