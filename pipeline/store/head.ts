/**
 * Writes and checks the head of a publisher: a signed statement of which release is the latest, with all keys and all
 * retractions. The head expires, and its sequence number rises, so that readers notice if they are given an old copy
 * (ADR 9).
 */

import { type Head, head as headSchema } from "../../schemas/public/key-set.ts";
import { changeKeySet, readStorePublicKeys, withKeys } from "./key-set.ts";
import { currentDigest, ReleaseNotFound, readReceipt } from "./releases.ts";
import { listRetractions } from "./retractions.ts";
import { type Signer, signatureFault, signedPayload, type TrustedKey } from "./signatures.ts";
import type { Store } from "./store.ts";

/**
 * Number of days for which a head is valid. A publisher signs a new head each night, so a head that has expired is an
 * old copy.
 */
export const HEAD_DAYS = 14;

const DAY = 86_400_000;

/** Returns the head in a key set. Returns null if it is missing or cannot be read. */
export function readHead(head: unknown): Head | null {
  return headSchema.safeParse(head).data ?? null;
}

/**
 * Signs a head that names a release of the store as the latest, with all keys and retractions of the store. `after` is
 * the sequence number of a head that was already published; the new number is larger.
 *
 * The new number is also at least the time in seconds, so that it rises even if the store was restored from a backup.
 */
export async function newHead(
  store: Store,
  releaseDigest: string,
  signer: Signer,
  { at, after = 0 }: { readonly at: string; readonly after?: number },
): Promise<Head> {
  const receipt = await readReceipt(store.release(releaseDigest));
  if (receipt === null) throw new ReleaseNotFound(releaseDigest, store);
  const { keys, head: before } = await readStorePublicKeys(store);
  const time = Date.parse(at);
  const statement = {
    sequence: 1 + Math.max(Math.floor(time / 1000), readHead(before)?.sequence ?? 0, after),
    createdAt: at,
    expiresAt: new Date(time + HEAD_DAYS * DAY).toISOString(),
    releaseDigest,
    scoreReleaseVersion: receipt.scoreReleaseVersion,
    keys: [...withKeys(keys, signer.keys)],
    retractions: [...(await listRetractions(store)).values()],
  };
  return { ...statement, signature: await signer.sign(signedPayload(statement), "head") };
}

/** Signs a head for the active release, and stores it. Returns null if no release is active. */
export async function signHead(
  store: Store,
  signer: Signer,
  change: { readonly at: string; readonly after?: number },
): Promise<Head | null> {
  const active = await currentDigest(store);
  if (active === null) return null;
  let head: Head | null = null;
  await changeKeySet(store, async ({ keys }) => {
    head = await newHead(store, active, signer, change);
    return { keys: withKeys(keys, signer.keys), head };
  });
  return head;
}

/**
 * Stores the head and the keys of another publisher, whose releases this store mirrors. Does nothing if this store has
 * keys of its own, or a head that is at least as new.
 */
export async function adoptHead(store: Store, head: unknown): Promise<void> {
  const offered = readHead(head);
  if (offered === null) return;
  const theirs = new Set(offered.keys.map(({ kid }) => kid));
  await changeKeySet(store, (set) => {
    const isOwn = set.keys.some(({ kid }) => !theirs.has(kid));
    if (isOwn || (readHead(set.head)?.sequence ?? 0) >= offered.sequence) return set;
    return { keys: withKeys(set.keys, offered.keys), head };
  });
}

export interface CheckedHead {
  /** The head; null if no trusted key signed it. */
  readonly head: Head | null;
  /**
   * The fault of the head, as words that continue "the head"; null if its signature is valid and it is not out of date.
   */
  readonly fault: string | null;
}

/**
 * Checks the signature and the age of a head. `seen` is the highest sequence number that this reader has seen so far.
 * If `now` is null, an expired head is accepted too.
 */
export async function checkHead(
  json: unknown,
  keys: readonly TrustedKey[],
  { now, seen }: { readonly now: Date | null; readonly seen: number },
): Promise<CheckedHead> {
  const head = readHead(json);
  if (head === null) return { head: null, fault: "is missing" };
  const fault = await signatureFault(Object.fromEntries(Object.entries(Object(json))), keys, "head");
  if (fault !== null) return { head: null, fault: `is not valid: ${fault}` };
  const { sequence, createdAt, expiresAt } = head;
  if (sequence < seen)
    return { head, fault: `is older (number ${sequence}, of ${createdAt}) than one that was seen before (${seen})` };
  if (now !== null && Date.parse(expiresAt) < now.getTime()) return { head, fault: `expired at ${expiresAt}` };
  return { head, fault: null };
}
