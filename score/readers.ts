/** The readers of all sources. The build replaces the constant by their versions and digests, for which it reads files. */

import type { Reader } from "../schemas/public/release.ts";

declare const READERS: Readonly<Record<string, Reader>>;

export async function readerOf(source: string): Promise<Reader> {
  const reader = READERS[source];
  if (reader === undefined) throw new Error(`the build has no reader of ${source}`);
  return reader;
}
