/** --sign and --key: the private keys that sign, and the public keys that are trusted. */

import { Option } from "commander";
import { publicKeysOf, publishKey, trustedKeys } from "../../pipeline/store/key-set.ts";
import type { TrustedKey } from "../../pipeline/store/signatures.ts";
import { KeyUnusable, readPrivateKey, readPublicKeys, type Signer, signerOf } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { PrivateReleaseKey, ReleaseKey } from "../../schemas/public/key-set.ts";
import type { VariableName } from "./environment.ts";
import { UsageError } from "./exit-codes.ts";
import { readableFile } from "./shared.ts";

export const signOption = new Option(
  "--sign <file>",
  "sign it with this private key of `key new`; give it twice during a rotation, to sign with both keys",
)
  .env("SHARE_SIGNING_KEY" satisfies VariableName)
  .argParser<readonly string[]>((file, files = []) => (file === "" ? files : [...files, file]));

/**
 * Returns null if no key is given. The public parts join those that the store publishes, before anything is signed.
 * @throws KeyUnusable if a key is revoked
 */
export async function signerFrom(files: readonly string[] | undefined, store: Store): Promise<Signer | null> {
  const keys = new Map<string, PrivateReleaseKey>();
  for (const file of files ?? []) {
    const key = await readPrivateKey(await readableFile("--sign", file));
    const { revoked } = (await publicKeysOf(store)).keys.find(({ kid }) => kid === key.kid) ?? {};
    if (revoked !== undefined)
      throw new KeyUnusable(file, `is revoked since ${revoked}: its signatures do not count. Sign with another key.`);
    keys.set(key.kid, key);
  }
  if (keys.size === 0) return null;
  const signer = await signerOf(...keys.values());
  for (const key of signer.keys) await publishKey(store, key);
  return signer;
}

/** Makes a release without a signature, whatever key the environment names. */
export const unsignedOption = new Option(
  "--unsigned",
  "make it without a signature, in a store that signs its releases",
);

/**
 * The signer of a build, or null if the release is to be unsigned.
 * @throws UsageError if the store signs its releases, and neither a key nor --unsigned is given
 */
export async function buildSignerFrom(
  { sign, unsigned }: { readonly sign?: readonly string[] | undefined; readonly unsigned?: true | undefined },
  store: Store,
): Promise<Signer | null> {
  if (unsigned === true) return null;
  const signer = await signerFrom(sign, store);
  if (signer !== null || (await publicKeysOf(store)).keys.length === 0) return signer;
  throw new UsageError(
    `this store signs its releases (${store.publicKeys} has its keys), and no key is given. Give one with --sign or SHARE_SIGNING_KEY, or make an unsigned release with --unsigned.`,
  );
}

export const keyOption = new Option(
  "--key <file>",
  "public keys you trust (a JSON Web Key Set): one of them must have signed the release",
);

/** Returns the keys of the option as its file has them; null if it is not given. */
export async function pinnedKeys(file: string | undefined): Promise<readonly ReleaseKey[] | null> {
  return file === undefined ? null : readPublicKeys(await readableFile("--key", file));
}

/** Returns the keys of the option with the revocations that the store knows; null if it is not given. */
export async function keysOf(file: string | undefined, store: Store): Promise<readonly TrustedKey[] | null> {
  const pinned = await pinnedKeys(file);
  return pinned && trustedKeys(store, pinned);
}
