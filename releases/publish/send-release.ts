/**
 * Sends the files of a release to a target. A file whose bytes the target already has in another release is copied there
 * instead of being sent.
 */

import { hash } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import pLimit from "p-limit";
import { fileDigest } from "../../pipeline/files/durable.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { lockFolder, StoreLocked, withLinkLock } from "../../pipeline/store/locks.ts";
import type { StoreChange } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import {
  type ManifestLine,
  manifestLine,
  type Receipt,
  receipt as receiptSchema,
} from "../../schemas/public/release.ts";
import { CSV_FILES, writeTableCsv } from "../export-csv.ts";
import { SHARE_DATABASE, writeShareDatabase } from "../share-database.ts";
import {
  type CopySource,
  inParallel,
  type PublishedFile,
  PublishInterrupted,
  type PublishTarget,
  SMALL_BYTES,
  type TargetPlace,
} from "./target.ts";

/** A publication that is running: its release, target and options. */
export interface Publication {
  readonly receipt: Receipt;
  readonly folder: string;
  readonly store: Store;
  readonly target: PublishTarget;
  /** The folder of the release at the target. */
  readonly place: TargetPlace;
  readonly parallel: number;
  readonly dryRun: boolean;
  readonly effects: Effects;
}

export interface SendCounts {
  readonly uploaded: number;
  readonly unchanged: number;
  readonly bytes: number;
}

const MANIFEST = "manifest.ndjson";

export const UNLISTED_FILES = [MANIFEST, "release.json"];

/** Sends the files of the release, then its receipt, which completes it. A dry run only counts the files. */
export async function sendRelease(
  publication: Publication,
  lines: readonly ManifestLine[],
  receiptText: string,
): Promise<SendCounts> {
  const { place, dryRun } = publication;
  const end = dryRun ? async () => undefined : await place.begin();
  try {
    const files = planFiles(lines, await baseManifests(publication), await presentAt(place));
    files.push(await manifestFile(publication));
    const courier = new FileSender(publication, files.length);
    await inParallel(files, publication.parallel, (file) => courier.bring(file));
    const { uploaded, unchanged, bytes } = courier;
    if (!dryRun) {
      await requireThere(lines, publication);
      await place.finish(receiptText);
    }
    return { uploaded: uploaded + 1, unchanged, bytes: bytes + Buffer.byteLength(receiptText) };
  } finally {
    await end();
  }
}

async function presentAt(place: TargetPlace): Promise<Present> {
  const present = new Map<string, number>();
  for await (const { path, bytes } of place.list()) present.set(path, bytes);
  return present;
}

/**
 * Returns the manifests of complete releases at the target that may contain the same files: the active release and the
 * predecessor. Skips a manifest that does not match its receipt.
 */
async function baseManifests({ receipt, target, effects }: Publication): Promise<BaseManifest[]> {
  const bases: BaseManifest[] = [];
  const { releaseDigest, previousReleaseDigest } = receipt;
  for (const digest of new Set([await target.current(), previousReleaseDigest])) {
    if (digest === null || digest === releaseDigest) continue;
    const place = target.place(digest);
    const text = await place.receipt();
    if (text === null) continue;
    const manifest = await place.manifest();
    if (manifest !== null && `sha256:${hash("sha256", manifest)}` === manifestDigestIn(text)) {
      bases.push({ releaseDigest: digest, lines: parseManifest(manifest) });
    } else effects.log({ level: "warn", event: "publish-base-damaged", target: target.name, releaseDigest: digest });
  }
  return bases;
}

function manifestDigestIn(receiptText: string): string | null {
  try {
    return receiptSchema.parse(JSON.parse(receiptText)).manifestDigest;
  } catch {
    return null;
  }
}

async function manifestFile({ folder, receipt: { manifestDigest } }: Publication): Promise<PlannedFile> {
  const { size } = await stat(join(folder, MANIFEST));
  const sha256 = manifestDigest.slice("sha256:".length);
  return { path: MANIFEST, bytes: size, sha256, mayExist: true, source: null };
}

/** Checks that all files are at the target, before the receipt completes the release. */
async function requireThere(lines: readonly ManifestLine[], { place, target, receipt }: Publication): Promise<void> {
  const present = await presentAt(place);
  const missing = lines.filter(({ path, bytes }) => present.get(path) !== bytes);
  if (missing.length > 0) {
    throw new PublishInterrupted(
      `${missing.length} files of ${receipt.releaseDigest} are not at ${target.name} although they were sent, the first ` +
        `is ${missing[0]?.path}: another program removes or changes them. Run the same command again to resume`,
    );
  }
  const listed = new Set([...UNLISTED_FILES, ...lines.map(({ path }) => path)]);
  for (const path of present.keys()) if (!listed.has(path)) await place.remove(path);
}

/** Sends files, and counts them. */
class FileSender {
  uploaded = 0;
  unchanged = 0;
  bytes = 0;
  readonly #publication: Publication;
  readonly #total: number;
  /** Lets large files be sent one at a time. Each is sent in parallel parts, so several files would need much memory. */
  readonly #large = pLimit(1);

  constructor(publication: Publication, total: number) {
    this.#publication = publication;
    this.#total = total;
  }

  async bring(file: PlannedFile): Promise<void> {
    if (await this.#isThere(file)) this.unchanged += 1;
    else await this.#send(file);
    const done = this.uploaded + this.unchanged;
    const step = `${this.bytes} bytes`;
    this.#publication.effects.progress({ stage: "publish", step, done, total: this.#total, unit: "files" });
  }

  async #isThere(file: PlannedFile): Promise<boolean> {
    const { place, dryRun } = this.#publication;
    if (file.mayExist && (await place.has(file))) return true;
    if (file.source === null) return false;
    return dryRun || (await place.copy(file, file.source));
  }

  async #send(file: PublishedFile): Promise<void> {
    const { place, folder, dryRun } = this.#publication;
    const send = () => place.send(file, join(folder, file.path));
    if (!dryRun) await (file.bytes > SMALL_BYTES ? this.#large(send) : send());
    this.uploaded += 1;
    this.bytes += file.bytes;
  }
}

interface Scratch {
  readonly folder: string;
  end(): Promise<void>;
}

/**
 * Returns an empty folder for the temporary files of a publication. Removes the folders of publications that were killed.
 */
export async function takeScratch(store: Store, target: string, change: StoreChange): Promise<Scratch> {
  const root = store.work(`publish-${hash("sha256", target).slice(0, 16)}`);
  const alone = <T>(work: () => Promise<T>) => withLinkLock(store, change.sleep ?? null, work);
  const unlock = await alone(async () => {
    await sweep(store);
    return lockFolder(root);
  });
  const folder = join(root, "scratch");
  await mkdir(folder);
  const end = async () => {
    // The lock is in the folder, so no other process can take it in between.
    await rm(root, { recursive: true, force: true });
    await unlock();
  };
  return { folder, end: () => alone(end) };
}

/**
 * Removes the folders in work/ that publications (`publish-…`) and protections of releases (`hold-…`) left after their
 * process ended. Folders of builds are not affected.
 */
async function sweep(store: Store): Promise<void> {
  for (const name of await readdir(store.work("")).catch(() => [])) {
    if (!/^(?:publish|hold)-/.test(name)) continue;
    const folder = store.work(name);
    const unlock = await lockFolder(folder).catch((error: unknown) => {
      if (error instanceof StoreLocked) return null;
      throw error;
    });
    if (unlock === null) continue;
    await rm(folder, { recursive: true, force: true });
    await unlock();
  }
}

/** Sends CSV files that are missing at the target, one by one. A dry run counts all of them as sent. */
export async function sendCsv({ folder, place, dryRun }: Publication, scratch: string): Promise<SendCounts> {
  let [uploaded, unchanged, sent] = [0, 0, 0];
  const made = join(scratch, "csv");
  await mkdir(made);
  for (const [path, source] of CSV_FILES) {
    const local = join(made, basename(path));
    if (!(await writeTableCsv(folder, source, local, { threads: 1, spill: join(scratch, "csv-spill") }))) continue;
    const { size: bytes } = await stat(local);
    const file = { path, bytes, sha256: await fileDigest(local) };
    if (dryRun || (await place.putBeside(file, local))) {
      uploaded += 1;
      sent += bytes;
    } else unchanged += 1;
    await rm(local);
  }
  return { uploaded, unchanged, bytes: sent };
}

/** Sends the DuckDB file with views (share.duckdb), unless the target has it. */
export async function sendDatabase(
  { folder, receipt, place }: Publication,
  lines: readonly ManifestLine[],
  scratch: string,
): Promise<void> {
  const local = join(scratch, SHARE_DATABASE);
  await writeShareDatabase(folder, receipt, lines, local);
  const { size: bytes } = await stat(local);
  await place.putBeside({ path: SHARE_DATABASE, bytes, sha256: await fileDigest(local) }, local);
  await rm(local);
}

/** Parses the text of a manifest. The caller has compared it with the receipt. */
export function parseManifest(text: string): ManifestLine[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => manifestLine.parse(JSON.parse(line)));
}

/** A file of the release, and whether the target already has it. */
interface PlannedFile extends PublishedFile {
  /** True if the target has a file with this name and size. Its digest must still be checked. */
  readonly mayExist: boolean;
  /** A file with the same bytes in another release at the target. Null if there is none, so that the file must be sent. */
  readonly source: CopySource | null;
}

/** The manifest of a complete release at the target, from which files can be copied. */
interface BaseManifest {
  readonly releaseDigest: string;
  readonly lines: readonly ManifestLine[];
}

/** Sizes of files in bytes, by path. */
type Present = ReadonlyMap<string, number>;

/**
 * Decides for each file whether to send or copy it. `bases` are other releases at the target; `present` are the files that
 * this release already has there.
 */
function planFiles(
  manifestLines: readonly ManifestLine[],
  bases: readonly BaseManifest[],
  present: Present,
): PlannedFile[] {
  const sources = new Map<string, CopySource>();
  for (const { releaseDigest, lines } of bases) {
    for (const { path, sha256 } of lines) if (!sources.has(sha256)) sources.set(sha256, { releaseDigest, path });
  }
  return manifestLines.map(({ path, bytes, sha256 }) => ({
    path,
    bytes,
    sha256,
    mayExist: present.get(path) === bytes,
    source: sources.get(sha256) ?? null,
  }));
}
