/**
 * Reads the key set of a publisher and its head, the signed statement about its latest release. Remembers for each address
 * which keys are trusted, and checks that no head is older than one that this store saw before.
 */

import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { isMissing, replaceFile } from "../../pipeline/files/durable.ts";
import { adoptHead, checkHead, readHead } from "../../pipeline/store/head.ts";
import { trustedKeys } from "../../pipeline/store/key-set.ts";
import { lockFolder } from "../../pipeline/store/locks.ts";
import type { TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type Head, type KeySet, parseKeySet, type ReleaseKey, releaseKey } from "../../schemas/public/key-set.ts";
import { FetchRejected, type Remote, textAt } from "./remote.ts";

export interface Publisher {
  /** The URL of the publisher, with a slash at its end. The folder releases/ is below it. */
  readonly base: string;
  /** The keys that the user gave for this fetch or an earlier one; null if there are none. */
  readonly pinned: readonly ReleaseKey[] | null;
  /** The highest sequence number of any head that one of these keys signed, at any address; 0 if no head was seen. */
  readonly seen: number;
}

/** The trusted keys and the last sequence number of each publisher, by its address. */
const followedPublishers = z.record(
  z.string(),
  z.object({ keys: z.array(releaseKey), sequence: z.int().describe("0 if no head was seen.") }),
);

type Followed = z.infer<typeof followedPublishers>;

export async function publisherAt(store: Store, base: string, given: readonly ReleaseKey[] | null): Promise<Publisher> {
  const followed = await readFollowed(store);
  const pinned = given ?? followed[base]?.keys ?? null;
  const numbers = Object.values(followed).flatMap(({ keys, sequence }) => (sharesKey(keys, pinned) ? [sequence] : []));
  return { base, pinned, seen: Math.max(0, ...numbers) };
}

function sharesKey(keys: readonly ReleaseKey[], others: readonly ReleaseKey[] | null): boolean {
  return keys.some(({ kid }) => others?.some((other) => other.kid === kid));
}

async function readFollowed(store: Store): Promise<Followed> {
  const text = await readFile(store.followed, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return "{}";
    throw error;
  });
  try {
    return followedPublishers.parse(JSON.parse(text));
  } catch (cause) {
    throw new FetchRejected(
      store.followed,
      "is damaged: restore it from a copy, or remove it and give the publisher's key with --key again",
      { cause },
    );
  }
}

/** The key set and the head of a publisher after checking. */
export interface Statements {
  /** The trusted keys, with the revocations that this store or the publisher knows. */
  readonly keys: readonly TrustedKey[];
  /** The head; null if no trusted key signed it. */
  readonly head: Head | null;
  /**
   * The reason why the head is not trusted, as the end of a sentence that begins "the head of <URL>"; null if it is
   * trusted. Only set with `allowOlder`, because the fetch fails otherwise.
   */
  readonly doubt: string | null;
}

/**
 * Reads the key set of a publisher, checks the head in it, and stores the sequence number of the head. The head must not be
 * older than one that was seen before. If the user names a release, the head may have expired; for the latest release, it
 * must not.
 *
 * @throws FetchRejected unless `allowOlder`
 */
export async function readStatements(
  store: Store,
  { base, pinned, seen }: Publisher & { readonly pinned: readonly ReleaseKey[] },
  remote: Remote,
  { isLatest, allowOlder }: { readonly isLatest: boolean; readonly allowOlder: boolean },
): Promise<Statements> {
  const set = await keySetBelow(base, remote);
  const keys = await trustedKeys(store, pinned, [...set.keys, ...(readHead(set.head)?.keys ?? [])]);
  const now = isLatest ? remote.effects.now() : null;
  const { head, fault } = await checkHead(set.head, keys, { now, seen });
  const isNeeded = isLatest || seen > 0 || set.head !== undefined;
  const doubt = isNeeded ? fault : null;
  if (doubt !== null && !allowOlder)
    throw new FetchRejected(
      `the head of ${base}`,
      `${doubt}. This copy may be old: ask the publisher for a new head, or accept this one with --allow-older`,
    );
  await remember(store, base, pinned, head?.sequence ?? null);
  if (head !== null && doubt === null) await adoptHead(store, set.head);
  return { keys, head, doubt };
}

/**
 * Stores the keys and the sequence number of a publisher. If the user accepted a head with a lower number, that number also
 * replaces the one of every other address that trusts one of these keys.
 */
async function remember(
  store: Store,
  base: string,
  keys: readonly ReleaseKey[],
  sequence: number | null,
): Promise<void> {
  const unlock = await lockFolder(dirname(store.followed));
  try {
    const before = await readFollowed(store);
    const others = Object.entries(before).map(([at, entry]): [string, Followed[string]] => {
      const isLower = sequence !== null && sharesKey(entry.keys, keys) && sequence < entry.sequence;
      return [at, isLower ? { ...entry, sequence } : entry];
    });
    const entry = { keys: [...keys], sequence: sequence ?? before[base]?.sequence ?? 0 };
    const after = { ...Object.fromEntries(others), [base]: entry };
    await replaceFile(store.followed, `${JSON.stringify(after, null, 2)}\n`);
  } finally {
    await unlock();
  }
}

/** Possible paths of the key set: the first if releases are published as files, the second at a service. */
const PATHS = ["keys/share-release-keys.json", ".well-known/share-release-keys.json"];

const MAX_KEY_SET_BYTES = 16 * 1024 * 1024;

/**
 * Returns the published key set; one without keys if the publisher has none.
 * @throws FetchRejected if this version cannot read the key set
 */
async function keySetBelow(base: string, remote: Remote): Promise<KeySet> {
  for (const path of PATHS) {
    const text = await textAt(remote, `${base}${path}`, MAX_KEY_SET_BYTES).catch((error: unknown) => {
      if (error instanceof FetchRejected) return null;
      throw error;
    });
    // Some hosts return a page instead of status 404.
    const json = text === null ? null : parseJson(text);
    if (json === null) continue;
    try {
      return parseKeySet(json);
    } catch (cause) {
      throw new FetchRejected(
        `${base}${path}`,
        "is not a key set that this version can read. Update the program, or report this to the publisher",
        { cause },
      );
    }
  }
  return { keys: [] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
