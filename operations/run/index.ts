/**
 * A run: what is due is harvested, and the release of it built, held against its gates, verified, published and activated,
 * in that order, by the operations that each have a command of their own. Whatever ends it, the active release stays the
 * active one until the last step, and the next run goes on where this one was.
 */

import { CheckpointUnreadable, isUpstream } from "../../pipeline/1-harvest/errors.ts";
import { type HarvestSummary, refusedOf } from "../../pipeline/1-harvest/session.ts";
import { plural } from "../../pipeline/reading/text.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { activate, changeNow, currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { removeWork } from "../../pipeline/store/work-folders.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { type BuildOptions, build } from "../build/index.ts";
import { enrichmentDigests, runKey } from "../build/run-key.ts";
import { StepClock } from "../build/step-clock.ts";
import { failedGates } from "../gates/index.ts";
import { refusalText } from "../gates/refusal-text.ts";
import { type NotifyRequest, notify } from "../notify/index.ts";
import { type PublishOptions, publish } from "../publish/index.ts";
import type { Target } from "../publish/target/target.ts";
import { reasonNeeded } from "../retract/reason-needed.ts";
import { verify } from "../verify/index.ts";
import { type Standing, standingOf } from "./due.ts";
import { hasNews, partsOf } from "./news.ts";
import { lockRun } from "./run-lock.ts";
import { failedHarvests, type HarvestOfRun, type RunStep, type RunSummary } from "./summary.ts";
import { endUnderWay, goingOn, readUnderWay, toBuild, type UnderWay, writeUnderWay } from "./under-way.ts";

export interface RunRequest {
  /** The sources to harvest when they are due. */
  readonly sources: readonly Source[];
  /** Of a source that was never harvested only what changed on or after this day; null: everything. */
  readonly since: string | null;
  /** Milliseconds from one harvest of a source to the next. */
  readonly every: (source: string) => number;
  /** Of the sources that are due so many may fail, and the rest goes on; any number where it is null. */
  readonly mayFail: number | null;
  readonly harvest: (source: Source, standing: Standing, effects: Effects) => Promise<HarvestSummary>;
  readonly build: Omit<BuildOptions, "asOf" | "activate" | "verify">;
  /** Where it is published; null: nowhere. */
  readonly publish: {
    readonly target: (effects: Effects) => Promise<Target>;
    readonly settings: Omit<PublishOptions, "dryRun">;
  } | null;
  /** Who is told once it is active; null: nobody. */
  readonly notify: NotifyRequest | null;
}

/** Runs a step with effects of its own, so that each has its progress. */
export type Around = <T>(step: RunStep, work: (effects: Effects) => Promise<T>) => Promise<T>;

/** A run that ended, and the error that ended it where one did. */
export interface RunEnd {
  readonly summary: RunSummary;
  readonly error: unknown;
}

/** A step that was done and whose result ends the run. */
class StepRefused extends Error {
  readonly code = "ERR_STEP_REFUSED";
}

/** @throws RunAtWork */
export async function run(store: Store, request: RunRequest, around: Around, now: () => Date): Promise<RunEnd> {
  const unlock = await lockRun(store);
  try {
    return await new Run(store, request, around, now).end();
  } finally {
    await unlock();
  }
}

type Told = { -readonly [K in keyof RunSummary]: RunSummary[K] };

class Run {
  readonly #store: Store;
  readonly #request: RunRequest;
  readonly #around: Around;
  readonly #now: () => Date;
  readonly #clock: StepClock;
  /** A run that is at work over midnight keeps the day it began on. */
  readonly #began: Date;
  #step: RunStep = "harvest";

  constructor(store: Store, request: RunRequest, around: Around, now: () => Date) {
    this.#store = store;
    this.#request = request;
    this.#around = around;
    this.#now = now;
    this.#began = now();
    this.#clock = new StepClock(now);
  }

  async end(): Promise<RunEnd> {
    const before = await readUnderWay(this.#store);
    const { sources, since } = this.#request;
    const underWay = { ...goingOn(before, this.#began), sources: sources.map(({ name }) => name), since };
    const told: Told = {
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
      told.outcome = await this.#steps(told, underWay);
    } catch (thrown) {
      error = thrown;
      told.failed = { step: this.#step, why: thrown instanceof Error ? thrown.message : String(thrown) };
    }
    return { summary: { ...told, took: this.#clock.taken() }, error };
  }

  async #steps(told: Told, underWay: UnderWay): Promise<RunSummary["outcome"]> {
    const store = this.#store;
    told.harvests = await this.#clock.time("harvest", () => this.#harvestDue(told, underWay));
    const came = told.harvests.some(({ outcome }) => outcome !== "not-due" && outcome !== "failed");
    const parts = await partsOf(store, this.#request.build.sources);
    if (!came && !told.resumed && !(await hasNews(store, parts))) {
      await endUnderWay(store);
      const [failed] = failedHarvests(told);
      if (failed !== undefined) throw new StepRefused(`nothing came: ${failed.source}: ${failed.why}`);
      return "nothing";
    }
    const building = toBuild(underWay, parts, this.#began);
    told.asOf = building.asOf;
    const receipt = await this.#builtRelease(told, building);
    const digest = receipt.releaseDigest;
    const active = (await currentDigest(store)) === digest;
    // What the operator made active, with a reason, has been judged.
    if (!active) await this.#judged(told, receipt);
    await this.#published(told, digest);
    if (!active) await this.#activated(receipt, told);
    await endUnderWay(store);
    return active ? "was-active" : "activated";
  }

  /** One after the other; a service that fails is told of, and the others are asked all the same. */
  async #harvestDue(told: Told, underWay: UnderWay): Promise<HarvestOfRun[]> {
    this.#step = "harvest";
    const { sources, every, mayFail } = this.#request;
    const harvests: HarvestOfRun[] = [];
    told.harvests = harvests;
    for (const source of sources) {
      const standing = await standingOf(this.#store, source, every(source.name), this.#now());
      const due = standing.due || underWay.harvesting === source.name;
      if (due) await writeUnderWay(this.#store, { ...underWay, harvesting: source.name });
      harvests.push(due ? await this.#harvested(source, standing) : notDue(standing));
    }
    const failed = failedHarvests(told);
    if (mayFail !== null && failed.length > mayFail) {
      const names = failed.map(({ source }) => source).join(", ");
      throw new StepRefused(`${plural(failed.length, "source")} failed (${names}); at most ${mayFail} may`);
    }
    return harvests;
  }

  async #harvested(source: Source, standing: Standing): Promise<HarvestOfRun> {
    const { name } = source;
    try {
      const summary = await this.#around("harvest", (effects) => this.#request.harvest(source, standing, effects));
      const outcome = summary.paused === true ? "paused" : summary.complete ? "complete" : "incomplete";
      const { records, requests, resumed, missing: why = null } = summary;
      const refused = refusedOf(summary);
      return { source: name, outcome, last: standing.last, records, requests, refused, resumed, why };
    } catch (error) {
      // What is wrong with this machine is wrong with all sources.
      if (!(error instanceof Error) || !(isUpstream(error) || error instanceof CheckpointUnreadable)) throw error;
      return { ...notDue(standing), outcome: "failed", why: error.message };
    }
  }

  /** That of the run before, where it is of the same inputs and options. */
  async #builtRelease(told: Told, underWay: UnderWay): Promise<Receipt> {
    this.#step = "build";
    const store = this.#store;
    const options = { ...this.#request.build, asOf: underWay.asOf, activate: false, verify: false };
    const key = await runKey(store, options, await enrichmentDigests(options));
    const made = underWay.release?.key === key ? underWay.release.releaseDigest : null;
    const there = made === null ? null : await readReceipt(store.release(made));
    const receipt = there ?? (await this.#built(options, { ...underWay, harvesting: null, release: null }, key));
    const { releaseDigest, scoreReleaseVersion, coverage } = receipt;
    const refused = refusedOf(receipt);
    told.release = { releaseDigest, scoreReleaseVersion, scored: coverage.scored, refused, built: there === null };
    return receipt;
  }

  async #built(options: BuildOptions, underWay: UnderWay, key: string): Promise<Receipt> {
    const store = this.#store;
    await writeUnderWay(store, underWay);
    const { receipt } = await this.#clock.time("build", () =>
      this.#around("build", (effects) => build(store, options, effects)),
    );
    await writeUnderWay(store, { ...underWay, release: { key, releaseDigest: receipt.releaseDigest } });
    await removeWork(store);
    return receipt;
  }

  /** Its gates, which were found when it was built, and all that verifying it finds. */
  async #judged(told: Told, receipt: Receipt): Promise<void> {
    const { releaseDigest, gates } = receipt;
    this.#step = "gates";
    const gated = failedGates(gates);
    told.gated = gated;
    if (gated.length > 0 && (this.#request.build.force ?? null) === null) {
      throw new StepRefused(await refusalText(this.#store, receipt, gated));
    }
    this.#step = "verify";
    const { threads, memory } = this.#request.build;
    const { findings } = await this.#clock.time("verify", () =>
      this.#around("verify", (effects) =>
        verify(this.#store, releaseDigest, { threads, memory, rescore: true }, effects),
      ),
    );
    told.findings = findings;
    if (findings.length > 0)
      throw new StepRefused(`${releaseDigest} does not hold: ${plural(findings.length, "finding")}`);
  }

  async #published(told: Told, digest: string): Promise<void> {
    const to = this.#request.publish;
    if (to === null) return;
    this.#step = "publish";
    told.published = await this.#clock.time("publish", () =>
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

  async #activated(receipt: Receipt, told: Told): Promise<void> {
    this.#step = "activate";
    const { gated } = told;
    const listeners = this.#request.notify;
    const reason = await reasonNeeded(this.#store, receipt.releaseDigest, gated, this.#request.build.force ?? null);
    await this.#around("activate", async (effects) => {
      await activate(this.#store, receipt.releaseDigest, { ...changeNow(effects), reason });
      if (listeners !== null) told.notified = await notify(listeners, receipt, effects);
    });
  }
}

function notDue({ source, last }: Standing): HarvestOfRun {
  return { source, outcome: "not-due", last, records: 0, requests: 0, refused: 0, resumed: false, why: null };
}
