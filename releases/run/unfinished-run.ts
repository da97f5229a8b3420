/** Reads and writes the unfinished run in run/under-way.json. The next run resumes it. */

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { TimedStep } from "../../pipeline/build.ts";
import { replaceFile } from "../../pipeline/files/durable.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Gate } from "../../schemas/public/gates.ts";
import { instant, isoDate } from "../../schemas/public/scalars.ts";
import type { NotifyResult } from "../notify.ts";
import type { PublishResult } from "../publish/index.ts";
import type { Finding } from "../verify/index.ts";

const underWay = z.strictObject({
  version: z.literal(1),
  started: instant,
  asOf: isoDate,
  /**
   * The sources or parts (in the form of `partName`) that the run harvests if they are due. `since` is the first day of the
   * changes that the first harvest of a source requests. The next run uses both if it does not name sources.
   */
  sources: z.array(z.string()).default([]),
  since: isoDate.nullable().default(null),
  /** The source or part whose harvest was interrupted; null if none. It is harvested again even if it is not due. */
  harvesting: z.string().nullable(),
  /** Number of raw parts of each source when the build began; null before the build. */
  parts: z.record(z.string(), z.int()).nullable().default(null),
  /** The release that was built, with a key of its inputs and options; null before it is built. */
  release: z.strictObject({ key: z.string(), releaseDigest: z.string() }).nullable(),
});
export type UnfinishedRun = z.infer<typeof underWay>;

/**
 * Reads the unfinished run. Returns null if the last run finished. Also returns null if the file cannot be read; the next
 * run then repeats some work.
 */
export async function readUnfinishedRun(store: Store): Promise<UnfinishedRun | null> {
  const text = await readFile(pathIn(store), "utf8").catch(() => null);
  if (text === null) return null;
  try {
    return underWay.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export async function writeUnfinishedRun(store: Store, written: UnfinishedRun): Promise<void> {
  await replaceFile(pathIn(store), `${JSON.stringify(written)}\n`);
}

export async function endUnfinishedRun(store: Store): Promise<void> {
  await rm(pathIn(store), { force: true });
}

/**
 * Returns the run to resume, or a new one. A run with the as-of date of today or yesterday is resumed; {@link runToBuild}
 * decides whether it keeps this date. A new run replaces an older one, whose harvests are not lost, because they are in the
 * store.
 */
export function resumeOrStart(found: UnfinishedRun | null, now: Date): UnfinishedRun {
  const [today, yesterday] = [formatDay(now.getTime()), formatDay(now.getTime() - 86_400_000)];
  if (found !== null && (found.asOf === today || found.asOf === yesterday)) return found;
  const nothing = { harvesting: null, parts: null, release: null };
  return { version: 1, started: now.toISOString(), asOf: today, sources: [], since: null, ...nothing };
}

/**
 * Returns the run to build after the harvests. An unfinished run keeps its as-of date only if the store still has the same
 * raw parts, because its build can then be reused. Otherwise, the date is today.
 */
export function runToBuild(
  underWay: UnfinishedRun,
  parts: NonNullable<UnfinishedRun["parts"]>,
  began: Date,
): UnfinishedRun {
  const today = formatDay(began.getTime());
  const same = underWay.asOf === today || isDeepStrictEqual(underWay.parts, parts);
  return same ? { ...underWay, parts } : { ...underWay, asOf: today, parts, release: null };
}

function formatDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function pathIn(store: Store): string {
  return join(store.run, "under-way.json");
}

/** The steps in order. All except `gates` are also commands. */
const RUN_STEPS = ["harvest", "build", "gates", "verify", "publish", "activate"] as const;
export type RunStep = (typeof RUN_STEPS)[number];

/**
 * The harvest of a source or a part in a run. `incomplete`: fewer records arrived than the service announced. `left-out`:
 * the part was harvested before but not in this run, and its records stay.
 */
export interface HarvestOfRun {
  readonly source: string;
  /** The part, such as `client=tib.tib`; null for the whole source. */
  readonly only: string | null;
  readonly outcome: "complete" | "paused" | "incomplete" | "failed" | "not-due" | "left-out";
  /** Start of the last complete harvest before this run; null if there is none. */
  readonly last: string | null;
  readonly records: number;
  readonly requests: number;
  readonly rejected: number;
  readonly resumed: boolean;
  /** Which records are missing, or the error message; null if neither applies. */
  readonly why: string | null;
}

export interface RunSummary {
  /** How the run ended. `nothing`: no source was due, and there are no new raw parts since the active release. */
  readonly outcome: "activated" | "was-active" | "nothing" | "failed";
  readonly asOf: string;
  readonly resumed: boolean;
  readonly harvests: readonly HarvestOfRun[];
  readonly release: {
    readonly releaseDigest: string;
    readonly scoreReleaseVersion: string;
    readonly scored: number;
    readonly rejected: number;
    /** True if this run built the release; false if an earlier run did. */
    readonly built: boolean;
  } | null;
  readonly gated: readonly Gate[];
  readonly findings: readonly Finding[];
  readonly published: PublishResult | null;
  readonly notified: readonly NotifyResult[];
  /** The step that ended the run, with the reason; null if it finished. */
  readonly failed: { readonly step: RunStep; readonly why: string } | null;
  readonly took: { readonly steps: readonly TimedStep[]; readonly seconds: number };
}

export function formatHarvestName({ source, only }: Pick<HarvestOfRun, "source" | "only">): string {
  return only === null ? source : `${source} ${only}`;
}

/** Returns the sources that were due but not harvested completely. */
export function failedHarvests({ harvests }: Pick<RunSummary, "harvests">): readonly HarvestOfRun[] {
  return harvests.filter(({ outcome }) => outcome === "failed" || outcome === "incomplete");
}
