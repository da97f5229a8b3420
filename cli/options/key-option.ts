/** --key: the public keys one trusts. */

import { Option } from "commander";
import type { TrustedKey } from "../../pipeline/store/check-signature.ts";
import { trustedKeys } from "../../pipeline/store/key-set.ts";
import { readPublicKeys } from "../../pipeline/store/sign.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { ReleaseKey } from "../../schemas/public/key-set.ts";
import { readableFile } from "./readable-file.ts";

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
