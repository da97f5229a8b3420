/** The releases in which a dispute can have been mended: those that readers had after the disputed one, and have not lost. */

import { activeHistory, readJournal } from "../../../pipeline/store/journal.ts";
import { currentDigest } from "../../../pipeline/store/releases.ts";
import { readRetraction } from "../../../pipeline/store/retractions.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import { ModerationError } from "../moderation/moderation-error.ts";

/** @throws ModerationError where `digest` was never active, is not later than the one that was disputed, or was retracted */
export async function requireMending(store: Store, digest: string, disputed: string): Promise<void> {
  const history = activeHistory((await readJournal(store)).entries);
  const active = [...history, ...((await currentDigest(store)) === digest ? [digest] : [])];
  if (!active.includes(digest)) {
    throw new ModerationError(`${digest} was never active, or was gone back from: readers have nothing of it`);
  }
  if (active.indexOf(digest) <= active.indexOf(disputed)) {
    throw new ModerationError(`${digest} is not later than ${disputed}, the release that was disputed`);
  }
  if ((await readRetraction(store, digest)) !== null) {
    throw new ModerationError(`${digest} was retracted: name the release that came in its place`);
  }
}
