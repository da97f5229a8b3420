/** Whether a release is by a key that was revoked, and is none of those that stay good. */

import { storeKeys } from "./key-statements.ts";
import { receiptTextIn } from "./receipt-text.ts";
import { isDisowned, signingKeyOf, type TrustedKey } from "./signing/check-signature.ts";
import type { Store } from "./store.ts";

export interface Disowned {
  readonly kid: string;
  readonly since: string;
  readonly reason: string;
}

/** What is to be said of a receipt (release.json, as JSON); null where nothing is, whoever signed it or nobody did. */
export function disowned(json: unknown, keys: readonly TrustedKey[]): Disowned | null {
  const receipt: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(Object(json)));
  const kid = signingKeyOf(receipt.signature);
  const key = keys.find((each) => each.kid === kid);
  if (key?.revoked === undefined || !isDisowned(key, receipt)) return null;
  const { since, reason } = key.revoked;
  return { kid: key.kid, since, reason };
}

/** The same of the text of a receipt; of what is none nothing is said. */
export function disownedText(text: string, keys: readonly TrustedKey[]): Disowned | null {
  try {
    return disowned(JSON.parse(text), keys);
  } catch {
    return null;
  }
}

/**
 * What is to be said of releases of a store, by their digests.
 * @throws KeysDisputed
 */
export async function disownedReleases(
  store: Store,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Disowned>> {
  const { keys } = await storeKeys(store);
  const found = new Map<string, Disowned>();
  if (keys.every(({ revoked }) => revoked === undefined)) return found;
  for (const digest of digests) {
    const text = await receiptTextIn(store.release(digest));
    const by = text === null ? null : disownedText(text, keys);
    if (by !== null) found.set(digest, by);
  }
  return found;
}

/**
 * The same of a release in a folder, by the keys of a store.
 * @throws KeysDisputed
 */
export async function disownedRelease(store: Store, folder: string): Promise<Disowned | null> {
  const text = await receiptTextIn(folder);
  return text === null ? null : disownedText(text, (await storeKeys(store)).keys);
}
