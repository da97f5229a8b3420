/** The ids that one record goes by: its own, and those of other sources' records that gave way to it. */

import type { ActiveRelease } from "../../read/release/active-release.ts";

/** As the active release knows it, `id` itself among them; alone where no release is active or none knows it. */
export async function sameRecord(id: string, active: ActiveRelease): Promise<string[]> {
  if (active.digest === null) return [id];
  const known = await active.use(({ lookups }) => lookups.sameRecord(id));
  return [...new Set([id, ...known])];
}
