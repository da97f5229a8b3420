/** The place of a release in the chain: its predecessor as the receipt and the diff name it. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DIFF_FILE, releaseDiff } from "../../schemas/public/api/diff.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Found } from "./finding.ts";

/** A diff is with the predecessor or, where that is of another format, with nothing. */
export async function verifyChain(folder: string, { previousReleaseDigest }: Receipt, found: Found): Promise<void> {
  const text = await readFile(join(folder, DIFF_FILE), "utf8").catch(() => null);
  // Whether a release may be without is asked of its manifest.
  if (text === null) return;
  const from = predecessorIn(text);
  if (from === undefined) found("chain", `${DIFF_FILE} cannot be read`);
  else if (from !== null && from !== previousReleaseDigest)
    found(
      "chain",
      `${DIFF_FILE} compares with ${from}, the receipt says ${previousReleaseDigest} for previousReleaseDigest`,
    );
}

/** Undefined where the text is no diff. */
function predecessorIn(text: string): string | null | undefined {
  try {
    return releaseDiff.pick({ from: true }).parse(JSON.parse(text)).from?.releaseDigest ?? null;
  } catch {
    return undefined;
  }
}
