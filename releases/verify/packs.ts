/** Packs: each read once, every page what its index says, and all of a family the root that the digest covers. */

import { RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/format.ts";
import { type PageShard, pagesRoot } from "../../pipeline/packs/page-store.ts";
import type { WorkerPool } from "../../pipeline/stage/worker-pool.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import { type Found, report } from "./finding.ts";
import type { ReadPack } from "./packs-worker.ts";
import { type PackTask, work } from "./packs-worker.ts";

/** A pack that the manifest lists. */
export interface ListedPack {
  readonly line: ManifestLine;
  /** Whether it is there, with as many bytes as it should have; what is wrong with it was found where not. */
  readonly there: boolean;
}

/** Bytes of packs from which on more than one process reads them: to start one takes as long as to check some megabytes. */
const MANY = 16 * 1024 * 1024;

/**
 * Reads those that are there, in the order of the list; null for one that is not. `many`: bytes from which on they are
 * shared among so many processes.
 */
export async function readPacks(
  folder: string,
  listed: readonly ListedPack[],
  workers: WorkerPool,
  many = MANY,
): Promise<(ReadPack | null)[]> {
  const tasks = listed.flatMap(({ line, there }) => (there ? [{ folder, line }] : []));
  const bytes = tasks.reduce((sum, { line }) => sum + line.bytes, 0);
  const worker = new URL("./packs-worker.ts", import.meta.url);
  const read = bytes < many ? await Promise.all(tasks.map(work)) : await workers.run<PackTask, ReadPack>(worker, tasks);
  return listed.map(({ there }) => (there ? (read.shift() ?? null) : null));
}

/** Answers the roots that the pages give, by family: as the receipt has it where a pack was found to be damaged. */
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
      found("page", `${line.path} is of other ranges than the packs beside it`);
    splits.set(family, from.length);
    const read = packs[place] ?? null;
    if (read !== null && read.sha256 !== line.sha256)
      found("changed file", `${line.path} is sha256 ${read.sha256}, not ${line.sha256}`);
    report(
      found,
      "page",
      (read?.wrong ?? []).map((message) => `${line.path}: ${message}`),
    );
    families.set(family, [...(families.get(family) ?? []), read?.shards ?? null]);
  }
  return rootsOf(families, receipt, found);
}

function rootsOf(
  families: ReadonlyMap<string, readonly (readonly PageShard[] | null)[]>,
  { content: { pages = {} } }: Receipt,
  found: Found,
): Record<string, string> {
  const roots: Record<string, string> = {};
  for (const family of new Set([...families.keys(), ...Object.keys(pages)])) {
    if (family === RELEASE_FAMILY) continue;
    const packs = families.get(family) ?? [];
    const said = pages[family];
    const root = packs.includes(null) ? said : pagesRoot(packs.flatMap((shards) => shards ?? []));
    if (root !== said) found("pages", `pages/${family} has the root ${root}, the receipt says ${said ?? "nothing"}`);
    if (root !== undefined) roots[family] = root;
  }
  return roots;
}
