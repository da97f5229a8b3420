/** The history that a release goes on from: that of the nearest earlier release that has one. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type MetricsSnapshot, metricsHistory } from "../../schemas/public/api/metrics.ts";
import { readReceipt } from "../store/releases.ts";
import type { Store } from "../store/store.ts";

/** `digest` is the predecessor; null where there is one that is not in the store. A release without history breaks no chain. */
export async function earlierHistory(store: Store, digest: string | null): Promise<MetricsSnapshot[] | null> {
  for (let at = digest; at !== null; ) {
    const folder = store.release(at);
    const receipt = await readReceipt(folder);
    if (receipt === null) return null;
    if (receipt.history) {
      return metricsHistory.parse(JSON.parse(await readFile(join(folder, "data/history.json"), "utf8")));
    }
    at = receipt.previousReleaseDigest;
  }
  return [];
}
