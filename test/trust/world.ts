/** A store with signed releases of a small corpus, and the key that signed them. */

import { join } from "node:path";
import { makeSigner, type Signer, writePrivateKey } from "../../pipeline/store/signatures.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";

/** The only source of the releases, so that tests have few files to copy. */
export const SOURCES = ["zenodo"] as const;

export interface World extends FilledStore {
  readonly signer: Signer;
  /** Path of the private key, beside the store. */
  readonly keyFile: string;
}

/**
 * Creates a store with a signed release for each of the days, in this order. The releases also have scores under the contracts
 * in `alsoContracts`.
 */
export async function signedWorld(days: readonly string[], alsoContracts: readonly ContractId[] = []): Promise<World> {
  const builds = days.map((asOf) => ({ asOf, sources: SOURCES, alsoContracts, now: `${asOf}T12:00:00.000Z` }));
  const filled = await filledStore({ bundled: SOURCES, builds, signed: true });
  const keyFile = join(filled.folder, "signing-key.json");
  await writePrivateKey(keyFile, filled.key);
  return { ...filled, signer: await makeSigner(filled.key), keyFile };
}

/** Returns the element at an index (negative from the end). Throws if there is none. */
export function at<T>(list: readonly T[], place: number): T {
  const found = list.at(place);
  if (found === undefined) throw new Error(`there is no element ${place} of ${list.length}`);
  return found;
}
