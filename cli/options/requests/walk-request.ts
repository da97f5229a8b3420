/** A walk over a source's service, as a command asks for it: in whose name, with the submissions that wait for it. */

import { type HarvestSummary, harvestHttp } from "../../../pipeline/1-harvest/index.ts";
import type { HttpOptions } from "../../../pipeline/1-harvest/walk.ts";
import type { Source } from "../../../pipeline/sources/adapter/source.ts";
import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import { askedAs, type Door, throughDoor } from "../asked-source.ts";
import { withSubmissions } from "../submissions.ts";

export type WalkRequest = Door & Pick<HttpOptions, "since" | "limit"> & Required<Pick<HttpOptions, "bounds">>;

/**
 * Answers the walk, ready to be made.
 * @throws UsageError where the environment names no caller, or the door leads nowhere
 */
export function walkOf(
  store: Store,
  source: Source,
  { since, limit, bounds, ...door }: WalkRequest,
): (effects: Effects) => Promise<HarvestSummary> {
  const asked = throughDoor(source, door);
  const http = { ...askedAs(asked, door), bounds, since, limit };
  // Another door leads to other records than those that were submitted.
  if (door.oai !== undefined || door.host !== undefined) return (effects) => harvestHttp(store, asked, http, effects);
  return (effects) =>
    withSubmissions(store, source.name, effects, (wanted) => harvestHttp(store, asked, { ...http, wanted }, effects));
}
