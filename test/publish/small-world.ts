/** Two signed releases of a dozen made-up records: few files to publish again for every case. */

import { newReleaseKey, publicPart, signerOf } from "../../pipeline/store/signatures.ts";
import type { ReleaseKey } from "../../schemas/public/key-set.ts";
import { OTHER_CONTRACTS } from "../../schemas/public/rubric.ts";
import { harvestRecords, zenodoRecord } from "../release/prolific.ts";
import { buildRelease } from "../support/build-release.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

const SOURCES = ["zenodo"] as const;

export interface SmallWorld extends TemporaryStore {
  readonly keys: readonly ReleaseKey[];
  /** Digests of its releases, oldest first; the last one is active. */
  readonly digests: readonly string[];
}

/** The later release has other days, one record more, and the scores under another contract as well. */
export async function smallWorld(): Promise<SmallWorld> {
  const temporary = await temporaryStore();
  const key = await newReleaseKey();
  const signer = await signerOf(key);
  const records = Array.from({ length: 12 }, (_, i) =>
    zenodoRecord({ id: 99_800_000 + i, keywords: i % 4, sentences: i % 5, creator: `Gauge, Keeper${i}`, orcid: null }),
  );
  const digests: string[] = [];
  for (const [asOf, some, alsoContracts] of [
    ["2026-10-01", records.slice(1), []],
    ["2026-11-01", records, OTHER_CONTRACTS],
  ] as const) {
    await harvestRecords(temporary.store, temporary.folder, "zenodo", some);
    const options = { asOf, sources: SOURCES, signer, alsoContracts };
    const { receipt } = await buildRelease(temporary.store, options, `${asOf}T12:00:00.000Z`);
    digests.push(receipt.releaseDigest);
  }
  return { ...temporary, keys: [publicPart(key)], digests };
}
