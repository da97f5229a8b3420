/** What a store has of the withdrawal of a release, and whether keys that one trusts say so. */

import { RetractionDamaged, readRetraction } from "../../pipeline/store/retractions.ts";
import { signatureFault, type TrustedKey } from "../../pipeline/store/signing/check-signature.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";

export interface CheckedRetraction {
  /** Null where the release was not withdrawn, or what was said cannot be read. */
  readonly retraction: Retraction | null;
  /** What is wrong with the statement, in words; without keys its signature is not looked at. */
  readonly fault: string | null;
}

export async function checkedRetraction(
  store: Store,
  releaseDigest: string,
  keys: readonly TrustedKey[] | null,
): Promise<CheckedRetraction> {
  try {
    const retraction = await readRetraction(store, releaseDigest);
    // A key that was revoked later goes on to count here: this store took the retraction over, and is bound by it.
    const plain = keys?.map(({ revoked: _revoked, ...key }) => key) ?? null;
    const fault = retraction && plain && (await signatureFault({ ...retraction }, plain, "retraction"));
    return { retraction, fault };
  } catch (error) {
    if (error instanceof RetractionDamaged) return { retraction: null, fault: "its retraction cannot be read" };
    throw error;
  }
}
