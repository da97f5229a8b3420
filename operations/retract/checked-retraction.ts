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
    return { retraction, fault: retraction === null || keys === null ? null : await retractionFault(retraction, keys) };
  } catch (error) {
    if (error instanceof RetractionDamaged) return { retraction: null, fault: "its retraction cannot be read" };
    throw error;
  }
}

/** The fault of the signature of a statement; null where one of the keys said so. */
export function retractionFault(said: Retraction, keys: readonly TrustedKey[]): Promise<string | null> {
  return signatureFault({ ...said }, keys, "retraction");
}
