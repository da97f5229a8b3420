/** Rolls back: activates the release again that was active before the current one. */

import { activeHistory, readJournal } from "../pipeline/store/journal.ts";
import {
  changeActive,
  currentDigest,
  detectReleaseFormat,
  readReceipt,
  type StoreChange,
} from "../pipeline/store/releases.ts";
import { readRetraction } from "../pipeline/store/retractions.ts";
import { revocationOfRelease } from "../pipeline/store/revocations.ts";
import type { Store } from "../pipeline/store/store.ts";

/** Error for a rollback if the journal contains no earlier active release that can be activated again. */
export class NothingBefore extends Error {
  readonly code = "ERR_NOTHING_BEFORE";
  constructor(
    store: Store,
    missingDigests: readonly string[],
    retracted: readonly string[],
    disowned: readonly string[],
  ) {
    const why = [
      ...(missingDigests.length === 0
        ? []
        : [`the earlier release is missing or of format 1 (${missingDigests.join(", ")})`]),
      ...(retracted.length === 0 ? [] : [`the earlier release was retracted (${retracted.join(", ")})`]),
      ...(disowned.length === 0 ? [] : [`the earlier release is signed with a revoked key (${disowned.join(", ")})`]),
      ...(missingDigests.length + retracted.length + disowned.length === 0 ? ["no release was active before"] : []),
    ].join(", ");
    super(
      `${why}, according to ${store.journal}. Choose a release from \`share-release release list\`, and activate it with \`share-release release activate\``,
    );
    this.name = "NothingBefore";
  }
}

export interface RollbackResult {
  readonly event: "rolled-back";
  readonly releaseDigest: string;
  /** The release that was active before the rollback. */
  readonly from: string | null;
  /** Releases that were active in between and are skipped because they no longer exist or have format 1. */
  readonly skipped: readonly string[];
  /** Releases that were active in between and are skipped because they were retracted. */
  readonly retracted: readonly string[];
  /** Releases that were active in between and are skipped because only revoked keys signed them. */
  readonly disowned: readonly string[];
}

/**
 * Activates the release that was active before the current one. A second call goes back by one more release. Skips releases
 * that were retracted or are only signed by revoked keys.
 * @throws NothingBefore
 */
export function rollback(store: Store, change: StoreChange = {}): Promise<RollbackResult> {
  return changeActive(store, change, (history, from) => moveBack(store, history, from));
}

/**
 * Returns the digest of the release that {@link rollback} would activate.
 * @throws NothingBefore
 */
export async function previousDigest(store: Store): Promise<string> {
  const history = activeHistory((await readJournal(store)).entries);
  return (await moveBack(store, history, await currentDigest(store))).releaseDigest;
}

async function moveBack(store: Store, history: readonly string[], from: string | null): Promise<RollbackResult> {
  const skipped: string[] = [];
  const retracted = new Set<string>();
  const disowned = new Set<string>();
  for (const releaseDigest of history.toReversed()) {
    if (releaseDigest === from) continue;
    if (!(await isFinished(store, releaseDigest))) skipped.push(releaseDigest);
    else if ((await readRetraction(store, releaseDigest)) !== null) retracted.add(releaseDigest);
    else if ((await revocationOfRelease(store, releaseDigest)) !== null) disowned.add(releaseDigest);
    else
      return {
        event: "rolled-back",
        releaseDigest,
        from,
        skipped,
        retracted: [...retracted],
        disowned: [...disowned],
      };
  }
  throw new NothingBefore(store, [...new Set(skipped)], [...retracted], [...disowned]);
}

async function isFinished(store: Store, digest: string): Promise<boolean> {
  const receipt = await readReceipt(store.release(digest)).catch(() => null);
  return receipt !== null && detectReleaseFormat(receipt) !== 1;
}
