/** --sign: the private key that signs the receipt of a build, or what is said of releases and keys. */

import { Option } from "commander";
import { publicKeysOf, publishKey } from "../../pipeline/store/key-set.ts";
import { storeKeys } from "../../pipeline/store/key-statements.ts";
import { KeyUnusable, readPrivateKey, writePrivateKey } from "../../pipeline/store/signing/keys.ts";
import { type Signer, signerOf } from "../../pipeline/store/signing/sign.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { PrivateReleaseKey } from "../../schemas/public/release-key.ts";
import { CommandFailed, UsageError } from "./exit-codes.ts";
import { readableFile } from "./readable-file.ts";

export const signOption = new Option("--sign <file>", "sign it with this private key of `keygen`").env(
  "SHARE_SIGNING_KEY",
);

/**
 * Null where no key is given. The public part joins those the store publishes, before anything is signed by it.
 * @throws KeyUnusable where the key was replaced or revoked
 */
export async function signerFrom(file: string | undefined, store: Store): Promise<Signer | null> {
  const signer = await anySignerFrom(file);
  if (signer === null) return null;
  await publishKey(store, signer.key);
  const { revoked, successor } = (await storeKeys(store)).keys.find(({ kid }) => kid === signer.key.kid) ?? {};
  if (revoked !== undefined)
    throw new KeyUnusable(`${file}`, `was revoked (${revoked.reason}): nobody takes what it signs from now on`);
  if (successor !== undefined)
    throw new KeyUnusable(`${file}`, `was replaced: sign with the key ${successor}, in --sign or SHARE_SIGNING_KEY`);
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
  { sign, unsigned }: { readonly sign?: string | undefined; readonly unsigned?: true | undefined },
  store: Store,
): Promise<Signer | null> {
  if (unsigned === true) return null;
  const signer = await signerFrom(sign, store);
  if (signer !== null || (await publicKeysOf(store)).keys.length === 0) return signer;
  throw new UsageError(
    `this store signs its releases (${store.publicKeys} has its keys), and no key is given. Give one with --sign or SHARE_SIGNING_KEY, or make an unsigned release with --unsigned.`,
  );
}

/** Any key, which is not published yet: what was replaced can still say of itself that it is revoked. */
export async function anySignerFrom(file: string | undefined): Promise<Signer | null> {
  return file === undefined || file === "" ? null : signerOf(await readPrivateKey(await readableFile("--sign", file)));
}

/** Writes a private key where there is nothing. */
export async function writeNewKey(file: string, key: PrivateReleaseKey): Promise<void> {
  await writePrivateKey(file, key).catch((cause: unknown) => {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    throw new CommandFailed(
      `${file} is there already; a key is never overwritten: give another --out, or remove it where a command that was killed left it`,
      { cause },
    );
  });
}
