/** Key pairs: made, kept in files only their owner can read, and their public parts collected for publication. */

import { open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import { parseKeySet } from "../../../schemas/public/key-set.ts";
import {
  type PrivateReleaseKey,
  privateReleaseKey,
  type ReleaseKey,
  releaseKey,
} from "../../../schemas/public/release-key.ts";
import { makeFolder, syncFolder } from "../../files/durable.ts";

/** A file that should hold a key does not, or holds it in a way nobody should. */
export class KeyUnusable extends Error {
  readonly code = "ERR_KEY_UNUSABLE";
  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path} ${what}`, options);
    this.name = "KeyUnusable";
  }
}

/** A new key pair, named by its thumbprint; one whose name would be taken for an option of a command is thrown away. */
export async function newReleaseKey(): Promise<PrivateReleaseKey> {
  const pair = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const jwk = await exportJWK(pair.privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return kid.startsWith("-") ? newReleaseKey() : privateReleaseKey.parse({ ...jwk, kid, alg: "EdDSA", use: "sig" });
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
  if (!key.success) throw new KeyUnusable(path, "is not a private key of `share-release key new`");
  return key.data;
}

/**
 * Returns the public keys of a file: a key set, or one key.
 * @throws KeyUnusable if it holds none, or a private one
 */
export async function readPublicKeys(path: string): Promise<readonly ReleaseKey[]> {
  const json = await jsonOf(path);
  if (privateReleaseKey.safeParse(json).success) {
    throw new KeyUnusable(path, "is a private key, which is for signing only; give the public ones");
  }
  const one = releaseKey.safeParse(json);
  if (one.success) return [one.data];
  try {
    const { keys } = parseKeySet(json);
    if (keys.length > 0) return keys;
  } catch (cause) {
    throw new KeyUnusable(path, "is not a key set of public Ed25519 keys; give the published one", { cause });
  }
  throw new KeyUnusable(path, "holds no public Ed25519 key; give the published key set");
}

async function jsonOf(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KeyUnusable(path, "is not JSON", { cause });
  }
}
