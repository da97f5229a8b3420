/** What a run did, step by step. */

import type { Gate } from "../../schemas/public/gates.ts";
import type { TimedStep } from "../build/step-clock.ts";
import type { Notified } from "../notify/index.ts";
import type { Published } from "../publish/index.ts";
import type { Finding } from "../verify/index.ts";

/** The steps, in order; each but the gates is an operation with a command of its own. */
export const RUN_STEPS = ["harvest", "build", "gates", "verify", "publish", "activate"] as const;
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
