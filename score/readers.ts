/**
 * Returns the readers of all sources. The build replaces the constant `READERS` by their versions and digests, because
 * computing them requires reading files.
 */

import type { ReaderVersion } from "../schemas/public/release.ts";

declare const READERS: Readonly<Record<string, ReaderVersion>>;

export async function getReader(source: string): Promise<ReaderVersion> {
  const reader = READERS[source];
  if (reader === undefined)
    throw new Error(`this package was built without a reader for ${source}; install the package again`);
  return reader;
}
