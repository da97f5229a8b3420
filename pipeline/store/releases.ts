/** Finds, lists and activates the releases of a store. */

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { z } from "zod";
import { type Receipt, receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { hasJoinTables } from "../../schemas/public/tables.ts";
import { syncFolder } from "../files/durable.ts";
import type { Effects } from "../stage/effects.ts";
import {
  activeHistory,
  appendEvent,
  findJournalCorrection,
  isRecorded,
  readJournal,
  requireRecorded,
} from "./journal.ts";
import { withLinkLock } from "./locks.ts";
import { readRetraction } from "./retractions.ts";
import { type Revocation, revocationOfRelease } from "./revocations.ts";
import type { Store } from "./store.ts";

const FOLDER = /^sha256-[0-9a-f]{64}$/;

/** The error if no finished release has this digest. */
export class ReleaseNotFound extends Error {
  readonly code = "ERR_RELEASE_NOT_FOUND";
  constructor(digest: string, store: Store) {
    super(`there is no release ${digest} in ${store.releases}; see \`share-release release list\``);
    this.name = "ReleaseNotFound";
  }
}

/** The error if several releases have digests that begin with the given digits. */
export class DigestAmbiguous extends Error {
  readonly code = "ERR_DIGEST_AMBIGUOUS";
  constructor(prefix: string, digests: readonly string[]) {
    super(`${digests.length} releases begin with "${prefix}": ${digests.join(", ")}; give more of the digest`);
    this.name = "DigestAmbiguous";
  }
}

/** The error if a retracted release is to be activated without a reason. */
export class ReleaseRetracted extends Error {
  readonly code = "ERR_RELEASE_RETRACTED";
  constructor(digest: string, { retractedAt, reason }: Retraction) {
    super(
      `${digest} was retracted at ${retractedAt} (${reason}) and is not activated. To activate it anyway: ` +
        "`share-release release activate <digest> --force <reason>`",
    );
    this.name = "ReleaseRetracted";
  }
}

/**
 * The error if a release is to be activated without a reason although only revoked keys signed it, and the journal did
 * not record it before they were revoked.
 */
export class ReleaseDisowned extends Error {
  readonly code = "ERR_RELEASE_DISOWNED";
  constructor(digest: string, { kid, since }: Revocation) {
    super(
      `${digest} is signed by the key ${kid}, which is revoked since ${since}, and is not activated. To activate it anyway: ` +
        "`share-release release activate <digest> --force <reason>`",
    );
    this.name = "ReleaseDisowned";
  }
}

/** The error if a receipt cannot be read. */
export class ReceiptUnreadable extends Error {}

class ReceiptDamaged extends ReceiptUnreadable {
  readonly code = "ERR_RECEIPT_DAMAGED";
  constructor(path: string, options: ErrorOptions) {
    super(`${path} is damaged: restore that release from a copy, or remove its folder and build it again`, options);
    this.name = "ReceiptDamaged";
  }
}

/** The error if a release has a format that only later program versions can read. */
class ReleaseLater extends ReceiptUnreadable {
  readonly code = "ERR_RELEASE_LATER";
  constructor(path: string, words: string) {
    super(`${path} ${words}`);
    this.name = "ReleaseLater";
  }
}

/** The newest format of releases that this program version can read. */
const NEWEST_FORMAT = 3;

/** The format number in a receipt. Only receipts of formats after 3 contain one (ADR 2). */
const laterReceipt = z.looseObject({
  format: z.int().min(NEWEST_FORMAT + 1),
  tool: z.looseObject({ version: z.string() }).optional(),
});

/** Describes a receipt of a later format, in words that continue "the release"; null if this version knows its format. */
export function laterFormatWords(json: unknown): string | null {
  const { success, data } = laterReceipt.safeParse(json);
  if (!success) return null;
  const { format, tool } = data;
  const maker = tool === undefined ? "A newer version" : `Version ${tool.version}`;
  return `is of format ${format}, and this program reads formats up to ${NEWEST_FORMAT}. ${maker} made it: use that version or a later one`;
}

/**
 * Reads the receipt in a release folder. Returns null if the receipt is missing. Because it is written last, the
 * release is then not finished.
 *
 * @throws ReceiptUnreadable
 */
export async function readReceipt(folder: string): Promise<Receipt | null> {
  const path = join(folder, "release.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const json: unknown = JSON.parse(text);
    const later = laterFormatWords(json);
    if (later !== null) throw new ReleaseLater(path, later);
    return receipt.parse(json);
  } catch (cause) {
    if (cause instanceof ReleaseLater) throw cause;
    throw new ReceiptDamaged(path, { cause });
  }
}

/**
 * Lists all finished releases, oldest first. Calls `onUnreadable` for receipts that are damaged or of a later format.
 *
 * @throws ReceiptUnreadable if `onUnreadable` is not given
 */
export async function listReleases(
  store: Store,
  onUnreadable?: (error: ReceiptUnreadable) => void,
): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for (const digest of await digestsIn(store)) {
    const found = await readReceipt(store.release(digest)).catch((error: unknown) => {
      if (onUnreadable === undefined || !(error instanceof ReceiptUnreadable)) throw error;
      onUnreadable(error);
      return null;
    });
    if (found !== null) receipts.push(found);
  }
  return receipts.sort((one, other) =>
    one.publishedAt < other.publishedAt ? -1 : one.publishedAt > other.publishedAt ? 1 : 0,
  );
}

/**
 * Returns the digest of the active release (`sha256:<hex>`). Returns null if no release is active, or if the link is
 * broken.
 */
export async function currentDigest(store: Store): Promise<string | null> {
  try {
    const name = basename(await readlink(store.current));
    const isComplete = FOLDER.test(name) && (await readReceipt(join(store.releases, name))) !== null;
    return isComplete ? name.replace("-", ":") : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * Returns the digest of the release in the store whose digest begins with `prefix`. The prefix may itself begin with
 * `sha256:` or `sha256-`.
 * @throws ReleaseNotFound, DigestAmbiguous
 */
export async function findDigest(store: Store, prefix: string): Promise<string> {
  return onlyMatch(store, prefix, await digestsIn(store));
}

/**
 * Returns the only digest of the list that begins with a prefix.
 * @throws ReleaseNotFound, DigestAmbiguous
 */
function onlyMatch(store: Store, prefix: string, digests: readonly string[]): string {
  const hex = prefix.replace(/^sha256[:-]/, "");
  const found = digests.filter((digest) => digest.startsWith(`sha256:${hex}`));
  if (found.length > 1) throw new DigestAmbiguous(prefix, found);
  if (hex === "" || found[0] === undefined) throw new ReleaseNotFound(prefix, store);
  return found[0];
}

/**
 * Returns the digest of the release whose digest begins with `prefix`. Also finds releases that were pruned.
 * @throws ReleaseNotFound, DigestAmbiguous
 */
export async function findKnownDigest(store: Store, prefix: string): Promise<string> {
  const pruned = (await namesIn(store.pruned)).map((name) => name.replace(/\.json$/, ""));
  return onlyMatch(store, prefix, [...new Set([...(await digestsIn(store)), ...listDigests(pruned)])]);
}

/** Returns the receipt of the finished release whose digest begins with `prefix`. */
export async function findRelease(store: Store, prefix: string): Promise<Receipt> {
  const release = await readReceipt(store.release(await findDigest(store, prefix)));
  if (release === null) throw new ReleaseNotFound(prefix, store);
  return release;
}

/**
 * Options of a change of the active release. `at` is the time to record in the journal. `sleep` waits while another
 * process has the lock; without it, the change fails in this case.
 */
export interface StoreChange {
  readonly at?: string;
  readonly sleep?: Effects["sleep"];
  /** The reason to record in the journal. It is required if the release was retracted or its key was revoked. */
  readonly reason?: string | null;
}

/** Returns the options of a change that happens now, and that waits while another process has the lock. */
export function changeNow({ now, sleep }: Pick<Effects, "now" | "sleep">): Required<Pick<StoreChange, "at" | "sleep">> {
  return { at: now().toISOString(), sleep };
}

/**
 * Activates a finished release. The link `current` moves in one step, so it always points to a complete release. The
 * change needs a reason if the release was retracted or if a revoked key signed it.
 *
 * @throws ReleaseNotFound, ReleaseOutdated, ReleaseRetracted, ReleaseDisowned
 */
export async function activate(store: Store, digest: string, change: StoreChange = {}): Promise<void> {
  if ((await readReceipt(store.release(digest))) === null) throw new ReleaseNotFound(digest, store);
  await changeActive(store, change, () => ({ event: "activated", releaseDigest: digest }));
}

/** A change of the active release, as the journal records it. */
export interface Move {
  readonly event: "activated" | "rolled-back";
  readonly releaseDigest: string;
}

/** Chooses the release to activate. `history` contains the digests of active releases, oldest first. */
export type Choice<T extends Move> = (history: readonly string[], current: string | null) => T | Promise<T>;

/**
 * Changes the active release. Writes the change to the journal first and then moves the link. If the process is killed
 * in between, the next change adds a correction to the journal.
 */
export async function changeActive<T extends Move>(store: Store, change: StoreChange, choose: Choice<T>): Promise<T> {
  const at = change.at ?? null;
  return withLinkLock(store, change.sleep ?? null, async () => {
    await removeAbandoned(store.current);
    const current = await currentDigest(store);
    const wrong = findJournalCorrection((await readJournal(store)).entries, current);
    if (wrong !== null) await appendEvent(store, { ...wrong, at });
    const move = await choose(activeHistory((await readJournal(store)).entries), current);
    // Another program may have moved the link to a release that is not in the journal.
    if (move.releaseDigest === current && (await isRecorded(store, current))) return move;
    const receipt = await readReceipt(store.release(move.releaseDigest));
    if (receipt !== null) requireReadable(receipt);
    const retraction = await readRetraction(store, move.releaseDigest);
    if (retraction !== null && (change.reason ?? null) === null)
      throw new ReleaseRetracted(move.releaseDigest, retraction);
    const by = await revocationOfRelease(store, move.releaseDigest);
    if (by !== null && (change.reason ?? null) === null) throw new ReleaseDisowned(move.releaseDigest, by);
    if ((change.reason ?? null) === null) await requireRecorded(store, move.releaseDigest);
    await appendEvent(store, {
      event: move.event,
      releaseDigest: move.releaseDigest,
      at,
      reason: change.reason ?? null,
    });
    await moveLink(store.current, store.release(move.releaseDigest));
    await linkPages(store);
    return move;
  });
}

/**
 * Points `pages/current` at the page files of the active release. Removes the link if these files do not exist, so that
 * static hosts ask the server instead. Also removes it if the release was retracted, because its page files do not show
 * the retraction.
 */
export async function linkPages(store: Store): Promise<void> {
  if (!existsSync(store.trees)) return;
  const active = await currentDigest(store);
  if (active !== null && (await readRetraction(store, active)) === null)
    await moveLink(store.currentTree, store.tree(active));
  else await rm(store.currentTree, { force: true });
}

export async function moveLink(link: string, folder: string): Promise<void> {
  for (let left = 3; ; left -= 1) {
    await removeAbandoned(link);
    const temporary = `${link}.${randomUUID()}.tmp`;
    await symlink(relative(dirname(link), folder), temporary);
    try {
      await rename(temporary, link);
      break;
    } catch (error) {
      // Another server, which moves the link `serving` too, has removed the temporary link.
      if (!isMissing(error) || left === 0) throw error;
    }
  }
  await syncFolder(dirname(link));
}

/**
 * Removes temporary links that killed processes left behind. A process that is still running makes a new link if its
 * own is removed.
 */
async function removeAbandoned(link: string): Promise<void> {
  for (const name of await readdir(dirname(link))) {
    if (!name.startsWith(`${basename(link)}.`) || !name.endsWith(".tmp")) continue;
    await rm(join(dirname(link), name), { force: true });
  }
}

async function digestsIn(store: Store): Promise<string[]> {
  return listDigests(await namesIn(store.releases));
}

function listDigests(names: readonly string[]): string[] {
  return names
    .filter((name) => FOLDER.test(name))
    .map((name) => name.replace("-", ":"))
    .sort();
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/**
 * The format of a release (ADR 2). In format 1, each page is a file, and the digest does not cover pages. In format 2,
 * pages are in packs. Format 3 adds tables of affiliations and funding.
 */
type ReleaseFormat = 1 | 2 | 3;

export function detectReleaseFormat({ content }: Pick<Receipt, "content">): ReleaseFormat {
  if (content.pages === undefined) return 1;
  return hasJoinTables(content.tables) ? 3 : 2;
}

/** Explains how to rebuild a release of format 1, in words that continue "the release". */
export function format1Words({ tool, asOf, sources }: Pick<Receipt, "tool" | "asOf" | "sources">): string {
  const names = sources.map(({ source }) => source).join(" ");
  return (
    `is of format 1, with a file for each page; version ${tool.version} made it, and this one reads packs. Build it again from ` +
    `the same raw payloads, \`share-release build --as-of ${asOf} --source ${names}\`, and remove it with \`share-release release prune\``
  );
}

/** The error for a release whose format this version can list but not read. */
class ReleaseOutdated extends Error {
  readonly code = "ERR_RELEASE_OUTDATED";
  constructor(receipt: Receipt) {
    super(`${receipt.releaseDigest} ${format1Words(receipt)}`);
    this.name = "ReleaseOutdated";
  }
}

/**
 * Checks that this version can read the format of a release.
 * @throws ReleaseOutdated
 */
export function requireReadable(receipt: Receipt): void {
  if (detectReleaseFormat(receipt) === 1) throw new ReleaseOutdated(receipt);
}
