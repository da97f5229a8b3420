/** Why a release is activated all the same. */

import { disownedRelease } from "../../pipeline/store/disowned.ts";
import { readRetraction } from "../../pipeline/store/retractions.ts";
import type { Store } from "../../pipeline/store/store.ts";

/** Whether something was found out of a release since it was made: it was retracted, or is by a key that was revoked. */
export async function isSpokenAgainst(store: Store, releaseDigest: string): Promise<boolean> {
  return (
    (await readRetraction(store, releaseDigest)) !== null || (await disownedRelease(store, releaseDigest)) !== null
  );
}

/** `force`, where gates that it does not pass or what was found out since speak against the release; null where nothing does. */
export async function reasonNeeded(
  store: Store,
  releaseDigest: string,
  gated: readonly unknown[],
  force: string | null,
): Promise<string | null> {
  return gated.length > 0 || (await isSpokenAgainst(store, releaseDigest)) ? force : null;
}
