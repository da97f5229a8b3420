/** --sign: the private key that signs the receipt of a build. */

import { Option } from "commander";
import { publishKey, readPrivateKey } from "../../pipeline/store/signing/keys.ts";
import { type Signer, signerOf } from "../../pipeline/store/signing/sign.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { readableFile } from "./readable-file.ts";

export const signOption = new Option("--sign <file>", "sign the receipt with this private key of `keygen`").env(
  "SHARE_SIGNING_KEY",
);

/** Null where no key is given. The public part joins those the store publishes, before anything is signed by it. */
export async function signerFrom(file: string | undefined, store: Store): Promise<Signer | null> {
  if (file === undefined || file === "") return null;
  const signer = await signerOf(await readPrivateKey(await readableFile("--sign", file)));
  await publishKey(store, signer.key);
  return signer;
}
