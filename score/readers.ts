/** The readers of all sources. The build replaces the constant by their versions and digests, for which it reads files. */

import type { ReaderVersion } from "../schemas/public/release.ts";

declare const READERS: Readonly<Record<string, ReaderVersion>>;

export async function getReader(source: string): Promise<ReaderVersion> {
  const reader = READERS[source];
  if (reader === undefined) throw new Error(`the build has no reader of ${source}`);
  return reader;
}
