/** A worker that reads packs: one in, what it holds out. */

import type { ManifestLine } from "../../schemas/public/release.ts";
import { type ReadPack, readPack } from "./read-pack.ts";

export interface PackTask {
  /** Of the release. */
  readonly folder: string;
  readonly line: ManifestLine;
}

export function work({ folder, line }: PackTask): Promise<ReadPack> {
  return readPack(folder, line);
}
