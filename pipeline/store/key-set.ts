/** Reads and changes the published keys of a store, and decides which keys to trust. */

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
 * Returns the public keys of the store, without any private fields. Returns no keys if the store has no key set.
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

/** Adds a public key to the published set. Keys are never removed, because old signatures must remain verifiable. */
export async function publishKey(store: Store, key: ReleaseKey): Promise<void> {
  await changeKeySet(store, (set) => ({ ...set, keys: withKeys(set.keys, [key]) }));
}

/** Marks a key as revoked from a date. If the key is already revoked, the date can only become earlier. */
export async function revokeKey(store: Store, kid: string, revoked: string): Promise<void> {
  await changeKeySet(store, (set) => ({
    ...set,
    keys: set.keys.map((key) => withRevocations(key, [{ kid, revoked }])),
  }));
}

/** Joins two lists of keys. If both revoke a key, the earlier revocation applies. */
export function withKeys(keys: readonly ReleaseKey[], others: readonly ReleaseKey[]): readonly ReleaseKey[] {
  const kids = new Set(keys.map(({ kid }) => kid));
  return [...keys.map((key) => withRevocations(key, others)), ...others.filter(({ kid }) => !kids.has(kid))];
}

/**
 * Changes the key set while no other process does. Changes of keys need not change the signed head in it, because
 * readers combine the keys in the head with those of the set.
 */
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
 * Returns the trusted keys that the reader named, marked as revoked if the store or another key set says so. The other
 * sets may not come from the publisher, so they can only remove trust and never add it.
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
 * Returns the digests of receipts that the journal recorded before a date. An entry without a time counts like the
 * entry before it.
 */
async function receiptsBefore(store: Store, date: string): Promise<ReadonlySet<string>> {
  const { entries } = await readJournal(store);
  const late = entries.findIndex(({ at }) => at !== null && Date.parse(at) >= Date.parse(date));
  const before = late < 0 ? entries : entries.slice(0, late);
  return new Set(before.flatMap(({ receiptDigest }) => receiptDigest ?? []));
}
