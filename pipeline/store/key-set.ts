/** The key set of a store: its public keys and what was said of them, as it is published. */

import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type KeySet, keySet } from "../../schemas/public/key-set.ts";
import type { ReleaseKey } from "../../schemas/public/release-key.ts";
import { isMissing, replaceFile } from "../files/durable.ts";
import { lockFolder } from "./folder-lock.ts";
import { KeyUnusable } from "./signing/keys.ts";
import type { Store } from "./store.ts";

/**
 * The store's public keys; an empty set where it has none. Nothing but public members ever leaves this function.
 * @throws KeyUnusable where the file is there and is no key set
 */
export async function publicKeysOf(store: Store): Promise<KeySet> {
  const text = await readFile(store.publicKeys, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return { keys: [], statements: [] };
  try {
    return keySet.parse(JSON.parse(text));
  } catch (cause) {
    throw new KeyUnusable(store.publicKeys, "is damaged: restore it from a copy", { cause });
  }
}

/** Adds a public key to those the store publishes; keys are never taken out, so that old signatures can be checked. */
export async function publishKey(store: Store, key: ReleaseKey): Promise<void> {
  await changeKeySet(store, async (set) =>
    set.keys.some(({ kid }) => kid === key.kid) ? set : { ...set, keys: [...set.keys, key] },
  );
}

/** Changes the key set of a store, one process after the other. */
export async function changeKeySet(store: Store, change: (set: KeySet) => Promise<KeySet>): Promise<void> {
  const unlock = await lockFolder(dirname(store.publicKeys));
  try {
    const before = await publicKeysOf(store);
    const after = await change(before);
    if (after !== before) await replaceFile(store.publicKeys, keySetText(after));
  } finally {
    await unlock();
  }
}

/** As it lies in the store and goes to mirrors. */
export function keySetText(set: KeySet): string {
  return `${JSON.stringify(set, null, 2)}\n`;
}
