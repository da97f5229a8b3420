/** A finished release of the store, whichever is active, by its digest as addresses write it. */

import { digestKey } from "../../../api-static/routes/path-keys.ts";
import { readReceipt } from "../../../pipeline/store/releases.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import { unknownKey } from "../../frame/read-asked.ts";

export interface StoredRelease {
  readonly folder: string;
  readonly receipt: Receipt;
}

/** @throws ProblemError `release-not-found` for what is no digest, or of no finished release */
export async function storedRelease(store: Store, digest: string): Promise<StoredRelease> {
  const folder = /^sha256-[0-9a-f]{64}$/.test(digest) ? store.release(digest.replace("-", ":")) : null;
  const receipt = folder === null ? null : await readReceipt(folder);
  if (folder === null || receipt === null) throw unknownKey(digestKey);
  return { folder, receipt };
}
