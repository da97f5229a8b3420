/** What a key signed as far as the journal of a store saw it: what stays good once the key is revoked. */

import { hash } from "node:crypto";
import { readJournal } from "../../pipeline/store/journal.ts";
import { receiptText } from "../../pipeline/store/receipt-text.ts";
import { listRetractions } from "../../pipeline/store/retractions.ts";
import { signatureFault } from "../../pipeline/store/signing/check-signature.ts";
import { payloadDigest } from "../../pipeline/store/signing/signed-payload.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { JournalEntry } from "../../schemas/internal/journal.ts";
import type { ReleaseKey } from "../../schemas/public/release-key.ts";

export interface SeenPayloads {
  /** Digests of payloads by the key. */
  readonly payloads: readonly string[];
  /** Releases by it that the journal saw too late, or not as they are. */
  readonly left: readonly string[];
  /** Releases whose retraction is by it and came too late. */
  readonly leftRetractions: readonly string[];
  /** Releases that the journal saw, of which no receipt is left that would say who signed them. */
  readonly unknown: readonly string[];
}

/** The moment from which a key is not trusted: an instant, or a release, with the line of the journal on which it came. */
export type Since = { readonly at: string } | { readonly releaseDigest: string };

/** The entries before that moment, and when it was. A line without a time is taken for as old as the one before it. */
export function entriesBefore(entries: readonly JournalEntry[], since: Since): readonly JournalEntry[] {
  if ("releaseDigest" in since) {
    const came = entries.findIndex(
      ({ event, releaseDigest }) => isComing(event) && releaseDigest === since.releaseDigest,
    );
    return came < 0 ? [] : entries.slice(0, came);
  }
  const late = entries.findIndex(({ at }) => at !== null && at >= since.at);
  return late < 0 ? entries : entries.slice(0, late);
}

const isComing = (event: JournalEntry["event"]) => event === "built" || event === "fetched";

/** Receipts and retractions that the key signed and the journal saw before `since`, letter by letter as they are. */
export async function seenPayloads(store: Store, key: ReleaseKey, since: Since): Promise<SeenPayloads> {
  const { entries } = await readJournal(store);
  const before = entriesBefore(entries, since);
  const payloads = new Set<string>();
  const left = new Set<string>();
  const unknown = new Set<string>();
  for (const digest of new Set(
    entries.filter(({ event }) => isComing(event)).map(({ releaseDigest }) => releaseDigest),
  )) {
    const text = await receiptText(store, digest);
    if (text === null) unknown.add(digest);
    const receipt = text === null ? null : objectOf(text);
    if (text === null || receipt === null || (await signatureFault(receipt, [key])) !== null) continue;
    const seen = `sha256:${hash("sha256", text)}`;
    const good = before.some(({ releaseDigest, receiptDigest }) => releaseDigest === digest && receiptDigest === seen);
    if (good) payloads.add(payloadDigest(receipt));
    else left.add(digest);
  }
  const leftRetractions: string[] = [];
  for (const [digest, said] of await listRetractions(store)) {
    if ((await signatureFault({ ...said }, [key], "retraction")) !== null) continue;
    if (before.some(({ event, releaseDigest }) => event === "retracted" && releaseDigest === digest))
      payloads.add(payloadDigest({ ...said }));
    else leftRetractions.push(digest);
  }
  return {
    payloads: [...payloads].sort(),
    left: [...left].sort(),
    leftRetractions: leftRetractions.sort(),
    unknown: [...unknown].sort(),
  };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return Object.fromEntries(Object.entries(Object(JSON.parse(text))));
  } catch {
    return null;
  }
}
