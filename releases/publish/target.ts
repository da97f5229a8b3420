/** What publishing asks of a place that releases are published to. */

import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, lstat, readFile, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { CACHE, JSON_TYPE, mediaType } from "../../api-static/routes/route.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { StoreChange } from "../../pipeline/store/releases.ts";
import type { Receipt } from "../../schemas/public/release.ts";

/** A file of a release, as its manifest names it. */
export interface PublishedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a file is answered with. */
export interface FileHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
}

/** A file at the target whose bytes can be had without sending them again. */
export interface CopySource {
  /** The release it is of. */
  readonly releaseDigest: string;
  readonly path: string;
}

/** Where one release lies, or will. */
export interface Place {
  /** The text of its receipt, which is written last: null as long as the release is not whole. */
  receipt(): Promise<string | null>;
  /** The text of the manifest of a whole release; null where it was lost. */
  manifest(): Promise<string | null>;
  /** Makes ready for writing; answers what ends it. */
  begin(): Promise<() => Promise<void>>;
  /** What lies there of a release that is not whole, in any order. */
  list(): AsyncIterable<{ readonly path: string; readonly bytes: number }>;
  /** Whether exactly this file is there. */
  has(file: PublishedFile): Promise<boolean>;
  /** Takes the bytes from elsewhere at the target; false where that cannot be done. */
  copy(file: PublishedFile, source: CopySource): Promise<boolean>;
  /** Sends it from a local file, whose content is checked on the way. */
  send(file: PublishedFile, local: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes the release whole: the receipt comes last. */
  finish(receipt: string): Promise<void>;
  /** Puts what no manifest lists beside the files of a whole release; false where it is there, and sent again is nothing. */
  putBeside(file: PublishedFile, local: string): Promise<boolean>;
}

/** How pages are published as single files. */
export interface PagesOptions {
  /** Files on their way at once. */
  readonly parallel: number;
  readonly dryRun: boolean;
  /** Whether pages that show researchers are among them, where the target could give them out. */
  readonly researchers: boolean;
  /** An empty folder of this publication. */
  readonly scratch: string;
  readonly effects: Effects;
}

export interface PageCounts {
  /** Pages that were written or sent. */
  readonly uploaded: number;
  /** Pages that were there, or in the tree of another release. */
  readonly unchanged: number;
  /** Pages of what is no more. */
  readonly removed: number;
  /** Bytes that were written or sent. */
  readonly bytes: number;
}

export interface Target {
  /** For people; holds no credentials. */
  readonly name: string;
  /** Digest of the release the pointer leads to; null where there is none. */
  current(): Promise<string | null>;
  /** A small file beside the releases; null where it is not there. */
  text(path: string): Promise<string | null>;
  write(path: string, text: string, headers: FileHeaders): Promise<void>;
  /** Moves the pointer, in one step. */
  point(receipt: Receipt, change: StoreChange): Promise<void>;
  /** Removes what runs that were killed left behind, of whatever release. */
  tidy(): Promise<void>;
  place(releaseDigest: string): Place;
  /** Publishes the pages of a release, which lies in `folder`, as single files: only those that are not there. */
  pages(release: { readonly folder: string; readonly receipt: Receipt }, options: PagesOptions): Promise<PageCounts>;
  /** Where the list of releases stands a second time, for who asks for `/releases`; null where that is a folder. */
  readonly listObject: string | null;
}

/** Returns whether the file is there with exactly these bytes; a file of another size is not read. */
export async function isFile(path: string, { bytes, sha256 }: Omit<PublishedFile, "path">): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() === true && stats.size === bytes && (await fileDigest(path)) === sha256;
}

/** Gives a file another name; false where the file system has no such names, or the file has too many. */
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

/** It must not be done: another try will not help. */
export class PublishRefused extends Error {
  readonly code = "ERR_PUBLISH_REFUSED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublishRefused";
  }
}

/** It could not be done to the end; what the target answers from is as it was, and the same command goes on. */
export class PublishInterrupted extends Error {
  readonly code = "ERR_PUBLISH_INTERRUPTED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublishInterrupted";
  }
}

/**
 * Does `work` on every item, at most `most` at a time; no more items than that are in memory. After a failure nothing new is
 * begun, and the first failure is thrown once the rest has ended.
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

/** Of a file below releases/: it never changes. */
export function releaseFileHeaders(path: string): FileHeaders {
  return { contentType: mediaType(path), cacheControl: CACHE.immutable };
}

/** Of the list of releases, which changes as pages do. */
export const LIST_HEADERS: FileHeaders = { contentType: JSON_TYPE, cacheControl: CACHE.page };

/** Of the pointer: who keeps it would go on answering from the release before. */
export const POINTER_HEADERS: FileHeaders = { contentType: JSON_TYPE, cacheControl: CACHE.never };

/** Files up to this size are sent at once, from memory; larger ones in parts. */
export const SMALL_BYTES = 8 * 1024 * 1024;

/**
 * The content of a small file.
 * @throws PublishRefused where it is another than the manifest's
 */
export async function verifiedBytes(local: string, file: PublishedFile): Promise<Buffer> {
  const content = await readFile(local);
  if (hash("sha256", content) !== file.sha256) throw damaged(local, file);
  return content;
}

/** The content of a file of any size; the stream fails at its end where it is another than the manifest's. */
export function verifiedStream(local: string, file: PublishedFile): Readable {
  return Readable.from(chunksOf(local, file), { objectMode: false });
}

async function* chunksOf(local: string, file: PublishedFile): AsyncGenerator<Buffer> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(local, { highWaterMark: 1 << 20 })) {
    digest.update(chunk);
    yield chunk;
  }
  if (digest.digest("hex") !== file.sha256) throw damaged(local, file);
}

function damaged(local: string, { sha256 }: PublishedFile): PublishRefused {
  return new PublishRefused(
    `${local} is not what the release lists (sha256 ${sha256}), and was not published; see \`share-release release verify\``,
  );
}
