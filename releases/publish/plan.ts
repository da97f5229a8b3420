/** What to send, what to copy and what is there already: worked out from manifests, which have some hundred lines. */

import type { ManifestLine } from "../../schemas/public/release.ts";
import type { CopySource, PublishedFile } from "./target.ts";

/** A file of the release, and what the target has for it. */
export interface PlannedFile extends PublishedFile {
  /** A file of that name and size is there already, of which the digest is still to be seen. */
  readonly maybe: boolean;
  /** Where the target has the same bytes, in another release; null where they have to be sent. */
  readonly source: CopySource | null;
}

/** The manifest of a whole release at the target. */
export interface BaseManifest {
  readonly releaseDigest: string;
  readonly lines: readonly ManifestLine[];
}

/** Sizes of files by path. */
export type Present = ReadonlyMap<string, number>;

/** `bases` are releases the target has; `present` lies there of this one. */
export function planOf(
  wanted: readonly ManifestLine[],
  bases: readonly BaseManifest[],
  present: Present,
): PlannedFile[] {
  const sources = new Map<string, CopySource>();
  for (const { releaseDigest, lines } of bases) {
    for (const { path, sha256 } of lines) if (!sources.has(sha256)) sources.set(sha256, { releaseDigest, path });
  }
  return wanted.map(({ path, bytes, sha256 }) => ({
    path,
    bytes,
    sha256,
    maybe: present.get(path) === bytes,
    source: sources.get(sha256) ?? null,
  }));
}
