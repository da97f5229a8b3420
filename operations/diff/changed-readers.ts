/** Sources whose payloads are read in another way than in an earlier release, by other code or other word lists. */

import type { ReleaseDiff } from "../../schemas/public/api/diff.ts";
import type { SideReceipt } from "./side.ts";

/** Of the sources that both have. Releases that do not name their readers are told apart by word lists and the program's version. */
export function changedReaders(before: SideReceipt, after: SideReceipt): ReleaseDiff["readers"] {
  const known = new Map(before.sources.map(({ source, reader = null }) => [source, reader]));
  return after.sources.flatMap(({ source, reader = null }) => {
    const earlier = known.get(source);
    if (earlier === undefined) return [];
    const same = earlier === null || reader === null ? isSameProgram(before, after) : earlier.digest === reader.digest;
    return same ? [] : [{ source, before: earlier, after: reader }];
  });
}

function isSameProgram(before: SideReceipt, after: SideReceipt): boolean {
  const reading = ({ tool, content }: SideReceipt) => `${tool.version} ${content.inputs.vocabularies}`;
  return reading(before) === reading(after);
}
