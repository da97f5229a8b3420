/** The files of a release brought to a target that does not have it whole: what it lacks is sent, the rest copied there. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { fileDigest } from "../../pipeline/files/file-digest.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { receipt as receiptSchema } from "../../schemas/public/release.ts";
import { PublishInterrupted } from "./errors.ts";
import { inParallel } from "./in-parallel.ts";
import { type BaseManifest, Plan, type PlannedFile } from "./plan.ts";
import type { Place, PublishedFile, Target } from "./target.ts";
import { SMALL_BYTES } from "./verified-file.ts";

/** A publication under way. */
export interface Publication {
  readonly receipt: Receipt;
  /** The release here. */
  readonly folder: string;
  readonly target: Target;
  /** The release there. */
  readonly place: Place;
  readonly scratch: string;
  /** Files to bring, for telling how far it has come. */
  readonly files: number;
  readonly parallel: number;
  readonly dryRun: boolean;
  readonly effects: Effects;
}

export interface Counts {
  /** Files that were sent. */
  readonly uploaded: number;
  /** Files whose bytes the target had, there or elsewhere. */
  readonly unchanged: number;
  /** Bytes that were sent. */
  readonly bytes: number;
}

/** The manifest and the receipt: files of a release that the manifest does not name. */
export const UNLISTED_FILES = 2;

/** Sends the release and makes it whole; a dry run only counts. */
export async function sendRelease(publication: Publication, receiptText: string): Promise<Counts> {
  const { folder, receipt, place, scratch, dryRun } = publication;
  const manifest = join(folder, "manifest.ndjson");
  const end = dryRun ? async () => undefined : await place.begin();
  try {
    const bases = await baseManifests(publication);
    await using plan = await Plan.make(receipt.releaseDigest, manifest, bases, place.list(), scratch);
    const courier = new Courier(publication);
    await inParallel(plan.toSend(), publication.parallel, (file) => courier.bring(file));
    await inParallel(plan.toCopy(), publication.parallel, (file) => courier.bring(file));
    await courier.bring(await manifestFile(manifest, receipt));
    const { uploaded, unchanged, bytes } = courier;
    if (!dryRun) {
      await requireThere(plan, publication);
      await place.finish(receiptText);
    }
    return { uploaded: uploaded + 1, unchanged, bytes: bytes + Buffer.byteLength(receiptText) };
  } finally {
    await end();
  }
}

/**
 * Manifests of whole releases there whose files this one may share: the one in use, and the one this one followed. A
 * manifest that is not what its receipt says is no help.
 */
async function baseManifests({ receipt, target, scratch, effects }: Publication): Promise<BaseManifest[]> {
  const bases: BaseManifest[] = [];
  const { releaseDigest, previousReleaseDigest } = receipt;
  for (const digest of new Set([await target.current(), previousReleaseDigest])) {
    if (digest === null || digest === releaseDigest) continue;
    const place = target.place(digest);
    const text = await place.receipt();
    if (text === null) continue;
    const file = join(scratch, `base-${bases.length}.ndjson`);
    await place.manifestTo(file);
    if (`sha256:${await fileDigest(file)}` === manifestDigestIn(text)) bases.push({ releaseDigest: digest, file });
    else effects.log({ level: "warn", event: "publish-base-damaged", target: target.name, releaseDigest: digest });
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

async function manifestFile(manifest: string, { manifestDigest }: Receipt): Promise<PlannedFile> {
  const { size } = await stat(manifest);
  const sha256 = manifestDigest.slice("sha256:".length);
  return { path: "manifest.ndjson", bytes: size, sha256, maybe: true, source: null };
}

/** Nothing that was sent is taken on trust: all of it is looked up before the release is called whole. */
async function requireThere(plan: Plan, { place, target, receipt }: Publication): Promise<void> {
  const { missing, firstMissing, strays } = await plan.compare(place.list());
  if (missing > 0) {
    throw new PublishInterrupted(
      `${missing} files of ${receipt.releaseDigest} are not at ${target.name} though they were brought there, the first ` +
        `of them ${firstMissing}: something else removes or changes them. The same command goes on where this one stopped`,
    );
  }
  for await (const path of strays) await place.remove(path);
}

/** Brings one file after the other, and counts. */
class Courier {
  uploaded = 0;
  unchanged = 0;
  bytes = 0;
  readonly #publication: Publication;
  /** Large files go one at a time, each in parallel parts: memory does not grow with their number. */
  readonly #large = pLimit(1);

  constructor(publication: Publication) {
    this.#publication = publication;
  }

  async bring(file: PlannedFile): Promise<void> {
    if (await this.#isThere(file)) this.unchanged += 1;
    else await this.#send(file);
    const { effects, files: total } = this.#publication;
    const done = this.uploaded + this.unchanged;
    effects.progress({ stage: "publish", step: `${this.bytes} bytes`, done, total, unit: "files" });
  }

  async #isThere(file: PlannedFile): Promise<boolean> {
    const { place, dryRun } = this.#publication;
    if (file.maybe && (await place.has(file))) return true;
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
