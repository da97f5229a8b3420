/** The text of a receipt, also of a release that is gone: pruning keeps it. */

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isMissing } from "../files/durable.ts";
import type { Store } from "./store.ts";

/** As it lies in the folder of the release, or was kept when that went; null where there is none. */
export async function receiptText(store: Store, releaseDigest: string): Promise<string | null> {
  const folder = store.release(releaseDigest);
  return (await receiptTextIn(folder)) ?? textOf(join(store.pruned, `${basename(folder)}.json`));
}

/** That of a release in a folder. */
export function receiptTextIn(folder: string): Promise<string | null> {
  return textOf(join(folder, "release.json"));
}

function textOf(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}
