/** run/under-way.json: the run that has not come to its end, so that the next one goes on with it. */

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { TimedStep } from "../../pipeline/build.ts";
import { replaceFile } from "../../pipeline/files/durable.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Gate } from "../../schemas/public/gates.ts";
import { instant, isoDate } from "../../schemas/public/scalars.ts";
import type { Notified } from "../notify.ts";
import type { Published } from "../publish/index.ts";
import type { Finding } from "../verify/index.ts";

const underWay = z.strictObject({
  version: z.literal(1),
  started: instant,
  asOf: isoDate,
  /** The sources it was to harvest when they are due, and the day it was given for those that never were; a run that names none takes them over. */
  sources: z.array(z.string()).default([]),
  since: isoDate.nullable().default(null),
  /** The source that was being harvested: it is harvested again, however short a time ago that was before. */
  harvesting: z.string().nullable(),
  /** How many parts of each source its build was begun with; null before. */
  parts: z.record(z.string(), z.int()).nullable().default(null),
  /** What was built, and the key of the inputs and options it was built of; null before. */
  release: z.strictObject({ key: z.string(), releaseDigest: z.string() }).nullable(),
});
export type UnderWay = z.infer<typeof underWay>;

/** Null where the last run came to its end, or what it left cannot be read: it is only ever a saving of time. */
export async function readUnderWay(store: Store): Promise<UnderWay | null> {
  const text = await readFile(pathIn(store), "utf8").catch(() => null);
  if (text === null) return null;
  try {
    return underWay.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export async function writeUnderWay(store: Store, written: UnderWay): Promise<void> {
  await replaceFile(pathIn(store), `${JSON.stringify(written)}\n`);
}

export async function endUnderWay(store: Store): Promise<void> {
  await rm(pathIn(store), { force: true });
}

/**
 * The run to go on with, else a new one. An unfinished one may keep its day over midnight, as `toBuild` says; one of the day
 * before yesterday, or of earlier, is begun again with today: what it harvested is there all the same.
 */
export function goingOn(found: UnderWay | null, now: Date): UnderWay {
  const [today, yesterday] = [dayOf(now.getTime()), dayOf(now.getTime() - 86_400_000)];
  if (found !== null && (found.asOf === today || found.asOf === yesterday)) return found;
  const nothing = { harvesting: null, parts: null, release: null };
  return { version: 1, started: now.toISOString(), asOf: today, sources: [], since: null, ...nothing };
}

/**
 * The run as it is to be built, once its harvests are done. The day of an unfinished run is kept for the sake of what was
 * built under it, which is of use only while the store holds the same parts: where something came since, it is today.
 */
export function toBuild(underWay: UnderWay, parts: NonNullable<UnderWay["parts"]>, began: Date): UnderWay {
  const today = dayOf(began.getTime());
  const same = underWay.asOf === today || isDeepStrictEqual(underWay.parts, parts);
  return same ? { ...underWay, parts } : { ...underWay, asOf: today, parts, release: null };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function pathIn(store: Store): string {
  return join(store.run, "under-way.json");
}

/** The steps, in order; each but the gates is an operation with a command of its own. */
const RUN_STEPS = ["harvest", "build", "gates", "verify", "publish", "activate"] as const;
export type RunStep = (typeof RUN_STEPS)[number];

/** One source of a run. `incomplete`: its walk ended short of what the service says it has. */
export interface HarvestOfRun {
  readonly source: string;
  readonly outcome: "complete" | "paused" | "incomplete" | "failed" | "not-due";
  /** When its last complete walk began, before this run. */
  readonly last: string | null;
  readonly records: number;
  readonly requests: number;
  readonly refused: number;
  readonly resumed: boolean;
  /** What is missing, or what was wrong. */
  readonly why: string | null;
}

export interface RunSummary {
  /** `nothing`: no source was due, and nothing was harvested since the active release. */
  readonly outcome: "activated" | "was-active" | "nothing" | "failed";
  readonly asOf: string;
  /** True where it went on with a run that had not come to its end. */
  readonly resumed: boolean;
  readonly harvests: readonly HarvestOfRun[];
  readonly release: {
    readonly releaseDigest: string;
    readonly scoreReleaseVersion: string;
    readonly scored: number;
    readonly refused: number;
    /** False where a run before had made it. */
    readonly built: boolean;
  } | null;
  /** The gates it did not pass. */
  readonly gated: readonly Gate[];
  /** What verifying it found. */
  readonly findings: readonly Finding[];
  readonly published: Published | null;
  /** Who was told of the activation, and who could not be: neither changes how the run ended. */
  readonly notified: readonly Notified[];
  /** The step that ended the run, and why; null where it came to its end. */
  readonly failed: { readonly step: RunStep; readonly why: string } | null;
  readonly took: { readonly steps: readonly TimedStep[]; readonly seconds: number };
}

/** The sources that were due and could not be harvested to the end they were asked for. */
export function failedHarvests({ harvests }: Pick<RunSummary, "harvests">): readonly HarvestOfRun[] {
  return harvests.filter(({ outcome }) => outcome === "failed" || outcome === "incomplete");
}
