/** Stage 6: makes an immutable release, with digest, manifest and receipt, from the tables and pages. */

import { hash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildSampling } from "../../api-static/pages/metrics.ts";
import type { PageText } from "../../api-static/pages/read-page.ts";
import { rubricExcerpts } from "../../api-static/pages/rubric.ts";
import type { MetricsSnapshot } from "../../schemas/public/api/metrics.ts";
import { DEFAULT_DATA_LICENCE } from "../../schemas/public/descriptors.ts";
import type { Gate, GateLimits } from "../../schemas/public/gates.ts";
import {
  coverage as coverageSchema,
  HISTORY_FILE,
  type ManifestLine,
  type Receipt,
  receipt as receiptSchema,
  type SourceReceipt,
} from "../../schemas/public/release.ts";
import type { ContractId, PublicVersion } from "../../schemas/public/rubric.ts";
import { OPTIONAL_TABLES, publishedName, RELEASE_TABLES } from "../../schemas/public/tables.ts";
import type { Database } from "../engine/open.ts";
import { describeDuckDB, PART_NAME } from "../engine/open.ts";
import type { Runtime } from "../engine/runtime.ts";
import { fileDigest, linkOrCopy, replaceFile, syncFolder } from "../files/durable.ts";
import { DOI_LOOKUP } from "../packs/doi-lookup.ts";
import { computePlace, type PageAddress, RELEASE_FAMILY } from "../packs/format.ts";
import { PackSink } from "../packs/pack-sink.ts";
import type { RenderedPages } from "../packs/page-store.ts";
import { openTables, type TablePaths } from "../pages/columns.ts";
import type { FinishedRelease, PreviousRelease } from "../pages/previous-release.ts";
import { changedFolder, earlierHistory } from "../pages/previous-release.ts";
import { writeReleasePages } from "../pages/release-pages.ts";
import { POLICY } from "../rubrics/contracts.ts";
import type { Effects } from "../stage/effects.ts";
import { currentDigest, listReleases, readReceipt } from "../store/releases.ts";
import type { Signer } from "../store/signatures.ts";
import { signedPayload } from "../store/signatures.ts";
import type { Store } from "../store/store.ts";
import {
  digestTables,
  inputDigests,
  type RowDigestFolders,
  releaseDigest,
  rubricReceipts,
  tableRoots,
} from "./digest.ts";
import { writeDoiLookup } from "./doi-lookup.ts";
import { toolVersion } from "./tool-version.ts";

export interface ReleaseStageOptions {
  readonly asOf: string;
  readonly rubrics: readonly PublicVersion[];
  /** Additional contracts, whose scores the tables also contain; none by default. */
  readonly alsoContracts?: readonly ContractId[];
  readonly withheldReceipt: Receipt["withheld"];
  readonly enrichments: Readonly<Record<string, string>>;
  readonly history: boolean;
  /** SPDX id of the licence of the release; by default the usual one. */
  readonly licence?: string;
  /** Writes the files that describe the release, and judges its gates. */
  readonly describe?: Describe;
  /** Reason to activate the release although a gate failed. */
  readonly force?: string | null;
  /** Signs the receipt; null or absent for a receipt without a signature. */
  readonly signer?: Signer | null;
  /** Version of the release, such as 2026.11.01.2; by default the first version of the day that is free. */
  readonly label?: string;
  /**
   * The previous release as the receipt of a rebuilt release describes it. Set only if the files of that previous
   * release are missing.
   */
  readonly missingPrevious?: MissingPrevious;
  /** True to write the digests of all rows to the cache, which makes the next build faster. */
  readonly rowDigests?: boolean;
  /** An earlier release whose row digests are reused for unchanged rows. */
  readonly previous?: PreviousRelease | null;
  readonly threads: number;
  readonly memory: string;
  readonly runtime?: Runtime;
}

/** Facts about the previous release, for a rebuild that does not have the files of that release. */
export interface MissingPrevious {
  readonly digest: string;
  readonly history: readonly MetricsSnapshot[];
}

/** Counts of the earlier stages that the receipt contains. */
export interface ReleaseCounts {
  readonly coverage: Receipt["coverage"];
  readonly sources: Receipt["sources"];
  readonly rejected: Receipt["rejected"];
  readonly attribution: Receipt["attribution"];
  /** Numbers of records without a total, by version. */
  readonly insufficient: ReadonlyMap<PublicVersion, number>;
}

const NO_DESCRIPTION: Description = { lines: [], gates: [] };

export interface ReleaseStageResult extends FinishedRelease {
  /** False if the store already had a release with this digest. */
  readonly created: boolean;
}

/**
 * Makes the release and returns its receipt. `pages` is the folder of stage 5, and `rendered` has the facts of its
 * manifest. All files are written to a temporary folder, which one rename then makes a release. If the store already
 * has this release, nothing changes.
 */
export async function release(
  store: Store,
  tables: TablePaths,
  pages: string,
  rendered: RenderedPages,
  counts: ReleaseCounts,
  options: ReleaseStageOptions,
  effects: Effects,
): Promise<ReleaseStageResult> {
  const publishedAt = effects.now().toISOString();
  // Throws if the counts contradict each other, so that the build stops.
  coverageSchema.parse(counts.coverage);
  const step = (name: string, done: number) =>
    effects.progress({ stage: "release", step: name, done, total: 4, unit: "steps" });
  step("digest", 0);
  const db = await openTables(tables, {
    threads: options.threads,
    memory: options.memory,
    spill: join(pages, "spill"),
  });
  try {
    const digestFolders = rowDigestFolders(pages, options);
    const { roots, rows } = await digestTables(db, RELEASE_TABLES, digestFolders);
    // Pages do not show these tables, so stage 5 does not find their changed rows. All rows are digested.
    const others = await tableRoots(
      db,
      OPTIONAL_TABLES.filter(({ name }) => tables[name] !== undefined),
    );
    const rowDigests = digestFolders === null ? null : { folder: digestFolders.to, digests: rows };
    const content = {
      inputs: await inputDigests({ ...options, withheld: options.withheldReceipt }),
      tables: { ...roots, ...others },
      pages: { ...rendered.roots },
    };
    const digest = releaseDigest(content);
    const existing = await readReceipt(store.release(digest));
    if (existing !== null) return { receipt: existing, created: false, rowDigests };
    const { insufficient, ...counted } = counts;
    const identity = await buildIdentity(store, digest, publishedAt, insufficient, options);
    const tree = join(pages, "tree");
    step("pages", 1);
    await requireFolder(tree);
    await keepOnlyPages(tree, rendered.lines);
    const lines = [...rendered.lines, ...(await writeLastPages(db, store, tree, identity, counts, options))];
    step("data", 2);
    const data = await writeData(tables, tree);
    const lookup = await writeLookup(db, tree);
    step("manifest", 3);
    const unsealed: UnsealedRelease = {
      tree,
      tables,
      spill: join(pages, "spill"),
      receipt: {
        ...identity,
        license: options.licence ?? DEFAULT_DATA_LICENCE,
        asOf: options.asOf,
        ...(options.alsoContracts?.length ? { alsoContracts: [...options.alsoContracts] } : {}),
        policy: POLICY,
        tool: {
          name: "share-release",
          version: await toolVersion(),
          engine: options.runtime?.engine ?? describeDuckDB(),
        },
        ...counted,
        history: options.history,
        enrichments: { ...options.enrichments },
        withheld: options.withheldReceipt,
        content,
      },
      data,
      makeLine: (path) => makeManifestLine(tree, path),
    };
    const described = (await options.describe?.(unsealed)) ?? NO_DESCRIPTION;
    const manifestDigest = await writeManifest(tree, [...lines, ...data, lookup, ...described.lines]);
    const unsigned = receiptSchema.parse({
      ...unsealed.receipt,
      manifestDigest,
      gates: [...described.gates],
      ...(described.limits === undefined ? {} : { gateLimits: described.limits }),
      forced: described.gates.every(({ passed }) => passed) ? null : (options.force ?? null),
      signature: null,
    } satisfies Receipt);
    const receipt = await signReceipt(unsigned, options.signer ?? null);
    await replaceFile(join(tree, "release.json"), `${JSON.stringify(receipt, null, 2)}\n`);
    await publishFolder(tree, store, digest);
    step("done", 4);
    return { receipt, created: true, rowDigests };
  } finally {
    db.close();
  }
}

/**
 * Returns the folders from which row digests are reused. This needs the changed rows, which stage 5 finds; without
 * them, every row is digested again.
 */
function rowDigestFolders(
  pages: string,
  { rowDigests = false, previous = null }: ReleaseStageOptions,
): RowDigestFolders | null {
  if (!rowDigests) return null;
  const to = join(pages, "row-digests");
  if (previous === null) return { to, from: null };
  const changed = changedFolder(pages, previous);
  return { to, from: existsSync(changed) ? { ...previous.rowDigests, changed } : null };
}

async function signReceipt(receipt: Receipt, signer: Signer | null): Promise<Receipt> {
  return signer === null ? receipt : { ...receipt, signature: await signer.sign(signedPayload(receipt), "receipt") };
}

/**
 * Checks that the folder of rendered pages exists.
 * @throws Error if it was removed, because a release needs its pages
 */
async function requireFolder(tree: string): Promise<void> {
  if (!(await stat(tree).catch(() => null))?.isDirectory()) {
    throw new Error(`the rendered pages in ${tree} were removed: remove ${join(tree, "../..")} and build again`);
  }
}

type Identity = Pick<
  Receipt,
  "scoreReleaseVersion" | "releaseDigest" | "publishedAt" | "previousReleaseDigest" | "rubrics"
>;

async function buildIdentity(
  store: Store,
  digest: string,
  publishedAt: string,
  insufficient: ReleaseCounts["insufficient"],
  options: ReleaseStageOptions,
): Promise<Identity> {
  const day = options.asOf.replaceAll("-", ".");
  const usedVersions = new Set((await listReleases(store)).map((release) => release.scoreReleaseVersion));
  let version = day;
  for (let n = 1; usedVersions.has(version); n += 1) version = `${day}.${n}`;
  return {
    scoreReleaseVersion: options.label ?? version,
    releaseDigest: digest,
    publishedAt,
    previousReleaseDigest: options.missingPrevious?.digest ?? (await currentDigest(store)),
    rubrics: await rubricReceipts(options.rubrics, insufficient),
  };
}

/**
 * Writes the pages that mention the release itself, after all others. The history continues that of the previous
 * release.
 */
async function writeLastPages(
  db: Database,
  store: Store,
  tree: string,
  identity: Identity,
  counts: ReleaseCounts,
  options: ReleaseStageOptions,
): Promise<ManifestLine[]> {
  const lastPages: [PageAddress, PageText][] = [];
  const before = async () =>
    options.missingPrevious?.history ?? (await earlierHistory(store, identity.previousReleaseDigest)) ?? [];
  const history = await writeReleasePages(
    db,
    { write: (page, text) => void lastPages.push([page, text]) },
    {
      excerpts: rubricExcerpts({ ...identity, ...counts, asOf: options.asOf }),
      sampling: buildSampling(counts.sources),
      attribution: counts.attribution !== null,
      history: options.history ? await before() : null,
    },
  );
  lastPages.sort(([one], [other]) => computePlace(one.key).compare(computePlace(other.key)));
  const sink = await PackSink.open(tree, { name: "" }, [RELEASE_FAMILY]);
  for (const [page, text] of lastPages) sink.write(page, text);
  const lines = sink.finish().map(({ line }) => line);
  if (!options.history) return lines;
  await mkdir(join(tree, "data"), { recursive: true });
  await writeFile(join(tree, HISTORY_FILE), `${JSON.stringify(history, null, 1)}\n`);
  return [...lines, await makeManifestLine(tree, HISTORY_FILE)];
}

async function writeLookup(db: Database, tree: string): Promise<ManifestLine> {
  await mkdir(join(tree, dirname(DOI_LOOKUP)), { recursive: true });
  await writeDoiLookup(db, join(tree, DOI_LOOKUP));
  return makeManifestLine(tree, DOI_LOOKUP);
}

async function publishFolder(tree: string, store: Store, digest: string): Promise<void> {
  await mkdir(store.releases, { recursive: true });
  const folder = store.release(digest);
  // A crash may have left a folder without a receipt.
  await rm(folder, { recursive: true, force: true });
  await syncFolder(tree);
  await rename(tree, folder);
  await syncFolder(store.releases);
}

/** Removes everything but the packs: unfinished files of earlier attempts, and folders without pages. */
async function keepOnlyPages(tree: string, packs: readonly ManifestLine[]): Promise<void> {
  const own = new Set(packs.map(({ path }) => join(tree, path)));
  for (const entry of await readdir(tree, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const keeps = entry.isDirectory() ? [...own].some((pack) => pack.startsWith(`${path}/`)) : own.has(path);
    if (!keeps) await rm(path, { recursive: true, force: true });
  }
}

/** Writes manifest.ndjson below the tree, sorted by path. Returns the digest of this file as `sha256:<hex>`. */
export async function writeManifest(tree: string, lines: readonly ManifestLine[]): Promise<string> {
  const text = lines
    .toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)))
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
  await replaceFile(join(tree, "manifest.ndjson"), text);
  return `sha256:${hash("sha256", text)}`;
}

export async function digestManifest(path: string): Promise<string> {
  return `sha256:${await fileDigest(path)}`;
}

/** Writes data/ below the release tree. Returns the manifest lines of its tables. */
async function writeData(tables: TablePaths, tree: string): Promise<ManifestLine[]> {
  const folder = join(tree, "data");
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder))
    if (name !== "history.json") await rm(join(folder, name), { recursive: true });
  const files: string[] = [];
  for (const table of [...RELEASE_TABLES, ...OPTIONAL_TABLES]) {
    const made = tables[table.name];
    if (made === undefined) continue;
    await mkdir(join(folder, publishedName(table)));
    for (const part of (await readdir(made)).filter((name) => PART_NAME.test(name)).sort()) {
      const file = `${publishedName(table)}/${part}`;
      // Outputs of stages never change, so a release can link to them.
      await linkOrCopy(join(made, part), join(folder, file));
      files.push(file);
    }
  }
  const lines: ManifestLine[] = [];
  for (const file of files) lines.push(await makeManifestLine(tree, `data/${file}`));
  return lines;
}

/** Largest size in bytes of a file that is read at once. Most files of a release are small pages. */
const SMALL = 1 << 20;

export async function makeManifestLine(root: string, path: string): Promise<ManifestLine> {
  const file = join(root, path);
  const { size } = statSync(file);
  const sha256 = size <= SMALL ? hash("sha256", readFileSync(file)) : await fileDigest(file);
  return { path, bytes: size, sha256 };
}

export function totalRejected(sources: readonly SourceReceipt[]): SourceReceipt["rejected"] {
  const total: SourceReceipt["rejected"] = {};
  for (const { rejected } of sources) {
    for (const [reason, count] of Object.entries(rejected) as [keyof typeof rejected, number][]) {
      total[reason] = (total[reason] ?? 0) + count;
    }
  }
  return total;
}

export interface UnsealedRelease {
  /** The folder that is renamed to become the release. */
  readonly tree: string;
  readonly tables: TablePaths;
  /** Folder for temporary data that do not fit into the memory. */
  readonly spill: string;
  /** The receipt without the fields that depend on the finished files. */
  readonly receipt: Omit<Receipt, "manifestDigest" | "signature" | "gates" | "gateLimits" | "forced">;
  /** Manifest lines of the tables. */
  readonly data: readonly ManifestLine[];
  /** Returns the manifest line of a file in the tree, which must be finished. */
  readonly makeLine: (path: string) => Promise<ManifestLine>;
}

/** Manifest lines of the descriptive files, and the results of the gates. */
interface Description {
  readonly lines: readonly ManifestLine[];
  readonly gates: readonly Gate[];
  /** The limits with which the gates were judged. */
  readonly limits?: GateLimits;
}

export type Describe = (unsealed: UnsealedRelease) => Promise<Description>;
