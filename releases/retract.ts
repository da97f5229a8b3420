/** Withdrawing a release: a signed statement is kept beside the releases for ever; the release stays as it is. */

import type { Effects } from "../pipeline/stage/effects.ts";
import { currentDigest } from "../pipeline/store/releases.ts";
import { AlreadyRetracted, keepRetraction, readRetraction } from "../pipeline/store/retractions.ts";
import type { Signer } from "../pipeline/store/signatures.ts";
import { signedPayload } from "../pipeline/store/signatures.ts";
import type { Store } from "../pipeline/store/store.ts";
import type { Retraction } from "../schemas/public/retraction.ts";

export interface Retracted extends Retraction {
  /** Whether it is the release that is served: then another one should be activated. */
  readonly active: boolean;
}

/**
 * Retracts a release of the store, or one that was pruned. It goes on being served where it is active, and says so.
 * @throws AlreadyRetracted
 */
export async function retract(
  store: Store,
  given: Pick<Retraction, "releaseDigest" | "reason">,
  signer: Signer,
  change: { readonly at: string; readonly sleep: Effects["sleep"] },
): Promise<Retracted> {
  const before = await readRetraction(store, given.releaseDigest);
  if (before !== null) throw new AlreadyRetracted(before);
  const said = { ...given, retractedAt: change.at };
  const retraction = { ...said, signature: await signer.sign(signedPayload(said), "retraction") };
  await keepRetraction(store, retraction, change);
  return { ...retraction, active: (await currentDigest(store)) === given.releaseDigest };
}
