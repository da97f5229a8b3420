/** Copies a published release over HTTP, file by file. Verifies each file, and resumes an interrupted download. */

import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, rmdir, statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { makeFolder, replaceFile, syncFolder } from "../../pipeline/files/durable.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { appendEvent, digestReceipt } from "../../pipeline/store/journal.ts";
import { trustedKeys } from "../../pipeline/store/key-set.ts";
import { lockFolder, withLinkLock } from "../../pipeline/store/locks.ts";
import { changeNow, readReceipt } from "../../pipeline/store/releases.ts";
import { AlreadyRetracted, retractedDigests, storeRetraction } from "../../pipeline/store/retractions.ts";
import { signatureFault, type TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Head, ReleaseKey } from "../../schemas/public/key-set.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { inParallel } from "../publish/target.ts";
import { isReleaseFile, MAX_LINE_LENGTH, manifestLines } from "../verify/files.ts";
import type { Finding } from "../verify/finding.ts";
import { verifyFolder, verifyReceiptText } from "../verify/index.ts";
import { download, type FileToDownload } from "./download.ts";
import { publisherAt, readStatements, type Statements } from "./publisher.ts";
import {
  FetchRejected,
  fileAddress,
  listBeside,
  REPORT,
  type ReleaseAddress,
  type Remote,
  readPublisherAddress,
  releaseAddress,
  textAt,
} from "./remote.ts";

export interface FetchOptions {
  readonly url: string;
  /** Value of the header X-API-Key, which allows more requests; null to send none. */
  readonly apiKey: string | null;
  readonly parallel: number;
  /**
   * Trusted keys. One of them must have signed the release. If null, the keys of an earlier fetch from this address are
   * used, if there are any.
   */
  readonly keys: readonly ReleaseKey[] | null;
  /**
   * True to accept a publisher whose head, the signed statement about its latest release, is missing, expired, or older
   * than one that was seen before.
   */
  readonly allowOlder?: boolean;
  /**
   * True to accept files that nothing proves: not the release digest, not a trusted key, and not an earlier release in the
   * store.
   */
  readonly unproven: boolean;
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB. If null, it follows from the size of the tables. */
  readonly memory: string | null;
}

export interface FetchResult {
  readonly releaseDigest: string;
  /** False if the store already contained the release. */
  readonly created: boolean;
  readonly files: number;
  /** Number of bytes that this run received over the network. */
  readonly bytes: number;
  /** Paths of the files that nothing proves: not the release digest, not a trusted key, and not an earlier release. */
  readonly unproven: readonly string[];
  /** Retractions that the publisher shows for releases in this store. */
  readonly retractions: readonly OfferedRetraction[];
  /** Trusted keys that are revoked in this store or by the publisher. */
  readonly revokedKeys: readonly string[];
  /** The head of the publisher; null if no keys are trusted, or if no trusted key signed a head. */
  readonly head: Pick<Head, "sequence" | "expiresAt" | "releaseDigest"> | null;
  /** The reason why the publisher may have a later release, if the user accepted that with `allowOlder`; otherwise null. */
  readonly doubt: string | null;
}

/**
 * Copies a release into the store and verifies it. Does not activate it. The same call resumes an interrupted copy.
 * @throws FetchRejected if the release is invalid; FetchInterrupted if it is unavailable
 */
export async function fetchRelease(store: Store, options: FetchOptions, effects: Effects): Promise<FetchResult> {
  const headers = options.apiKey === null ? {} : { "x-api-key": options.apiKey };
  const remote: Remote = {
    effects,
    headers,
    origin: URL.parse(options.url)?.origin ?? null,
    respondedOrigins: new Set(),
  };
  const { base, digest: named } = readPublisherAddress(options.url);
  const publisher = await publisherAt(store, base, options.keys);
  const isLatest = named === null;
  const check = async (): Promise<Statements | null> => {
    const { pinned } = publisher;
    const { allowOlder = false } = options;
    return pinned && (await readStatements(store, { ...publisher, pinned }, remote, { isLatest, allowOlder }));
  };
  // Without a named release, the head names the latest one. Otherwise the receipt comes first.
  const early = isLatest ? await check() : null;
  const address = await releaseAddress(base, named ?? early?.head?.releaseDigest ?? null, remote);
  const { digest } = address;
  const stored = store.release(digest);
  const isHere = (await readReceipt(stored)) !== null;
  const text = isHere
    ? await readFile(join(stored, RECEIPT), "utf8")
    : await textAt(remote, fileAddress(address, RECEIPT), RECEIPT_BYTES);
  const origin = isHere ? { ...address, url: stored } : address;
  // If the receipt is not signed by a trusted key, nothing else is requested.
  await trustedReceipt(text, origin, publisher.pinned && (await trustedKeys(store, publisher.pinned)));
  const statements = early ?? (await check());
  const keys = statements?.keys ?? null;
  const receipt = await trustedReceipt(text, origin, keys);
  const trusting = { ...options, keys, head: statements?.head ?? null };
  const told = {
    revokedKeys: (keys ?? []).flatMap(({ kid, revoked }) => (revoked === undefined ? [] : [kid])),
    head: headSummary(statements?.head ?? null),
    doubt: statements?.doubt ?? null,
  };
  if (isHere) {
    const offered = await offeredRetractions(store, address, trusting, remote);
    const retractions = await saveRetractions(store, offered, changeNow(effects));
    return { releaseDigest: digest, created: false, files: 0, bytes: 0, unproven: [], retractions, ...told };
  }
  const folder = join(store.incoming, basename(store.release(digest)));
  await makeFolder(folder);
  const unlock = await lockFolder(folder);
  let rejected = false;
  try {
    const copied = await copy(remote, address, receipt, folder, options, effects);
    await replaceFile(join(folder, "tree", RECEIPT), text);
    const unproven = await requireSound(store, folder, digest, trusting, effects);
    // Retractions come last, because an invalid receipt or manifest ends the fetch.
    const offered = await offeredRetractions(store, address, trusting, remote);
    await publish(store, digest, join(folder, "tree"), effects);
    await rm(join(folder, "parts"), { recursive: true, force: true });
    const retractions = await saveRetractions(store, offered, changeNow(effects));
    return { releaseDigest: digest, created: true, ...copied, unproven, retractions, ...told };
  } catch (error) {
    rejected = error instanceof FetchRejected && !existsSync(join(folder, "tree", MANIFEST));
    throw error;
  } finally {
    await unlock();
    // A rejected manifest is removed, so that the next attempt does not find it.
    if (rejected || (await readReceipt(store.release(digest)).catch(() => null)) !== null) {
      await rm(folder, { recursive: true, force: true });
      await rmdir(store.incoming).catch(() => undefined);
    }
  }
}

function headSummary(head: Head | null): FetchResult["head"] {
  return head && { sequence: head.sequence, expiresAt: head.expiresAt, releaseDigest: head.releaseDigest };
}

const RECEIPT = "release.json";
const MANIFEST = "manifest.ndjson";

const RECEIPT_BYTES = 16 * 1024 * 1024;

/**
 * Largest manifest in bytes. The limit is needed because the size is not known before the download. It is enough for about
 * thirty million files.
 */
const MANIFEST_BYTES = 4 * 2 ** 30;

/**
 * Returns the receipt in `text` after checking that it belongs to the requested release, and that a trusted key signed it
 * if there are trusted keys.
 * @throws FetchRejected otherwise
 */
async function trustedReceipt(
  text: string,
  { url, digest }: ReleaseAddress,
  keys: readonly TrustedKey[] | null,
): Promise<Receipt> {
  const { receipt, findings } = await verifyReceiptText(text, digest, keys);
  if (receipt === null)
    throw new FetchRejected(`${url}/${RECEIPT}`, `is not the receipt of the requested release. ${REPORT}`);
  const [first] = findings;
  if (first !== undefined) throw failedVerification(url, first);
  return receipt;
}

async function copy(
  remote: Remote,
  address: ReleaseAddress,
  receipt: Receipt,
  folder: string,
  options: FetchOptions,
  effects: Effects,
) {
  for (const name of ["tree", "parts"]) await mkdir(join(folder, name), { recursive: true });
  const wanted = (path: string, bytes: number | null, sha256: string): FileToDownload => ({
    url: fileAddress(address, path),
    bytes,
    sha256,
    path: join(folder, "tree", path),
    part: join(folder, "parts", hash("sha256", path)),
  });
  let bytes = await download(remote, {
    ...wanted(MANIFEST, null, receipt.manifestDigest.slice("sha256:".length)),
    most: MANIFEST_BYTES,
    longestLine: MAX_LINE_LENGTH,
    check: async (part) => void (await sumSizes(part, address, receipt, folder)),
  });
  const manifest = join(folder, "tree", MANIFEST);
  const { files, total } = await requireFreeSpace(manifest, address, receipt, folder);
  let done = 0;
  await inParallel(manifestLines(manifest), options.parallel, async (line) => {
    if (line !== null) bytes += await download(remote, wanted(line.path, line.bytes, line.sha256));
    done += 1;
    effects.progress({ stage: "fetch", step: `${total} bytes`, done, total: files, unit: "files" });
  });
  return { files, bytes };
}

function failedVerification(url: string, { check, detail }: Finding): FetchRejected {
  return new FetchRejected(url, `fails verification: ${check}: ${detail}. ${REPORT}`);
}

/** Checks that the disk has enough space for the files that are missing. */
async function requireFreeSpace(manifest: string, address: ReleaseAddress, receipt: Receipt, folder: string) {
  const { files, total, missing } = await sumSizes(manifest, address, receipt, folder);
  const disk = await statfs(folder);
  const free = disk.bavail * disk.bsize;
  if (missing > free) {
    throw new FetchRejected(
      address.url,
      `needs ${missing} bytes more, but the disk of ${folder} only has ${free} free. Free some space, and run the same command again.`,
    );
  }
  return { files, total };
}

/**
 * Returns the number of files in the manifest, their total size, and the size of those that are missing in `folder`. Checks
 * that a release may contain each file, and that no file is listed twice.
 */
async function sumSizes(manifest: string, { url }: ReleaseAddress, receipt: Receipt, folder: string) {
  let files = 0;
  let total = 0;
  let missing = 0;
  let before = Buffer.alloc(0);
  for await (const line of manifestLines(manifest)) {
    const path = Buffer.from(line?.path ?? "");
    if (line === null || !isReleaseFile(line.path, receipt) || Buffer.compare(before, path) >= 0) {
      throw new FetchRejected(
        `${url}/${MANIFEST}`,
        `has a line that no release can have: ${line?.path ?? "one that cannot be read"}. ${REPORT}`,
      );
    }
    before = path;
    files += 1;
    total += line.bytes;
    if (!existsSync(join(folder, "tree", line.path))) missing += line.bytes;
  }
  return { files, total, missing };
}

/**
 * Verifies the copy: computes its scores, aggregates and pages again. Removes the copy if it is invalid, so that the next
 * attempt downloads it again. Returns the files that nothing proves; none if there are trusted keys, because a signature
 * proves every file.
 */
async function requireSound(
  store: Store,
  folder: string,
  digest: string,
  {
    url,
    threads,
    memory,
    keys,
    unproven: isAccepted,
  }: Omit<FetchOptions, "keys"> & { readonly keys: readonly TrustedKey[] | null },
  effects: Effects,
): Promise<readonly string[]> {
  const tree = join(folder, "tree");
  const options = { threads, memory, keys, rebuild: { from: "tables" } as const, stopEarly: true, predecessors: store };
  const result = await verifyFolder(tree, digest, options, effects);
  const findings = result?.findings ?? [];
  const [first] = findings;
  if (first !== undefined) {
    await rm(tree, { recursive: true, force: true });
    throw failedVerification(url, first);
  }
  if (keys !== null) return [];
  const unproven = result?.unproven ?? [];
  if (unproven.length === 0 || isAccepted) return unproven;
  throw new FetchRejected(
    url,
    `has files that the release digest does not cover (${unproven.join(", ")}). Give the publisher's key with --key, fetch the previous release first, or accept them with --allow-unverified`,
  );
}

async function publish(store: Store, digest: string, tree: string, effects: Effects): Promise<void> {
  const { at, sleep } = changeNow(effects);
  await mkdir(store.releases, { recursive: true });
  await withLinkLock(store, sleep, async () => {
    const folder = store.release(digest);
    // Only a folder without a receipt can exist here.
    if ((await readReceipt(folder)) !== null) return;
    await rm(folder, { recursive: true, force: true });
    await syncFolder(tree);
    await rename(tree, folder);
    await syncFolder(store.releases);
    await appendEvent(store, { event: "fetched", releaseDigest: digest, at });
  });
}

interface OfferedRetraction extends Retraction {
  /**
   * True if the store saves this retraction. Without trusted keys, nothing proves it, so it is only saved if the user
   * accepts unproven data.
   */
  readonly kept: boolean;
  /** True if a revoked key signed this retraction. It is then ignored. */
  readonly disowned: boolean;
}

/**
 * Reads the retractions in the publisher's head and list of releases. Returns the retraction of the requested release and
 * those of other releases that the store knows, unless the store already has them.
 * @throws FetchRejected if no trusted key signed a retraction, or if it names another release than the list does
 */
async function offeredRetractions(
  store: Store,
  address: ReleaseAddress,
  {
    keys,
    unproven,
    head,
  }: { readonly keys: readonly TrustedKey[] | null; readonly unproven: boolean; readonly head: Head | null },
  remote: Remote,
): Promise<readonly OfferedRetraction[]> {
  const known = new Set(await retractedDigests(store));
  const offered: OfferedRetraction[] = [];
  const stated = (head?.retractions ?? []).map((retraction) => ({
    releaseDigest: retraction.releaseDigest,
    retraction,
  }));
  for (const { releaseDigest, retraction } of [...stated, ...((await listBeside(address, remote)) ?? [])]) {
    if (retraction === null || known.has(releaseDigest)) continue;
    known.add(releaseDigest);
    if (releaseDigest !== address.digest && (await digestReceipt(store, releaseDigest)) === null) continue;
    const disowned = await isByRevoked(retraction, keys ?? []);
    await requireValid(address, releaseDigest, retraction, disowned ? null : keys);
    offered.push({ ...retraction, kept: !disowned && (keys !== null || unproven), disowned });
  }
  return offered;
}

/**
 * Returns whether a retraction is invalid only because the key that signed it was revoked later. Publishers still show such
 * retractions, so they are ignored and do not end the fetch.
 */
async function isByRevoked(retraction: Retraction, keys: readonly TrustedKey[]): Promise<boolean> {
  const plain = keys.map(({ revoked: _revoked, ...key }) => key);
  const [fault, faultOfPlain] = await Promise.all(
    [keys, plain].map((each) => signatureFault({ ...retraction }, each, "retraction")),
  );
  return fault !== null && faultOfPlain === null;
}

async function requireValid(
  { url }: ReleaseAddress,
  releaseDigest: string,
  retraction: Retraction,
  keys: readonly TrustedKey[] | null,
): Promise<void> {
  const other = retraction.releaseDigest === releaseDigest ? null : `the statement names ${retraction.releaseDigest}`;
  const fault = other ?? (keys === null ? null : await signatureFault({ ...retraction }, keys, "retraction"));
  if (fault !== null)
    throw new FetchRejected(url, `has an invalid retraction of ${releaseDigest}: ${fault}. ${REPORT}`);
}

/** Saves the retractions whose field `kept` is true. Returns all retractions. */
async function saveRetractions(
  store: Store,
  offered: readonly OfferedRetraction[],
  change: { readonly at: string; readonly sleep: Effects["sleep"] },
): Promise<readonly OfferedRetraction[]> {
  for (const { kept, disowned: _disowned, ...retraction } of offered) {
    if (!kept) continue;
    await storeRetraction(store, retraction, change).catch((error: unknown) => {
      // Another fetch saved it first.
      if (!(error instanceof AlreadyRetracted)) throw error;
    });
  }
  return offered;
}
