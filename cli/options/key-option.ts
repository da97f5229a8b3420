/** --key: the public keys one trusts. */

import { Option } from "commander";
import { readPublicKeys } from "../../pipeline/store/signing/keys.ts";
import type { ReleaseKey } from "../../schemas/public/release-key.ts";
import { readableFile } from "./readable-file.ts";

export const keyOption = new Option(
  "--key <file>",
  "public keys one trusts (a JSON Web Key Set): releases must be signed by one of them",
);

/** The keys of the option; null where it is not given. */
export async function keysOf(file: string | undefined): Promise<readonly ReleaseKey[] | null> {
  return file === undefined ? null : readPublicKeys(await readableFile("--key", file));
}
