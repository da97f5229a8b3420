/** What is said of releases at a target: that they were withdrawn, before anything else is done there. */

import { disownedRelease } from "../../pipeline/store/disowned.ts";
import { readRetraction, retractedDigests, retractionPath, retractionText } from "../../pipeline/store/retractions.ts";
import { revokedWords } from "../../pipeline/store/signing/check-signature.ts";
import type { Publication } from "./send-release.ts";
import { PublishRefused } from "./target/errors.ts";
import { LIST_HEADERS } from "./target/object-headers.ts";

/** Sends the statement of each retracted release that is there, or is to be; answers those that were not there yet. */
export async function sendRetractions({ receipt, store, target, dryRun }: Publication): Promise<string[]> {
  const sent: string[] = [];
  for (const digest of await retractedDigests(store)) {
    const there = digest === receipt.releaseDigest || (await target.place(digest).receipt()) !== null;
    const path = retractionPath(digest);
    // What was said there first stays.
    const said = there && (await target.text(path)) === null ? await readRetraction(store, digest) : null;
    if (said === null) continue;
    if (!dryRun) await target.write(path, retractionText(said), LIST_HEADERS);
    sent.push(digest);
  }
  return sent;
}

/**
 * The pointer leads to what was not withdrawn, nor signed with a key that was revoked, unless it does already.
 * @throws PublishRefused
 */
export async function requireStanding({ receipt, store, target }: Publication, force: string | null): Promise<void> {
  const { releaseDigest } = receipt;
  if (force !== null || (await target.current()) === releaseDigest) return;
  const by = await disownedRelease(store, releaseDigest);
  if (by !== null)
    throw new PublishRefused(
      `${releaseDigest} is signed ${revokedWords([{ kid: by.kid, revoked: by.since }])}. ${target.name} is not pointed at it; ` +
        "to do so all the same, give --force with a reason",
    );
  const said = await readRetraction(store, releaseDigest);
  if (said === null) return;
  throw new PublishRefused(
    `${releaseDigest} was retracted at ${said.retractedAt} (${said.reason}), and ${target.name} is not led to it; ` +
      "to do so all the same, give --force with a reason",
  );
}
