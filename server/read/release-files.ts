/** Serves the releases of the store and their files by digest. They never change. */

import { open, readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import pLimit from "p-limit";
import { releaseExcerpt } from "../../api-static/pages/release-excerpt.ts";
import { RETRACTED } from "../../api-static/routes/headers.ts";
import { CACHE, mediaType } from "../../api-static/routes/route.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { type Disowned, disownedReleases } from "../../pipeline/store/disowned.ts";
import { listReleases } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { CSV_FILES, writeCsvOf } from "../../releases/export-csv.ts";
import { DIFF_FILE } from "../../schemas/public/api/diff.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { ReadRequest } from "../http/read-request.ts";
import {
  type Answer,
  byteRange,
  contentAnswer,
  contentHeaders,
  etagOf,
  etagOfDigest,
  isFresh,
  jsonAnswer,
  ProblemError,
} from "../http/response.ts";
import type { Handlers } from "../http/routes.ts";
import type { ActiveRelease } from "./active-release.ts";
import type { StreamPlaces } from "./list-response.ts";
import { findManifestLine, ownFile, storedRelease } from "./open-release.ts";
import { digestAddress } from "./other-releases.ts";
import { answerChanges, Comparisons } from "./release-changes.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

const MANIFEST = "manifest.ndjson";
const RECEIPT = "release.json";

export interface ReleaseContext {
  readonly store: Store;
  readonly active: ActiveRelease;
  readonly csv: MadeCsv;
  readonly streams: StreamPlaces;
  readonly log: Effects["log"];
}

export function releaseHandlers(
  context: ReleaseContext,
): Handlers<"releases" | "release" | "release-diff" | "release-changes" | "release-file"> {
  const comparisons = new Comparisons();
  return {
    releases: () => answerReleases(context),
    release: async ({ key, request }) => marked(key, await answerReceipt(key, request, context), context),
    // 404 if the release was made without a comparison.
    "release-diff": async ({ key, request }) =>
      marked(key, await answerReleaseFile(key, DIFF_FILE, request, context), context),
    "release-changes": async ({ key, query, request }) =>
      marked(key, await answerChanges(key, query, request, { ...context, comparisons }), context),
    "release-file": async ({ key, request }) =>
      marked(key, await answerReleaseFile(key, request.parameters["*"] ?? "", request, context), context),
  };
}

/** Adds the header of a retracted release. The body never changes. */
function marked(digest: string, answer: Answer, { active }: ReleaseContext): Answer {
  if (!active.retractions.has(digest.replace("-", ":"))) return answer;
  return { ...answer, headers: { ...answer.headers, ...RETRACTED } };
}

/**
 * Lists excerpts of the receipts of all finished releases, newest first. A damaged receipt does not hide the others.
 */
async function answerReleases({ store, active, log }: ReleaseContext): Promise<Answer> {
  const told = ({ message }: Error) => log({ level: "error", event: "receipt-damaged", message });
  const receipts = (await listReleases(store, told)).reverse();
  const digests = receipts.map(({ releaseDigest }) => releaseDigest);
  // A damaged key set does not hide releases. `doctor` reports the fix.
  const disowned = await disownedReleases(store, digests).catch(({ message }: Error) => {
    log({ level: "error", event: "key-set-damaged", message });
    return new Map<string, Disowned>();
  });
  return jsonAnswer(
    receipts.map((receipt) => {
      const { releaseDigest: digest } = receipt;
      const said = { retraction: active.retractions.get(digest) ?? null, keyRevoked: disowned.get(digest) ?? null };
      return releaseExcerpt(receipt, active.digest, said);
    }),
    CACHE.page,
  );
}

/** Responds with a release's receipt, byte for byte. */
async function answerReceipt(digest: string, request: ReadRequest, { store, active }: ReleaseContext): Promise<Answer> {
  const moved = digestAddress(request, active.digest);
  if (moved !== null) return moved;
  const { folder } = await storedRelease(store, digest);
  return contentAnswer(await readFile(join(folder, RECEIPT)), mediaType(RECEIPT), CACHE.immutable);
}

/** Responds with a file of the manifest, whole or in part; with the manifest, the receipt, or a table as CSV. */
async function answerReleaseFile(
  digest: string,
  path: string,
  request: ReadRequest,
  { store, active, csv }: ReleaseContext,
): Promise<Answer> {
  const moved = digestAddress(request, active.digest);
  if (moved !== null) return moved;
  const { folder, receipt } = await storedRelease(store, digest);
  const etag = await etagIn(folder, receipt, path);
  if (etag === null) {
    const made = await csv.of(receipt.releaseDigest, path);
    if (made === null) throw new ProblemError("not-found", "The release's manifest names no such file.");
    return fileAnswer(made.file, path, made.etag, request);
  }
  return fileAnswer(await ownFile(folder, path), path, etag, request);
}

/**
 * Returns the entity tag of a file; null if the manifest does not list it. This check keeps every path inside the
 * release's folder.
 */
async function etagIn(folder: string, receipt: Receipt, path: string): Promise<string | null> {
  if (path === MANIFEST) {
    const { size } = await stat(join(folder, MANIFEST));
    return etagOfDigest(receipt.manifestDigest.replace("sha256:", ""), size);
  }
  if (path === RECEIPT) return etagOf(await readFile(join(folder, RECEIPT)));
  const line = await findManifestLine(join(folder, MANIFEST), path);
  return line === null ? null : etagOfDigest(line.sha256, line.bytes);
}

async function fileAnswer(file: string, path: string, etag: string, { headers }: ReadRequest): Promise<Answer> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    // If-None-Match precedes Range. If-Range allows a range of the same content only.
    const whole = isFresh(headers["if-none-match"], etag) || (headers["if-range"] ?? etag) !== etag;
    const range = byteRange(whole ? undefined : headers.range, size);
    const shared = { ...contentHeaders(mediaType(path), CACHE.immutable), etag, "accept-ranges": "bytes" };
    switch (range.kind) {
      case "whole":
        return { status: 200, headers: shared, body: { file: handle, start: 0, length: size } };
      case "part": {
        const { start, length } = range;
        const contentRange = `bytes ${start}-${start + length - 1}/${size}`;
        return {
          status: 206,
          headers: { ...shared, "content-range": contentRange },
          body: { file: handle, start, length },
        };
      }
      case "unsatisfiable":
        throw new ProblemError("range-not-satisfiable", `The file has ${size} bytes.`, {
          headers: { "content-range": `bytes */${size}` },
        });
      default:
        return range satisfies never;
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface MadeFile {
  readonly file: string;
  readonly etag: string;
}

/** Cached tables: those of about three releases. */
const KEPT = 32;

/** Tables that may wait to be made. */
const WAITING = 16;

/** The time a request waits for a table; enough for a million rows. */
const PATIENCE_MILLISECONDS = 20_000;

/** Memory of the engine, which streams a table from Parquet to CSV. */
const MEMORY = "256MB";

export class MadeCsv {
  readonly #store: Store;
  #scratch: Promise<Scratch> | null = null;
  /** By release and path, least recently used first; null if the release has no such table. */
  readonly #made = new Map<string, Promise<MadeFile | null>>();
  readonly #turn = pLimit(1);

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Returns a table as a compressed CSV file; null if `path` is not that of a table.
   * @throws ProblemError `overloaded` if the table takes longer, or too many tables wait
   */
  async of(releaseDigest: string, path: string): Promise<MadeFile | null> {
    if (!CSV_FILES.has(path)) return null;
    const key = `${releaseDigest}/${path}`;
    const known = this.#made.get(key);
    if (known === undefined && this.#turn.pendingCount >= WAITING) throw later("Too many tables are being made");
    const making = known ?? this.#turn(() => this.#make(releaseDigest, path));
    this.#made.delete(key);
    this.#made.set(key, making);
    // A failed table is tried again at the next request.
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

  /** A response that has the file open can still read it after removal. */
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
