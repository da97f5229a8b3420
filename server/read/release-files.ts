/** Serves the releases of the store, and the files of each release, by digest. Releases never change. */

import { open, readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import pLimit from "p-limit";
import { releaseExcerpt } from "../../api-static/pages/release-excerpt.ts";
import { RETRACTED } from "../../api-static/routes/headers.ts";
import { CACHE, mediaType } from "../../api-static/routes/route.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { listReleases } from "../../pipeline/store/releases.ts";
import { type Revocation, revocationsOfReleases } from "../../pipeline/store/revocations.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { CSV_FILES, writeTableCsv } from "../../releases/export-csv.ts";
import { DIFF_FILE } from "../../schemas/public/api/diff.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { ApiRequest } from "../http/read-request.ts";
import {
  byteRange,
  contentHeaders,
  contentResponse,
  etagOfDigest,
  type HttpResponse,
  isFresh,
  jsonResponse,
  makeEtag,
  ProblemError,
} from "../http/response.ts";
import type { Handlers } from "../http/routes.ts";
import type { ActiveRelease } from "./active-release.ts";
import type { StreamPlaces } from "./list-response.ts";
import { findManifestLine, releaseFile, storedRelease } from "./open-release.ts";
import { digestRedirect } from "./other-releases.ts";
import { Comparisons, changesResponse } from "./release-changes.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

const MANIFEST = "manifest.ndjson";
const RECEIPT = "release.json";

export interface ReleaseServices {
  readonly store: Store;
  readonly active: ActiveRelease;
  readonly csv: CsvFiles;
  readonly streams: StreamPlaces;
  readonly log: Effects["log"];
}

export function releaseHandlers(
  context: ReleaseServices,
): Handlers<"releases" | "release" | "release-diff" | "release-changes" | "release-file"> {
  const comparisons = new Comparisons();
  return {
    releases: () => releasesResponse(context),
    release: async ({ key, request }) => withRetraction(key, await receiptResponse(key, request, context), context),
    // 404 if the release was made without a comparison.
    "release-diff": async ({ key, request }) =>
      withRetraction(key, await releaseFileResponse(key, DIFF_FILE, request, context), context),
    "release-changes": async ({ key, query, request }) =>
      withRetraction(key, await changesResponse(key, query, request, { ...context, comparisons }), context),
    "release-file": async ({ key, request }) =>
      withRetraction(key, await releaseFileResponse(key, request.parameters["*"] ?? "", request, context), context),
  };
}

/** Adds a header to the response if the release was retracted. The body never changes. */
function withRetraction(digest: string, response: HttpResponse, { active }: ReleaseServices): HttpResponse {
  if (!active.retractions.has(digest.replace("-", ":"))) return response;
  return { ...response, headers: { ...response.headers, ...RETRACTED } };
}

/**
 * Lists excerpts of the receipts of all finished releases, newest first. A damaged receipt does not hide the others.
 */
async function releasesResponse({ store, active, log }: ReleaseServices): Promise<HttpResponse> {
  const logDamage = ({ message }: Error) => log({ level: "error", event: "receipt-damaged", message });
  const receipts = (await listReleases(store, logDamage)).reverse();
  const digests = receipts.map(({ releaseDigest }) => releaseDigest);
  // A damaged key set does not hide releases. `doctor` reports the fix.
  const disowned = await revocationsOfReleases(store, digests).catch(({ message }: Error) => {
    log({ level: "error", event: "key-set-damaged", message });
    return new Map<string, Revocation>();
  });
  return jsonResponse(
    receipts.map((receipt) => {
      const { releaseDigest: digest } = receipt;
      const statements = {
        retraction: active.retractions.get(digest) ?? null,
        keyRevoked: disowned.get(digest) ?? null,
      };
      return releaseExcerpt(receipt, active.digest, statements);
    }),
    CACHE.page,
  );
}

async function receiptResponse(
  digest: string,
  request: ApiRequest,
  { store, active }: ReleaseServices,
): Promise<HttpResponse> {
  const moved = digestRedirect(request, active.digest);
  if (moved !== null) return moved;
  const { folder } = await storedRelease(store, digest);
  return contentResponse(await readFile(join(folder, RECEIPT)), mediaType(RECEIPT), CACHE.immutable);
}

/**
 * Responds with one file of a release, whole or in part: a file of the manifest, the manifest, the receipt, or a table
 * as CSV.
 */
async function releaseFileResponse(
  digest: string,
  path: string,
  request: ApiRequest,
  { store, active, csv }: ReleaseServices,
): Promise<HttpResponse> {
  const moved = digestRedirect(request, active.digest);
  if (moved !== null) return moved;
  const { folder, receipt } = await storedRelease(store, digest);
  const etag = await etagIn(folder, receipt, path);
  if (etag === null) {
    const csvFile = await csv.of(receipt.releaseDigest, path);
    if (csvFile === null)
      throw new ProblemError(
        "not-found",
        "The release does not contain this file. Its manifest.ndjson lists all files.",
      );
    return fileResponse(csvFile.file, path, csvFile.etag, request);
  }
  return fileResponse(await releaseFile(folder, path), path, etag, request);
}

/**
 * Returns the entity tag of a file; null if it is neither the manifest, nor the receipt, nor listed in the manifest.
 * This check ensures that a path stays inside the release's folder.
 */
async function etagIn(folder: string, receipt: Receipt, path: string): Promise<string | null> {
  if (path === MANIFEST) {
    const { size } = await stat(join(folder, MANIFEST));
    return etagOfDigest(receipt.manifestDigest.replace("sha256:", ""), size);
  }
  if (path === RECEIPT) return makeEtag(await readFile(join(folder, RECEIPT)));
  const line = await findManifestLine(join(folder, MANIFEST), path);
  return line === null ? null : etagOfDigest(line.sha256, line.bytes);
}

async function fileResponse(file: string, path: string, etag: string, { headers }: ApiRequest): Promise<HttpResponse> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    // If-None-Match is evaluated before Range. If-Range allows a range only of the same content.
    const isWholeFile = isFresh(headers["if-none-match"], etag) || (headers["if-range"] ?? etag) !== etag;
    const range = byteRange(isWholeFile ? undefined : headers.range, size);
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
        throw new ProblemError("range-not-satisfiable", `The file has ${size} bytes. Request a range within them.`, {
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

interface CsvFile {
  readonly file: string;
  readonly etag: string;
}

/** Largest number of CSV tables that are cached: about as many as three releases have. */
const MAX_FILES = 32;

const MAX_WAITING = 16;

/** The time that a request waits until a CSV table is made. A table with a million rows takes less. */
const PATIENCE_MILLISECONDS = 20_000;

/** Memory of the engine that converts a table from Parquet to CSV. */
const MEMORY = "256MB";

export class CsvFiles {
  readonly #store: Store;
  #scratch: Promise<Scratch> | null = null;
  /** CSV files by release and path, the least recently used first. A value is null if the release has no such table. */
  readonly #made = new Map<string, Promise<CsvFile | null>>();
  readonly #turn = pLimit(1);

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Returns a table as a compressed CSV file; null if `path` is not the path of a CSV table.
   * @throws ProblemError `overloaded` if making the table takes too long, or too many tables wait
   */
  async of(releaseDigest: string, path: string): Promise<CsvFile | null> {
    if (!CSV_FILES.has(path)) return null;
    const key = `${releaseDigest}/${path}`;
    const known = this.#made.get(key);
    if (known === undefined && this.#turn.pendingCount >= MAX_WAITING)
      throw overloaded("Too many tables are being made");
    const making = known ?? this.#turn(() => this.#make(releaseDigest, path).catch(rejectFullDisk));
    this.#made.delete(key);
    this.#made.set(key, making);
    // A failed table is tried again at the next request.
    if (known === undefined) making.catch(() => this.#made.delete(key));
    this.#dropOldest();
    return withDeadline(making);
  }

  async close(): Promise<void> {
    this.#turn.clearQueue();
    await (await this.#scratch?.catch(() => null))?.remove();
  }

  async #make(releaseDigest: string, path: string): Promise<CsvFile | null> {
    this.#scratch ??= makeScratch(this.#store);
    const { folder, spill } = await this.#scratch.catch((error: unknown) => {
      this.#scratch = null;
      throw error;
    });
    const file = join(folder, `${releaseDigest.replace(":", "-")}-${basename(path)}`);
    const source = CSV_FILES.get(path);
    const options = { threads: 1, memory: MEMORY, spill };
    const csvFile =
      source !== undefined && (await writeTableCsv(this.#store.release(releaseDigest), source, file, options));
    if (!csvFile) return null;
    const { size } = await stat(file);
    return { file, etag: etagOfDigest(await fileDigest(file), size) };
  }

  /** Removes the least recently used files above the limit. A response that has such a file open can still read it. */
  #dropOldest(): void {
    for (const [key, making] of this.#made) {
      if (this.#made.size <= MAX_FILES) return;
      this.#made.delete(key);
      making.then((csvFile) => csvFile && rm(csvFile.file, { force: true })).catch(() => {});
    }
  }
}

/**
 * Throws the problem `overloaded` if the error means that the disk is full, and otherwise the error itself. DuckDB
 * reports a full disk in its message, and the system with an error code.
 */
function rejectFullDisk(error: unknown): never {
  const text = error instanceof Error ? `${"code" in error ? error.code : ""} ${error.message}` : "";
  throw /ENOSPC|no space left on device|max_temp_directory_size/i.test(text)
    ? overloaded("The disk of the server has no space for the CSV file of this table")
    : error;
}

async function withDeadline<T>(making: Promise<T>): Promise<T> {
  const patience = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => patience.reject(overloaded("The CSV file of this table is still being made")),
    PATIENCE_MILLISECONDS,
  );
  try {
    return await Promise.race([making, patience.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function overloaded(why: string): ProblemError {
  return new ProblemError("overloaded", `${why}. Try again in a few seconds.`, { headers: { "retry-after": "10" } });
}
