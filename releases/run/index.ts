/**
 * Runs all steps of a new release in order: harvest the sources that are due, build, check the gates, verify, publish and
 * activate. Each step is also a command. The old release stays active until the last step. If a run is interrupted, the
 * next one resumes it.
 */

import {
  CheckpointUnreadable,
  countRejected,
  type HarvestProgress,
  type HarvestSummary,
  isUpstream,
  NO_PROGRESS,
  partsWalked,
  readProgress,
  walkKey,
} from "../../pipeline/1-harvest/session.ts";
import { failedGates, rejectionText } from "../../pipeline/6-release/gates.ts";
import { enrichmentDigests, runKey, StepClock } from "../../pipeline/build.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { partName, selectionText } from "../../pipeline/sources/adapter/selection.ts";
import type { Source, SourcePart } from "../../pipeline/sources/adapter/source.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { signHead } from "../../pipeline/store/head.ts";
import { readJournal } from "../../pipeline/store/journal.ts";
import { lockFolder, StoreLocked } from "../../pipeline/store/locks.ts";
import { listParts } from "../../pipeline/store/raw-parts.ts";
import { activate, changeNow, currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import { reasonNeeded } from "../../pipeline/store/revocations.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { removeWork } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { type BuildReleaseOptions, buildAndActivate } from "../activate.ts";
import { type NotifyRequest, notify } from "../notify.ts";
import { type PublishOptions, publish, sendHead } from "../publish/index.ts";
import type { PublishTarget } from "../publish/target.ts";
import { verify } from "../verify/index.ts";
import { writeLastRun } from "./last-run.ts";
import {
  endUnfinishedRun,
  failedHarvests,
  formatHarvestName,
  type HarvestOfRun,
  type RunStep,
  type RunSummary,
  readUnfinishedRun,
  resumeOrStart,
  runToBuild,
  type UnfinishedRun,
  writeUnfinishedRun,
} from "./unfinished-run.ts";

export interface RunRequest {
  /** The sources, or parts of them, that are harvested when they are due. */
  readonly parts: readonly SourcePart[];
  /** First day of the changes that the first harvest of a source requests; null to request everything. */
  readonly since: string | null;
  /** Returns the shortest time between the starts of two harvests of a source, in milliseconds. */
  readonly every: (source: string) => number;
  /** Number of due sources that may fail without ending the run; null for any number. */
  readonly mayFail: number | null;
  readonly harvest: (part: SourcePart, status: HarvestStatus, effects: Effects) => Promise<HarvestSummary>;
  readonly build: Omit<BuildReleaseOptions, "asOf" | "activate" | "verify">;
  /** The target to publish to; null to publish nothing. */
  readonly publish: {
    readonly target: (effects: Effects) => Promise<PublishTarget>;
    readonly settings: Omit<PublishOptions, "dryRun">;
  } | null;
  readonly notify: NotifyRequest | null;
}

/** Function that runs a step of a run. It gives the step the effects with which the step reports its progress. */
export type StepRunner = <T>(step: RunStep, work: (effects: Effects) => Promise<T>) => Promise<T>;

/** The summary of a run, and the error that ended the run. The error is null if the run finished. */
export interface RunEnd {
  readonly summary: RunSummary;
  readonly error: unknown;
}

/** Error for a step whose result ends the run, for example because a gate failed. */
class StepRejected extends Error {
  readonly code = "ERR_STEP_REJECTED";
}

/**
 * Runs all steps: harvests what is due, then builds, verifies, publishes and activates a release.
 * @throws RunAtWork
 */
export async function run(store: Store, request: RunRequest, runStep: StepRunner, now: () => Date): Promise<RunEnd> {
  const unlock = await lockRun(store);
  try {
    return await new Run(store, request, runStep, now).end();
  } finally {
    await unlock();
  }
}

type MutableSummary = { -readonly [K in keyof RunSummary]: RunSummary[K] };

class Run {
  readonly #store: Store;
  readonly #request: RunRequest;
  readonly #around: StepRunner;
  readonly #now: () => Date;
  readonly #clock: StepClock;
  /** The time at which the run started. If it continues past midnight, its as-of date stays this day. */
  readonly #began: Date;
  #step: RunStep = "harvest";

  constructor(store: Store, request: RunRequest, runStep: StepRunner, now: () => Date) {
    this.#store = store;
    this.#request = request;
    this.#around = runStep;
    this.#now = now;
    this.#began = now();
    this.#clock = new StepClock(now);
  }

  async end(): Promise<RunEnd> {
    const before = await readUnfinishedRun(this.#store);
    const { parts, since } = this.#request;
    const underWay = { ...resumeOrStart(before, this.#began), sources: parts.map(partName), since };
    const result: MutableSummary = {
      outcome: "failed",
      asOf: underWay.asOf,
      resumed: before !== null && underWay.started === before.started,
      harvests: [],
      release: null,
      gated: [],
      findings: [],
      published: null,
      notified: [],
      failed: null,
      took: this.#clock.taken(),
    };
    let error: unknown = null;
    try {
      result.outcome = await this.#steps(result, underWay);
      await this.#signHead();
    } catch (thrown) {
      error = thrown;
      result.failed = { step: this.#step, why: thrown instanceof Error ? thrown.message : String(thrown) };
    }
    const summary = { ...result, took: this.#clock.taken() };
    await writeLastRun(this.#store, summary, this.#now());
    return { summary, error };
  }

  async #steps(result: MutableSummary, underWay: UnfinishedRun): Promise<RunSummary["outcome"]> {
    const store = this.#store;
    result.harvests = await this.#clock.time("harvest", () => this.#harvestDue(result, underWay));
    const hasHarvested = result.harvests.some(({ outcome }) => !["not-due", "left-out", "failed"].includes(outcome));
    const parts = await countParts(store, this.#request.build.sources);
    if (!hasHarvested && !result.resumed && !(await hasNewParts(store, parts))) {
      await endUnfinishedRun(store);
      const [failed] = failedHarvests(result);
      if (failed !== undefined)
        throw new StepRejected(`nothing was harvested, because ${formatHarvestName(failed)} failed: ${failed.why}`);
      return "nothing";
    }
    const building = runToBuild(underWay, parts, this.#began);
    result.asOf = building.asOf;
    const receipt = await this.#builtRelease(result, building);
    const digest = receipt.releaseDigest;
    const active = (await currentDigest(store)) === digest;
    // If an operator activated this release, it was judged before.
    if (!active) await this.#judged(result, receipt);
    await this.#published(result, digest);
    if (!active) await this.#activated(receipt, result);
    await endUnfinishedRun(store);
    return active ? "was-active" : "activated";
  }

  /**
   * Signs the head again and publishes it, so that it does not expire. Every run does this, even if there is no new
   * release.
   */
  async #signHead(): Promise<void> {
    const { build, publish: to } = this.#request;
    const signer = build.signer ?? null;
    if (signer === null) return;
    this.#step = "publish";
    await this.#around("publish", async (effects) => {
      await signHead(this.#store, signer, changeNow(effects));
      if (to !== null) await sendHead(this.#store, await to.target(effects), null, effects);
    });
  }

  /** Harvests one source after another. If one fails, records this and continues with the others. */
  async #harvestDue(result: MutableSummary, underWay: UnfinishedRun): Promise<HarvestOfRun[]> {
    this.#step = "harvest";
    const { parts, every, mayFail } = this.#request;
    const harvests: HarvestOfRun[] = [];
    result.harvests = harvests;
    for (const part of parts) {
      const status = await harvestStatus(this.#store, part, every(part.source.name), this.#now());
      const due = status.due || underWay.harvesting === partName(part);
      if (due) await writeUnfinishedRun(this.#store, { ...underWay, harvesting: partName(part) });
      harvests.push(due ? await this.#harvested(part, status) : unharvested(status, "not-due"));
    }
    harvests.push(...(await this.#leftOut()));
    const failed = failedHarvests(result);
    if (mayFail !== null && failed.length > mayFail) {
      const names = failed.map(formatHarvestName).join(", ");
      throw new StepRejected(
        `${plural(failed.length, "source")} failed (${names}), but --max-failed-sources allows at most ${mayFail}. Correct the causes above, and run the same command again.`,
      );
    }
    return harvests;
  }

  /**
   * Returns the parts of the sources that earlier runs harvested but this one does not. Their records stay in the store.
   */
  async #leftOut(): Promise<HarvestOfRun[]> {
    const { parts } = this.#request;
    const left: HarvestOfRun[] = [];
    for (const source of new Set(parts.map((part) => part.source))) {
      const requested = new Set(parts.filter((part) => part.source === source).map(({ only }) => formatOnly(only)));
      for (const only of await harvestedParts(this.#store, source)) {
        if (requested.has(only)) continue;
        const { last } = await readRunProgress(this.#store.raw(source.name));
        const started = last[walkKey(source.walk.base, only)]?.started ?? null;
        left.push(unharvested({ source: source.name, only, last: started }, "left-out"));
      }
    }
    return left;
  }

  async #harvested(part: SourcePart, status: HarvestStatus): Promise<HarvestOfRun> {
    const { source, only, last } = status;
    try {
      const summary = await this.#around("harvest", (effects) => this.#request.harvest(part, status, effects));
      const outcome = summary.paused === true ? "paused" : summary.complete ? "complete" : "incomplete";
      const { records, requests, resumed, missing: why = null } = summary;
      const rejected = countRejected(summary);
      return { source, only, outcome, last, records, requests, rejected, resumed, why };
    } catch (error) {
      // A fault of this machine affects all sources.
      if (!(error instanceof Error) || !(isUpstream(error) || error instanceof CheckpointUnreadable)) throw error;
      return { ...unharvested(status, "failed"), why: error.message };
    }
  }

  /** Returns the release of the interrupted run if it has the same inputs and options. Otherwise builds a release. */
  async #builtRelease(result: MutableSummary, underWay: UnfinishedRun): Promise<Receipt> {
    this.#step = "build";
    const store = this.#store;
    const options = { ...this.#request.build, asOf: underWay.asOf, activate: false, verify: false };
    const key = await runKey(store, options, await enrichmentDigests(options));
    const made = underWay.release?.key === key ? underWay.release.releaseDigest : null;
    const existing = made === null ? null : await readReceipt(store.release(made));
    const receipt = existing ?? (await this.#built(options, { ...underWay, harvesting: null, release: null }, key));
    const { releaseDigest, scoreReleaseVersion, coverage } = receipt;
    const rejected = countRejected(receipt);
    result.release = {
      releaseDigest,
      scoreReleaseVersion,
      scored: coverage.scored,
      rejected,
      built: existing === null,
    };
    return receipt;
  }

  async #built(options: BuildReleaseOptions, underWay: UnfinishedRun, key: string): Promise<Receipt> {
    const store = this.#store;
    await writeUnfinishedRun(store, underWay);
    const { receipt } = await this.#clock.time("build", () =>
      this.#around("build", (effects) => buildAndActivate(store, options, effects)),
    );
    await writeUnfinishedRun(store, { ...underWay, release: { key, releaseDigest: receipt.releaseDigest } });
    await removeWork(store);
    return receipt;
  }

  /** Checks the results of the gates, and verifies the release. */
  async #judged(result: MutableSummary, receipt: Receipt): Promise<void> {
    const { releaseDigest, gates } = receipt;
    this.#step = "gates";
    const gated = failedGates(gates);
    result.gated = gated;
    if (gated.length > 0 && (this.#request.build.force ?? null) === null) {
      throw new StepRejected(await rejectionText(this.#store, receipt, gated));
    }
    this.#step = "verify";
    const { threads, memory } = this.#request.build;
    const { findings } = await this.#clock.time("verify", () =>
      this.#around("verify", (effects) =>
        verify(this.#store, releaseDigest, { threads, memory, rebuild: { from: "tables" } }, effects),
      ),
    );
    result.findings = findings;
    if (findings.length > 0)
      throw new StepRejected(
        `${releaseDigest} fails verification: ${plural(findings.length, "finding")}. \`share-release release verify ${releaseDigest}\` lists them. Move the release out of the store, and run the same command again.`,
      );
  }

  async #published(result: MutableSummary, digest: string): Promise<void> {
    const to = this.#request.publish;
    if (to === null) return;
    this.#step = "publish";
    result.published = await this.#clock.time("publish", () =>
      this.#around("publish", async (effects) =>
        publish(
          this.#store,
          digest,
          await to.target(effects),
          { ...to.settings, force: this.#request.build.force ?? null, dryRun: false },
          effects,
        ),
      ),
    );
  }

  async #activated(receipt: Receipt, result: MutableSummary): Promise<void> {
    this.#step = "activate";
    const { gated } = result;
    const listeners = this.#request.notify;
    const reason = await reasonNeeded(this.#store, receipt.releaseDigest, gated, this.#request.build.force ?? null);
    await this.#around("activate", async (effects) => {
      await activate(this.#store, receipt.releaseDigest, { ...changeNow(effects), reason });
      if (listeners !== null) result.notified = await notify(listeners, receipt, effects);
    });
  }
}

function unharvested(
  { source, only, last }: Pick<HarvestOfRun, "source" | "only" | "last">,
  outcome: HarvestOfRun["outcome"],
): HarvestOfRun {
  return { source, only, outcome, last, records: 0, requests: 0, rejected: 0, resumed: false, why: null };
}

function formatOnly(only: SourcePart["only"]): string | null {
  return only === null ? null : selectionText(only);
}

/** Error for a run that cannot start because another run of the same store has not ended yet. */
export class RunAtWork extends Error {
  readonly code = "ERR_RUN_AT_WORK";
  constructor(store: Store, cause: StoreLocked) {
    super(`another run is active in ${store.root}. ${cause.message}`, { cause });
    this.name = "RunAtWork";
  }
}

/**
 * Takes the lock for runs. Returns the function that releases it. The steps take their own locks in addition.
 *
 * @throws RunAtWork with the id of the other process
 */
async function lockRun(store: Store): Promise<() => Promise<void>> {
  return lockFolder(store.run).catch((error: unknown) => {
    throw error instanceof StoreLocked ? new RunAtWork(store, error) : error;
  });
}

/** The state of the harvests of a source, or of a part of it, from its usual service. */
export interface HarvestStatus {
  readonly source: string;
  /** The part of the source, such as `client=tib.tib`; null for the whole source. */
  readonly only: string | null;
  /** Start of the last complete harvest; null if there is none. */
  readonly last: string | null;
  /**
   * The unfinished harvest; null if there is none. `since` is the first day of the changes that it requests, or null if it
   * requests everything. Only a harvest with the same `since` resumes it.
   */
  readonly underWay: { readonly since: string | null } | null;
  readonly due: boolean;
}

/**
 * Reads the state of the harvests of a source or a part of it. `every` is the shortest time between the starts of two
 * harvests, in milliseconds.
 */
export async function harvestStatus(
  store: Store,
  { source, only: part }: SourcePart,
  every: number,
  now: Date,
): Promise<HarvestStatus> {
  const { last: complete, http } = await readRunProgress(store.raw(source.name));
  const only = formatOnly(part);
  const key = walkKey(source.walk.base, only);
  const last = complete[key]?.started ?? null;
  const unfinished = http[key];
  const underWay = unfinished?.limit === null ? { since: unfinished.asked } : null;
  // With a wrong clock, `last` may be in the future. The absolute difference prevents an endless wait.
  const isRecent = last !== null && Math.abs(now.getTime() - Date.parse(last)) < every;
  return { source: source.name, only, last, underWay, due: underWay !== null || !isRecent };
}

/**
 * Returns the parts of a source that were harvested from its usual service, or of which a harvest without a limit is
 * unfinished. Null stands for the whole source.
 */
export async function harvestedParts(store: Store, source: Source): Promise<(string | null)[]> {
  const { http, last } = await readRunProgress(store.raw(source.name));
  const unlimited = Object.entries(http).filter(([, { limit }]) => limit === null);
  return partsWalked({ last, http: Object.fromEntries(unlimited) }, source.walk.base);
}

/**
 * Reads the progress of a raw folder. Treats an unreadable checkpoint like a missing one, because the harvest itself
 * reports it.
 */
async function readRunProgress(folder: string): Promise<HarvestProgress> {
  const found = await readProgress(folder).catch((error: unknown) => {
    if (error instanceof CheckpointUnreadable) return null;
    throw error;
  });
  return found ?? NO_PROGRESS;
}

/**
 * Returns true if the store has raw parts that no activated release used. A release that was activated and then rolled back
 * counts as activated, because an operator rejected it and the same parts must not be built again. Pruned releases cannot
 * be read and do not count.
 */
export async function hasNewParts(store: Store, parts: Readonly<Record<string, number>>): Promise<boolean> {
  const active = await currentDigest(store);
  const receipt = active === null ? null : await readReceipt(store.release(active));
  // The active release left out these sources on purpose.
  const omitted = new Set(
    receipt?.sources.filter(({ carriedFrom }) => carriedFrom !== undefined).map(({ source }) => source),
  );
  const expected = Object.entries(parts).filter(([source]) => !omitted.has(source));
  if (expected.every(([, count]) => count === 0)) return false;
  const { entries } = await readJournal(store);
  const activated = entries.filter(({ event }) => event === "activated").map(({ releaseDigest }) => releaseDigest);
  for (const digest of new Set([...(active === null ? [] : [active]), ...activated.reverse()])) {
    const made = await readReceipt(store.release(digest));
    if (made !== null && expected.every(([source, count]) => count === partsIn(made, source))) return false;
  }
  return true;
}

/**
 * Returns how many raw parts of a source a release used; null if the source was carried forward. The number identifies the
 * parts, because parts are numbered and never removed.
 */
function partsIn({ sources }: Receipt, source: string): number | null {
  const entry = sources.find((each) => each.source === source);
  return entry === undefined ? 0 : entry.carriedFrom === undefined ? entry.parts : null;
}

/** Returns the number of finished raw parts of each source. */
export async function countParts(store: Store, sources: readonly string[]): Promise<Record<string, number>> {
  const counts = sources.map(async (source) => [source, (await listParts(store.raw(source))).length] as const);
  return Object.fromEntries(await Promise.all(counts));
}
