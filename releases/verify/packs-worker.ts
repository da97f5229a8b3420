/** Reads and checks packs in a worker process. */

import { join } from "node:path";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { checkPack } from "../../pipeline/packs/check-pack.ts";
import { PackDamaged } from "../../pipeline/packs/format.ts";
import type { PageShard } from "../../pipeline/packs/page-store.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { MAX_LISTED } from "./finding.ts";

export interface PackTask {
  /** The folder of the release. */
  readonly folder: string;
  readonly line: ManifestLine;
}

export function readCheckedPack({ folder, line }: PackTask): Promise<ReadPack> {
  return readPack(folder, line);
}

/** The result of reading one pack. */
export interface ReadPack {
  readonly sha256: string;
  /** Digests of the pages by shard; null if the pack cannot be read to its end. */
  readonly shards: readonly PageShard[] | null;
  /** Descriptions of the first faults. */
  readonly wrong: readonly string[];
  /** Number of all faults, including those that `wrong` does not describe. */
  readonly faults: number;
}

/**
 * Reads a pack once and checks its pages. If it cannot be read to its end, only computes the digest of the file, which
 * shows whether the file is the one that the publisher listed.
 */
export async function readPack(folder: string, line: ManifestLine): Promise<ReadPack> {
  const wrong: string[] = [];
  let faults = 0;
  const addFault = (message: string) => {
    faults += 1;
    if (wrong.length < MAX_LISTED) wrong.push(message);
  };
  try {
    const { sha256, shards } = checkPack(folder, line, addFault);
    return { sha256, shards, wrong, faults };
  } catch (error) {
    if (error instanceof PackDamaged) addFault(error.message);
    const sha256 = await fileDigest(join(folder, line.path)).catch((fault: unknown) => String(fault));
    return { sha256, shards: null, wrong, faults };
  }
}

// Workers import this name (stage/worker-pool.ts).
export { readCheckedPack as work };
