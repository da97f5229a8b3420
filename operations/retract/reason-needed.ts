/** Why a release is activated all the same. */

import { disownedRelease } from "../../pipeline/store/disowned.ts";
import { readRetraction } from "../../pipeline/store/retractions.ts";
import type { Store } from "../../pipeline/store/store.ts";

/** `force`, where gates that it does not pass, a retraction, or a key that was revoked speak against the release; null where nothing does. */
export async function reasonNeeded(
  store: Store,
  releaseDigest: string,
  gated: readonly unknown[],
  force: string | null,
): Promise<string | null> {
  const against =
    gated.length > 0 ||
    (await readRetraction(store, releaseDigest)) !== null ||
    (await disownedRelease(store, store.release(releaseDigest))) !== null;
  return against ? force : null;
}
