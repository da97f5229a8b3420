/** Signed releases of a small corpus, and the key they are signed by. */

import { join } from "node:path";
import { newReleaseKey, publicPart, type Signer, signerOf, writePrivateKey } from "../../pipeline/store/signatures.ts";
import type { PrivateReleaseKey, ReleaseKey } from "../../schemas/public/key-set.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled } from "../support/bundled-corpus.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

/** One source: few files to copy for every damage. */
export const SOURCES = ["zenodo"] as const;

export interface World extends TemporaryStore {
  readonly key: PrivateReleaseKey;
  readonly keys: readonly ReleaseKey[];
  readonly signer: Signer;
  /** File of the private key, beside the store. */
  readonly keyFile: string;
  /** Digests of its releases, oldest first; the last one is active. */
  readonly digests: readonly string[];
}

/** A store with a release for each of the days, one after the other, each signed; `alsoContracts`: whose scores they have as well. */
export async function signedWorld(days: readonly string[], alsoContracts: readonly ContractId[] = []): Promise<World> {
  const temporary = await temporaryStore();
  const key = await newReleaseKey();
  const keyFile = join(temporary.folder, "signing-key.json");
  await writePrivateKey(keyFile, key);
  const signer = await signerOf(key);
  await harvestBundled(temporary.store, SOURCES);
  const digests: string[] = [];
  for (const asOf of days) {
    const { receipt } = await buildRelease(
      temporary.store,
      { asOf, sources: SOURCES, signer, alsoContracts },
      `${asOf}T12:00:00.000Z`,
    );
    digests.push(receipt.releaseDigest);
  }
  return { ...temporary, key, keys: [publicPart(key)], signer, keyFile, digests };
}

/** The place of an element that must be there. */
export function at<T>(list: readonly T[], place: number): T {
  const found = list.at(place);
  if (found === undefined) throw new Error(`there is no element ${place} of ${list.length}`);
  return found;
}
