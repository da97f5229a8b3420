/** What publishing asks of a place that releases are published to. */

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
  /** Copies the manifest of a whole release to a file. */
  manifestTo(file: string): Promise<void>;
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
}
