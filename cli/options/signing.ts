/** The options --sign and --key: private keys that sign, and public keys that are trusted. */

import { isDeepStrictEqual } from "node:util";
import { Option } from "commander";
import { readHead, signHead } from "../../pipeline/store/head.ts";
import { publishKey, readStorePublicKeys, trustedKeys } from "../../pipeline/store/key-set.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { TrustedKey } from "../../pipeline/store/signatures.ts";
import {
  KeyUnusable,
  makeSigner,
  readPrivateKey,
  readPublicKeys,
  type Signer,
} from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { PrivateReleaseKey, ReleaseKey } from "../../schemas/public/key-set.ts";
import { clockEffects } from "./effects.ts";
import { UsageError } from "./exit-codes.ts";
import type { SettingName } from "./settings.ts";
import { readableFile } from "./shared.ts";

export const signOption = new Option(
  "--sign <file>",
  "Sign with this private key from `key new`; repeat the option during a rotation, to sign with both keys",
)
  .env("SHARE_SIGNING_KEY" satisfies SettingName)
  .argParser<readonly string[]>((file, files = []) => (file === "" ? files : [...files, file]));

/**
 * Returns a signer with the keys in the files; null without a file. First adds its public keys to the key set of the store.
 *
 * @throws KeyUnusable if a key is revoked
 */
export async function signerFrom(files: readonly string[] | undefined, store: Store): Promise<Signer | null> {
  const keys = new Map<string, PrivateReleaseKey>();
  for (const file of files ?? []) {
    const key = await readPrivateKey(await readableFile("--sign", file));
    const { revoked } = (await readStorePublicKeys(store)).keys.find(({ kid }) => kid === key.kid) ?? {};
    if (revoked !== undefined)
      throw new KeyUnusable(file, `was revoked on ${revoked}: its signatures do not count. Sign with another key.`);
    keys.set(key.kid, key);
  }
  if (keys.size === 0) return null;
  const signer = await makeSigner(...keys.values());
  for (const key of signer.keys) await publishKey(store, key);
  return signer;
}

/**
 * Signs a new head after the active release or the keys changed. Returns a line for the user that says until when the
 * head is valid. Without a signer, the line warns if the stored head is out of date; null if no warning is needed.
 */
export async function headLine(store: Store, signer: Signer | null): Promise<string | null> {
  if (signer !== null) {
    const head = await signHead(store, signer, clockEffects());
    return head && `The head names ${head.scoreReleaseVersion} as the latest release, until ${head.expiresAt}.`;
  }
  const { keys, head: json } = await readStorePublicKeys(store);
  const head = readHead(json);
  if (head === null) return null;
  const isCurrent = head.releaseDigest === (await currentDigest(store)) && isDeepStrictEqual(head.keys, keys);
  return isCurrent
    ? null
    : "The signed head still names the release or the keys before this change. If the key is yours, sign a new head with `share-release key sign`.";
}

/** The option --unsigned: builds a release without a signature, even if the settings contain a key. */
export const unsignedOption = new Option("--unsigned", "Build without a signature, in a store that signs its releases");

/**
 * Returns the signer of a build; null for a release without a signature.
 * @throws UsageError if the store signs its releases, and neither a key nor --unsigned is given
 */
export async function buildSignerFrom(
  { sign, unsigned }: { readonly sign?: readonly string[] | undefined; readonly unsigned?: true | undefined },
  store: Store,
): Promise<Signer | null> {
  if (unsigned === true) return null;
  const signer = await signerFrom(sign, store);
  if (signer !== null || (await readStorePublicKeys(store)).keys.length === 0) return signer;
  throw new UsageError(
    `this store signs its releases (its keys are in ${store.publicKeys}), but there is no key. Give one with --sign or SHARE_SIGNING_KEY, or build an unsigned release with --unsigned.`,
  );
}

export const keyOption = new Option(
  "--key <file>",
  "Public keys that you trust (a JSON Web Key Set): one of them must have signed the release",
);

/** Returns the public keys in the file of the option --key; null without the option. */
export async function pinnedKeys(file: string | undefined): Promise<readonly ReleaseKey[] | null> {
  return file === undefined ? null : readPublicKeys(await readableFile("--key", file));
}

/**
 * Returns the public keys in the file of the option --key, with the revocations in the store; null without the option.
 */
export async function readTrustedKeys(file: string | undefined, store: Store): Promise<readonly TrustedKey[] | null> {
  const pinned = await pinnedKeys(file);
  return pinned && trustedKeys(store, pinned);
}
