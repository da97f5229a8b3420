/** Publishes releases in tests, and checks the result in the folder or bucket. */

import { hash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { digestManifest } from "../../pipeline/6-release/index.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type PublishOptions, publish } from "../../releases/publish/index.ts";
import { SHARE_DATABASE } from "../../releases/share-database.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import { type ManifestLine, manifestLine } from "../../schemas/public/release.ts";
import { type ContractId, OTHER_CONTRACTS } from "../../schemas/public/rubric.ts";
import { zenodoRecord } from "../release/prolific.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt } from "../support/forgery.ts";
import { type FilledStore, filledStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { digestsIn } from "../support/tree.ts";
import { at } from "../trust/world.ts";
import { objectAddress, type PublishedPlace, releaseAt } from "./places.ts";

/**
 * Creates a store with two signed releases of a dozen made-up records. The second release has a later as-of date, one more
 * record, and also scores under other contracts.
 */
export function smallWorld(): Promise<FilledStore> {
  const records = Array.from({ length: 12 }, (_, i) =>
    zenodoRecord({ id: 99_800_000 + i, keywords: i % 4, sentences: i % 5, creator: `Gauge, Keeper${i}`, orcid: null }),
  );
  const build = (asOf: string, zenodo: readonly object[], alsoContracts: readonly ContractId[]) => ({
    asOf,
    sources: ["zenodo"],
    alsoContracts,
    records: { zenodo },
    now: `${asOf}T12:00:00.000Z`,
  });
  return filledStore({
    signed: true,
    builds: [build("2026-10-01", records.slice(1), []), build("2026-11-01", records, OTHER_CONTRACTS)],
  });
}

export const getReleaseFolder = (digest: string) => `releases/${digest.replace(":", "-")}`;

/** Publishes a release in this process, and returns the summary and the log. */
export async function published(
  store: Store,
  place: PublishedPlace,
  digest: string,
  options: Partial<PublishOptions> = {},
) {
  const effects = recordedEffects();
  const settings = { parallel: 8, dryRun: false, ...options };
  const result = await publish(store, digest, await place.target(effects), settings, effects);
  return { ...result, logged: effects.logged };
}

export async function readManifestLines(store: Store, digest: string): Promise<ManifestLine[]> {
  const text = await readFile(join(store.release(digest), "manifest.ndjson"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => manifestLine.parse(JSON.parse(line)));
}

/**
 * Expects that the place has exactly the given releases, with the same files as in the store, and that the last of them is the
 * current one.
 */
export async function expectPublished(store: Store, place: PublishedPlace, digests: readonly string[]): Promise<void> {
  const pointed = at(digests, -1);
  for (const digest of digests) {
    expect(await releaseAt(place, digest)).toEqual(await digestsIn(store.release(digest)));
    expect(await place.paths()).toContain(`${getReleaseFolder(digest)}/${SHARE_DATABASE}`);
  }
  expect(await place.pointed()).toBe(pointed);
  const rest = (await place.paths()).filter(
    (path) => !digests.some((digest) => path.startsWith(`${getReleaseFolder(digest)}/`)),
  );
  expect(rest).toEqual(["current", ...(place.s3 === null ? ["journal.ndjson"] : []), "releases.json"]);
  const list = releaseList.parse(JSON.parse(String(await place.read("releases.json"))));
  expect(list.filter(({ active }) => active).map(({ releaseDigest }) => releaseDigest)).toEqual([pointed]);
  expect(list.map(({ releaseDigest }) => releaseDigest).sort()).toEqual([...digests].sort());
  expect((await place.s3?.uploads()) ?? []).toEqual([]);
  const work = await readdir(store.work("")).catch(() => []);
  expect(work.filter((name) => /^(?:publish|hold)-/.test(name))).toEqual([]);
}

/** Sends one request about an object directly to the bucket, as another program could do. */
export async function byHand(
  place: PublishedPlace,
  method: string,
  path: string,
  query = "",
  body: Buffer | null = null,
): Promise<void> {
  if (place.s3 === null) throw new Error("this place is a folder, and only a bucket accepts requests");
  const answer = await fetch(`${objectAddress(place.s3, path)}${query}`, { method, body });
  if (!answer.ok) throw new Error(`${method} ${path}: HTTP ${answer.status}`);
}

export const LARGE = "data/large.bin";

/** Copies a store, and adds a file to the release that is so large (20 MB) that it is sent in several parts. */
export async function withLargeFile(original: Store, digest: string): Promise<TemporaryStore> {
  const copy = await temporaryStore(original);
  const folder = copy.store.release(digest);
  const content = Buffer.alloc(20 * 1024 * 1024 + 1, "share");
  await writeFile(join(folder, LARGE), content);
  const lines = [
    ...(await readManifestLines(copy.store, digest)),
    { path: LARGE, bytes: content.length, sha256: hash("sha256", content) },
  ];
  lines.sort((one, two) => Buffer.compare(Buffer.from(one.path), Buffer.from(two.path)));
  const manifest = join(folder, "manifest.ndjson");
  await writeFile(manifest, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const manifestDigest = await digestManifest(manifest);
  await editReceipt(folder, (receipt) => ({ ...receipt, manifestDigest }));
  return copy;
}
