/** Reports what a build would read and write, without a change: it writes and locks nothing, and reads lists and receipts alone. */

import { stat } from "node:fs/promises";
import type { BuildOptions } from "./build.ts";
import { enrichmentDigests, requireHarvested, runKey, stageFolder } from "./build.ts";
import { readHarvests } from "./store/raw/harvest-log.ts";
import { listParts } from "./store/raw/parts.ts";
import { currentDigest, readReceipt } from "./store/releases.ts";
import type { Store } from "./store/store.ts";

/** The stages that a build runs, in order. */
const RUN = ["normalise", "score", "aggregate", "render"] as const;

export interface SourceToBuild {
  readonly source: string;
  readonly parts: number;
  /** Compressed, as they lie on the disk. */
  readonly bytes: number;
  /** Payloads of all harvests that ended, records that came again among them. */
  readonly payloads: number;
  /** When the last harvest ended: null where none did, or where it was of files. */
  readonly harvested: string | null;
  /** Whether that harvest got all there was; null where none ended. */
  readonly complete: boolean | null;
}

export interface DryRun {
  readonly asOf: string;
  readonly rubrics: readonly string[];
  /** Contracts besides those of `rubrics`. */
  readonly alsoContracts: readonly string[];
  readonly sources: readonly SourceToBuild[];
  /** Sources that were asked for, or are known, and have nothing. */
  readonly empty: readonly string[];
  /** Digests of what is given beside the harvest, by name. */
  readonly enrichments: Readonly<Record<string, string>>;
  /** Stages that an interrupted build of the same inputs finished; null where sources are carried forward, and nobody knows. */
  readonly finished: readonly string[] | null;
  /** What the release would follow. */
  readonly active: { readonly releaseDigest: string; readonly asOf: string } | null;
}

/** @throws NothingHarvested, as a build does */
export async function dryRun(store: Store, options: BuildOptions): Promise<DryRun> {
  await requireHarvested(store, options.sources, options.named ?? false);
  const all = await Promise.all(options.sources.map((source) => toBuild(store, source)));
  const sources = all.filter(({ parts }) => parts > 0);
  const enrichments = await enrichmentDigests(options);
  const active = await currentDigest(store);
  const receipt = active === null ? null : await readReceipt(store.release(active));
  return {
    asOf: options.asOf,
    rubrics: options.rubrics,
    alsoContracts: options.alsoContracts ?? [],
    sources,
    empty: all.filter(({ parts }) => parts === 0).map(({ source }) => source),
    enrichments,
    finished: (options.carryForward ?? []).length > 0 ? null : await finishedOf(store, options, enrichments),
    active: receipt === null ? null : { releaseDigest: receipt.releaseDigest, asOf: receipt.asOf },
  };
}

async function toBuild(store: Store, source: string): Promise<SourceToBuild> {
  const folder = store.raw(source);
  const parts = await listParts(folder);
  const harvests = parts.length === 0 ? [] : await readHarvests(folder);
  const last = harvests.at(-1);
  return {
    source,
    parts: parts.length,
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    payloads: harvests.reduce((sum, { records }) => sum + records, 0),
    harvested: last?.finished ?? null,
    complete: last?.complete ?? null,
  };
}

async function finishedOf(
  store: Store,
  options: BuildOptions,
  enrichments: Record<string, string>,
): Promise<readonly string[]> {
  const run = await runKey(store, options, enrichments);
  const finished: string[] = [];
  for (const stage of RUN) {
    const folder = await stat(stageFolder(store, run, stage)).catch(() => null);
    if (folder?.isDirectory() !== true) break;
    finished.push(stage);
  }
  return finished;
}
