/** Carrying a source forward: its raw payloads as they were for the active release, whatever was harvested since. */

import { createHash } from "node:crypto";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { SourceReceipt } from "../../schemas/public/release.ts";
import { digestPart, listParts } from "../store/raw/parts.ts";
import { currentDigest, readReceipt } from "../store/releases.ts";
import type { Store } from "../store/store.ts";

/** A source cannot be taken as it was. */
export class CannotCarryForward extends Error {
  readonly code = "ERR_CANNOT_CARRY_FORWARD";
  constructor(source: string, why: string) {
    super(`${source} cannot be carried forward: ${why}`);
    this.name = "CannotCarryForward";
  }
}

/** Begins the names of the folders in work/ with the payloads of then. */
export const CARRIED = "carried-";

export interface Carried {
  /** The store, its raw payloads as they are to be read. */
  readonly store: Store;
  /** The receipts of what was read, with what the earlier release said of each source that is carried forward. */
  readonly receipts: (sources: readonly SourceReceipt[]) => SourceReceipt[];
}

/**
 * Parts are numbered and never change: those of the active release are the first ones, and its receipt has their
 * digest. They are scored anew, by the rules and the as-of date of this build; only what was harvested since is left out.
 * @throws CannotCarryForward
 */
export async function carryForward(store: Store, sources: readonly string[]): Promise<Carried> {
  if (sources.length === 0) return { store, receipts: (found) => [...found] };
  const digest = await currentDigest(store);
  const active = digest === null ? null : await readReceipt(store.release(digest));
  const folders = new Map<string, string>();
  const before = new Map<string, SourceReceipt>();
  for (const source of sources) {
    const then = active?.sources.find((entry) => entry.source === source);
    if (active === null || then === undefined) throw new CannotCarryForward(source, "no active release has it");
    folders.set(source, await linkParts(store, source, then));
    before.set(source, { ...then, carriedFrom: then.carriedFrom ?? active.releaseDigest });
  }
  return {
    store: { ...store, raw: (source) => folders.get(source) ?? store.raw(source) },
    receipts: (found) => found.map((receipt) => asBefore(receipt, before.get(receipt.source))),
  };
}

/** What its records came to is of this build: another source may speak for some of them now. */
function asBefore(now: SourceReceipt, then: SourceReceipt | undefined): SourceReceipt {
  if (then === undefined) return now;
  return { ...now, refused: then.refused, completeness: then.completeness, carriedFrom: then.carriedFrom };
}

/** A folder of links to the parts of then; removed with everything else in work/. */
async function linkParts(store: Store, source: string, then: SourceReceipt): Promise<string> {
  const parts = (await listParts(store.raw(source))).slice(0, then.parts);
  const digest = createHash("sha256");
  for (const part of parts) digest.update(`${part.name} ${await digestPart(part)}\n`);
  if (`sha256:${digest.digest("hex")}` !== then.rawDigest) {
    throw new CannotCarryForward(source, `${store.raw(source)} no longer has the payloads of the active release`);
  }
  const folder = join(store.work(`${CARRIED}${then.rawDigest.slice(7, 23)}`), source);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const { name, path } of parts) await symlink(resolve(path), join(folder, name));
  return folder;
}
