/** --key: the public keys one trusts. */

import { Option } from "commander";
import { heardOf, storeKeys } from "../../pipeline/store/key-statements.ts";
import type { TrustedKey } from "../../pipeline/store/signing/check-signature.ts";
import { readPublicKeys } from "../../pipeline/store/signing/keys.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { KeySet } from "../../schemas/public/key-set.ts";
import { readableFile } from "./readable-file.ts";

export const keyOption = new Option(
  "--key <file>",
  "public keys one trusts (a JSON Web Key Set): releases must be signed by one of them, or by its successor",
);

/** The keys of the option as they are given; null where it is not given. */
export async function keySetOf(file: string | undefined): Promise<KeySet | null> {
  return file === undefined ? null : readPublicKeys(await readableFile("--key", file));
}

/**
 * The keys of the option, with what it and the store know of them; null where it is not given.
 * @throws KeysDisputed
 */
export async function keysOf(file: string | undefined, store: Store): Promise<readonly TrustedKey[] | null> {
  const given = await keySetOf(file);
  if (given === null) return null;
  const { keys } = await heardOf(given.keys, [
    { where: `--key ${file}`, statements: given.statements },
    { where: store.publicKeys, statements: (await storeKeys(store)).statements },
  ]);
  return keys;
}
