/** The tree of pages as stage 5 left it: what an interrupted run of this stage wrote into it goes. */

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestLine } from "../../schemas/public/release.ts";

/**
 * Removes whatever is not one of the packs: attempts at files that were never whole would be published with the rest, and
 * folders of families without a page are in no manifest.
 */
export async function keepOnlyPages(tree: string, packs: readonly ManifestLine[]): Promise<void> {
  const own = new Set(packs.map(({ path }) => join(tree, path)));
  for (const entry of await readdir(tree, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const keeps = entry.isDirectory() ? [...own].some((pack) => pack.startsWith(`${path}/`)) : own.has(path);
    if (!keeps) await rm(path, { recursive: true, force: true });
  }
}
