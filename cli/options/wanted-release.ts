/** The release that a command is for: the one whose digest was given, else the active one. */

import { currentDigest, findDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { UsageError } from "./exit-codes.ts";

/**
 * Its whole digest; `given` may be the beginning of one.
 * @throws UsageError where none is active; ReleaseNotFound where `given` is that of none
 */
export async function wantedRelease(store: Store, given: string | undefined): Promise<string> {
  const digest = given === undefined ? await currentDigest(store) : await findDigest(store, given);
  if (digest !== null) return digest;
  throw new UsageError(`no release is active in ${store.root}; make one with \`share-release build\``);
}
