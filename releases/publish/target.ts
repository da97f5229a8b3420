/** Defines a target to which releases are published: a folder or a bucket. */

import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, lstat, readFile, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { CACHE, JSON_TYPE, mediaType } from "../../api-static/routes/route.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { RESTORE } from "../../pipeline/packs/format.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { StoreChange } from "../../pipeline/store/releases.ts";
import type { Receipt } from "../../schemas/public/release.ts";

export interface PublishedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface FileHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
}

/** A file at the target with the same bytes as one to publish. */
export interface CopySource {
  readonly releaseDigest: string;
  readonly path: string;
}

/** The folder of one release at the target. */
export interface TargetPlace {
  /** Returns the text of the receipt. Returns null while the release is incomplete, because the receipt is written last. */
  receipt(): Promise<string | null>;
  /** Returns the text of the manifest of a complete release; null if it is missing. */
  manifest(): Promise<string | null>;
  /** Prepares the target for writing. Returns a function to call at the end. */
  begin(): Promise<() => Promise<void>>;
  /** Lists the files of an incomplete release, in any order. */
  list(): AsyncIterable<{ readonly path: string; readonly bytes: number }>;
  /** Returns whether a file with exactly these bytes exists. */
  has(file: PublishedFile): Promise<boolean>;
  /** Copies a file within the target. Returns false if this is not possible. */
  copy(file: PublishedFile, source: CopySource): Promise<boolean>;
  send(file: PublishedFile, local: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Completes the release by writing its receipt. */
  finish(receipt: string): Promise<void>;
  /** Adds a file that the manifest does not list to a complete release. Returns false if it exists already. */
  putBeside(file: PublishedFile, local: string): Promise<boolean>;
}

/** Options for publishing pages as single files. */
export interface PagesOptions {
  readonly parallel: number;
  readonly dryRun: boolean;
  /** True to include pages that show researchers, if the target can publish them. */
  readonly researchers: boolean;
  /** An empty folder for temporary files of this publication. */
  readonly scratch: string;
  readonly effects: Effects;
}

export interface PageCounts {
  readonly uploaded: number;
  /** Number of pages that existed already: at this target, or in the page files of another release. */
  readonly unchanged: number;
  readonly removed: number;
  readonly bytes: number;
}

export interface PublishTarget {
  /** Name of the target for messages, without credentials. */
  readonly name: string;
  /** Returns the digest of the release that is active at the target; null if there is none. */
  current(): Promise<string | null>;
  /** Returns the text of a small file beside the releases; null if it does not exist. */
  text(path: string): Promise<string | null>;
  write(path: string, text: string, headers: FileHeaders): Promise<void>;
  /** Makes a release the active one at the target, in one step. */
  point(receipt: Receipt, change: StoreChange): Promise<void>;
  /** Removes files that killed publications of any release left. */
  tidy(): Promise<void>;
  place(releaseDigest: string): TargetPlace;
  /** Publishes the missing pages of the release in `folder` as single files. */
  pages(release: { readonly folder: string; readonly receipt: Receipt }, options: PagesOptions): Promise<PageCounts>;
  /**
   * The path of a second copy of the list of releases, which is served at the URL `/releases`. Null if there is a folder at
   * this path.
   */
  readonly listObject: string | null;
}

/** Returns whether the file exists with exactly these bytes. If its size differs, does not read it. */
export async function hasFile(path: string, { bytes, sha256 }: Omit<PublishedFile, "path">): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() === true && stats.size === bytes && (await fileDigest(path)) === sha256;
}

/**
 * Makes a hard link to a file. Returns false if the file is missing, has too many links or is in another file system, or if
 * the file system has no links.
 */
export async function shareFile(from: string, to: string): Promise<boolean> {
  await rm(to, { force: true });
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (/^E(?:MLINK|XDEV|PERM|NOTSUP|OPNOTSUPP|NOSYS|NOENT)$/.test(code)) return false;
    throw error;
  }
}

/** Error for a publication that is not allowed. A retry would fail too. */
export class PublishRejected extends Error {
  readonly code = "ERR_PUBLISH_REJECTED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublishRejected";
  }
}

/**
 * Error for a publication that did not finish. The target still shows the previous release, and the same command resumes
 * the publication.
 */
export class PublishInterrupted extends Error {
  readonly code = "ERR_PUBLISH_INTERRUPTED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublishInterrupted";
  }
}

/**
 * Runs `work` for every item, at most `most` at a time. Items are only taken when work on them begins, to save memory.
 * After a failure, starts no more work, waits for running work, and throws the failure.
 */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = inTurn(items);
  let stopped = false;
  const one = async () => {
    for (let next = await iterator.next(); next.done !== true && !stopped; next = await iterator.next()) {
      await work(next.value).catch((error: unknown) => {
        stopped = true;
        throw error;
      });
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.max(1, most) }, one));
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function* inTurn<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

/** Returns the headers of a file below releases/. It may be cached for long, because it never changes. */
export function releaseFileHeaders(path: string): FileHeaders {
  return { contentType: mediaType(path), cacheControl: CACHE.immutable };
}

/** Headers of the list of releases. It may be cached only as long as pages, because it changes with each release. */
export const LIST_HEADERS: FileHeaders = { contentType: JSON_TYPE, cacheControl: CACHE.page };

/**
 * Headers of the pointer to the active release. It must not be cached, because an old pointer would lead readers to the
 * previous release.
 */
export const POINTER_HEADERS: FileHeaders = { contentType: JSON_TYPE, cacheControl: CACHE.never };

/** Size in bytes up to which a file is sent in one request. Larger files are sent in parts. */
export const SMALL_BYTES = 8 * 1024 * 1024;

/**
 * Returns the content of a small file after comparing it with the manifest.
 * @throws PublishRejected if it does not match
 */
export async function verifiedBytes(local: string, file: PublishedFile): Promise<Buffer> {
  const content = await readFile(local);
  if (hash("sha256", content) !== file.sha256) throw damaged(local, file);
  return content;
}

/**
 * Returns the content of a file of any size as a stream. If it does not match the manifest, the stream fails at its end.
 */
export function verifiedStream(local: string, file: PublishedFile): Readable {
  return Readable.from(readVerifiedChunks(local, file), { objectMode: false });
}

async function* readVerifiedChunks(local: string, file: PublishedFile): AsyncGenerator<Buffer> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(local, { highWaterMark: 1 << 20 })) {
    digest.update(chunk);
    yield chunk;
  }
  if (digest.digest("hex") !== file.sha256) throw damaged(local, file);
}

function damaged(local: string, { sha256 }: PublishedFile): PublishRejected {
  return new PublishRejected(
    `${local} does not match the manifest (sha256 ${sha256}), and was not published; ${RESTORE}`,
  );
}
