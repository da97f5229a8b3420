/**
 * Stores the retractions of releases. A retraction is a signed statement that never changes, and that pruning does not
 * remove.
 */

import { mkdir, readdir, readFile, readlink, rm } from "node:fs/promises";
import { basename } from "node:path";
import { type Retraction, retraction } from "../../schemas/public/retraction.ts";
import { isMissing, replaceFile } from "../files/durable.ts";
import type { Effects } from "../stage/effects.ts";
import { appendEvent } from "./journal.ts";
import { withLinkLock } from "./locks.ts";
import type { Store } from "./store.ts";

/** The error if a retraction cannot be read. */
export class RetractionDamaged extends Error {
  readonly code = "ERR_RETRACTION_DAMAGED";
  constructor(path: string, options: ErrorOptions) {
    super(`${path} is damaged: restore it from a copy; the release counts as retracted until then`, options);
    this.name = "RetractionDamaged";
  }
}

/** The error if a release is already retracted. The existing retraction cannot be changed. */
export class AlreadyRetracted extends Error {
  readonly code = "ERR_ALREADY_RETRACTED";
  constructor({ releaseDigest, retractedAt, reason }: Retraction) {
    super(`${releaseDigest} was retracted at ${retractedAt} (${reason}), and a retraction never changes`);
    this.name = "AlreadyRetracted";
  }
}

/**
 * Reads the retraction of a release; null if there is none.
 * @throws RetractionDamaged
 */
export async function readRetraction(store: Store, releaseDigest: string): Promise<Retraction | null> {
  const path = store.retraction(releaseDigest);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const statement = retraction.parse(JSON.parse(text));
    if (statement.releaseDigest !== releaseDigest)
      throw new Error(`the retraction is about ${statement.releaseDigest}, not about ${releaseDigest}`);
    return statement;
  } catch (cause) {
    throw new RetractionDamaged(path, { cause });
  }
}

const FILE = /^(sha256-[0-9a-f]{64})\.json$/;

/** Lists the digests of retracted releases, including those whose retraction cannot be read. */
export async function retractedDigests(store: Store): Promise<string[]> {
  const names = await readdir(store.retractions).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names.flatMap((name) => FILE.exec(name)?.[1]?.replace("-", ":") ?? []).sort();
}

/**
 * Reads all retractions of the store. The key is the digest of the retracted release.
 * @throws RetractionDamaged
 */
export async function listRetractions(store: Store): Promise<ReadonlyMap<string, Retraction>> {
  const statements = new Map<string, Retraction>();
  for (const digest of await retractedDigests(store)) {
    const one = await readRetraction(store, digest);
    if (one !== null) statements.set(digest, one);
  }
  return statements;
}

/**
 * Stores a retraction that the caller has checked. Writes to the journal first, so that it is noticed if the retraction
 * is lost later.
 *
 * @throws AlreadyRetracted, also if another process retracted the release at the same moment
 */
export async function storeRetraction(
  store: Store,
  statement: Retraction,
  { at, sleep }: { readonly at: string; readonly sleep: Effects["sleep"] },
): Promise<void> {
  await mkdir(store.retractions, { recursive: true });
  await withLinkLock(store, sleep, async () => {
    const { releaseDigest, reason } = statement;
    const before = await readRetraction(store, releaseDigest);
    if (before !== null) throw new AlreadyRetracted(before);
    await appendEvent(store, { event: "retracted", releaseDigest, at, reason });
    await replaceFile(store.retraction(releaseDigest), retractionText(statement));
    if (await isPublished(store, releaseDigest)) await rm(store.currentTree);
  });
}

/**
 * True if static hosts serve the pages of the release. The caller must then remove the link to them, because these
 * pages cannot show a retraction.
 */
async function isPublished(store: Store, releaseDigest: string): Promise<boolean> {
  const tree = await readlink(store.currentTree).catch(() => null);
  return tree !== null && tree === basename(store.tree(releaseDigest));
}

/** Returns a retraction as text, in the form of the store and of mirrors. */
export function retractionText(statement: Retraction): string {
  return `${JSON.stringify(statement, null, 2)}\n`;
}

/** Returns the path of a retraction below the folder or bucket to which releases are published. */
export function retractionPath(releaseDigest: string): string {
  return `retractions/${releaseDigest.replace(":", "-")}.json`;
}
