/** Creates stores for tests: empty ones, stores with payloads and releases, copies, and stores that all suites share. */

import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, cp, link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeGenerated } from "../../fixtures/write.ts";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { nextPartNumber, PartWriter } from "../../pipeline/store/raw-parts.ts";
import {
  makeSigner,
  newReleaseKey,
  publicPart,
  readPrivateKey,
  writePrivateKey,
} from "../../pipeline/store/signatures.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import type { BuildReleaseOptions } from "../../releases/activate.ts";
import { type Envelope, envelope } from "../../schemas/internal/rows.ts";
import type { PrivateReleaseKey, ReleaseKey } from "../../schemas/public/key-set.ts";
import { type Receipt, receipt as receiptSchema } from "../../schemas/public/release.ts";
import { buildRelease } from "./build-release.ts";
import { harvestBundled, RETRIEVED_AT } from "./bundled-corpus.ts";
import { recordedEffects } from "./effects.ts";
import { type MadeOnce, madeOnce } from "./shared-run.ts";

export interface TemporaryStore extends AsyncDisposable {
  readonly store: Store;
  /** A temporary folder beside the store, for input files of the test. */
  readonly folder: string;
}

/** Creates an empty store, or a copy of `original`. */
export async function temporaryStore(original?: Store): Promise<TemporaryStore> {
  const folder = await mkdtemp(join(tmpdir(), "share-store-"));
  const root = join(folder, "store");
  if (original !== undefined) await cp(original.root, root, { recursive: true, verbatimSymlinks: true });
  return {
    folder,
    store: openStore(root),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/**
 * Creates a copy of `original`, or of some parts of it, with hard links to its files. This is much faster than a real copy, but
 * no test may write into an existing file. The pipeline replaces files, and appends only to lists of lines, which are copied.
 */
export async function linkedStore(original: Store, parts?: readonly string[]): Promise<TemporaryStore> {
  const linked = await temporaryStore();
  await linkFolder(original.root, linked.store.root, parts);
  return linked;
}

async function linkFolder(from: string, to: string, only?: readonly string[]): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (only?.includes(entry.name) === false) continue;
    const [here, there] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(here, there);
    else if (entry.isSymbolicLink() || here.endsWith(".ndjson"))
      await cp(here, there, { verbatimSymlinks: true, preserveTimestamps: true });
    else await link(here, there);
  }
}

/** One captured response. `payload` is written as JSON, unless it is already a text. */
export interface Capture {
  readonly source: string;
  readonly sourceId: string;
  readonly payload: unknown;
  readonly retrievedAt?: string | null;
  readonly status?: number;
  readonly url?: string | null;
}

export function makeEnvelope(capture: Capture): Envelope {
  const { source, sourceId, payload, retrievedAt = null, status = 200, url = null } = capture;
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  return envelope.parse({
    source,
    sourceId,
    retrievedAt,
    url,
    status,
    payloadDigest: hash("sha256", text),
    payload: text,
  });
}

/** Appends captures to a store in parts of at most `perPart` lines for each source, as a harvest does. */
export async function writeCaptures(
  store: Store,
  captures: readonly Capture[],
  perPart: number = captures.length,
): Promise<void> {
  for (const [source, some] of Map.groupBy(captures, (capture) => capture.source)) {
    await mkdir(store.raw(source), { recursive: true });
    for (let start = 0; start < some.length; start += perPart) {
      const writer = new PartWriter(store.raw(source), await nextPartNumber(store.raw(source)));
      for (const capture of some.slice(start, start + perPart))
        await writer.write(JSON.stringify(makeEnvelope(capture)));
      await writer.seal();
      await writer.publish();
    }
  }
}

/** Harvests records from a file of JSON Lines, as an operator would. */
export async function harvestRecords(
  store: Store,
  folder: string,
  source: string,
  records: readonly object[],
): Promise<void> {
  const found = sourceNamed(source);
  if (found === null) throw new Error(`there is no source called ${source}`);
  const file = join(folder, `${source}-${records.length}.jsonl`);
  await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  await harvestFiles(store, found, { paths: [file], retrievedAt: RETRIEVED_AT, limit: null }, recordedEffects());
}

type Generated = "datacite" | "zenodo" | "clinicaltrials";

/** One release: options that differ from the defaults, and records to harvest before the build. */
export interface Build extends Partial<BuildReleaseOptions> {
  /** The time of publication. */
  readonly now?: string;
  /** Records that are harvested before the build, by source. */
  readonly records?: Readonly<Record<string, readonly object[]>>;
}

export interface StoreContent {
  /** The sources whose bundled payloads are harvested into the store, or true for all sources. */
  readonly bundled?: true | readonly string[];
  /** The number of generated records of each source, and the seed of the generator. */
  readonly generated?: Partial<Readonly<Record<Generated, number>>> & { readonly seed: number };
  readonly captures?: readonly Capture[];
  /** The releases, in the order in which they are built. */
  readonly builds?: readonly Build[];
  /** True if a new key signs the releases. */
  readonly signed?: boolean;
}

export interface FilledStore extends TemporaryStore {
  /** Receipts of the releases, oldest first. */
  readonly receipts: readonly Receipt[];
  readonly digests: readonly string[];
  /** The receipt of the last release; throws if there is none. */
  readonly last: Receipt;
  /** The private and public key of signed releases. */
  readonly key: PrivateReleaseKey;
  readonly keys: readonly ReleaseKey[];
}

/** How often a test of this process has requested each content. */
const timesAsked = new Map<string, number>();

/**
 * Returns a store with payloads and releases. It is a copy of a store that is filled once for all suites of a run. If a suite
 * requests the same content twice, it gets two stores with different keys.
 */
export async function filledStore(content: StoreContent): Promise<FilledStore> {
  const name = makeName(content);
  const times = timesAsked.get(name) ?? 0;
  timesAsked.set(name, times + 1);
  await using made = await filledOnce(content, times);
  const temporary = await temporaryStore(openStore(join(made.folder, "store")));
  const receipts = await receiptsIn(made.folder);
  const key = await readPrivateKey(join(made.folder, KEY));
  return {
    ...temporary,
    receipts,
    digests: receipts.map(({ releaseDigest }) => releaseDigest),
    get last() {
      const last = receipts.at(-1);
      if (last === undefined) throw new Error("the store has no release");
      return last;
    },
    key,
    keys: [publicPart(key)],
  };
}

/**
 * Returns a folder with the store, the receipts and the key. Each further release is built in a copy of the store before it, so
 * that contents with the same first releases share the work.
 */
function filledOnce(content: StoreContent, times: number): Promise<MadeOnce> {
  return madeOnce(`store-${makeName(content)}-${times}`, async (folder) => {
    const store = openStore(join(folder, "store"));
    const builds = [...(content.builds ?? [])];
    const last = builds.pop();
    if (last === undefined) {
      await fill(store, content);
      await writePrivateKey(join(folder, KEY), await newReleaseKey());
      return;
    }
    await using before = await filledOnce({ ...content, builds }, times);
    await linkFolder(before.folder, folder);
    const { now, records = {}, ...options } = last;
    for (const [source, some] of Object.entries(records)) await harvestRecords(store, folder, source, some);
    const signer = content.signed === true ? { signer: await makeSigner(await readPrivateKey(join(folder, KEY))) } : {};
    const { receipt } = await buildRelease(store, { ...options, ...signer }, now);
    await appendFile(join(folder, RECEIPTS), `${JSON.stringify(receipt)}\n`);
  });
}

/** Returns a name for the content. Throws if the content has a function, because the name could not contain it. */
function makeName(content: StoreContent): string {
  const text = JSON.stringify(content, (key, value) => {
    if (typeof value === "function") throw new Error(`the content of a store has a function as ${key}`);
    return value;
  });
  return hash("sha256", text).slice(0, 12);
}

async function fill(store: Store, { bundled = [], generated, captures = [] }: StoreContent): Promise<void> {
  await harvestBundled(store, bundled === true ? undefined : bundled);
  await writeCaptures(store, captures);
  for (const source of ["datacite", "zenodo", "clinicaltrials"] as const) {
    const records = generated?.[source];
    if (records !== undefined)
      await writeGenerated(store, { source, records, seed: generated?.seed ?? 1 }, recordedEffects());
  }
}

const KEY = "key.json";
/** The file with the receipts, one on each line. Lists of lines are copied and not linked. */
const RECEIPTS = "receipts.ndjson";

export interface SharedStore extends TemporaryStore {
  /** Receipts of the releases, oldest first. */
  readonly receipts: readonly [Receipt, ...Receipt[]];
}

async function receiptsIn(folder: string): Promise<Receipt[]> {
  const path = join(folder, RECEIPTS);
  const lines = existsSync(path) ? (await readFile(path, "utf8")).trimEnd().split("\n") : [];
  return lines.map((line) => receiptSchema.parse(JSON.parse(line)));
}

/** Returns a store that all suites of a run share. It is filled once. */
export async function sharedStore(content: StoreContent): Promise<SharedStore> {
  await using made = await filledOnce(content, 0);
  const [first, ...others] = await receiptsIn(made.folder);
  if (first === undefined) throw new Error("the store has no release");
  return { ...(await linkedStore(openStore(join(made.folder, "store")))), receipts: [first, ...others] };
}

export interface BundledRelease extends Omit<SharedStore, "folder" | "receipts"> {
  readonly receipt: Receipt;
  /** The folder of the release. */
  readonly folder: string;
}

/**
 * Returns a store with the release of the bundled corpus, built with all defaults and active, and the outputs of its stages in
 * work/.
 */
export async function bundledRelease(): Promise<BundledRelease> {
  const { receipts, ...shared } = await sharedStore({ bundled: true, builds: [{}] });
  return { ...shared, receipt: receipts[0], folder: shared.store.release(receipts[0].releaseDigest) };
}
