/** The releases of a store: which there are, which is active, and how one becomes active. */

import { existsSync } from "node:fs";
import { readdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type Receipt, receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { syncFolder } from "../files/durable.ts";
import type { Effects } from "../stage/effects.ts";
import { type Disowned, disownedRelease } from "./disowned.ts";
import { activeHistory, appendEvent, correction, readJournal } from "./journal.ts";
import { changingLinks } from "./locks.ts";
import { readRetraction } from "./retractions.ts";
import type { Store } from "./store.ts";

const FOLDER = /^sha256-[0-9a-f]{64}$/;

/** There is no finished release of that digest. */
export class ReleaseNotFound extends Error {
  readonly code = "ERR_RELEASE_NOT_FOUND";
  constructor(digest: string, store: Store) {
    super(`there is no release ${digest} in ${store.releases}; see \`share-release release list\``);
    this.name = "ReleaseNotFound";
  }
}

/** Several releases begin with what was given of a digest. */
export class DigestAmbiguous extends Error {
  readonly code = "ERR_DIGEST_AMBIGUOUS";
  constructor(prefix: string, digests: readonly string[]) {
    super(`${digests.length} releases begin with "${prefix}": ${digests.join(", ")}; give more of the digest`);
    this.name = "DigestAmbiguous";
  }
}

/** The release was withdrawn: it is made active with a reason, or not at all. */
export class ReleaseRetracted extends Error {
  readonly code = "ERR_RELEASE_RETRACTED";
  constructor(digest: string, { retractedAt, reason }: Retraction) {
    super(
      `${digest} was retracted at ${retractedAt} (${reason}) and is not activated; to do so all the same: ` +
        "`share-release release activate <digest> --force <reason>`",
    );
    this.name = "ReleaseRetracted";
  }
}

/** The release is signed by a revoked key, and the journal did not record it before: it takes a reason to activate it. */
export class ReleaseDisowned extends Error {
  readonly code = "ERR_RELEASE_DISOWNED";
  constructor(digest: string, { kid, since }: Disowned) {
    super(
      `${digest} is signed by the key ${kid}, which is revoked since ${since}, and is not activated; to do so all the same: ` +
        "`share-release release activate <digest> --force <reason>`",
    );
    this.name = "ReleaseDisowned";
  }
}

/** A receipt is there and is none. */
export class ReceiptDamaged extends Error {
  readonly code = "ERR_RECEIPT_DAMAGED";
  constructor(path: string, options: ErrorOptions) {
    super(`${path} is damaged: restore that release from a copy, or remove its folder and build it again`, options);
    this.name = "ReceiptDamaged";
  }
}

/**
 * The receipt of a release folder, or null where it has none: the receipt is written last.
 * @throws ReceiptDamaged
 */
export async function readReceipt(folder: string): Promise<Receipt | null> {
  const path = join(folder, "release.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return receipt.parse(JSON.parse(text));
  } catch (cause) {
    throw new ReceiptDamaged(path, { cause });
  }
}

/**
 * All finished releases, oldest first. Who can do without those whose receipt is damaged is told of each.
 * @throws ReceiptDamaged without `onDamaged`
 */
export async function listReleases(store: Store, onDamaged?: (error: ReceiptDamaged) => void): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for (const digest of await digestsIn(store)) {
    const found = await readReceipt(store.release(digest)).catch((error: unknown) => {
      if (onDamaged === undefined || !(error instanceof ReceiptDamaged)) throw error;
      onDamaged(error);
      return null;
    });
    if (found !== null) receipts.push(found);
  }
  return receipts.sort((one, other) =>
    one.publishedAt < other.publishedAt ? -1 : one.publishedAt > other.publishedAt ? 1 : 0,
  );
}

/** Digest of the activated release (`sha256:<hex>`), or null: also where the link leads nowhere. */
export async function currentDigest(store: Store): Promise<string | null> {
  try {
    const name = basename(await readlink(store.current));
    const whole = FOLDER.test(name) && (await readReceipt(join(store.releases, name))) !== null;
    return whole ? name.replace("-", ":") : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * The digest that starts with `prefix` (with or without `sha256:` or `sha256-`), by the names of the folders.
 * @throws ReleaseNotFound, DigestAmbiguous
 */
export async function findDigest(store: Store, prefix: string): Promise<string> {
  return only(store, prefix, await digestsIn(store));
}

/** @throws ReleaseNotFound, DigestAmbiguous */
function only(store: Store, prefix: string, digests: readonly string[]): string {
  const hex = prefix.replace(/^sha256[:-]/, "");
  const found = digests.filter((digest) => digest.startsWith(`sha256:${hex}`));
  if (found.length > 1) throw new DigestAmbiguous(prefix, found);
  if (hex === "" || found[0] === undefined) throw new ReleaseNotFound(prefix, store);
  return found[0];
}

/**
 * The digest that starts with `prefix`, of a release that is here or whose receipt stayed when it was pruned.
 * @throws ReleaseNotFound, DigestAmbiguous
 */
export async function findKnownDigest(store: Store, prefix: string): Promise<string> {
  const pruned = (await namesIn(store.pruned)).map((name) => name.replace(/\.json$/, ""));
  return only(store, prefix, [...new Set([...(await digestsIn(store)), ...digestsOf(pruned)])]);
}

/** The finished release whose digest starts with `prefix`. */
export async function findRelease(store: Store, prefix: string): Promise<Receipt> {
  const release = await readReceipt(store.release(await findDigest(store, prefix)));
  if (release === null) throw new ReleaseNotFound(prefix, store);
  return release;
}

/** When a change of the store happens, and how it waits for another process that changes the store too; neither is needed. */
export interface StoreChange {
  readonly at?: string;
  readonly sleep?: Effects["sleep"];
  /** Why, where something spoke against it; the journal keeps it. */
  readonly reason?: string | null;
}

/** A change that happens now and waits as long as it has to. */
export function changeNow({ now, sleep }: Pick<Effects, "now" | "sleep">): Required<Pick<StoreChange, "at" | "sleep">> {
  return { at: now().toISOString(), sleep };
}

/**
 * Makes a finished release the active one: the link moves in one step, so that it always leads to a whole release. One
 * that was retracted, or signed with a key that was revoked, needs a reason.
 * @throws ReleaseNotFound, ReleaseOutdated, ReleaseRetracted, ReleaseDisowned
 */
export async function activate(store: Store, digest: string, change: StoreChange = {}): Promise<void> {
  if ((await readReceipt(store.release(digest))) === null) throw new ReleaseNotFound(digest, store);
  await changeActive(store, change, () => ({ event: "activated", releaseDigest: digest }));
}

/** A move of `current`, as the journal tells it. */
export interface Move {
  readonly event: "activated" | "rolled-back";
  readonly releaseDigest: string;
}

/** Which release to make active, given those that were (oldest first) and the one that is. */
export type Choice<T extends Move> = (history: readonly string[], current: string | null) => T | Promise<T>;

/** Written down first, then done: a journal that says more than was done is put right by whoever comes next. */
export async function changeActive<T extends Move>(store: Store, change: StoreChange, choose: Choice<T>): Promise<T> {
  const at = change.at ?? null;
  return changingLinks(store, change.sleep ?? null, async () => {
    await removeAbandoned(store.current);
    const current = await currentDigest(store);
    const wrong = correction((await readJournal(store)).entries, current);
    if (wrong !== null) await appendEvent(store, { ...wrong, at });
    const move = await choose(activeHistory((await readJournal(store)).entries), current);
    if (move.releaseDigest === current) return move;
    const receipt = await readReceipt(store.release(move.releaseDigest));
    if (receipt !== null) requireReadable(receipt);
    const retraction = await readRetraction(store, move.releaseDigest);
    if (retraction !== null && (change.reason ?? null) === null)
      throw new ReleaseRetracted(move.releaseDigest, retraction);
    const by = await disownedRelease(store, move.releaseDigest);
    if (by !== null && (change.reason ?? null) === null) throw new ReleaseDisowned(move.releaseDigest, by);
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
 * Points `pages/current` at the tree of the active release, once pages were published. If the tree is not there yet, static
 * hosts find nothing and ask the server. A retracted release is not linked to: files cannot say that it was retracted.
 */
export async function linkPages(store: Store): Promise<void> {
  if (!existsSync(store.trees)) return;
  const active = await currentDigest(store);
  if (active !== null && (await readRetraction(store, active)) === null)
    await moveLink(store.currentTree, store.tree(active));
  else await rm(store.currentTree, { force: true });
}

/** Points a link at a folder, atomically. */
export async function moveLink(link: string, folder: string): Promise<void> {
  const temporary = `${link}.${process.pid}.tmp`;
  await removeAbandoned(link);
  await symlink(relative(dirname(link), folder), temporary);
  await rename(temporary, link);
  await syncFolder(dirname(link));
}

/** Temporary links of processes that were killed before the rename, and of this one. */
async function removeAbandoned(link: string): Promise<void> {
  for (const name of await readdir(dirname(link))) {
    const pid = name.startsWith(`${basename(link)}.`) ? /\.(\d+)\.tmp$/.exec(name)?.[1] : undefined;
    if (pid === undefined || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    await rm(join(dirname(link), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Digests of the release folders, finished or not. */
async function digestsIn(store: Store): Promise<string[]> {
  return digestsOf(await namesIn(store.releases));
}

function digestsOf(names: readonly string[]): string[] {
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

/** 1: pages are single files, and the digest has no root over them. 2: pages are in packs (ADR 2). */
type ReleaseFormat = 1 | 2;

export function formatOf({ content }: Pick<Receipt, "content">): ReleaseFormat {
  return content.pages === undefined ? 1 : 2;
}

/** What a release of format 1 is, and how its scores come over: in words that follow "the release". */
export function format1Words({ tool, asOf, sources }: Pick<Receipt, "tool" | "asOf" | "sources">): string {
  const names = sources.map(({ source }) => source).join(" ");
  return (
    `is of format 1, with a file for each page; version ${tool.version} made it, and this one reads packs. Build it again from ` +
    `the same raw payloads, \`share-release build --as-of ${asOf} --source ${names}\`, and remove it with \`share-release release prune\``
  );
}

/** A release is of a format that can be listed and no longer read. */
class ReleaseOutdated extends Error {
  readonly code = "ERR_RELEASE_OUTDATED";
  constructor(receipt: Receipt) {
    super(`${receipt.releaseDigest} ${format1Words(receipt)}`);
    this.name = "ReleaseOutdated";
  }
}

/** @throws ReleaseOutdated */
export function requireReadable(receipt: Receipt): void {
  if (formatOf(receipt) === 1) throw new ReleaseOutdated(receipt);
}
