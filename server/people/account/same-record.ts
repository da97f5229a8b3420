/** The ids that one record goes by: its own, and those of other sources' records that gave way to it. */

import type { ActiveRelease } from "../../read/release/active-release.ts";

/**
 * The ids by which the active release knows a record, `id` itself among them; alone where no release is active or none
 * knows it.
 */
export async function sameRecord(id: string, active: ActiveRelease): Promise<string[]> {
  if (active.digest === null) return [id];
  const known = await active.use(({ lookups }) => lookups.sameRecord(id));
  return [...new Set([id, ...known])];
}
