/**
 * Publishes a release to a folder or a bucket, optionally with its pages as single files. Sends missing files only, then
 * the receipt. At the end, moves the pointer, which tells readers the active release.
 */

import { hash } from "node:crypto";
import { lstat, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { type LaterStatements, type ReleaseExcerpt, releaseExcerpt } from "../../api-static/pages/release-excerpt.ts";
import { RESTORE } from "../../pipeline/packs/format.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { newHead, readHead, signHead } from "../../pipeline/store/head.ts";
import { keySetText, readStorePublicKeys, storeKeys, withKeys } from "../../pipeline/store/key-set.ts";
import {
  changeNow,
  currentDigest,
  ReleaseNotFound,
  readReceipt,
  requireReadable,
} from "../../pipeline/store/releases.ts";
import {
  listRetractions,
  readRetraction,
  retractedDigests,
  retractionPath,
  retractionText,
} from "../../pipeline/store/retractions.ts";
import { revocationInText, revocationOfRelease } from "../../pipeline/store/revocations.ts";
import { revokedWords, type Signer, type TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import { type Head, type KeySet, parseKeySet } from "../../schemas/public/key-set.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { holdRelease } from "../prune.ts";
import {
  type Publication,
  parseManifest,
  type SendCounts,
  sendCsv,
  sendDatabase,
  sendRelease,
  takeScratch,
  UNLISTED_FILES,
} from "./send-release.ts";
import { LIST_HEADERS, type PageCounts, PublishRejected, type PublishTarget } from "./target.ts";

export interface PublishOptions {
  readonly parallel: number;
  /** True to report what would be sent, without sending it. */
  readonly dryRun: boolean;
  /**
   * Set to publish pages as single files too. `researchers` includes pages that show researchers, if the target can publish
   * them.
   */
  readonly pages?: { readonly researchers: boolean } | null;
  /** True to publish tables as CSV too. The CSV files are written first, because a release in the store has none. */
  readonly csv?: boolean;
  /**
   * Signs a head, the statement about the latest release, for this release. Without a signer, the head of the store is sent
   * if it belongs to this release.
   */
  readonly signer?: Signer | null;
  /**
   * The reason for pointing the target to a release that was retracted or is signed with a revoked key. Without a reason,
   * such a release is rejected.
   */
  readonly force?: string | null;
}

export interface PublishResult extends SendCounts {
  readonly releaseDigest: string;
  readonly target: string;
  readonly dryRun: boolean;
  readonly pages: PageCounts | null;
  readonly csv: SendCounts | null;
  /** Releases at the target whose retraction this publication sent. */
  readonly retractions: readonly string[];
  /** The head at the target after the publication; null if the target or the store has none. */
  readonly head: Pick<Head, "sequence" | "expiresAt" | "releaseDigest"> | null;
}

/**
 * Publishes a release. The same call resumes an interrupted publication. If the publication is complete, it changes
 * nothing. Until the end, the target shows the previous release.
 * @throws PublishRejected if publication is not allowed; PublishInterrupted if it did not finish
 */
export async function publish(
  store: Store,
  releaseDigest: string,
  target: PublishTarget,
  options: PublishOptions,
  effects: Effects,
): Promise<PublishResult> {
  const change = changeNow(effects);
  const endHold = await holdRelease(store, releaseDigest, change);
  try {
    const folder = store.release(releaseDigest);
    const receipt = await readReceipt(folder);
    if (receipt === null) throw new ReleaseNotFound(releaseDigest, store);
    requireReadable(receipt);
    const scratch = await takeScratch(store, target.name, change);
    try {
      const publication = { receipt, folder, store, target, place: target.place(releaseDigest), effects, ...options };
      const counts = await carryOut(publication, scratch.folder, options);
      return { releaseDigest, target: target.name, ...counts, dryRun: options.dryRun };
    } finally {
      await scratch.end();
    }
  } finally {
    await endHold();
    await rmdir(store.work("")).catch(() => undefined);
  }
}

async function carryOut(
  publication: Publication,
  scratch: string,
  { pages = null, csv = false, force = null, signer = null }: PublishOptions,
): Promise<SendCounts & Pick<PublishResult, "pages" | "csv" | "retractions" | "head">> {
  const { receipt, folder, target, place, dryRun } = publication;
  await sendKeys(publication);
  const retractions = await sendRetractions(publication);
  await requireStanding(publication, force);
  const ours = await readFile(join(folder, "release.json"), "utf8");
  if (!dryRun) await target.tidy();
  const theirs = await place.receipt();
  if (theirs !== null && theirs !== ours) throw otherBuild(target, receipt);
  const lines =
    theirs === null || pages !== null
      ? await requireComplete(folder, receipt)
      : parseManifest(await readFile(join(folder, "manifest.ndjson"), "utf8"));
  const counts =
    theirs === null
      ? await sendRelease(publication, lines, ours)
      : { uploaded: 0, unchanged: lines.length + UNLISTED_FILES.length, bytes: 0 };
  const sent = pages && (await target.pages({ folder, receipt }, { ...publication, ...pages, scratch }));
  if (!dryRun) await sendDatabase(publication, lines, scratch);
  const tables = csv ? await sendCsv(publication, scratch) : null;
  if (!dryRun) await point(publication, pages !== null, force);
  const head = dryRun ? null : await sendHead(publication.store, target, signer, publication.effects);
  return { ...counts, pages: sent, csv: tables, retractions, head };
}

/**
 * Returns the error for a release that is already published with another receipt. Published files never change, because
 * caches store them for a year.
 */
function otherBuild(target: PublishTarget, { releaseDigest }: Receipt): PublishRejected {
  return new PublishRejected(
    `${target.name} has another build of ${releaseDigest} with another receipt, and published files do not change; ` +
      "publish it from its original store, or remove it at the target first",
  );
}

/** Writes the list of releases and then the pointer, unless they already have the right content. */
async function point(
  { receipt, store, target, effects }: Publication,
  pages: boolean,
  reason: string | null,
): Promise<void> {
  const before = await target.text(RELEASE_LIST);
  const list = await releaseListText(target, receipt, before, await listRetractions(store), await storeKeys(store));
  if (list !== before) await target.write(RELEASE_LIST, list, LIST_HEADERS);
  const { listObject } = target;
  if (pages && listObject !== null && (await target.text(listObject)) !== list) {
    await target.write(listObject, list, LIST_HEADERS);
  }
  if ((await target.current()) !== receipt.releaseDigest)
    await target.point(receipt, { ...changeNow(effects), reason });
}

/** The path of the key set below the target. In a store, it has the same path. */
const KEY_SET = "keys/share-release-keys.json";

/** The key set at a target, with the text from which it was read; null if the target has none. */
interface KeysThere extends KeySet {
  readonly text: string | null;
}

async function keysThere(target: PublishTarget): Promise<KeysThere> {
  const text = await target.text(KEY_SET);
  return text === null ? { keys: [], text } : { ...readable(text, target.name), text };
}

/**
 * Sends the key set of the store, if there is one. The head at the target stays as it is, because it belongs to the release
 * there.
 * @throws PublishRejected if a key is revoked at the target but not in the store
 */
async function sendKeys({ store, target, dryRun }: Pick<Publication, "store" | "target" | "dryRun">): Promise<void> {
  const own = await readStorePublicKeys(store);
  if (own.keys.length === 0) return;
  const theirs = await keysThere(target);
  const trusted = own.keys.filter(({ revoked }) => revoked === undefined).map(({ kid }) => kid);
  for (const { kid, revoked } of theirs.keys) {
    if (revoked === undefined || !trusted.includes(kid)) continue;
    throw new PublishRejected(
      `The key ${kid} is revoked at ${target.name}, but not in this store. Revoke it here first: ` +
        `\`share-release key revoke ${kid} --date ${revoked}\``,
    );
  }
  if (!dryRun) await writeKeys(target, theirs, { ...theirs, keys: withKeys(own.keys, theirs.keys) });
}

/**
 * Writes the key set, unless its keys and head are the same as before. Rewriting an unchanged key set would remove fields
 * without which earlier program versions cannot read it.
 */
async function writeKeys(target: PublishTarget, { text, ...before }: KeysThere, { keys, head }: KeySet): Promise<void> {
  const after = keySetText({ keys, head });
  if (text === null || after !== keySetText(before)) await target.write(KEY_SET, after, LIST_HEADERS);
}

/**
 * Signs a head for the release that is active at the target, and returns it; null if there is none. If the same release is
 * active in the store, also stores the head there.
 */
async function signedHead(
  store: Store,
  target: PublishTarget,
  signer: Signer,
  { now }: Pick<Effects, "now">,
): Promise<Head | null> {
  const [there, at] = [await target.current(), now().toISOString()];
  if (there === null) return null;
  const after = readHead((await keysThere(target)).head)?.sequence ?? 0;
  if (there === (await currentDigest(store))) return signHead(store, signer, { at, after });
  return newHead(store, there, signer, { at, after });
}

/**
 * Sends a head for the release at the target: a newly signed one if there is a signer, otherwise that of the store. Only
 * sends it if it is newer than the head at the target. Returns the head that is then at the target; null if the target or
 * the store has none.
 */
export async function sendHead(
  store: Store,
  target: PublishTarget,
  signer: Signer | null,
  effects: Pick<Effects, "now">,
): Promise<PublishResult["head"]> {
  const own =
    signer === null ? (await readStorePublicKeys(store)).head : await signedHead(store, target, signer, effects);
  const ours = readHead(own);
  if (ours === null) return null;
  const theirs = await keysThere(target);
  const before = readHead(theirs.head);
  const isSent = ours.sequence > (before?.sequence ?? 0) && ours.releaseDigest === (await target.current());
  if (isSent) await writeKeys(target, theirs, { keys: withKeys(theirs.keys, ours.keys), head: own });
  const head = isSent ? ours : before;
  return head && { sequence: head.sequence, expiresAt: head.expiresAt, releaseDigest: head.releaseDigest };
}

function readable(text: string, name: string): KeySet {
  try {
    return parseKeySet(JSON.parse(text));
  } catch (cause) {
    throw new PublishRejected(`the file ${KEY_SET} at ${name} cannot be read: move it away, and publish again`, {
      cause,
    });
  }
}

const RELEASE_LIST = "releases.json";

/**
 * Returns the text of the list of releases, in which the published release is active and removed releases are left out.
 * Keeps retractions and revocations of the earlier list, even if the store does not know them.
 */
async function releaseListText(
  target: PublishTarget,
  receipt: Receipt,
  before: string | null,
  retractions: ReadonlyMap<string, Retraction>,
  keys: readonly TrustedKey[],
): Promise<string> {
  const listed = parseReleaseList(before);
  const statement = async (digest: string, receiptText: string | null): Promise<LaterStatements> => {
    const earlier = listed.find(({ releaseDigest }) => releaseDigest === digest);
    return {
      retraction: retractions.get(digest) ?? earlier?.retraction ?? null,
      keyRevoked:
        (receiptText === null ? null : await revocationInText(receiptText, keys)) ?? earlier?.keyRevoked ?? null,
    };
  };
  const others: ReleaseExcerpt[] = [];
  for (const summary of listed) {
    if (summary.releaseDigest === receipt.releaseDigest) continue;
    const text = await target.place(summary.releaseDigest).receipt();
    if (text !== null) others.push({ ...summary, active: false, ...(await statement(summary.releaseDigest, text)) });
  }
  const { releaseDigest } = receipt;
  const saidOfOwn = await statement(releaseDigest, await target.place(releaseDigest).receipt());
  const own = releaseExcerpt(receipt, releaseDigest, saidOfOwn);
  const newestFirst = [own, ...others].sort((one, other) =>
    one.publishedAt > other.publishedAt ? -1 : one.publishedAt < other.publishedAt ? 1 : 0,
  );
  return `${JSON.stringify(newestFirst)}\n`;
}

/**
 * Parses the list of releases at the target. If the list cannot be read, returns an empty one, so that a new list replaces
 * it.
 */
function parseReleaseList(text: string | null): readonly ReleaseExcerpt[] {
  try {
    return releaseList.parse(JSON.parse(text ?? "[]"));
  } catch {
    return [];
  }
}

/**
 * Sends retractions: those of releases at the target, and that of the release to publish. Returns the digests of releases
 * whose retraction was not there before.
 */
async function sendRetractions({ receipt, store, target, dryRun }: Publication): Promise<string[]> {
  const sent: string[] = [];
  for (const digest of await retractedDigests(store)) {
    const isAtTarget = digest === receipt.releaseDigest || (await target.place(digest).receipt()) !== null;
    const path = retractionPath(digest);
    // The first statement at the target is never replaced.
    const statement = isAtTarget && (await target.text(path)) === null ? await readRetraction(store, digest) : null;
    if (statement === null) continue;
    if (!dryRun) await target.write(path, retractionText(statement), LIST_HEADERS);
    sent.push(digest);
  }
  return sent;
}

/**
 * Checks that the release is not retracted and that its key is not revoked. Checks nothing if the target already points to
 * the release, or if the user gave a reason (`force`).
 * @throws PublishRejected
 */
async function requireStanding({ receipt, store, target }: Publication, force: string | null): Promise<void> {
  const { releaseDigest } = receipt;
  if (force !== null || (await target.current()) === releaseDigest) return;
  const by = await revocationOfRelease(store, releaseDigest);
  if (by !== null)
    throw new PublishRejected(
      `${releaseDigest} is signed ${revokedWords([{ kid: by.kid, revoked: by.since }])}. ${target.name} does not point to it; ` +
        "to publish it anyway, give --force with a reason",
    );
  const statement = await readRetraction(store, releaseDigest);
  if (statement === null) return;
  throw new PublishRejected(
    `${releaseDigest} was retracted at ${statement.retractedAt} (${statement.reason}), and ${target.name} does not point to it; ` +
      "to publish it anyway, give --force with a reason",
  );
}

/**
 * Checks that the manifest matches the receipt, and that every file exists with its size. Returns the lines of the
 * manifest.
 * @throws PublishRejected
 */
async function requireComplete(folder: string, receipt: Receipt): Promise<readonly ManifestLine[]> {
  const text = await readFile(join(folder, "manifest.ndjson"), "utf8").catch(() => null);
  const digest = text === null ? "missing" : `sha256:${hash("sha256", text)}`;
  if (text === null || digest !== receipt.manifestDigest) {
    throw damaged(folder, `manifest.ndjson is ${digest}, but release.json states ${receipt.manifestDigest}`);
  }
  const lines = parseManifest(text);
  for (const line of lines) await requireFile(folder, line);
  return lines;
}

async function requireFile(folder: string, line: ManifestLine): Promise<void> {
  const stats = await lstat(join(folder, line.path)).catch(() => null);
  if (stats === null) throw damaged(folder, `${line.path} is missing`);
  if (!stats.isFile()) throw damaged(folder, `${line.path} is not a regular file`);
  if (stats.size !== line.bytes)
    throw damaged(folder, `${line.path} has ${stats.size} bytes, not the ${line.bytes} of the manifest`);
}

function damaged(folder: string, what: string): PublishRejected {
  return new PublishRejected(`${folder} is incomplete and was not published: ${what}; ${RESTORE}`);
}
