/** A worker that reads packs: one in, what it holds out. */

import { join } from "node:path";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { checkPack } from "../../pipeline/packs/check-pack.ts";
import { PackDamaged } from "../../pipeline/packs/format.ts";
import type { PageShard } from "../../pipeline/packs/page-store.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { MOST_LISTED } from "./finding.ts";

export interface PackTask {
  /** Of the release. */
  readonly folder: string;
  readonly line: ManifestLine;
}

export function work({ folder, line }: PackTask): Promise<ReadPack> {
  return readPack(folder, line);
}

/** What reading a pack found. */
export interface ReadPack {
  readonly sha256: string;
  /** Null where the pack cannot be read to its end. */
  readonly shards: readonly PageShard[] | null;
  readonly wrong: readonly string[];
}

/** Reads a pack once; again where it cannot be read to its end, to tell whether it is the one that was published. */
export async function readPack(folder: string, line: ManifestLine): Promise<ReadPack> {
  const wrong: string[] = [];
  const told = (message: string) => {
    if (wrong.length <= MOST_LISTED) wrong.push(message);
  };
  try {
    const { sha256, shards } = checkPack(folder, line, told);
    return { sha256, shards, wrong };
  } catch (error) {
    if (error instanceof PackDamaged) told(error.message);
    const sha256 = await fileDigest(join(folder, line.path)).catch((fault: unknown) => String(fault));
    return { sha256, shards: null, wrong };
  }
}
