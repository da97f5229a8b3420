/** A build: stages 2 to 6 over what was harvested, and the result activated. */

import { join } from "node:path";
import { totalRefused } from "../../pipeline/6-release/index.ts";
import { inputDigests } from "../../pipeline/6-release/inputs.ts";
import { DEFAULT_MEMORY, memoryFor } from "../../pipeline/engine/open.ts";
import type { Runtime } from "../../pipeline/engine/runtime.ts";
import { localRuntime } from "../../pipeline/engine/runtime.ts";
import { type SparkOptions, sparkRuntime } from "../../pipeline/engine/spark/spark-runtime.ts";
import { renderedPages } from "../../pipeline/packs/page-store.ts";
import type { TablePaths } from "../../pipeline/pages/tables.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { StageManifest } from "../../pipeline/stage/stage.ts";
import { STAGES } from "../../pipeline/stages.ts";
import { lockFolder } from "../../pipeline/store/folder-lock.ts";
import { appendEvent, comings, readJournal } from "../../pipeline/store/journal.ts";
import { listParts } from "../../pipeline/store/raw/parts.ts";
import { activate, changeNow } from "../../pipeline/store/releases.ts";
import type { Signer } from "../../pipeline/store/signing/sign.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { changingLinks, lockStore } from "../../pipeline/store/store-lock.ts";
import { removeWork } from "../../pipeline/store/work-folders.ts";
import { DEFAULT_GATE_LIMITS, type Gate, type GateLimits } from "../../schemas/public/gates.ts";
import { attributionReceipt, coverage as coverageSchema, type Receipt } from "../../schemas/public/release.ts";
import { type ContractId, PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { AGGREGATE_TABLES, OTHER_SCORE_TABLES, RECORD_TABLES, SCORE_TABLES } from "../../schemas/public/tables.ts";
import { describeWith } from "../describe/index.ts";
import { CARRIED, type Carried, carryForward } from "../gates/carry-forward.ts";
import { failedGates } from "../gates/index.ts";
import { reasonNeeded } from "../retract/reason-needed.ts";
import { type Finding, verify } from "../verify/index.ts";
import { requireHarvested } from "./harvested.ts";
import { type Reused, reusedBy, reuseOf } from "./reuse.ts";
import { enrichmentDigests, runKey, stageFolder } from "./run-key.ts";
import { insufficientBy, sourceReceipts, withInsufficient } from "./source-receipts.ts";
import { StepClock, type TimedStep } from "./step-clock.ts";

export interface BuildOptions {
  readonly asOf: string;
  readonly sources: readonly string[];
  /** True where the sources were named: each of them has to have something then. */
  readonly named?: boolean;
  readonly rubrics: readonly PublicVersion[];
  /** Contracts that no public version stands for, to score by as well; none, if left out. */
  readonly alsoContracts?: readonly ContractId[];
  readonly attribution: boolean;
  readonly history: boolean;
  readonly withheld: readonly string[];
  /** Path of a ROR data dump, or null. */
  readonly ror: string | null;
  /** Path of a file of citations and mentions by DOI, or null. */
  readonly citations: string | null;
  readonly threads: number;
  /** DuckDB's memory limit, such as 512MB; null: as much as its payloads call for. */
  readonly memory: string | null;
  /** What the release is published under, as an id of SPDX; the usual licence if left out. */
  readonly licence?: string;
  /** Its version, where it is made again: the first one of its day that is free, if left out. */
  readonly label?: string;
  readonly activate: boolean;
  /** Whether all of it is verified, scored again included, before it is activated. */
  readonly verify?: boolean;
  /** Bounds of the gates before activation, where they are not the default ones. */
  readonly gates?: Partial<GateLimits>;
  /** Sources to take as they were for the active release, whatever was harvested since. */
  readonly carryForward?: readonly string[];
  /** Why the release is to be activated whatever the gates say; null or left out: only if it passes them. */
  readonly force?: string | null;
  /** Signs the receipt; it stays unsigned without. */
  readonly signer?: Signer | null;
  /** Whether what an earlier build made is taken over where it is the same: where it is worth it, if left out. */
  readonly reuse?: "worthwhile" | "always" | "never";
  /** The Spark that computes the tables and renders; DuckDB and this machine, if left out. */
  readonly spark?: SparkOptions | null;
}

export interface BuildResult {
  readonly receipt: Receipt;
  /** False where the release existed already. */
  readonly created: boolean;
  readonly activated: boolean;
  /** The gates it did not pass. */
  readonly gated: readonly Gate[];
  /** What verifying it found; nothing where it was not asked for. */
  readonly findings: readonly Finding[];
  readonly reused: Reused;
  /** How long it took, in seconds, and each of its stages; one that an interrupted build had finished takes next to none. */
  readonly took: { readonly steps: readonly TimedStep[]; readonly seconds: number };
}

/**
 * Builds a release. Interrupted, it goes on at the first unfinished stage when run again with the same inputs and
 * code; the active release stays the active one until the very end.
 * @throws NothingHarvested; ReleaseRetracted where it made again what was withdrawn, which stays as it was
 */
export async function build(store: Store, options: BuildOptions, effects: Effects): Promise<BuildResult> {
  await requireHarvested(store, options.sources, options.named ?? false);
  const unlockStore = await lockStore(store, "this build");
  try {
    return await buildAlone(store, options, effects);
  } finally {
    await unlockStore();
  }
}

/** The work folder has a lock of its own, which says that it is no leftover. */
async function buildAlone(store: Store, asked: BuildOptions, effects: Effects): Promise<BuildResult> {
  const clock = new StepClock(effects.now);
  const enrichments = await enrichmentDigests(asked);
  const carried = await carryForward(store, asked.carryForward ?? []);
  const options = { ...asked, memory: asked.memory ?? memoryFor(await payloadBytes(carried.store, asked.sources)) };
  const run = await runKey(carried.store, options, enrichments);
  // What builds of other inputs left is of no use, and takes the room that this one needs.
  await removeWork(store, { keep: (name) => name === run || name.startsWith(CARRIED) });
  const unlock = await lockFolder(store.work(run));
  const runtime = await runtimeFor(options, join(store.work(run), "spark")).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  try {
    const folder = (stage: keyof typeof STAGES) => stageFolder(store, run, stage);
    const reuse = await reuseOf(carried.store, options, await inputDigests({ ...options, enrichments }));
    const { keptParts, rowDigests } = reuse;
    // Workers read payloads meanwhile.
    const [normalised, previous] = await Promise.all([
      clock.time("normalise", () =>
        STAGES.normalise.run(carried.store, folder("normalise"), { ...options, keptParts, runtime }, effects),
      ),
      reuse.previous(),
    ]);
    const scored = await clock.time("score", () =>
      STAGES.score.run(folder("normalise"), folder("score"), { ...options, runtime }, effects),
    );
    const aggregated = await clock.time("aggregate", () =>
      STAGES.aggregate.run(folder("normalise"), folder("score"), folder("aggregate"), { ...options, runtime }, effects),
    );
    const tables = tablePaths(folder("normalise"), folder("score"), folder("aggregate"), scored);
    const rendered = await clock.time("render", () =>
      STAGES.render.run(
        tables,
        folder("render"),
        { ...options, rangeMemory: asked.memory ?? DEFAULT_MEMORY, previous, runtime },
        effects,
      ),
    );
    const counts = await countsOf(carried, { normalised, scored, aggregated }, options);
    const released = await clock.time("release", () =>
      STAGES.release.run(
        store,
        tables,
        folder("render"),
        renderedPages.parse(rendered.facts),
        counts,
        {
          ...options,
          runtime,
          previous,
          rowDigests,
          enrichments,
          describe: describeWith(store, { ...options, limits: { ...DEFAULT_GATE_LIMITS, ...options.gates } }),
        },
        effects,
      ),
    );
    const { receipt, created } = released;
    await noteBuilt(store, receipt.releaseDigest, created, effects);
    if (created) await reuse.note(released);
    const gated = failedGates(receipt.gates);
    const findings =
      options.verify === true
        ? await clock.time("verify", () => findingsIn(store, receipt.releaseDigest, asked, effects))
        : [];
    const passed = gated.length === 0 || (options.force ?? null) !== null;
    const activated = options.activate && passed && findings.length === 0;
    if (activated) {
      const reason = await reasonNeeded(store, receipt.releaseDigest, gated, options.force ?? null);
      await activate(store, receipt.releaseDigest, { ...changeNow(effects), reason });
    }
    return {
      receipt,
      created,
      activated,
      gated,
      findings,
      reused: reusedBy(normalised, rendered),
      took: clock.taken(),
    };
  } finally {
    await runtime.close();
    await unlock();
  }
}

/** Bytes on the disk of what was harvested. */
async function payloadBytes(store: Store, sources: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const source of sources) for (const part of await listParts(store.raw(source))) bytes += part.bytes;
  return bytes;
}

/** Options with the memory that nobody named settled. */
type SizedOptions = BuildOptions & { readonly memory: string };

/** `folder` is one that Spark may have to itself. */
async function runtimeFor({ spark = null, ...options }: SizedOptions, folder: string): Promise<Runtime> {
  return spark === null ? localRuntime(options) : sparkRuntime(spark, folder);
}

async function findingsIn(
  store: Store,
  digest: string,
  { threads, memory }: BuildOptions,
  effects: Effects,
): Promise<readonly Finding[]> {
  return (await verify(store, digest, { threads, memory, rescore: true }, effects)).findings;
}

/** Once for each release: a build that was killed right after publishing writes it down when it is run again. */
async function noteBuilt(store: Store, releaseDigest: string, created: boolean, effects: Effects): Promise<void> {
  const { at, sleep } = changeNow(effects);
  await changingLinks(store, sleep, async () => {
    const known = comings((await readJournal(store)).entries);
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
    ...paths(aggregates, AGGREGATE_TABLES),
  ]);
}

/** What the stages counted. */
interface StageManifests {
  readonly normalised: StageManifest;
  readonly scored: StageManifest;
  readonly aggregated: StageManifest;
}

/** Coverage counts records without a total under the default version, or the only one. */
async function countsOf(carried: Carried, manifests: StageManifests, options: BuildOptions) {
  const { normalised, scored, aggregated } = manifests;
  const counted = PUBLIC_VERSIONS.find((version) => options.rubrics.includes(version)) ?? null;
  const insufficient = insufficientBy(scored.facts, counted);
  const sources = carried.receipts(
    await sourceReceipts(carried.store, options.sources, normalised.facts, insufficient),
  );
  const attribution = aggregated.facts.attribution as Record<string, number> | null;
  const readable = coverageSchema.parse(camelCoverage(normalised.facts.coverage as Record<string, number>));
  return {
    coverage: withInsufficient(readable, sumOf(insufficient)),
    insufficient: new Map(options.rubrics.map((version) => [version, sumOf(insufficientBy(scored.facts, version))])),
    sources,
    refused: totalRefused(sources),
    attribution: attribution === null ? null : attributionOf(attribution),
  };
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function attributionOf({ records = 0, attributed = 0, unattributed = 0, ...by }: Record<string, number>) {
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
