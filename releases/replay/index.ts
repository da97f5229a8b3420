/** Replays a release: rebuilds it from its raw payloads in a separate folder, and compares the two. */

import { existsSync } from "node:fs";
import { mkdir, rm, rmdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { harvestsPath, refusedPath } from "../../pipeline/store/harvest-log.ts";
import { lockFolder } from "../../pipeline/store/locks.ts";
import { listParts } from "../../pipeline/store/raw-parts.ts";
import { moveLink, readReceipt } from "../../pipeline/store/releases.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { contractId } from "../../schemas/public/rubric.ts";
import { buildAndActivate } from "../activate.ts";
import { compareReplayed, type Rebuilt, type Replayed } from "./compare.ts";

export type { Replayed } from "./compare.ts";

export interface ReplayOptions {
  readonly withheld: readonly string[];
  readonly ror: string | null;
  readonly citations: string | null;
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB; null to derive it from the tables. */
  readonly memory: string | null;
  /** The folder to build in, which is created and removed; below the store's work/ if null. */
  readonly scratch: string | null;
}

/** Some raw payloads of the release are missing. */
export class RawMissing extends Error {
  readonly code = "ERR_RAW_MISSING";
  constructor(folder: string, needed: number, there: number) {
    super(`${folder} has ${there} parts, and the release was made of ${needed}: replay it where its raw payloads are`);
    this.name = "RawMissing";
  }
}

/**
 * Rebuilds the release of `folder` from the raw payloads of `store`, and compares the two releases. The receipt gives the
 * time, the predecessor and the bounds. Parts that were harvested since are left out. The rebuild reads the store's raw
 * payloads and releases through links and does not change them.
 * @throws RawMissing
 */
export function replay(
  folder: string,
  receipt: Receipt,
  store: Store,
  options: ReplayOptions,
  effects: Effects,
): Promise<Replayed> {
  return rebuilding(receipt, store, options, effects, (rebuilt) => compareReplayed(folder, receipt, rebuilt));
}

/** Rebuilds the release of a receipt in a separate folder, which is removed when `use` has returned. */
export async function rebuilding<T>(
  receipt: Receipt,
  store: Store,
  options: ReplayOptions,
  effects: Effects,
  use: (rebuilt: Rebuilt) => Promise<T>,
): Promise<T> {
  const scratch = options.scratch ?? store.work(`replay-${receipt.releaseDigest.slice(7, 23)}`);
  const unlock = await lockFolder(scratch);
  try {
    const again = openStore(join(scratch, "store"));
    await rm(again.root, { recursive: true, force: true });
    const harvestedSince = await linkRaw(store, again, receipt);
    const predecessor = await linkPredecessors(store, again, receipt);
    const { scratch: _scratch, ...given } = options;
    const then = { ...effects, now: () => new Date(receipt.publishedAt) };
    const rebuilt = await buildAndActivate(again, { ...buildOptions(receipt), ...given }, then);
    return await use({
      folder: again.release(rebuilt.receipt.releaseDigest),
      receipt: rebuilt.receipt,
      harvestedSince,
      predecessor,
    });
  } finally {
    await rm(join(scratch, "store"), { recursive: true, force: true });
    await unlock();
    await rm(scratch, { recursive: true, force: true });
    // Removes work/ if it is empty.
    if (options.scratch === null) await rmdir(store.work("")).catch(() => undefined);
  }
}

/** Returns the build options that the receipt records. */
function buildOptions(receipt: Receipt) {
  return {
    asOf: receipt.asOf,
    sources: receipt.sources.map(({ source }) => source),
    rubrics: receipt.rubrics.map(({ version }) => version),
    alsoContracts: (receipt.alsoContracts ?? []).map((id) => contractId.parse(id)),
    attribution: receipt.attribution !== null,
    history: receipt.history,
    label: receipt.scoreReleaseVersion,
    force: receipt.forced ?? null,
    reuse: "never",
    activate: false,
    ...(receipt.license === undefined ? {} : { licence: receipt.license }),
    ...(receipt.gateLimits === undefined ? {} : { gates: receipt.gateLimits }),
  } as const;
}

/**
 * Links the parts that the build read. Parts are numbered and never change, so these are the first ones. Refused input and
 * the ends of harvests are recorded for a source as a whole. Returns the sources that were harvested since, because their
 * records also cover later harvests.
 */
async function linkRaw(from: Store, to: Store, receipt: Receipt): Promise<readonly string[]> {
  const since: string[] = [];
  for (const { source, parts: needed } of receipt.sources) {
    const all = await listParts(from.raw(source));
    const parts = all.slice(0, needed);
    if (parts.length < needed) throw new RawMissing(from.raw(source), needed, parts.length);
    if (all.length > needed) since.push(source);
    await mkdir(to.raw(source), { recursive: true });
    for (const { name, path } of parts) await symlink(resolve(path), join(to.raw(source), name));
    for (const path of [refusedPath, harvestsPath]) {
      if (existsSync(path(from.raw(source)))) await symlink(resolve(path(from.raw(source))), path(to.raw(source)));
    }
  }
  return since;
}

/** Links the earlier releases that the store has, and activates the last; returns false if the previous one is missing. */
async function linkPredecessors(from: Store, to: Store, { previousReleaseDigest: last }: Receipt): Promise<boolean> {
  await mkdir(to.releases, { recursive: true });
  for (let digest = last; digest !== null; ) {
    const receipt = await readReceipt(from.release(digest));
    if (receipt === null) break;
    await symlink(resolve(from.release(digest)), to.release(digest));
    digest = receipt.previousReleaseDigest;
  }
  if (last === null) return true;
  if (!existsSync(to.release(last))) return false;
  await moveLink(to.current, to.release(last));
  return true;
}
