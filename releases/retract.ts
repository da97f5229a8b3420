/** Retracts a release: stores a signed statement beside the releases. The files of the release do not change. */

import type { Effects } from "../pipeline/stage/effects.ts";
import { currentDigest } from "../pipeline/store/releases.ts";
import { AlreadyRetracted, readRetraction, storeRetraction } from "../pipeline/store/retractions.ts";
import type { Signer } from "../pipeline/store/signatures.ts";
import { signedPayload } from "../pipeline/store/signatures.ts";
import type { Store } from "../pipeline/store/store.ts";
import type { Retraction } from "../schemas/public/retraction.ts";

export interface RetractionResult extends Retraction {
  /** True if the retracted release is still active, so that the operator should activate another one. */
  readonly active: boolean;
}

/**
 * Retracts a release, which may have been pruned. If it is active, it is still served, together with its retraction.
 * @throws AlreadyRetracted
 */
export async function retract(
  store: Store,
  request: Pick<Retraction, "releaseDigest" | "reason">,
  signer: Signer,
  change: { readonly at: string; readonly sleep: Effects["sleep"] },
): Promise<RetractionResult> {
  const before = await readRetraction(store, request.releaseDigest);
  if (before !== null) throw new AlreadyRetracted(before);
  const statement = { ...request, retractedAt: change.at };
  const retraction = { ...statement, signature: await signer.sign(signedPayload(statement), "retraction") };
  await storeRetraction(store, retraction, change);
  return { ...retraction, active: (await currentDigest(store)) === request.releaseDigest };
}
