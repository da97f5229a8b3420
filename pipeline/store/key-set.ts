/** The published key set of a store, and the trust in its keys. */

import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ReleaseKey } from "../../schemas/public/key-set.ts";
import { type KeySet, parseKeySet, withRevocations } from "../../schemas/public/key-set.ts";
import { isMissing, replaceFile } from "../files/durable.ts";
import { readJournal } from "./journal.ts";
import { lockFolder } from "./locks.ts";
import type { TrustedKey } from "./signatures.ts";
import { KeyUnusable } from "./signatures.ts";
import type { Store } from "./store.ts";

/**
 * Returns the store's public keys; an empty set if it has none. Never returns private fields.
 * @throws KeyUnusable if the file is not a key set
 */
export async function readStorePublicKeys(store: Store): Promise<KeySet> {
  const text = await readFile(store.publicKeys, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return { keys: [] };
  try {
    return parseKeySet(JSON.parse(text));
  } catch (cause) {
    throw new KeyUnusable(store.publicKeys, "is damaged: restore it from a copy", { cause });
  }
}

/** Adds a public key to the published set. Keys are never removed, so that old signatures can be checked. */
export async function publishKey(store: Store, key: ReleaseKey): Promise<void> {
  await changeKeySet(store, (set) => ({ ...set, keys: withKeys(set.keys, [key]) }));
}

/** Marks a key as revoked. A second revocation can only set an earlier date. */
export async function revokeKey(store: Store, kid: string, revoked: string): Promise<void> {
  await changeKeySet(store, (set) => ({
    ...set,
    keys: set.keys.map((key) => withRevocations(key, [{ kid, revoked }])),
  }));
}

/** Returns the keys with those of another set, and the earliest revocation of each. */
export function withKeys(keys: readonly ReleaseKey[], others: readonly ReleaseKey[]): readonly ReleaseKey[] {
  const kids = new Set(keys.map(({ kid }) => kid));
  return [...keys.map((key) => withRevocations(key, others)), ...others.filter(({ kid }) => !kids.has(kid))];
}

/** Changes the key set while no other process does. The head in it stays, and a reader applies the keys of both. */
export async function changeKeySet(store: Store, change: (set: KeySet) => KeySet | Promise<KeySet>): Promise<void> {
  const unlock = await lockFolder(dirname(store.publicKeys));
  try {
    const before = await readStorePublicKeys(store);
    const after = keySetText(await change(before));
    if (after !== keySetText(before)) await replaceFile(store.publicKeys, after);
  } finally {
    await unlock();
  }
}

export function keySetText(set: KeySet): string {
  return `${JSON.stringify(set, null, 2)}\n`;
}

export async function storeKeys(store: Store): Promise<readonly TrustedKey[]> {
  return trustedKeys(store, (await readStorePublicKeys(store)).keys);
}

/**
 * Returns the pinned keys with their revocations in the store and in other key sets. Other sets are not proven to be the
 * publisher's, so they can only reduce trust.
 */
export async function trustedKeys(
  store: Store,
  pinned: readonly ReleaseKey[],
  others: readonly ReleaseKey[] = [],
): Promise<readonly TrustedKey[]> {
  const knownKeys = [...(await readStorePublicKeys(store)).keys, ...others];
  const keys = pinned.map((key) => withRevocations(key, knownKeys));
  return Promise.all(
    keys.map(async (key) =>
      key.revoked === undefined ? key : { ...key, seen: await receiptsBefore(store, key.revoked) },
    ),
  );
}

/**
 * Returns digests of the receipts that were in the journal before a date. If a line has no time, the time of the line
 * before counts.
 */
async function receiptsBefore(store: Store, date: string): Promise<ReadonlySet<string>> {
  const { entries } = await readJournal(store);
  const late = entries.findIndex(({ at }) => at !== null && Date.parse(at) >= Date.parse(date));
  const before = late < 0 ? entries : entries.slice(0, late);
  return new Set(before.flatMap(({ receiptDigest }) => receiptDigest ?? []));
}
