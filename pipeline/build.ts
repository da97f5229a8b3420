/**
 * Builds a release from the harvested payloads in stages 2 to 6: normalise, score, aggregate, render and release. Stage 1,
 * the harvest, runs separately. The finished release is not active (releases/activate.ts).
 */

import { hash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_GATE_LIMITS, type GateLimits } from "../schemas/public/gates.ts";
import { attributionReceipt, coverage as coverageSchema, type Receipt } from "../schemas/public/release.ts";
import { type ContractId, PUBLIC_VERSIONS, type PublicVersion } from "../schemas/public/rubric.ts";
import {
  AGGREGATE_TABLES,
  OTHER_SCORE_TABLES,
  RECORD_TABLES,
  REPORTED_TABLES,
  SCORE_TABLES,
} from "../schemas/public/tables.ts";
import { normalise } from "./2-normalise/index.ts";
import { type ScoreStageOptions, score } from "./3-score/index.ts";
import { type AggregateOptions, aggregate } from "./4-aggregate/index.ts";
import { type RenderOptions, render } from "./5-render/index.ts";
import { describeWith } from "./6-release/describe.ts";
import { inputDigests, withheldReceipt } from "./6-release/digest.ts";
import { type ReleaseCounts, type ReleaseStageOptions, release, totalRejected } from "./6-release/index.ts";
import { DEFAULT_MEMORY, memoryFor } from "./engine/memory.ts";
import { localRuntime, type Runtime } from "./engine/runtime.ts";
import { type SparkOptions, sparkRuntime } from "./engine/spark.ts";
import { canonicalJson } from "./files/canonical-json.ts";
import { fileDigest } from "./files/durable.ts";
import { renderedPages } from "./packs/page-store.ts";
import type { TablePaths } from "./pages/columns.ts";
import { buildCodeDigest, planReuse, type Reuse, type ReuseCounts, readReuse } from "./reuse.ts";
import {
  CARRIED,
  type CarriedSources,
  carryForward,
  insufficientBy,
  sourceReceipts,
  withInsufficient,
} from "./source-receipts.ts";
import type { Effects } from "./stage/effects.ts";
import type { StageManifest } from "./stage/stage.ts";
import { readHarvests } from "./store/harvest-log.ts";
import { appendEvent, presentReleases, readJournal } from "./store/journal.ts";
import { lockFolder, withLinkLock } from "./store/locks.ts";
import { listParts } from "./store/raw-parts.ts";
import { changeNow, currentDigest, readReceipt } from "./store/releases.ts";
import type { Signer } from "./store/signatures.ts";
import { removeWork, type Store } from "./store/store.ts";

export interface BuildOptions {
  readonly asOf: string;
  readonly sources: readonly string[];
  /** True if the user selected the sources. A source without payloads is then an error. */
  readonly named?: boolean;
  readonly rubrics: readonly PublicVersion[];
  /** Additional contracts, which have no public version but also score the records; none by default. */
  readonly alsoContracts?: readonly ContractId[];
  readonly attribution: boolean;
  readonly history: boolean;
  readonly withheld: readonly string[];
  readonly ror: string | null;
  readonly citations: string | null;
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB. If null, it is computed from the size of the payloads. */
  readonly memory: string | null;
  readonly licence?: string;
  /** Version of the release, such as 2026.11.01.2; by default the first version of the day that is free. */
  readonly label?: string;
  /** Limits of gates to use instead of the default limits. */
  readonly gates?: Partial<GateLimits>;
  /** The reason for activating the release even if a gate fails; null by default. The receipt contains it. */
  readonly force?: string | null;
  /** Sources whose records are taken from the active release. Harvests of these sources since then are ignored. */
  readonly carryForward?: readonly string[];
  /** Signs the receipt; null or absent for a receipt without a signature. */
  readonly signer?: Signer | null;
  /** Whether to reuse unchanged parts of an earlier build. By default ("auto"), they are reused if this saves time. */
  readonly reuse?: "auto" | "always" | "never";
  /** The Spark that computes the tables and renders pages. By default, DuckDB on this machine does. */
  readonly spark?: SparkOptions | null;
}

export interface BuiltRelease {
  readonly receipt: Receipt;
  /** False if the store already had a release with this digest. */
  readonly created: boolean;
  readonly reused: ReuseCounts;
}

export type StageName = keyof typeof STAGE_FOLDERS;

/** Names of the folders of the stages, in the work folder of a build. */
const STAGE_FOLDERS = {
  normalise: "2-normalise",
  score: "3-score",
  aggregate: "4-aggregate",
  render: "5-render",
  release: "6-release",
} as const;

/**
 * Builds a release. After an interruption, the same call with the same inputs and code resumes at the first unfinished
 * stage. The caller checks that there are payloads (`requireHarvested`) and holds the lock of the store. The work
 * folder has its own lock, so that `prune` does not remove it during a build.
 * @param clock measures how long each stage takes
 */
export async function build(
  store: Store,
  asked: BuildOptions,
  effects: Effects,
  clock = new StepClock(effects.now),
): Promise<BuiltRelease> {
  const enrichments = await enrichmentDigests(asked);
  const carried = await carryForward(store, asked.carryForward ?? []);
  const options = { ...asked, memory: asked.memory ?? memoryFor(await payloadBytes(carried.store, asked.sources)) };
  const run = await runKey(carried.store, options, enrichments);
  // Removes the work of builds with other inputs, to free space for this build.
  await removeWork(store, { keep: (name) => name === run || name.startsWith(CARRIED) });
  const unlock = await lockFolder(store.work(run));
  const runtime = await runtimeFor(options, join(store.work(run), "spark")).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  try {
    const reuse = await planReuse(
      carried.store,
      options,
      await inputDigests({ ...options, withheld: withheldReceipt(options.withheld), enrichments }),
    );
    const folder = (stage: StageName) => stageFolder(store, run, stage);
    const { partCache } = reuse;
    const limits = { ...DEFAULT_GATE_LIMITS, ...options.gates };
    const stages = await runStages(
      {
        store,
        folder,
        records: () => normalise(carried.store, folder("normalise"), { ...options, partCache, runtime }, effects),
        counts: (manifests) => readReleaseCounts(carried, manifests, options),
        reuse,
      },
      {
        ...options,
        rangeMemory: asked.memory ?? DEFAULT_MEMORY,
        withheldReceipt: withheldReceipt(options.withheld),
        enrichments,
        describe: describeWith(store, { ...options, limits }),
        runtime,
      },
      effects,
      clock,
    );
    const { receipt, created } = stages.released;
    await recordBuilt(store, receipt.releaseDigest, created, effects);
    if (created) await reuse.record(stages.released);
    return { receipt, created, reused: readReuse(stages.normalised, stages.rendered) };
  } finally {
    await runtime.close();
    await unlock();
  }
}

/** The inputs of stages 2 to 6 that differ between a first build and the rebuild of a release. */
export interface StageInputs {
  /** The store that contains the previous release and receives the new one. */
  readonly store: Store;
  /** Returns the output folder of a stage. */
  readonly folder: (stage: StageName) => string;
  /** Runs stage 2. In a rebuild, provides the published tables instead. */
  readonly records: () => Promise<StageManifest>;
  readonly counts: (manifests: StageManifests) => Promise<ReleaseCounts>;
  readonly reuse: Pick<Reuse, "previous" | "rowDigests">;
}

export type StageOptions = ScoreStageOptions &
  AggregateOptions &
  RenderOptions &
  Omit<ReleaseStageOptions, "previous" | "rowDigests">;

/** Runs stages 2 to 6 in order and measures each. */
export async function runStages(
  { store, folder, records, counts, reuse }: StageInputs,
  options: StageOptions,
  effects: Effects,
  clock: StepClock,
) {
  // The previous release is read while workers read payloads.
  const [normalised, previous] = await Promise.all([clock.time("normalise", records), reuse.previous()]);
  const scored = await clock.time("score", () => score(folder("normalise"), folder("score"), options, effects));
  const aggregated = await clock.time("aggregate", () =>
    aggregate(folder("normalise"), folder("score"), folder("aggregate"), options, effects),
  );
  const tables = tablePaths(folder("normalise"), folder("score"), folder("aggregate"), scored);
  const rendered = await clock.time("render", () =>
    render(tables, folder("render"), { ...options, previous }, effects),
  );
  const counted = await counts({ normalised, scored, aggregated });
  const released = await clock.time("release", () =>
    release(
      store,
      tables,
      folder("render"),
      renderedPages.parse(rendered.facts),
      counted,
      { ...options, previous, rowDigests: reuse.rowDigests },
      effects,
    ),
  );
  return { normalised, rendered, released };
}

/** Returns the size of the raw parts in bytes. */
async function payloadBytes(store: Store, sources: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const source of sources) for (const part of await listParts(store.raw(source))) bytes += part.bytes;
  return bytes;
}

type SizedOptions = BuildOptions & { readonly memory: string };

async function runtimeFor({ spark = null, ...options }: SizedOptions, folder: string): Promise<Runtime> {
  return spark === null ? localRuntime(options) : sparkRuntime(spark, folder);
}

/**
 * Adds the release to the journal if it is missing there, because an earlier build was killed right after it made the
 * release.
 */
async function recordBuilt(store: Store, releaseDigest: string, created: boolean, effects: Effects): Promise<void> {
  const { at, sleep } = changeNow(effects);
  await withLinkLock(store, sleep, async () => {
    const known = presentReleases((await readJournal(store)).entries);
    if (created || !known.has(releaseDigest)) await appendEvent(store, { event: "built", releaseDigest, at });
  });
}

function tablePaths(records: string, scores: string, aggregates: string, scored: StageManifest): TablePaths {
  const paths = (folder: string, tables: Readonly<Record<string, unknown>>) =>
    Object.keys(tables).map((name): [string, string] => [name, join(folder, name)]);
  const others = Object.hasOwn(scored.tables, OTHER_SCORE_TABLES.contract_score.name) ? OTHER_SCORE_TABLES : {};
  return Object.fromEntries([
    ...paths(records, RECORD_TABLES),
    ...paths(scores, { ...SCORE_TABLES, ...others }),
    ...paths(aggregates, { ...AGGREGATE_TABLES, ...REPORTED_TABLES }),
  ]);
}

/** The manifests of the finished stages. */
export interface StageManifests {
  readonly normalised: StageManifest;
  readonly scored: StageManifest;
  readonly aggregated: StageManifest;
}

/**
 * Returns the counts of all stages for the receipt. The coverage depends on a version, because a record can have a
 * total under one version only. It is that of the default version, or of the only version if there is just one.
 */
export async function readReleaseCounts(
  carried: CarriedSources,
  manifests: StageManifests,
  options: Pick<BuildOptions, "rubrics" | "sources">,
): Promise<ReleaseCounts> {
  const { normalised, scored } = manifests;
  const counted = PUBLIC_VERSIONS.find((version) => options.rubrics.includes(version)) ?? null;
  const insufficient = insufficientBy(scored.facts, counted);
  const sources = carried.receipts(
    await sourceReceipts(carried.store, options.sources, normalised.facts, insufficient),
  );
  const readable = coverageSchema.parse(camelCoverage(normalised.facts.coverage as Record<string, number>));
  return {
    coverage: withInsufficient(readable, sumCounts(insufficient)),
    sources,
    rejected: totalRejected(sources),
    ...laterCounts(manifests, options),
  };
}

/** Returns those counts for the receipt that come from stages 3 and 4. */
export function laterCounts(
  { scored, aggregated }: Pick<StageManifests, "scored" | "aggregated">,
  { rubrics }: Pick<BuildOptions, "rubrics">,
): Pick<ReleaseCounts, "insufficient" | "attribution"> {
  const attribution = aggregated.facts.attribution as Record<string, number> | null;
  return {
    insufficient: new Map(rubrics.map((version) => [version, sumCounts(insufficientBy(scored.facts, version))])),
    attribution: attribution === null ? null : buildAttribution(attribution),
  };
}

function sumCounts(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function buildAttribution({ records = 0, attributed = 0, unattributed = 0, ...by }: Record<string, number>) {
  return attributionReceipt.parse({
    complete: attributed + unattributed === records,
    records,
    attributed,
    unattributed,
    byBasis: { ror: by.by_ror, field: by.by_field, text: by.by_text, region: by.by_region },
    withoutAffiliation: by.without_affiliation,
    withoutCountry: by.without_country,
  });
}

function camelCoverage({ not_dataset: notDataset, ...rest }: Record<string, number>) {
  return { ...rest, notDataset };
}

export interface TimedStep {
  readonly step: string;
  readonly seconds: number;
}

export class StepClock {
  readonly #now: () => Date;
  readonly #began: number;
  readonly #steps: TimedStep[] = [];

  constructor(now: () => Date) {
    this.#now = now;
    this.#began = now().getTime();
  }

  async time<T>(step: string, work: () => Promise<T>): Promise<T> {
    const began = this.#now().getTime();
    const result = await work();
    this.#steps.push({ step, seconds: this.#since(began) });
    return result;
  }

  /** Returns the finished steps in order, and the total seconds since the start, including time between steps. */
  taken(): { readonly steps: readonly TimedStep[]; readonly seconds: number } {
    return { steps: [...this.#steps], seconds: this.#since(this.#began) };
  }

  #since(began: number): number {
    return Math.max(0, this.#now().getTime() - began) / 1000;
  }
}

export async function enrichmentDigests({
  ror,
  citations,
}: Pick<BuildOptions, "ror" | "citations">): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [name, file] of Object.entries({ ror, citations })) {
    if (file !== null) digests[name] = `sha256:${await fileDigest(file)}`;
  }
  return digests;
}

/**
 * Returns the key of a build, 16 hex digits: a digest of its options, raw parts, enrichments and code. Builds with the
 * same key produce the same output, so options that do not change the output are left out.
 */
export async function runKey(
  store: Store,
  options: BuildOptions,
  enrichments: Record<string, string>,
): Promise<string> {
  const { asOf, sources, rubrics, alsoContracts = [], attribution, history, withheld } = options;
  const { carryForward: carried = [], reuse = "auto" } = options;
  const inputs = { asOf, sources, rubrics, alsoContracts, attribution, history, withheld, carried, reuse };
  const parts = [];
  for (const source of options.sources) {
    for (const { name, bytes } of await listParts(store.raw(source))) parts.push(`${source}/${name} ${bytes}`);
  }
  const key = { inputs, enrichments, parts, code: await buildCodeDigest() };
  return hash("sha256", canonicalJson(key)).slice(0, 16);
}

/** Returns the output folder of a stage. The folder only exists if the stage has finished. */
export function stageFolder(store: Store, run: string, stage: StageName): string {
  return join(store.work(run), STAGE_FOLDERS[stage]);
}

/** The error if there are no payloads to build from. */
export class NothingHarvested extends Error {
  readonly code = "ERR_NOTHING_HARVESTED";
  constructor(message: string) {
    super(message);
    this.name = "NothingHarvested";
  }
}

/**
 * Checks that there are payloads to build from.
 * @throws NothingHarvested if no source has payloads. With `each`, also if one source has none.
 */
export async function requireHarvested(store: Store, sources: readonly string[], each: boolean): Promise<void> {
  const empty: string[] = [];
  for (const source of sources) if ((await listParts(store.raw(source))).length === 0) empty.push(source);
  if (empty.length === sources.length) {
    const what = each ? `of ${empty.join(" and ")} ` : "";
    throw new NothingHarvested(
      `nothing ${what}is harvested in ${store.root}. Run \`share-release harvest\` first, or give the right store with --store or SHARE_STORE`,
    );
  }
  if (each && empty.length > 0) {
    throw new NothingHarvested(
      `nothing of ${empty.join(" and ")} is harvested in ${store.root}: harvest ${empty.length === 1 ? "it" : "them"}, or leave ${empty.length === 1 ? "it" : "them"} out of --source`,
    );
  }
}

/** The stages in their order. A dry run reports which of them an interrupted build has finished. */
const RUN = ["normalise", "score", "aggregate", "render"] as const;

export interface SourceToBuild {
  readonly source: string;
  readonly parts: number;
  /** Compressed size of the harvested parts on the disk. */
  readonly bytes: number;
  /** Number of payloads of all finished harvests. Records that were harvested again count each time. */
  readonly payloads: number;
  /** End of the last harvest; null if none has finished, or if it read files. */
  readonly harvested: string | null;
  /** True if the last harvest was complete; null if no harvest has finished. */
  readonly complete: boolean | null;
}

export interface DryRun {
  readonly asOf: string;
  readonly rubrics: readonly string[];
  readonly alsoContracts: readonly string[];
  readonly sources: readonly SourceToBuild[];
  /** Sources without payloads: among the requested sources, or among all known ones if none was requested. */
  readonly empty: readonly string[];
  readonly enrichments: Readonly<Record<string, string>>;
  /** Stages that an interrupted build of the same inputs has finished; null if sources are carried forward. */
  readonly finished: readonly string[] | null;
  /** The active release, which would be the predecessor of the new one; null if there is none. */
  readonly active: { readonly releaseDigest: string; readonly asOf: string } | null;
}

/**
 * Reports what a build would read and where it would resume. Does not write or lock anything.
 * @throws NothingHarvested under the same conditions as a build
 */
export async function dryRun(store: Store, options: BuildOptions): Promise<DryRun> {
  await requireHarvested(store, options.sources, options.named ?? false);
  const all = await Promise.all(options.sources.map((source) => describeSource(store, source)));
  const sources = all.filter(({ parts }) => parts > 0);
  const enrichments = await enrichmentDigests(options);
  const active = await currentDigest(store);
  const receipt = active === null ? null : await readReceipt(store.release(active));
  return {
    asOf: options.asOf,
    rubrics: options.rubrics,
    alsoContracts: options.alsoContracts ?? [],
    sources,
    empty: all.filter(({ parts }) => parts === 0).map(({ source }) => source),
    enrichments,
    finished: (options.carryForward ?? []).length > 0 ? null : await finishedStages(store, options, enrichments),
    active: receipt === null ? null : { releaseDigest: receipt.releaseDigest, asOf: receipt.asOf },
  };
}

async function describeSource(store: Store, source: string): Promise<SourceToBuild> {
  const folder = store.raw(source);
  const parts = await listParts(folder);
  const harvests = parts.length === 0 ? [] : await readHarvests(folder);
  const last = harvests.at(-1);
  return {
    source,
    parts: parts.length,
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    payloads: harvests.reduce((sum, { records }) => sum + records, 0),
    harvested: last?.finished ?? null,
    complete: last?.complete ?? null,
  };
}

async function finishedStages(
  store: Store,
  options: BuildOptions,
  enrichments: Record<string, string>,
): Promise<readonly string[]> {
  const run = await runKey(store, options, enrichments);
  const finished: string[] = [];
  for (const stage of RUN) {
    const folder = await stat(stageFolder(store, run, stage)).catch(() => null);
    if (folder?.isDirectory() !== true) break;
    finished.push(stage);
  }
  return finished;
}
