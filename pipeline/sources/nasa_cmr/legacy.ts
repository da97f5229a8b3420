/** UMM-JSON as CMR first gave it (2015): who the collection is, in lower-case keys, and nothing of what it is about. */

import type { Json } from "../../reading/reader.ts";

/** Key of 2015 → today's. */
const RENAMED = new Map([
  ["entry-id", "EntryId"],
  ["entry-title", "EntryTitle"],
  ["short-name", "ShortName"],
  ["long-name", "LongName"],
  ["version-id", "Version"],
]);

/** The object under today's keys; where both spellings are there, today's holds. */
export function modernised(umm: Json | null): Json | null {
  if (umm === null || !Object.keys(umm).some((key) => RENAMED.has(key))) return umm;
  const renamed = Object.entries(umm).map(([key, value]): [string, unknown] => [RENAMED.get(key) ?? key, value]);
  return { ...Object.fromEntries(renamed), ...umm };
}
