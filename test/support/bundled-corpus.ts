/** Harvests the bundled corpus, fixtures/payloads, into a store with the real harvest. */

import { join } from "node:path";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { recordedEffects } from "./effects.ts";

export const REPOSITORY = join(import.meta.dirname, "../..");
export const PAYLOADS = join(REPOSITORY, "fixtures/payloads");

/** The as-of date of the payloads (fixtures/README.md). */
export const AS_OF = "2026-11-01";
export const RETRIEVED_AT = "2026-10-31T00:00:00.000Z";

/** Harvests the whole corpus, or only the sources in `only`, with one harvest for each source. */
export async function harvestBundled(store: Store, only?: readonly string[]): Promise<void> {
  for (const source of SOURCES.filter(({ name }) => only?.includes(name) ?? true)) {
    const options = { paths: [join(PAYLOADS, source.name)], retrievedAt: RETRIEVED_AT, limit: null };
    await harvestFiles(store, source, options, recordedEffects());
  }
}
