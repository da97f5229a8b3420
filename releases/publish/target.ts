/** The interface of a target of publications. */

import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, lstat, readFile, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { CACHE, JSON_TYPE, mediaType } from "../../api-static/routes/route.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
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

/** A file at the target with the same bytes. */
export interface CopySource {
  readonly releaseDigest: string;
  readonly path: string;
}

/** One release at the target. */
export interface TargetPlace {
  /** Returns the text of the receipt, which is written last. Null while the release is incomplete. */
  receipt(): Promise<string | null>;
  /** Returns the manifest's text of a complete release; null if it was lost. */
  manifest(): Promise<string | null>;
  /** Prepares writing. Returns the function that ends it. */
  begin(): Promise<() => Promise<void>>;
  /** Lists the files of an incomplete release in any order. */
  list(): AsyncIterable<{ readonly path: string; readonly bytes: number }>;
  /** Returns whether exactly this file exists. */
  has(file: PublishedFile): Promise<boolean>;
  /** Copies the bytes within the target. Returns false if this is not possible. */
  copy(file: PublishedFile, source: CopySource): Promise<boolean>;
  send(file: PublishedFile, local: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Completes the release by writing its receipt. */
  finish(receipt: string): Promise<void>;
  /** Adds an unlisted file to a complete release. Returns false if it exists. */
  putBeside(file: PublishedFile, local: string): Promise<boolean>;
}

/** Options for publishing pages as single files. */
export interface PagesOptions {
  readonly parallel: number;
  readonly dryRun: boolean;
  /** Includes pages that show researchers, if the target can publish them. */
  readonly researchers: boolean;
  /** An empty folder for this publication. */
  readonly scratch: string;
  readonly effects: Effects;
}

export interface PageCounts {
  readonly uploaded: number;
  /** Pages that existed, here or in the tree of another release. */
  readonly unchanged: number;
  readonly removed: number;
  readonly bytes: number;
}

export interface PublishTarget {
  /** Name for people, without credentials. */
  readonly name: string;
  /** Returns the digest of the release that the pointer names, or null. */
  current(): Promise<string | null>;
  /** Returns the text of a small file beside the releases, or null. */
  text(path: string): Promise<string | null>;
  write(path: string, text: string, headers: FileHeaders): Promise<void>;
  /** Moves the pointer atomically. */
  point(receipt: Receipt, change: StoreChange): Promise<void>;
  /** Removes leftovers of killed runs of any release. */
  tidy(): Promise<void>;
  place(releaseDigest: string): TargetPlace;
  /** Publishes the missing pages of the release in `folder` as single files. */
  pages(release: { readonly folder: string; readonly receipt: Receipt }, options: PagesOptions): Promise<PageCounts>;
  /** The path of a second copy of the list of releases, for the URL `/releases`. Null if that path is a folder. */
  readonly listObject: string | null;
}

/** Returns whether the file exists with exactly these bytes. A file of another size is not read. */
export async function hasFile(path: string, { bytes, sha256 }: Omit<PublishedFile, "path">): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() === true && stats.size === bytes && (await fileDigest(path)) === sha256;
}

/** Links a file. Returns false if the file system has no links, or the file has too many. */
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

/** Publication is not allowed, and a retry does not help. */
export class PublishRejected extends Error {
  readonly code = "ERR_PUBLISH_REJECTED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublishRejected";
  }
}

/** Publication did not finish. The target is unchanged for readers, and the same command resumes. */
export class PublishInterrupted extends Error {
  readonly code = "ERR_PUBLISH_INTERRUPTED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublishInterrupted";
  }
}

/**
 * Runs `work` for every item, at most `most` at a time, with no more items in memory. After a failure, starts no more
 * work, and throws the failure when running work has ended.
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

/** Returns headers of a file below releases/, which never changes. */
export function releaseFileHeaders(path: string): FileHeaders {
  return { contentType: mediaType(path), cacheControl: CACHE.immutable };
}

/** Headers of the list of releases, which changes like pages. */
export const LIST_HEADERS: FileHeaders = { contentType: JSON_TYPE, cacheControl: CACHE.page };

/** Headers of the pointer. It is not cached, because a cached pointer would lead to the previous release. */
export const POINTER_HEADERS: FileHeaders = { contentType: JSON_TYPE, cacheControl: CACHE.never };

/** Files up to this size are sent in one request from memory, larger ones in parts. */
export const SMALL_BYTES = 8 * 1024 * 1024;

/**
 * Returns the content of a small file.
 * @throws PublishRejected if it does not match the manifest
 */
export async function verifiedBytes(local: string, file: PublishedFile): Promise<Buffer> {
  const content = await readFile(local);
  if (hash("sha256", content) !== file.sha256) throw damaged(local, file);
  return content;
}

/** Returns the content of a file of any size. The stream fails at its end if it does not match the manifest. */
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
    `${local} does not match the manifest (sha256 ${sha256}), and was not published; see \`share-release release verify\``,
  );
}
