/** The release that a command is for: the one whose digest was given, else the active one, else the newest. */

import { currentDigest, findDigest, listReleases } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { warn } from "../text/log-line.ts";
import { UsageError } from "./exit-codes.ts";

/**
 * Its whole digest; `given` may be the beginning of one.
 * @throws UsageError if there is no release; ReleaseNotFound if `given` is that of none
 */
export async function wantedRelease(store: Store, given: string | undefined): Promise<string> {
  const digest = given === undefined ? await currentDigest(store) : await findDigest(store, given);
  if (digest !== null) return digest;
  const { releaseDigest, scoreReleaseVersion } = await newestRelease(store);
  warn({ event: "no-active-release", newest: scoreReleaseVersion, digest: releaseDigest });
  return releaseDigest;
}

/**
 * The same for a command whose work others see: it never takes a release that is not active, unless it is named.
 * @throws UsageError if none is active; ReleaseNotFound if `given` is that of none
 */
export async function activeRelease(store: Store, given: string | undefined): Promise<string> {
  const digest = given === undefined ? await currentDigest(store) : await findDigest(store, given);
  if (digest !== null) return digest;
  const { releaseDigest } = await newestRelease(store);
  throw new UsageError(
    `no release is active in ${store.root}. Activate one with \`share-release activate\`, or name the release: the newest is ${releaseDigest}.`,
  );
}

async function newestRelease(store: Store): Promise<Receipt> {
  const newest = (await listReleases(store, () => undefined)).at(-1);
  if (newest === undefined)
    throw new UsageError(`there is no release in ${store.root}; make one with \`share-release build\``);
  return newest;
}
