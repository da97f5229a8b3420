/**
 * A run: what is due is harvested, and the release of it built, held against its gates, verified, published and activated,
 * in that order, by the operations that each have a command of their own. Whatever ends it, the active release stays the
 * active one until the last step, and the next run goes on where this one was.
 */

import {
  CheckpointUnreadable,
  type HarvestSummary,
  isUpstream,
  NO_PROGRESS,
  type Progress,
  readProgress,
  refusedOf,
} from "../../pipeline/1-harvest/session.ts";
import { failedGates, refusalText } from "../../pipeline/6-release/gates.ts";
import { enrichmentDigests, runKey, StepClock } from "../../pipeline/build.ts";
import { plural } from "../../pipeline/reading/text.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { reasonNeeded } from "../../pipeline/store/disowned.ts";
import { readJournal } from "../../pipeline/store/journal.ts";
import { lockFolder, StoreLocked } from "../../pipeline/store/locks.ts";
import { listParts } from "../../pipeline/store/raw-parts.ts";
import { activate, changeNow, currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { removeWork } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { buildAndActivate, type ReleaseOptions } from "../activate.ts";
import { type NotifyRequest, notify } from "../notify.ts";
import { type PublishOptions, publish } from "../publish/index.ts";
import type { Target } from "../publish/target.ts";
import { verify } from "../verify/index.ts";
import {
  endUnderWay,
  failedHarvests,
  goingOn,
  type HarvestOfRun,
  type RunStep,
  type RunSummary,
  readUnderWay,
  toBuild,
  type UnderWay,
  writeUnderWay,
} from "./under-way.ts";

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
  readonly build: Omit<ReleaseOptions, "asOf" | "activate" | "verify">;
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

  async #built(options: ReleaseOptions, underWay: UnderWay, key: string): Promise<Receipt> {
    const store = this.#store;
    await writeUnderWay(store, underWay);
    const { receipt } = await this.#clock.time("build", () =>
      this.#around("build", (effects) => buildAndActivate(store, options, effects)),
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

/** Another run of this store is at work. */
class RunAtWork extends Error {
  readonly code = "ERR_RUN_AT_WORK";
  constructor(store: Store, cause: StoreLocked) {
    super(`another run is at work in ${store.root}. ${cause.message}`, { cause });
    this.name = "RunAtWork";
  }
}

/**
 * Takes it; answers the function that gives it back. The steps take their own locks beside it.
 * @throws RunAtWork, which names the process
 */
async function lockRun(store: Store): Promise<() => Promise<void>> {
  return lockFolder(store.run).catch((error: unknown) => {
    throw error instanceof StoreLocked ? new RunAtWork(store, error) : error;
  });
}

/** How a source stands with its own service; other doors to it are another matter. */
export interface Standing {
  readonly source: string;
  /** When its last complete walk began; null where there was none. */
  readonly last: string | null;
  /** What the walk under way was asked for, which only the same question goes on with; null where none is. */
  readonly underWay: { readonly asked: string | null } | null;
  readonly due: boolean;
}

/** `every`: milliseconds from the beginning of one walk to that of the next. */
export async function standingOf(store: Store, source: Source, every: number, now: Date): Promise<Standing> {
  const { last: complete, http } = await progressOf(store.raw(source.name));
  const last = complete[source.walk.base]?.started ?? null;
  const underWay =
    http !== null && http.base === source.walk.base && http.limit === null ? { asked: http.asked } : null;
  // A clock that was wrong, and said a day to come, holds up nobody for ever.
  const rested = last !== null && Math.abs(now.getTime() - Date.parse(last)) < every;
  return { source: source.name, last, underWay, due: underWay !== null || !rested };
}

/** Whether its service was ever asked for its list. */
export function wasWalked({ last, underWay }: Standing): boolean {
  return last !== null || underWay !== null;
}

/** Where the checkpoint cannot be read the harvest says so, and what to do. */
async function progressOf(folder: string): Promise<Progress> {
  const found = await readProgress(folder).catch((error: unknown) => {
    if (error instanceof CheckpointUnreadable) return null;
    throw error;
  });
  return found ?? NO_PROGRESS;
}

/**
 * A release that was rolled back from counts as well: what it was made of was looked at, and somebody chose another. The
 * active one is asked first, and those that have gone since cannot be.
 */
export async function hasNews(store: Store, parts: Readonly<Record<string, number>>): Promise<boolean> {
  const active = await currentDigest(store);
  const receipt = active === null ? null : await readReceipt(store.release(active));
  // What the active one left behind was left on purpose, and is none now.
  const left = new Set(
    receipt?.sources.filter(({ carriedFrom }) => carriedFrom !== undefined).map(({ source }) => source),
  );
  const wanted = Object.entries(parts).filter(([source]) => !left.has(source));
  if (wanted.every(([, count]) => count === 0)) return false;
  const { entries } = await readJournal(store);
  const activated = entries.filter(({ event }) => event === "activated").map(({ releaseDigest }) => releaseDigest);
  for (const digest of new Set([...(active === null ? [] : [active]), ...activated.reverse()])) {
    const made = await readReceipt(store.release(digest));
    if (made !== null && wanted.every(([source, count]) => count === partsIn(made, source))) return false;
  }
  return true;
}

/** Parts are only ever added, so that their number says which they were; one that was carried forward has another's. */
function partsIn({ sources }: Receipt, source: string): number | null {
  const entry = sources.find((each) => each.source === source);
  return entry === undefined ? 0 : entry.carriedFrom === undefined ? entry.parts : null;
}

/** How many finished parts each source has. */
export async function partsOf(store: Store, sources: readonly string[]): Promise<Record<string, number>> {
  const counts = sources.map(async (source) => [source, (await listParts(store.raw(source))).length] as const);
  return Object.fromEntries(await Promise.all(counts));
}
