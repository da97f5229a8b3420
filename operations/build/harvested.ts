/** A build of nothing is no build: what it is to be made of has to be there. */

import { listParts } from "../../pipeline/store/raw/parts.ts";
import type { Store } from "../../pipeline/store/store.ts";

/** There is nothing to build from. */
export class NothingHarvested extends Error {
  readonly code = "ERR_NOTHING_HARVESTED";
  constructor(message: string) {
    super(message);
    this.name = "NothingHarvested";
  }
}

/**
 * At least one of the sources has payloads; `each`: every one of them, since they were named.
 * @throws NothingHarvested
 */
export async function requireHarvested(store: Store, sources: readonly string[], each: boolean): Promise<void> {
  const empty: string[] = [];
  for (const source of sources) if ((await listParts(store.raw(source))).length === 0) empty.push(source);
  if (empty.length === sources.length) {
    const what = each ? `of ${empty.join(" and ")} ` : "";
    throw new NothingHarvested(
      `nothing ${what}is harvested in ${store.root}: no release is made of nothing. Harvest first, or give another --store or SHARE_STORE`,
    );
  }
  if (each && empty.length > 0) {
    throw new NothingHarvested(
      `nothing of ${empty.join(" and ")} is harvested in ${store.root}: harvest ${empty.length === 1 ? "it" : "them"}, or leave ${empty.length === 1 ? "it" : "them"} out of --source`,
    );
  }
}
