/** The key set beside the release that is fetched. */

import { parseKeySet } from "../../schemas/public/key-set.ts";
import type { ReleaseKey } from "../../schemas/public/release-key.ts";
import type { ReleaseAddress } from "./address.ts";
import { FetchRefused } from "./errors.ts";
import { type Remote, textAt } from "./remote.ts";

/** Its paths beside releases that were published as files, and at a service. */
const PATHS = ["keys/share-release-keys.json", ".well-known/share-release-keys.json"];

const LONGEST_SET = 16 * 1024 * 1024;

/**
 * Returns the published keys; none if there is no key set.
 * @throws FetchRefused if there is one that cannot be read
 */
export async function offeredKeys({ url }: ReleaseAddress, remote: Remote): Promise<readonly ReleaseKey[]> {
  const at = url.replace(/releases\/sha256-[0-9a-f]{64}$/, "");
  for (const path of PATHS) {
    const text = await textAt(remote, `${at}${path}`, LONGEST_SET).catch((error: unknown) => {
      if (error instanceof FetchRefused) return null;
      throw error;
    });
    // Some hosts answer with a page instead of 404.
    const json = text === null ? null : jsonOf(text);
    if (json === null) continue;
    try {
      return parseKeySet(json).keys;
    } catch (cause) {
      throw new FetchRefused(`${at}${path}`, "is not a key set that this version can read", { cause });
    }
  }
  return [];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
