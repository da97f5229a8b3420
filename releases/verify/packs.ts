/**
 * Verifies packs: each page matches the index, and the pages of each family result in the root that the release digest
 * covers.
 */

import { RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/format.ts";
import { type PageShard, pagesRoot } from "../../pipeline/packs/page-store.ts";
import type { WorkerPool } from "../../pipeline/stage/worker-pool.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import { Details, type Found } from "./finding.ts";
import type { ReadPack } from "./packs-worker.ts";
import { type PackTask, readCheckedPack } from "./packs-worker.ts";

/** A pack that the manifest lists. */
export interface ListedPack {
  readonly line: ManifestLine;
  /** True if the pack exists with the size in the manifest. If not, a finding was already reported. */
  readonly exists: boolean;
}

/**
 * Total size of the packs, in bytes, from which several processes read them. Starting a process takes as long as reading
 * some megabytes.
 */
const MANY = 16 * 1024 * 1024;

/**
 * Reads the packs that exist, in the order of the list. The result of a missing pack is null. If they have `many` bytes or
 * more in total, several processes share the work.
 */
export async function readPacks(
  folder: string,
  listed: readonly ListedPack[],
  workers: WorkerPool,
  many = MANY,
): Promise<(ReadPack | null)[]> {
  const tasks = listed.flatMap(({ line, exists }) => (exists ? [{ folder, line }] : []));
  const bytes = tasks.reduce((sum, { line }) => sum + line.bytes, 0);
  const worker = new URL("./packs-worker.ts", import.meta.url);
  const read =
    bytes < many ? await Promise.all(tasks.map(readCheckedPack)) : await workers.run<PackTask, ReadPack>(worker, tasks);
  return listed.map(({ exists }) => (exists ? (read.shift() ?? null) : null));
}

/**
 * Returns the root over the pages of each family. For a family with a missing or damaged pack, returns the root in the
 * receipt, because the pack was already reported.
 */
export async function verifyPacks(
  folder: string,
  listed: readonly ListedPack[],
  receipt: Receipt,
  workers: WorkerPool,
  found: Found,
): Promise<Record<string, string>> {
  const packs = await readPacks(folder, listed, workers);
  const families = new Map<string, (readonly PageShard[] | null)[]>();
  const splits = new Map<string, number>();
  for (const [place, { line }] of listed.entries()) {
    const { family, from } = readPackPath(line.path) ?? { family: "", from: "" };
    if ((splits.get(family) ?? from.length) !== from.length)
      found("page", `${line.path} has other ranges than the packs beside it`);
    splits.set(family, from.length);
    const read = packs[place] ?? null;
    if (read !== null && read.sha256 !== line.sha256)
      found("changed file", `${line.path} is sha256 ${read.sha256}, not ${line.sha256}`);
    const details = new Details(read?.faults ?? 0);
    for (const message of read?.wrong ?? []) details.add(`${line.path}: ${message}`);
    details.report(found, "page");
    families.set(family, [...(families.get(family) ?? []), read?.shards ?? null]);
  }
  return computeRoots(families, receipt, found);
}

function computeRoots(
  families: ReadonlyMap<string, readonly (readonly PageShard[] | null)[]>,
  { content: { pages = {} } }: Receipt,
  found: Found,
): Record<string, string> {
  const roots: Record<string, string> = {};
  for (const family of new Set([...families.keys(), ...Object.keys(pages)])) {
    if (family === RELEASE_FAMILY) continue;
    const packs = families.get(family) ?? [];
    const stated = pages[family];
    const root = packs.includes(null) ? stated : pagesRoot(packs.flatMap((shards) => shards ?? []));
    if (root !== stated)
      found("pages", `pages/${family} has the root ${root}, but the receipt states ${stated ?? "nothing"}`);
    if (root !== undefined) roots[family] = root;
  }
  return roots;
}
