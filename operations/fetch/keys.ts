/** What the other side says of the keys one holds to: that they were replaced or revoked. */

import type { Effects } from "../../pipeline/stage/effects.ts";
import { publicKeysOf } from "../../pipeline/store/key-set.ts";
import { heardOf, KeysDisputed, keepStatements, storeKeys } from "../../pipeline/store/key-statements.ts";
import type { TrustedKey } from "../../pipeline/store/signing/check-signature.ts";
import type { Trust } from "../../pipeline/store/signing/trusted-keys.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type KeySet, type KeyStatement, keySet } from "../../schemas/public/key-set.ts";
import type { ReleaseAddress } from "./address.ts";
import { FetchRefused } from "./errors.ts";
import { type Remote, textAt } from "./remote.ts";

export interface OfferedKeys extends Trust {
  /** Whether the other side knows less than is known here: it is behind, or leaves something out. */
  readonly isBehind: boolean;
}

/**
 * The keys that `given` leads to, by what is known here and what the other side says. Where that does not hold nothing of the
 * other side is taken.
 * @throws FetchRefused
 */
export async function offeredKeys(
  store: Store,
  { url }: ReleaseAddress,
  given: KeySet,
  remote: Remote,
): Promise<OfferedKeys> {
  const known = await heard(store, given);
  const offered = await keySetBeside(url, remote);
  try {
    const theirs = await heardOf(given.keys, [{ where: url, statements: offered.statements }]);
    const all = await heardOf(given.keys, [
      { where: "what is known here", statements: known.statements },
      { where: "the key set there", statements: theirs.statements },
    ]);
    return { ...all, isBehind: theirs.statements.length < known.statements.length };
  } catch (error) {
    if (error instanceof KeysDisputed) throw new FetchRefused(url, `is not taken: ${error.message}`, { cause: error });
    throw error;
  }
}

/**
 * The keys that `given` leads to, by what is known here alone.
 * @throws KeysDisputed
 */
export async function knownKeys(store: Store, given: KeySet): Promise<readonly TrustedKey[]> {
  return (await heard(store, given)).keys;
}

async function heard(store: Store, given: KeySet): Promise<Trust> {
  return heardOf(given.keys, [
    { where: "what is given with --key", statements: given.statements },
    { where: store.publicKeys, statements: (await storeKeys(store)).statements },
  ]);
}

/** Where it lies beside releases that were published as files, and where a service answers it. */
const PLACES = ["keys/share-release-keys.json", ".well-known/share-release-keys.json"];

const LONGEST_SET = 16 * 1024 * 1024;

/** An empty one where there is none. */
async function keySetBeside(url: string, remote: Remote): Promise<KeySet> {
  const at = url.replace(/releases\/sha256-[0-9a-f]{64}$/, "");
  for (const place of PLACES) {
    const text = await textAt(remote, `${at}${place}`, LONGEST_SET).catch((error: unknown) => {
      if (error instanceof FetchRefused) return null;
      throw error;
    });
    // A host that answers a page for whatever it has not has nothing there.
    const json = text === null ? null : jsonOf(text);
    if (json === null) continue;
    try {
      return keySet.parse(json);
    } catch (cause) {
      throw new FetchRefused(`${at}${place}`, "is no key set that this version can read", { cause });
    }
  }
  return { keys: [], statements: [] };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What was heard of the keys one holds to. */
export interface HeardKeys {
  readonly statements: readonly KeyStatement[];
  readonly isBehind: boolean;
  /** Whether it is kept, so that it is known next time and passed on. */
  readonly kept: boolean;
}

/**
 * Keeps what was heard in a store that has no keys but these. One that signs releases of its own has its own account of its
 * keys, and hears this one again each time.
 */
export async function keepHeard(
  store: Store,
  { keys, statements, isBehind }: OfferedKeys,
  change: { readonly at: string; readonly sleep: Effects["sleep"] },
): Promise<HeardKeys> {
  const trusted = new Set(keys.map(({ kid }) => kid));
  const kept = (await publicKeysOf(store)).keys.every(({ kid }) => trusted.has(kid));
  if (kept && statements.length > 0) {
    const plain = keys.map(({ successor: _successor, revoked: _revoked, ...key }) => key);
    await keepStatements(store, { keys: plain, statements: [...statements] }, change);
  }
  return { statements, isBehind, kept };
}
