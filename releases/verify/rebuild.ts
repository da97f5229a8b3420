/**
 * Makes a release again in a temporary folder: from its raw payloads, or in stages 3 to 6 from its published tables. The
 * same program and engine write the same bytes, so compare.ts can compare the two releases file by file.
 */

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { normalise } from "../../pipeline/2-normalise/index.ts";
import { type ScoringRules, score } from "../../pipeline/3-score/index.ts";
import { aggregate } from "../../pipeline/4-aggregate/index.ts";
import { CHANGE_FILES, describeWith } from "../../pipeline/6-release/describe.ts";
import { ruleDigests, withheldReceipt } from "../../pipeline/6-release/digest.ts";
import type { MissingPrevious, ReleaseCounts } from "../../pipeline/6-release/index.ts";
import {
  type BuildOptions,
  enrichmentDigests,
  laterCounts,
  readReleaseCounts,
  runStages,
  type StageOptions,
  StepClock,
} from "../../pipeline/build.ts";
import { readReleaseRules } from "../../pipeline/diff/rules.ts";
import { type DuckDBOptions, describeDuckDB } from "../../pipeline/engine/open.ts";
import { localRuntime, type Runtime } from "../../pipeline/engine/runtime.ts";
import { openTables, releaseTablePaths, type TablePaths } from "../../pipeline/pages/columns.ts";
import { earlierHistory } from "../../pipeline/pages/previous-release.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { NO_POLICY } from "../../pipeline/rubrics/contracts.ts";
import { withEarlierStatements } from "../../pipeline/source-receipts.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { StageManifest } from "../../pipeline/stage/stage.ts";
import type { WorkerPool } from "../../pipeline/stage/worker-pool.ts";
import { harvestsPath, rejectedPath } from "../../pipeline/store/harvest-log.ts";
import { listParts } from "../../pipeline/store/raw-parts.ts";
import { detectReleaseFormat, moveLink, readReceipt } from "../../pipeline/store/releases.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { type MetricsSnapshot, metricsHistory } from "../../schemas/public/api/metrics.ts";
import { DEFAULT_GATE_LIMITS } from "../../schemas/public/gates.ts";
import { HISTORY_FILE, type Receipt, type SourceReceipt } from "../../schemas/public/release.ts";
import { contractId, PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import {
  LATER_TABLES,
  listReleaseTables,
  OPTIONAL_TABLES,
  publishedName,
  RECORD_TABLES,
  RELEASE_TABLES,
  type Table,
} from "../../schemas/public/tables.ts";
import { compareTables } from "./compare.ts";
import type { Found } from "./finding.ts";
import { isByThisVersion } from "./receipt.ts";

/** Inputs of a build that a release does not contain. */
export type UnpublishedInputs = Pick<BuildOptions, "withheld" | "ror" | "citations">;

/** The user's choice of how to make a release again. Nothing in the release can change it. */
export interface RebuildRequest {
  /** By default, raw payloads if the store has some for a source of the release; otherwise published tables. */
  readonly from?: "raw" | "tables" | null;
  readonly inputs?: UnpublishedInputs;
}

export interface RebuildOptions {
  /** The store that may contain raw payloads and earlier releases; null if there is none. */
  readonly store: Store | null;
  /** Other inputs for a rebuild from the raw payloads of the store. Null to start from the published tables. */
  readonly raw: UnpublishedInputs | null;
  readonly workers: WorkerPool;
  readonly threads: number;
  readonly memory: string;
  /** Memory limit for one range of pages, which is the same for every release. */
  readonly rangeMemory: string;
  readonly spillLimit?: string | undefined;
}

export interface Rebuilt {
  /** Folder of the rebuilt release. */
  readonly folder: string;
  readonly receipt: Receipt;
  /**
   * Files and fields that were copied from the original release, because the previous release or the log of a harvest is
   * missing.
   */
  readonly copied: readonly string[];
}

/**
 * How much of two releases can be compared. `bytes`: every file. `digests`: rows and pages, because another engine writes
 * other bytes. `rows`: scores and aggregates only, because another program version or other word lists made the release.
 */
export type Extent = "bytes" | "digests" | "rows";

/** Returns how much of a release this program can compare with its rebuild. If it is only rows, also returns the reason. */
export async function decideComparisonExtent(
  receipt: Receipt,
): Promise<{ readonly extent: Extent; readonly why: string | null }> {
  const { tool, content, sources } = receipt;
  const ours = await ruleDigests();
  const { asOf: _asOf, enrichments: _enrichments, withheld: _withheld, ...theirs } = content.inputs;
  const others = [
    ...((await isByThisVersion(receipt)) ? [] : [`version ${tool.version} of the program`]),
    ...Object.keys({ ...ours, ...theirs }).flatMap((name) => (ours[name] === theirs[name] ? [] : [`another ${name}`])),
    ...(
      await Promise.all(
        sources.map(async (entry) => ((await isReaderOurs(entry)) ? [] : [`another reader of ${entry.source}`])),
      )
    ).flat(),
  ];
  if (others.length > 0) return { extent: "rows", why: `the receipt states ${others.join(", ")}` };
  return { extent: tool.engine === describeDuckDB() ? "bytes" : "digests", why: null };
}

async function isReaderOurs({ source, reader }: Receipt["sources"][number]): Promise<boolean> {
  const ours = await getReader(source).catch(() => null);
  return reader === undefined || ours?.digest === reader.digest;
}

/**
 * Decides whether a rebuild starts from the raw payloads of the store. If not, `why` is the reason. It is null if the user
 * did not ask for raw payloads, and the store is missing or has none for the sources of the release. A false receipt can
 * prevent the use of raw payloads, but cannot cause it.
 */
export async function findRawInputs(
  store: Store | null,
  receipt: Receipt,
  { from = null, inputs = NO_INPUTS }: RebuildRequest,
): Promise<{ readonly raw: UnpublishedInputs | null; readonly why: string | null }> {
  const withoutRaw = (why: string | null) => ({ raw: null, why });
  if (store === null) return withoutRaw(from === "raw" ? "there is no store" : null);
  const parts = new Map<string, number>();
  for (const { source } of receipt.sources) parts.set(source, (await listParts(store.raw(source))).length);
  if ([...parts.values()].every((count) => count === 0))
    return withoutRaw(from === "raw" ? `${store.root} has no payloads of the sources of this release` : null);
  if (from === "tables") return withoutRaw("the tables of the release were chosen");
  const lacking = receipt.sources.find(({ source, parts: stated }) => stated > (parts.get(source) ?? 0));
  if (lacking !== undefined) {
    const { source, parts: stated } = lacking;
    return withoutRaw(
      `the receipt states ${plural(stated, "raw file")} of ${source}, and the store has ${parts.get(source)}`,
    );
  }
  const given: Readonly<Record<string, string | null>> = { ror: inputs.ror, citations: inputs.citations };
  const enrichment = Object.keys(receipt.enrichments).find((name) => (given[name] ?? null) === null);
  if (enrichment !== undefined) return withoutRaw(`the receipt states the input ${enrichment}: give --${enrichment}`);
  if (receipt.withheld.count > 0 && inputs.withheld.length === 0)
    return withoutRaw(
      `the receipt states ${plural(receipt.withheld.count, "hidden researcher")}: give --exclude-researchers`,
    );
  return { raw: inputs, why: null };
}

const NO_INPUTS: UnpublishedInputs = { withheld: [], ror: null, citations: null };

/** Makes the release in `folder` again, calls `use` with the result, and then removes the result. */
export async function rebuild<T>(
  folder: string,
  receipt: Receipt,
  { store, raw, workers, threads, memory, rangeMemory, spillLimit }: RebuildOptions,
  effects: Effects,
  use: (rebuilt: Rebuilt) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), "share-rebuild-"));
  const runtime: Runtime = {
    ...localRuntime({ threads, memory, spillLimit, workers }),
    // Reports name the engine. Whether it wrote the tables is compared separately.
    engine: receipt.tool.engine,
  };
  try {
    const again = openStore(join(scratch, "store"));
    const stage = (name: string) => join(scratch, name);
    const missing = await linkPrevious(folder, receipt, store, again);
    const harvestedSince = raw === null || store === null ? new Set<string>() : await linkRaw(store, again, receipt);
    const carried = await carriedStatements(receipt, again);
    const then = { ...effects, now: () => new Date(receipt.publishedAt) };
    const sources = receipt.sources.map(({ source }) => source);
    const options: StageOptions = {
      ...statedOptions(receipt),
      ...{ threads, memory, rangeMemory, runtime },
      ...(raw === null
        ? { published: releaseTablePaths(folder), withheld: [], ror: null }
        : {
            ...raw,
            withheldReceipt: withheldReceipt(raw.withheld),
            enrichments: await enrichmentDigests(raw),
          }),
      describe: describeWith(again, {
        ...{ threads, memory, limits: { ...DEFAULT_GATE_LIMITS, ...receipt.gateLimits } },
        stated: {
          folder,
          gates: receipt.gates ?? [],
          harvested: raw === null ? sources : [...harvestedSince],
          difference: missing !== null,
        },
      }),
      ...(missing === null ? {} : { missingPrevious: missing }),
    };
    // The log of a source also contains later harvests. In that case, the figures of this release are taken from its receipt,
    // or from that of the previous release.
    const believed = receipt.sources.filter(({ source, carriedFrom }) =>
      carriedFrom === undefined ? harvestedSince.has(source) : carried === null,
    );
    const receipts = (made: readonly SourceReceipt[]) =>
      made.map((entry) => {
        const { source, rawDigest, parts } = entry;
        const stated = believed.find((each) => each.source === source);
        return withEarlierStatements(entry, stated ? { ...stated, rawDigest, parts } : carried?.get(source));
      });
    const { released } = await runStages(
      {
        store: again,
        folder: stage,
        reuse: { previous: async () => null, rowDigests: false },
        ...(raw === null
          ? {
              records: () => linkPublished(folder, stage("normalise")),
              counts: async (manifests) => ({
                ...statedCounts(receipt),
                sources: receipts(receipt.sources.map(({ carriedFrom: _carriedFrom, ...entry }) => entry)),
                ...laterCounts(manifests, options),
              }),
            }
          : {
              records: () =>
                normalise(again, stage("normalise"), { ...options, ...raw, asOf: receipt.asOf, sources }, then),
              counts: (manifests) => readReleaseCounts({ store: again, receipts }, manifests, { ...options, sources }),
            }),
      },
      options,
      then,
      new StepClock(effects.now),
    );
    return await use({
      folder: again.release(released.receipt.releaseDigest),
      receipt: released.receipt,
      copied: [
        ...(missing === null ? [] : [...CHANGE_FILES, HISTORY_FILE, "the gates of each source"]),
        ...believed.map(({ source }) => `rejected input, completeness and first gates of ${source}`),
      ].sort(),
    });
  } finally {
    await runtime.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Returns the build options that the receipt contains. */
export function statedOptions(receipt: Receipt) {
  return {
    asOf: receipt.asOf,
    rubrics: receipt.rubrics.map(({ version }) => version),
    alsoContracts: (receipt.alsoContracts ?? []).map((id) => contractId.parse(id)),
    attribution: receipt.attribution !== null,
    history: receipt.history,
    label: receipt.scoreReleaseVersion,
    force: receipt.forced ?? null,
    withheldReceipt: receipt.withheld,
    enrichments: receipt.enrichments,
    ...(receipt.license === undefined ? {} : { licence: receipt.license }),
  } as const;
}

/** Returns the counts of the receipt that cannot be computed without raw payloads. */
export function statedCounts({
  coverage,
  sources,
  rejected,
}: Receipt): Pick<ReleaseCounts, "coverage" | "sources" | "rejected"> {
  return { coverage, sources, rejected };
}

/**
 * Links to the raw parts that the release used. Parts are numbered and never change, so these are the first parts of each
 * source. Returns the sources that were harvested again after the release, because their harvest logs also contain later
 * harvests.
 */
async function linkRaw(from: Store, to: Store, { sources }: Receipt): Promise<ReadonlySet<string>> {
  const harvestedSince = new Set<string>();
  for (const { source, parts: needed } of sources) {
    const all = await listParts(from.raw(source));
    if (all.length > needed) harvestedSince.add(source);
    await mkdir(to.raw(source), { recursive: true });
    for (const { name, path } of all.slice(0, needed)) await symlink(resolve(path), join(to.raw(source), name));
    for (const path of [rejectedPath, harvestsPath]) {
      if (existsSync(path(from.raw(source)))) await symlink(resolve(path(from.raw(source))), path(to.raw(source)));
    }
  }
  return harvestedSince;
}

/**
 * Returns the entries of the previous release for the sources that this release carries forward, with the release from
 * which each is carried. Returns null if the previous release is missing.
 */
async function carriedStatements(
  { previousReleaseDigest: last, sources }: Receipt,
  store: Store,
): Promise<ReadonlyMap<string, SourceReceipt> | null> {
  const carried = sources.filter(({ carriedFrom }) => carriedFrom !== undefined);
  if (carried.length === 0 || last === null) return new Map();
  const previous = await readReceipt(store.release(last));
  if (previous === null) return null;
  const then = previous.sources.filter(({ source }) => carried.some((entry) => entry.source === source));
  return new Map(then.map((entry) => [entry.source, { ...entry, carriedFrom: entry.carriedFrom ?? last }]));
}

/**
 * Links to the earlier releases that the store has, and activates the previous one. If the previous one is missing, returns
 * what the release says about it; otherwise null.
 */
export async function linkPrevious(
  folder: string,
  { previousReleaseDigest: last, rubrics }: Receipt,
  from: Store | null,
  to: Store,
): Promise<MissingPrevious | null> {
  await mkdir(to.releases, { recursive: true });
  for (let digest = last; digest !== null && from !== null; ) {
    const receipt = await readReceipt(from.release(digest));
    if (receipt === null) break;
    await symlink(resolve(from.release(digest)), to.release(digest));
    digest = receipt.previousReleaseDigest;
  }
  if (last === null) return null;
  if (existsSync(to.release(last)) && (await earlierHistory(to, last)) !== null) {
    await moveLink(to.current, to.release(last));
    return null;
  }
  return { digest: last, history: (await historyIn(folder)).slice(0, -rubrics.length) };
}

/**
 * Reads the history in a release. Returns an empty history if the file is missing or invalid; the comparison then reports
 * this.
 */
async function historyIn(folder: string): Promise<readonly MetricsSnapshot[]> {
  try {
    return metricsHistory.parse(JSON.parse(await readFile(join(folder, HISTORY_FILE), "utf8")));
  } catch {
    return [];
  }
}

/** Links to the published tables of stage 2 in the folder `records`, as if the stage had written them. */
async function linkPublished(folder: string, records: string): Promise<StageManifest> {
  await mkdir(records, { recursive: true });
  const recordTables: readonly Table[] = Object.values(RECORD_TABLES);
  for (const table of recordTables.filter((each) => RELEASE_TABLES.includes(each))) {
    await symlink(resolve(folder, "data", publishedName(table)), join(records, table.name));
  }
  return { stage: "2-normalise", tables: {}, facts: {} };
}

/**
 * Computes scores and aggregates from the published tables with the rules of the release, and compares them with the
 * published ones. Only compares columns that the published and the computed table both have.
 */
export async function compareRows(
  folder: string,
  receipt: Receipt,
  { threads, memory, spillLimit }: Pick<RebuildOptions, "threads" | "memory" | "spillLimit">,
  effects: Effects,
  found: Found,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "share-rebuild-"));
  const runtime = localRuntime({ threads, memory, spillLimit });
  try {
    const [published, scores, aggregates] = [
      join(scratch, "published"),
      join(scratch, "score"),
      join(scratch, "aggregate"),
    ];
    const options = { ...statedOptions(receipt), threads, memory, runtime, withheld: [], ror: null };
    const paths = await completeTables(folder, published, receipt, { threads, memory, spillLimit });
    const rules = await scoringRules(folder, receipt);
    const { tables: scored } = await score(published, scores, { ...options, rules }, effects);
    const { tables: aggregated } = await aggregate(
      published,
      scores,
      aggregates,
      { ...options, published: paths },
      effects,
    );
    const made = (names: object, below: string) => Object.keys(names).map((name) => [name, join(below, name)]);
    const rebuilt = { ...paths, ...Object.fromEntries([...made(scored, scores), ...made(aggregated, aggregates)]) };
    const computed = listReleaseTables(receipt).filter(({ name }) => name in scored || name in aggregated);
    await compareTables(folder, rebuilt, computed, { threads, memory, spillLimit }, found);
  } finally {
    await runtime.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Writes the published tables of a release to the folder `to`, and adds the tables and columns that an earlier program
 * version lacked. These columns are null.
 */
async function completeTables(
  folder: string,
  to: string,
  receipt: Receipt,
  options: DuckDBOptions,
): Promise<TablePaths> {
  const stated = listReleaseTables(receipt);
  const tables = [
    ...RELEASE_TABLES.filter((table) => !LATER_TABLES.includes(table) || stated.includes(table)),
    ...stated.filter((table) => OPTIONAL_TABLES.includes(table)),
  ];
  const db = await openTables(releaseTablePaths(folder, tables), { ...options, isOlder: true });
  try {
    if (detectReleaseFormat(receipt) < 3) await db.run(FORMER_AFFILIATIONS);
    for (const table of tables) await db.output(table, join(to, table.name));
  } finally {
    db.close();
  }
  return Object.fromEntries(tables.map(({ name }) => [name, join(to, name)]));
}

/** Selects the affiliations of a release before format 3, which only contains them as attributions. */
const FORMER_AFFILIATIONS = `
  insert into reported_affiliation
  select attribution.id, attribution.position, attribution.place, attribution.institution_id, text.reported_json, null, null
  from attribution
  join (select id, min(reported_json) as reported_json from institution group by id) as text
    on text.id = attribution.institution_id`;

/** Error for an old release that does not contain the rules of its scores. */
class RulesMissing extends Error {
  readonly code = "ERR_RULES_MISSING";
}

/** Returns the contracts, policy and pledges with which a release was scored. */
async function scoringRules(folder: string, receipt: Receipt): Promise<ScoringRules> {
  const rules = await readReleaseRules(folder, receipt);
  if (rules === null)
    throw new RulesMissing(
      `${folder} does not contain the contracts and pledges of its scores, so it cannot be rebuilt; verify it without --rebuild`,
    );
  const contracts = [...rules.contracts.values()];
  const published = PUBLIC_VERSIONS.flatMap((rubric) => {
    const contract = contracts.find(({ publicVersion }) => publicVersion === rubric);
    return contract === undefined ? [] : [{ rubric, contract }];
  });
  const also = (receipt.alsoContracts ?? []).flatMap((id) => rules.contracts.get(id) ?? []);
  return { published, also, policy: receipt.policy ?? NO_POLICY, pledges: rules.pledges };
}
