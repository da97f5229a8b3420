/** What became of a source's reader, in words: by its version, and where that stayed, by its digest. */

import type { ReleaseDiff } from "./diff.ts";

export function readerChange({ before, after }: Omit<ReleaseDiff["readers"][number], "source">): string {
  if (before === null || after === null) return "read by another version of the program";
  if (before.version !== after.version) return `reader ${before.version} → ${after.version}`;
  return `reader ${after.version}, in other code`;
}
