/** Whether a release is signed by a revoked key, and by no other key of the store. */

import { storeKeys } from "./key-set.ts";
import { receiptTextIn } from "./receipt-text.ts";
import { signatureFault, signingKeysOf, type TrustedKey } from "./signing/check-signature.ts";
import type { Store } from "./store.ts";

export interface Disowned {
  readonly kid: string;
  readonly since: string;
}

/** Returns the revocation that bears on a receipt (release.json, as JSON); null if none does, whoever signed it. */
export async function disowned(json: unknown, keys: readonly TrustedKey[]): Promise<Disowned | null> {
  const receipt: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(Object(json)));
  const kids = signingKeysOf(receipt.signature);
  for (const { kid, revoked } of keys) {
    if (revoked === undefined || !kids.includes(kid)) continue;
    return (await signatureFault(receipt, keys)) === null ? null : { kid, since: revoked };
  }
  return null;
}

/** Does the same for the text of a receipt; null if it is not a receipt. */
export async function disownedText(text: string, keys: readonly TrustedKey[]): Promise<Disowned | null> {
  try {
    return await disowned(JSON.parse(text), keys);
  } catch {
    return null;
  }
}

/**
 * Returns the disowned ones among releases of a store, by their digests.
 * @throws KeyUnusable if the key set is damaged
 */
export async function disownedReleases(
  store: Store,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Disowned>> {
  const keys = await storeKeys(store);
  const found = new Map<string, Disowned>();
  if (keys.every(({ revoked }) => revoked === undefined)) return found;
  for (const digest of digests) {
    const text = await receiptTextIn(store.release(digest));
    const by = text === null ? null : await disownedText(text, keys);
    if (by !== null) found.set(digest, by);
  }
  return found;
}

/**
 * Does the same for one release.
 * @throws KeyUnusable if the key set is damaged
 */
export async function disownedRelease(store: Store, digest: string): Promise<Disowned | null> {
  return (await disownedReleases(store, [digest])).get(digest) ?? null;
}
