/** Mirroring: a published release copied over HTTP, file by file, checked as it comes, taken up where it stopped. */

import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, rmdir, statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { type ManifestLine, type Receipt, receipt as receiptSchema } from "../schemas/release.ts";
import type { ReleaseKey } from "../schemas/release-key.ts";
import { replaceFile, syncFolder } from "./durable.ts";
import type { Effects } from "./effects.ts";
import { fileAddress, type ReleaseAddress, releaseAddress } from "./fetch/address.ts";
import { download, type Wanted } from "./fetch/download.ts";
import { FetchRefused } from "./fetch/errors.ts";
import { type Remote, textAt } from "./fetch/remote.ts";
import { appendEvent } from "./journal.ts";
import { changingLinks } from "./lock.ts";
import { makeFolder } from "./make-folder.ts";
import { lockFolder } from "./raw/lock.ts";
import { doingOf, readReceipt } from "./releases.ts";
import type { Store } from "./store.ts";
import { manifestLines } from "./verify/files.ts";
import { verifyFolder } from "./verify.ts";

export interface FetchOptions {
  /** Address of a service, or of one of its releases. */
  readonly url: string;
  /** Sent as X-API-Key, for a higher rate. */
  readonly apiKey: string | null;
  /** Files on their way at once. */
  readonly parallel: number;
  /** Keys the release must be signed by; null does not ask. */
  readonly keys: readonly ReleaseKey[] | null;
  readonly threads: number;
  readonly memory: string;
}

export interface Fetched {
  readonly releaseDigest: string;
  /** False where the store had the release already. */
  readonly created: boolean;
  readonly files: number;
  /** Bytes that came over the network this time. */
  readonly bytes: number;
}

/**
 * Copies a release into the store and verifies it; it is not activated. Interrupted, the same call goes on.
 * @throws FetchRefused where what is offered is not sound; FetchInterrupted where it cannot be had
 */
export async function fetchRelease(store: Store, options: FetchOptions, effects: Effects): Promise<Fetched> {
  const headers = options.apiKey === null ? {} : { "x-api-key": options.apiKey };
  const remote: Remote = { effects, headers, met: new Set() };
  const address = await releaseAddress(options.url, remote);
  const { digest } = address;
  if ((await readReceipt(store.release(digest))) !== null)
    return { releaseDigest: digest, created: false, files: 0, bytes: 0 };
  const folder = join(store.incoming, basename(store.release(digest)));
  await makeFolder(folder);
  const unlock = await lockFolder(folder);
  try {
    const copied = await copy(remote, address, folder, options, effects);
    await requireSound(folder, digest, options, effects);
    await publish(store, digest, join(folder, "tree"), effects);
    await rm(join(folder, "parts"), { recursive: true, force: true });
    return { releaseDigest: digest, created: true, ...copied };
  } finally {
    await unlock();
    if ((await readReceipt(store.release(digest)).catch(() => null)) !== null) {
      await rm(folder, { recursive: true, force: true });
      await rmdir(store.incoming).catch(() => undefined);
    }
  }
}

const RECEIPT_BYTES = 16 * 1024 * 1024;

/** Receipt, manifest, then every file; the receipt gets its name last. */
async function copy(remote: Remote, address: ReleaseAddress, folder: string, options: FetchOptions, effects: Effects) {
  for (const name of ["tree", "parts"]) await mkdir(join(folder, name), { recursive: true });
  const text = await textAt(remote, fileAddress(address, "release.json"), RECEIPT_BYTES);
  const receipt = receiptIn(text, address);
  const wanted = (path: string, bytes: number | null, sha256: string): Wanted => ({
    url: fileAddress(address, path),
    bytes,
    sha256,
    path: join(folder, "tree", path),
    part: join(folder, "parts", hash("sha256", path)),
  });
  const manifest = wanted("manifest.ndjson", null, receipt.manifestDigest.slice("sha256:".length));
  let bytes = await download(remote, manifest);
  const { files, total } = await requireRoom(manifest.path, address, folder);
  let done = 0;
  await inParallel(manifestLines(manifest.path), options.parallel, async (line) => {
    if (line !== null) bytes += await download(remote, wanted(line.path, line.bytes, line.sha256));
    done += 1;
    effects.progress({ stage: "fetch", step: `${total} bytes`, done, total: files, unit: "files" });
  });
  await replaceFile(join(folder, "tree", "release.json"), text);
  return { files, bytes };
}

function receiptIn(text: string, { url, digest }: ReleaseAddress): Receipt {
  try {
    const receipt = receiptSchema.parse(JSON.parse(text));
    if (receipt.releaseDigest === digest) return receipt;
    throw new Error(`it is the receipt of ${receipt.releaseDigest}`);
  } catch (cause) {
    throw new FetchRefused(`${url}/release.json`, "is not the receipt of that release", { cause });
  }
}

/** The manifest names files below the release and nothing else, each once; and there is room for them. */
async function requireRoom(manifest: string, { url }: ReleaseAddress, folder: string) {
  let files = 0;
  let total = 0;
  let missing = 0;
  let before = Buffer.alloc(0);
  for await (const line of manifestLines(manifest)) {
    const path = Buffer.from(line?.path ?? "");
    if (line === null || !isSafe(line) || Buffer.compare(before, path) >= 0) {
      throw new FetchRefused(`${url}/manifest.ndjson`, `has a line that no release has: ${line?.path ?? "unreadable"}`);
    }
    before = path;
    files += 1;
    total += line.bytes;
    if (!existsSync(join(folder, "tree", line.path))) missing += line.bytes;
  }
  const disk = await statfs(folder);
  const free = disk.bavail * disk.bsize;
  if (missing > free) throw new FetchRefused(url, `needs ${missing} bytes more, and ${folder} has room for ${free}`);
  return { files, total };
}

const NAME = /^[^\p{Cc}\\/]{1,255}$/u;

function isSafe({ path }: ManifestLine): boolean {
  const names = path.split("/");
  const plain = names.every((name) => NAME.test(name) && name !== "." && name !== "..");
  return plain && path.length <= 1024 && path !== "release.json" && path !== "manifest.ndjson";
}

/** Runs `work` on every item, so many at once; after a failure none is begun. */
async function inParallel<T>(items: AsyncIterable<T>, most: number, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  let stopped = false;
  const one = async () => {
    for (let next = await iterator.next(); !next.done && !stopped; next = await iterator.next()) {
      await work(next.value).catch((error: unknown) => {
        stopped = true;
        throw error;
      });
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.max(1, most) }, one));
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** As `verify` does it; what does not hold is not kept, since another try would find it here again. */
async function requireSound(folder: string, digest: string, options: FetchOptions, effects: Effects): Promise<void> {
  const { threads, memory, keys } = options;
  const tree = join(folder, "tree");
  const result = await verifyFolder(tree, digest, { threads, memory, keys, rescore: false }, effects);
  const [first] = result?.findings ?? [];
  if (first === undefined) return;
  await rm(tree, { recursive: true, force: true });
  throw new FetchRefused(options.url, `is a release that does not hold: ${first.check}: ${first.detail}`);
}

async function publish(store: Store, digest: string, tree: string, effects: Effects): Promise<void> {
  const { at, sleep } = doingOf(effects);
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
