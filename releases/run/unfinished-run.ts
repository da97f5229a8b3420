/** The unfinished run in run/under-way.json, which the next run resumes. */

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
  /** The sources or parts of them to harvest if due (`partName`), and the first day for new ones. A resuming run without named sources uses these. */
  sources: z.array(z.string()).default([]),
  since: isoDate.nullable().default(null),
  /** The source or part of the interrupted harvest. It is harvested again regardless of its interval. */
  harvesting: z.string().nullable(),
  /** The number of parts of each source when the build began; null before. */
  parts: z.record(z.string(), z.int()).nullable().default(null),
  /** The built release, and the key of its inputs and options; null before. */
  release: z.strictObject({ key: z.string(), releaseDigest: z.string() }).nullable(),
});
export type UnfinishedRun = z.infer<typeof underWay>;

/** Reads the unfinished run. Null if the last run finished, or if its file cannot be read, which only costs time. */
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
 * Returns the run to resume, or a new one. `toBuild` decides if an unfinished run of yesterday retains its day. An older
 * run starts again with today's date; its harvests are in the store.
 */
export function resumeOrStart(found: UnfinishedRun | null, now: Date): UnfinishedRun {
  const [today, yesterday] = [formatDay(now.getTime()), formatDay(now.getTime() - 86_400_000)];
  if (found !== null && (found.asOf === today || found.asOf === yesterday)) return found;
  const nothing = { harvesting: null, parts: null, release: null };
  return { version: 1, started: now.toISOString(), asOf: today, sources: [], since: null, ...nothing };
}

/**
 * Returns the run to build after its harvests. An unfinished run retains its day only if the store has the same parts, so
 * that its build can be reused. Otherwise the day is today.
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

/** The steps in order. Each except the gates is also a command. */
const RUN_STEPS = ["harvest", "build", "gates", "verify", "publish", "activate"] as const;
export type RunStep = (typeof RUN_STEPS)[number];

/**
 * The harvest of a source, or of one part, in a run. `incomplete` means that the walk returned fewer records than the
 * service stated, `left-out` that the part was harvested before, and that its records stay.
 */
export interface HarvestOfRun {
  readonly source: string;
  /** The part, such as `client=tib.tib`; null for all. */
  readonly only: string | null;
  readonly outcome: "complete" | "paused" | "incomplete" | "failed" | "not-due" | "left-out";
  /** Start of its last complete walk before this run, or null. */
  readonly last: string | null;
  readonly records: number;
  readonly requests: number;
  readonly rejected: number;
  readonly resumed: boolean;
  /** The missing records or the error, or null. */
  readonly why: string | null;
}

export interface RunSummary {
  /** `nothing` means that no source was due, and that there are no new parts since the active release. */
  readonly outcome: "activated" | "was-active" | "nothing" | "failed";
  readonly asOf: string;
  readonly resumed: boolean;
  readonly harvests: readonly HarvestOfRun[];
  readonly release: {
    readonly releaseDigest: string;
    readonly scoreReleaseVersion: string;
    readonly scored: number;
    readonly rejected: number;
    /** False if an earlier run built the release. */
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

/** Returns the due sources that were not harvested completely. */
export function failedHarvests({ harvests }: Pick<RunSummary, "harvests">): readonly HarvestOfRun[] {
  return harvests.filter(({ outcome }) => outcome === "failed" || outcome === "incomplete");
}
