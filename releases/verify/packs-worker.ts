/** A worker that reads and checks packs. */

import { join } from "node:path";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { checkPack } from "../../pipeline/packs/check-pack.ts";
import { PackDamaged } from "../../pipeline/packs/format.ts";
import type { PageShard } from "../../pipeline/packs/page-store.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { MAX_LISTED } from "./finding.ts";

export interface PackTask {
  /** The release's folder. */
  readonly folder: string;
  readonly line: ManifestLine;
}

export function readCheckedPack({ folder, line }: PackTask): Promise<ReadPack> {
  return readPack(folder, line);
}

/** The result of reading a pack. */
export interface ReadPack {
  readonly sha256: string;
  /** Null if the pack cannot be read to its end. */
  readonly shards: readonly PageShard[] | null;
  /** The first faults. */
  readonly wrong: readonly string[];
  /** The number of all faults. */
  readonly faults: number;
}

/**
 * Reads a pack once. If it cannot be read to its end, reads its digest to determine whether it is the published one.
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
