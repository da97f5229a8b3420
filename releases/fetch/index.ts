/** Mirroring: a published release copied over HTTP, file by file, checked as it comes, taken up where it stopped. */

import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, rmdir, statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { makeFolder, replaceFile, syncFolder } from "../../pipeline/files/durable.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { appendEvent, receiptDigestOf } from "../../pipeline/store/journal.ts";
import { trustedKeys } from "../../pipeline/store/key-set.ts";
import { changingLinks, lockFolder } from "../../pipeline/store/locks.ts";
import { changeNow, readReceipt } from "../../pipeline/store/releases.ts";
import { AlreadyRetracted, keepRetraction, retractedDigests } from "../../pipeline/store/retractions.ts";
import { signatureFault, type TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { parseKeySet, type ReleaseKey } from "../../schemas/public/key-set.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Retraction } from "../../schemas/public/retraction.ts";
import { inParallel } from "../publish/target.ts";
import { isReleaseFile, LONGEST_LINE, manifestLines } from "../verify/files.ts";
import { verifyFolder, verifyReceiptText } from "../verify/index.ts";
import { download, type Wanted } from "./download.ts";
import {
  FetchRefused,
  fileAddress,
  listBeside,
  type ReleaseAddress,
  type Remote,
  releaseAddress,
  textAt,
} from "./remote.ts";

export interface FetchOptions {
  /** Address of a service, or of one of its releases. */
  readonly url: string;
  /** Sent as X-API-Key, for a higher rate. */
  readonly apiKey: string | null;
  /** Files on their way at once. */
  readonly parallel: number;
  /** Pinned keys: one of them must have signed the release. Null does not ask for a signature. */
  readonly keys: readonly ReleaseKey[] | null;
  /** Takes on the mirror's word what neither the digest, nor a key, nor a predecessor in the store proves. */
  readonly unproven: boolean;
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB; null: as much as the tables call for. */
  readonly memory: string | null;
}

export interface Fetched {
  readonly releaseDigest: string;
  /** False where the store had the release already. */
  readonly created: boolean;
  readonly files: number;
  /** Bytes that came over the network this time. */
  readonly bytes: number;
  /** Files that were taken on the mirror's word. */
  readonly unproven: readonly string[];
  /** What the other side says of releases that are here: that they were withdrawn. */
  readonly retractions: readonly OfferedRetraction[];
  /** Those of the pinned keys that are revoked, here or there. */
  readonly revokedKeys: readonly string[];
}

/**
 * Copies a release into the store and verifies it; it is not activated. Interrupted, the same call goes on.
 * @throws FetchRefused where what is offered is not sound; FetchInterrupted where it cannot be had
 */
export async function fetchRelease(store: Store, options: FetchOptions, effects: Effects): Promise<Fetched> {
  const headers = options.apiKey === null ? {} : { "x-api-key": options.apiKey };
  const remote: Remote = { effects, headers, origin: URL.parse(options.url)?.origin ?? null, met: new Set() };
  const address = await releaseAddress(options.url, remote);
  const { digest } = address;
  const isHere = (await readReceipt(store.release(digest))) !== null;
  const text = isHere ? null : await textAt(remote, fileAddress(address, RECEIPT), RECEIPT_BYTES);
  // Nothing else is asked of a mirror whose receipt is not signed.
  if (text !== null) await trustedReceipt(text, address, options.keys && (await trustedKeys(store, options.keys)));
  const keys = options.keys && (await trustedKeys(store, options.keys, await offeredKeys(address, remote)));
  const revokedKeys = (keys ?? []).flatMap(({ kid, revoked }) => (revoked === undefined ? [] : [kid]));
  if (text === null) {
    const offered = await offeredRetractions(store, address, { ...options, keys }, remote);
    const retractions = await keepRetractions(store, offered, changeNow(effects));
    return { releaseDigest: digest, created: false, files: 0, bytes: 0, unproven: [], retractions, revokedKeys };
  }
  const trusting = { ...options, keys };
  const receipt = await trustedReceipt(text, address, keys);
  const folder = join(store.incoming, basename(store.release(digest)));
  await makeFolder(folder);
  const unlock = await lockFolder(folder);
  let refused = false;
  try {
    const copied = await copy(remote, address, receipt, folder, options, effects);
    await replaceFile(join(folder, "tree", RECEIPT), text);
    const unproven = await requireSound(store, folder, digest, trusting, effects);
    // Last: nothing else is asked of a mirror whose receipt and manifest do not hold.
    const offered = await offeredRetractions(store, address, trusting, remote);
    await publish(store, digest, join(folder, "tree"), effects);
    await rm(join(folder, "parts"), { recursive: true, force: true });
    const retractions = await keepRetractions(store, offered, changeNow(effects));
    return { releaseDigest: digest, created: true, ...copied, unproven, retractions, revokedKeys };
  } catch (error) {
    refused = error instanceof FetchRefused && !existsSync(join(folder, "tree", MANIFEST));
    throw error;
  } finally {
    await unlock();
    // A manifest that was refused is not kept: another try would find it here again.
    if (refused || (await readReceipt(store.release(digest)).catch(() => null)) !== null) {
      await rm(folder, { recursive: true, force: true });
      await rmdir(store.incoming).catch(() => undefined);
    }
  }
}

const RECEIPT = "release.json";
const MANIFEST = "manifest.ndjson";

const RECEIPT_BYTES = 16 * 1024 * 1024;

/** Bytes a manifest may have: some thirty million files. Nobody told its size. */
const MANIFEST_BYTES = 4 * 2 ** 30;

/**
 * What everything else is believed by, so that it comes first: the receipt is of the digest that was asked for, and, where
 * keys are given, signed by one of them.
 */
async function trustedReceipt(
  text: string,
  { url, digest }: ReleaseAddress,
  keys: readonly TrustedKey[] | null,
): Promise<Receipt> {
  const { receipt, findings } = await verifyReceiptText(text, digest, keys);
  if (receipt === null) throw new FetchRefused(`${url}/${RECEIPT}`, "is not the receipt of that release");
  const [first] = findings;
  if (first !== undefined)
    throw new FetchRefused(url, `is a release that does not hold: ${first.check}: ${first.detail}`);
  return receipt;
}

/** Manifest, then every file. */
async function copy(
  remote: Remote,
  address: ReleaseAddress,
  receipt: Receipt,
  folder: string,
  options: FetchOptions,
  effects: Effects,
) {
  for (const name of ["tree", "parts"]) await mkdir(join(folder, name), { recursive: true });
  const wanted = (path: string, bytes: number | null, sha256: string): Wanted => ({
    url: fileAddress(address, path),
    bytes,
    sha256,
    path: join(folder, "tree", path),
    part: join(folder, "parts", hash("sha256", path)),
  });
  let bytes = await download(remote, {
    ...wanted(MANIFEST, null, receipt.manifestDigest.slice("sha256:".length)),
    most: MANIFEST_BYTES,
    longestLine: LONGEST_LINE,
    check: async (part) => void (await sumOf(part, address, receipt, folder)),
  });
  const manifest = join(folder, "tree", MANIFEST);
  const { files, total } = await requireRoom(manifest, address, receipt, folder);
  let done = 0;
  await inParallel(manifestLines(manifest), options.parallel, async (line) => {
    if (line !== null) bytes += await download(remote, wanted(line.path, line.bytes, line.sha256));
    done += 1;
    effects.progress({ stage: "fetch", step: `${total} bytes`, done, total: files, unit: "files" });
  });
  return { files, bytes };
}

/** There is room for what the manifest lists. */
async function requireRoom(manifest: string, address: ReleaseAddress, receipt: Receipt, folder: string) {
  const { files, total, missing } = await sumOf(manifest, address, receipt, folder);
  const disk = await statfs(folder);
  const free = disk.bavail * disk.bsize;
  if (missing > free) {
    throw new FetchRefused(address.url, `needs ${missing} bytes more, and ${folder} has room for ${free}`);
  }
  return { files, total };
}

/** The manifest names files that a release may have and nothing else, each once. */
async function sumOf(manifest: string, { url }: ReleaseAddress, receipt: Receipt, folder: string) {
  let files = 0;
  let total = 0;
  let missing = 0;
  let before = Buffer.alloc(0);
  for await (const line of manifestLines(manifest)) {
    const path = Buffer.from(line?.path ?? "");
    if (line === null || !isReleaseFile(line.path, receipt) || Buffer.compare(before, path) >= 0) {
      throw new FetchRefused(`${url}/${MANIFEST}`, `has a line that no release has: ${line?.path ?? "unreadable"}`);
    }
    before = path;
    files += 1;
    total += line.bytes;
    if (!existsSync(join(folder, "tree", line.path))) missing += line.bytes;
  }
  return { files, total, missing };
}

/**
 * Scored, summed up and rendered again from what the digest covers; what does not hold is not kept, since another try
 * would find it here again. Answers what nothing proves: a trusted signature is over every file.
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
    unproven: asked,
  }: Omit<FetchOptions, "keys"> & { readonly keys: readonly TrustedKey[] | null },
  effects: Effects,
): Promise<readonly string[]> {
  const tree = join(folder, "tree");
  const options = { threads, memory, keys, rescore: true, predecessors: store };
  const result = await verifyFolder(tree, digest, options, effects);
  const findings = result?.findings ?? [];
  const [first] = findings;
  if (first !== undefined) {
    await rm(tree, { recursive: true, force: true });
    throw new FetchRefused(url, `is a release that does not hold: ${first.check}: ${first.detail}`);
  }
  if (keys !== null) return [];
  const unproven = result?.unproven ?? [];
  if (unproven.length === 0 || asked) return unproven;
  throw new FetchRefused(
    url,
    `has files that its digest does not prove (${unproven.join(", ")}): give the key it is signed by with --key, fetch the release before it first, or take them on the mirror's word with --allow-unverified`,
  );
}

async function publish(store: Store, digest: string, tree: string, effects: Effects): Promise<void> {
  const { at, sleep } = changeNow(effects);
  await mkdir(store.releases, { recursive: true });
  await changingLinks(store, sleep, async () => {
    const folder = store.release(digest);
    // Only a folder without a receipt can be in the way.
    if ((await readReceipt(folder)) !== null) return;
    await rm(folder, { recursive: true, force: true });
    await syncFolder(tree);
    await rename(tree, folder);
    await syncFolder(store.releases);
    await appendEvent(store, { event: "fetched", releaseDigest: digest, at });
  });
}

interface OfferedRetraction extends Retraction {
  /** Whether it is kept in the store; what nobody proved is not, unless that was asked for. */
  readonly kept: boolean;
  /** Whether it is by a revoked key: it is ignored. */
  readonly disowned: boolean;
}

/**
 * Statements on the release that is wanted and on those that are here, as far as none is kept already.
 * @throws FetchRefused where one was not signed by a trusted key, or is of another release
 */
async function offeredRetractions(
  store: Store,
  address: ReleaseAddress,
  { keys, unproven }: { readonly keys: readonly TrustedKey[] | null; readonly unproven: boolean },
  remote: Remote,
): Promise<readonly OfferedRetraction[]> {
  const known = new Set(await retractedDigests(store));
  const offered: OfferedRetraction[] = [];
  for (const { releaseDigest, retraction } of (await listBeside(address, remote)) ?? []) {
    if (retraction === null || known.has(releaseDigest)) continue;
    if (releaseDigest !== address.digest && (await receiptDigestOf(store, releaseDigest)) === null) continue;
    const disowned = await isByRevoked(retraction, keys ?? []);
    await requireTrue(address, releaseDigest, retraction, disowned ? null : keys);
    offered.push({ ...retraction, kept: !disowned && (keys !== null || unproven), disowned });
  }
  return offered;
}

/** An honest publisher goes on to show the retractions by a key that was revoked later: they do not end the fetch. */
async function isByRevoked(said: Retraction, keys: readonly TrustedKey[]): Promise<boolean> {
  const plain = keys.map(({ revoked: _revoked, ...key }) => key);
  const [fault, faultOfPlain] = await Promise.all(
    [keys, plain].map((each) => signatureFault({ ...said }, each, "retraction")),
  );
  return fault !== null && faultOfPlain === null;
}

async function requireTrue(
  { url }: ReleaseAddress,
  releaseDigest: string,
  said: Retraction,
  keys: readonly TrustedKey[] | null,
): Promise<void> {
  const other = said.releaseDigest === releaseDigest ? null : `it is of ${said.releaseDigest}`;
  const fault = other ?? (keys === null ? null : await signatureFault({ ...said }, keys, "retraction"));
  if (fault !== null)
    throw new FetchRefused(url, `says that ${releaseDigest} was retracted, which does not hold: ${fault}`);
}

/** Keeps those that are to be kept; answers all of them. */
async function keepRetractions(
  store: Store,
  offered: readonly OfferedRetraction[],
  change: { readonly at: string; readonly sleep: Effects["sleep"] },
): Promise<readonly OfferedRetraction[]> {
  for (const { kept, disowned: _disowned, ...said } of offered) {
    if (!kept) continue;
    await keepRetraction(store, said, change).catch((error: unknown) => {
      // Another fetch was quicker.
      if (!(error instanceof AlreadyRetracted)) throw error;
    });
  }
  return offered;
}

/** Its paths beside releases that were published as files, and at a service. */
const PATHS = ["keys/share-release-keys.json", ".well-known/share-release-keys.json"];

const LONGEST_SET = 16 * 1024 * 1024;

/**
 * Returns the published keys; none if there is no key set.
 * @throws FetchRefused if there is one that cannot be read
 */
async function offeredKeys({ url }: ReleaseAddress, remote: Remote): Promise<readonly ReleaseKey[]> {
  const at = url.replace(/releases\/sha256-[0-9a-f]{64}$/, "");
  for (const path of PATHS) {
    const text = await textAt(remote, `${at}${path}`, LONGEST_SET).catch((error: unknown) => {
      if (error instanceof FetchRefused) return null;
      throw error;
    });
    // Some hosts answer with a page instead of 404.
    const json = text === null ? null : jsonOf(text);
    if (json === null) continue;
    try {
      return parseKeySet(json).keys;
    } catch (cause) {
      throw new FetchRefused(`${at}${path}`, "is not a key set that this version can read", { cause });
    }
  }
  return [];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
