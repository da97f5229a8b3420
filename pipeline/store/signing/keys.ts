/** Key pairs: made, kept in files only their owner can read, and their public parts collected for publication. */

import { open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import {
  type PrivateReleaseKey,
  privateReleaseKey,
  type ReleaseKey,
  type ReleaseKeySet,
  releaseKey,
  releaseKeySet,
} from "../../../schemas/public/release-key.ts";
import { replaceFile, syncFolder } from "../../files/durable.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { lockFolder } from "../folder-lock.ts";
import type { Store } from "../store.ts";

/** A file that should hold a key does not, or holds it in a way nobody should. */
export class KeyUnusable extends Error {
  readonly code = "ERR_KEY_UNUSABLE";
  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path} ${what}`, options);
    this.name = "KeyUnusable";
  }
}

/** A new key pair, named by its thumbprint. */
export async function newReleaseKey(): Promise<PrivateReleaseKey> {
  const pair = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const jwk = await exportJWK(pair.privateKey);
  return privateReleaseKey.parse({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: "EdDSA", use: "sig" });
}

/** Everything but the secret. */
export function publicPart(key: PrivateReleaseKey): ReleaseKey {
  return releaseKey.parse(key);
}

/** Writes a private key into a new file that only its owner can read; a file that is there is never overwritten. */
export async function writePrivateKey(path: string, key: PrivateReleaseKey): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(key, null, 2)}\n`);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
}

/**
 * The private key of a file.
 * @throws KeyUnusable where it is none, or where others than its owner may read it
 */
export async function readPrivateKey(path: string): Promise<PrivateReleaseKey> {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0)
    throw new KeyUnusable(path, "can be read by others than its owner: `chmod 600` it, or better make a new key");
  const key = privateReleaseKey.safeParse(await jsonOf(path));
  if (!key.success) throw new KeyUnusable(path, "is no private key of `share-release keygen`");
  return key.data;
}

/**
 * The public keys of a file: a key set, or one key.
 * @throws KeyUnusable where it holds none, or a private one
 */
export async function readPublicKeys(path: string): Promise<readonly ReleaseKey[]> {
  const json = await jsonOf(path);
  if (privateReleaseKey.safeParse(json).success) {
    throw new KeyUnusable(path, "is a private key, which is for signing only; give the public ones");
  }
  const set = releaseKeySet.safeParse(json);
  if (set.success && set.data.keys.length > 0) return set.data.keys;
  const one = releaseKey.safeParse(json);
  if (!one.success) throw new KeyUnusable(path, "holds no public Ed25519 key; give the published key set");
  return [one.data];
}

/** The store's public keys; an empty set where it has none. Nothing but public members ever leaves this function. */
export async function publicKeysOf(store: Store): Promise<ReleaseKeySet> {
  const text = await readFile(store.publicKeys, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? { keys: [] } : releaseKeySet.parse(JSON.parse(text));
}

/** Adds a public key to those the store publishes; keys are never taken out, so that old signatures can be checked. */
export async function publishKey(store: Store, key: ReleaseKey): Promise<void> {
  const folder = dirname(store.publicKeys);
  const unlock = await lockFolder(folder);
  try {
    const { keys } = await publicKeysOf(store);
    if (keys.some(({ kid }) => kid === key.kid)) return;
    await replaceFile(store.publicKeys, `${JSON.stringify({ keys: [...keys, key] }, null, 2)}\n`);
  } finally {
    await unlock();
  }
}

async function jsonOf(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KeyUnusable(path, "is no JSON", { cause });
  }
}
