/** What publishing asks of a place that releases are published to. */

import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { StoreChange } from "../../../pipeline/store/releases.ts";
import type { Receipt } from "../../../schemas/public/release.ts";

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
