/**
 * What the other side says of releases: that they were withdrawn. A statement is kept where a trusted key signed it; without
 * keys it is the mirror's word, which is told, and kept where that was asked for.
 */

import type { Effects } from "../../pipeline/stage/effects.ts";
import { receiptDigestOf } from "../../pipeline/store/journal.ts";
import { AlreadyRetracted, keepRetraction, retractedDigests } from "../../pipeline/store/retractions.ts";
import { signatureFault, type TrustedKey } from "../../pipeline/store/signing/check-signature.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { listBeside, type ReleaseAddress } from "./address.ts";
import { FetchRefused } from "./errors.ts";
import type { Remote } from "./remote.ts";

export interface OfferedRetraction extends Retraction {
  /** Whether it is kept in the store; what nobody proved is not, unless that was asked for. */
  readonly kept: boolean;
  /** Whether it is by a revoked key: it is ignored. */
  readonly disowned: boolean;
}

/**
 * Statements on the release that is wanted and on those that are here, as far as none is kept already.
 * @throws FetchRefused where one was not signed by a trusted key, or is of another release
 */
export async function offeredRetractions(
  store: Store,
  address: ReleaseAddress,
  { keys, unproven }: { readonly keys: readonly TrustedKey[] | null; readonly unproven: boolean },
  remote: Remote,
): Promise<readonly OfferedRetraction[]> {
  const known = new Set(await retractedDigests(store));
  const offered: OfferedRetraction[] = [];
  for (const { releaseDigest, retraction } of (await listBeside(address, remote)) ?? []) {
    if (retraction === null || known.has(releaseDigest)) continue;
    if (releaseDigest !== address.digest && (await receiptDigestOf(store, releaseDigest)) === null) continue;
    const disowned = await isByRevoked(retraction, keys ?? []);
    await requireTrue(address, releaseDigest, retraction, disowned ? null : keys);
    offered.push({ ...retraction, kept: !disowned && (keys !== null || unproven), disowned });
  }
  return offered;
}

/** An honest publisher goes on to show the retractions by a key that was revoked later: they do not end the fetch. */
async function isByRevoked(said: Retraction, keys: readonly TrustedKey[]): Promise<boolean> {
  const plain = keys.map(({ revoked: _revoked, ...key }) => key);
  const [fault, faultOfPlain] = await Promise.all(
    [keys, plain].map((each) => signatureFault({ ...said }, each, "retraction")),
  );
  return fault !== null && faultOfPlain === null;
}

async function requireTrue(
  { url }: ReleaseAddress,
  releaseDigest: string,
  said: Retraction,
  keys: readonly TrustedKey[] | null,
): Promise<void> {
  const other = said.releaseDigest === releaseDigest ? null : `it is of ${said.releaseDigest}`;
  const fault = other ?? (keys === null ? null : await signatureFault({ ...said }, keys, "retraction"));
  if (fault !== null)
    throw new FetchRefused(url, `says that ${releaseDigest} was retracted, which does not hold: ${fault}`);
}

/** Keeps those that are to be kept; answers all of them. */
export async function keepRetractions(
  store: Store,
  offered: readonly OfferedRetraction[],
  change: { readonly at: string; readonly sleep: Effects["sleep"] },
): Promise<readonly OfferedRetraction[]> {
  for (const { kept, disowned: _disowned, ...said } of offered) {
    if (!kept) continue;
    await keepRetraction(store, said, change).catch((error: unknown) => {
      // Another fetch was quicker.
      if (!(error instanceof AlreadyRetracted)) throw error;
    });
  }
  return offered;
}
