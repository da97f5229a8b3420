/** Finds out whether a release was retracted, and whether only revoked keys signed it. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { isMissing } from "../files/durable.ts";
import { isRecorded } from "./journal.ts";
import { storeKeys } from "./key-set.ts";
import { RetractionDamaged, readRetraction } from "./retractions.ts";
import { listSigningKeys, signatureFault, type TrustedKey } from "./signatures.ts";
import type { Store } from "./store.ts";

export interface Revocation {
  readonly kid: string;
  readonly since: string;
}

/**
 * Returns the revoked key that signed a receipt (release.json, as JSON). Returns null if no revoked key signed it, or
 * if another signature, or the journal, still makes it valid.
 */
export async function readRevocation(json: unknown, keys: readonly TrustedKey[]): Promise<Revocation | null> {
  const receipt: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(Object(json)));
  const kids = listSigningKeys(receipt.signature);
  for (const { kid, revoked } of keys) {
    if (revoked === undefined || !kids.includes(kid)) continue;
    return (await signatureFault(receipt, keys)) === null ? null : { kid, since: revoked };
  }
  return null;
}

/**
 * Returns the revoked key that signed a receipt, given as text, like {@link readRevocation}. Also returns null if the
 * text is not a receipt.
 */
export async function revocationInText(text: string, keys: readonly TrustedKey[]): Promise<Revocation | null> {
  try {
    return await readRevocation(JSON.parse(text), keys);
  } catch {
    return null;
  }
}

/**
 * Returns the revoked keys that signed releases of a store. The key of the result is the digest of the release.
 *
 * @throws KeyUnusable if the key set is damaged
 */
export async function revocationsOfReleases(
  store: Store,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Revocation>> {
  const keys = await storeKeys(store);
  const found = new Map<string, Revocation>();
  if (keys.every(({ revoked }) => revoked === undefined)) return found;
  for (const digest of digests) {
    const text = await receiptTextIn(store.release(digest));
    const by = text === null ? null : await revocationInText(text, keys);
    if (by !== null) found.set(digest, by);
  }
  return found;
}

/**
 * Returns the revoked key that signed a release, under the conditions of {@link readRevocation}.
 *
 * @throws KeyUnusable if the key set is damaged
 */
export async function revocationOfRelease(store: Store, digest: string): Promise<Revocation | null> {
  return (await revocationsOfReleases(store, [digest])).get(digest) ?? null;
}

export interface CheckedRetraction {
  /** The retraction; null if the release was not retracted, or if the retraction cannot be read. */
  readonly retraction: Retraction | null;
  /** The fault of the retraction; null if it is valid. Without `keys`, its signature is not checked. */
  readonly fault: string | null;
}

export async function checkedRetraction(
  store: Store,
  releaseDigest: string,
  keys: readonly TrustedKey[] | null,
): Promise<CheckedRetraction> {
  try {
    const retraction = await readRetraction(store, releaseDigest);
    // The store accepted this retraction. If its key is revoked later, the retraction remains valid.
    const plain = keys?.map(({ revoked: _revoked, ...key }) => key) ?? null;
    const fault = retraction && plain && (await signatureFault({ ...retraction }, plain, "retraction"));
    return { retraction, fault };
  } catch (error) {
    if (error instanceof RetractionDamaged)
      return { retraction: null, fault: "the signed retraction of the release is damaged; restore it from a copy" };
    throw error;
  }
}

/** True if the release was retracted, is only signed by revoked keys, or is not in the journal. */
export async function isContested(store: Store, releaseDigest: string): Promise<boolean> {
  return (
    (await readRetraction(store, releaseDigest)) !== null ||
    (await revocationOfRelease(store, releaseDigest)) !== null ||
    !(await isRecorded(store, releaseDigest))
  );
}

/**
 * Returns the reason `force` if activating the release requires a reason: it failed a gate, was retracted, is only
 * signed by revoked keys, or is not in the journal. Otherwise returns null, so that the reason is not recorded.
 */
export async function reasonNeeded(
  store: Store,
  releaseDigest: string,
  gated: readonly unknown[],
  force: string | null,
): Promise<string | null> {
  return gated.length > 0 || (await isContested(store, releaseDigest)) ? force : null;
}

/** Reads the text of a receipt in a release folder; null if there is none. */
function receiptTextIn(folder: string): Promise<string | null> {
  return readText(join(folder, "release.json"));
}

function readText(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}
