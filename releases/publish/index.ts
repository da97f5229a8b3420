/**
 * Publishing: a release of the store copied to a folder or a bucket, and where it is asked for its pages as single files. Only
 * what the target lacks is sent; the receipt comes when everything else is there, and the pointer last.
 */

import { hash } from "node:crypto";
import { lstat, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { type LaterStatements, type ReleaseExcerpt, releaseExcerpt } from "../../api-static/pages/release-excerpt.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { disownedRelease, disownedText } from "../../pipeline/store/disowned.ts";
import { keySetText, publicKeysOf, storeKeys } from "../../pipeline/store/key-set.ts";
import { changeNow, ReleaseNotFound, readReceipt, requireReadable } from "../../pipeline/store/releases.ts";
import {
  listRetractions,
  readRetraction,
  retractedDigests,
  retractionPath,
  retractionText,
} from "../../pipeline/store/retractions.ts";
import { revokedWords, type TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import { type KeySet, parseKeySet, withRevocations } from "../../schemas/public/key-set.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { holdRelease } from "../prune.ts";
import {
  type Counts,
  linesOf,
  type Publication,
  sendCsv,
  sendRelease,
  takeScratch,
  UNLISTED_FILES,
} from "./send-release.ts";
import { LIST_HEADERS, type PageCounts, PublishRefused, type Target } from "./target.ts";

export interface PublishOptions {
  /** Files on their way at once. */
  readonly parallel: number;
  /** Say what would be done, and change nothing at the target. */
  readonly dryRun: boolean;
  /** Its pages as single files as well; with those that show researchers where the target has them at their own paths. */
  readonly pages?: { readonly researchers: boolean } | null;
  /** Its tables as CSV as well, which no release has: made here. */
  readonly csv?: boolean;
  /** Why the pointer is to lead to a release that was retracted; null or left out: it is not moved there. */
  readonly force?: string | null;
}

export interface Published extends Counts {
  readonly releaseDigest: string;
  readonly target: string;
  readonly dryRun: boolean;
  /** Null where only packs were asked for. */
  readonly pages: PageCounts | null;
  /** Null where none was asked for. */
  readonly csv: Counts | null;
  /** Releases there of which it was said now that they were retracted. */
  readonly retractions: readonly string[];
}

/**
 * Publishes a release. Interrupted, the same call goes on; done, it changes nothing. Until its end the target answers
 * from the release it answered from before.
 * @throws PublishRefused where it must not be done; PublishInterrupted where it could not be done to the end
 */
export async function publish(
  store: Store,
  releaseDigest: string,
  target: Target,
  options: PublishOptions,
  effects: Effects,
): Promise<Published> {
  const change = changeNow(effects);
  const letGo = await holdRelease(store, releaseDigest, change);
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
    await letGo();
    await rmdir(store.work("")).catch(() => undefined);
  }
}

async function carryOut(
  publication: Publication,
  scratch: string,
  { pages = null, csv = false, force = null }: PublishOptions,
): Promise<Counts & Pick<Published, "pages" | "csv" | "retractions">> {
  const { receipt, folder, target, place, dryRun } = publication;
  await sendKeys(publication);
  const retractions = await sendRetractions(publication);
  await requireStanding(publication, force);
  const ours = await readFile(join(folder, "release.json"), "utf8");
  if (!dryRun) await target.tidy();
  const theirs = await place.receipt();
  if (theirs !== null && theirs !== ours) throw another(target, receipt);
  const lines =
    theirs === null || pages !== null
      ? await requireWhole(folder, receipt)
      : linesOf(await readFile(join(folder, "manifest.ndjson"), "utf8"));
  const counts =
    theirs === null
      ? await sendRelease(publication, lines, ours)
      : { uploaded: 0, unchanged: lines.length + UNLISTED_FILES.length, bytes: 0 };
  const sent = pages && (await target.pages({ folder, receipt }, { ...publication, ...pages, scratch }));
  const tables = csv ? await sendCsv(publication, scratch) : null;
  if (!dryRun) await point(publication, pages !== null, force);
  return { ...counts, pages: sent, csv: tables, retractions };
}

/** What was published is never changed: caches keep it for a year. */
function another(target: Target, { releaseDigest }: Receipt): PublishRefused {
  return new PublishRefused(
    `${target.name} has another build of ${releaseDigest}, with another receipt, and what is published does not change; ` +
      "publish it from the store it came from, or remove it there first",
  );
}

/** The list of releases, then the pointer; neither is written where it says so already. */
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

/** Its path below the place that releases are published to; a target that is a store has it there as well. */
const KEY_SET = "keys/share-release-keys.json";

/**
 * Sends the store's key set, if it has one.
 * @throws PublishRefused if a key is revoked there and not here
 */
async function sendKeys({ store, target, dryRun }: Publication): Promise<void> {
  const own = await publicKeysOf(store);
  if (own.keys.length === 0) return;
  const text = await target.text(KEY_SET);
  const theirs = text === null ? { keys: [] } : readable(text, target.name);
  const trusted = own.keys.filter(({ revoked }) => revoked === undefined).map(({ kid }) => kid);
  for (const { kid, revoked } of theirs.keys) {
    if (revoked === undefined || !trusted.includes(kid)) continue;
    throw new PublishRefused(
      `The key ${kid} is revoked at ${target.name}, and not in this store. Revoke it here first: ` +
        `\`share-release key revoke ${kid} --date ${revoked}\``,
    );
  }
  const kids = new Set(own.keys.map(({ kid }) => kid));
  const keys = [
    ...own.keys.map((key) => withRevocations(key, theirs.keys)),
    ...theirs.keys.filter(({ kid }) => !kids.has(kid)),
  ];
  const all = keySetText({ keys });
  if (!dryRun && all !== text) await target.write(KEY_SET, all, LIST_HEADERS);
}

function readable(text: string, name: string): KeySet {
  try {
    return parseKeySet(JSON.parse(text));
  } catch (cause) {
    throw new PublishRefused(`${name} has a ${KEY_SET} that cannot be read: move it away, and publish again`, {
      cause,
    });
  }
}

const RELEASE_LIST = "releases.json";

/**
 * The list with this release as the active one; what is no longer there leaves it. What was said of a release when it was
 * withdrawn, or its key revoked, stays, whether the store that publishes knows of it or not.
 */
async function releaseListText(
  target: Target,
  receipt: Receipt,
  before: string | null,
  retractions: ReadonlyMap<string, Retraction>,
  keys: readonly TrustedKey[],
): Promise<string> {
  const listed = listOf(before);
  const said = async (digest: string, receiptText: string | null): Promise<LaterStatements> => {
    const earlier = listed.find(({ releaseDigest }) => releaseDigest === digest);
    return {
      retraction: retractions.get(digest) ?? earlier?.retraction ?? null,
      keyRevoked: (receiptText === null ? null : await disownedText(receiptText, keys)) ?? earlier?.keyRevoked ?? null,
    };
  };
  const others: ReleaseExcerpt[] = [];
  for (const summary of listed) {
    if (summary.releaseDigest === receipt.releaseDigest) continue;
    const text = await target.place(summary.releaseDigest).receipt();
    if (text !== null) others.push({ ...summary, active: false, ...(await said(summary.releaseDigest, text)) });
  }
  const { releaseDigest } = receipt;
  const saidOfOwn = await said(releaseDigest, await target.place(releaseDigest).receipt());
  const own = releaseExcerpt(receipt, releaseDigest, saidOfOwn);
  const newestFirst = [own, ...others].sort((one, other) =>
    one.publishedAt > other.publishedAt ? -1 : one.publishedAt < other.publishedAt ? 1 : 0,
  );
  return `${JSON.stringify(newestFirst)}\n`;
}

/** A list that cannot be read is begun anew. */
function listOf(text: string | null): readonly ReleaseExcerpt[] {
  try {
    return releaseList.parse(JSON.parse(text ?? "[]"));
  } catch {
    return [];
  }
}

/** Sends the statement of each retracted release that is there, or is to be; answers those that were not there yet. */
async function sendRetractions({ receipt, store, target, dryRun }: Publication): Promise<string[]> {
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
async function requireStanding({ receipt, store, target }: Publication, force: string | null): Promise<void> {
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

/**
 * The manifest is the receipt's, and every file it names is there with its size. Answers its lines.
 * @throws PublishRefused
 */
async function requireWhole(folder: string, receipt: Receipt): Promise<readonly ManifestLine[]> {
  const text = await readFile(join(folder, "manifest.ndjson"), "utf8").catch(() => null);
  const digest = text === null ? "missing" : `sha256:${hash("sha256", text)}`;
  if (text === null || digest !== receipt.manifestDigest) {
    throw damaged(folder, `its manifest is ${digest}, the receipt says ${receipt.manifestDigest}`);
  }
  const lines = linesOf(text);
  for (const line of lines) await requireFile(folder, line);
  return lines;
}

async function requireFile(folder: string, line: ManifestLine): Promise<void> {
  const stats = await lstat(join(folder, line.path)).catch(() => null);
  if (stats === null) throw damaged(folder, `${line.path} is missing`);
  if (!stats.isFile()) throw damaged(folder, `${line.path} is no regular file`);
  if (stats.size !== line.bytes) throw damaged(folder, `${line.path} has ${stats.size} bytes, not ${line.bytes}`);
}

function damaged(folder: string, what: string): PublishRefused {
  return new PublishRefused(
    `${folder} is not whole and was not published: ${what}; see \`share-release release verify\``,
  );
}
