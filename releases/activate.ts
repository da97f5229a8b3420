/** Builds a release, and activates it unless a gate or the verification fails. */

import { failedGates } from "../pipeline/6-release/gates.ts";
import {
  type BuildOptions,
  type BuiltRelease,
  build,
  requireHarvested,
  StepClock,
  type TimedStep,
} from "../pipeline/build.ts";
import type { Effects } from "../pipeline/stage/effects.ts";
import { lockStore } from "../pipeline/store/locks.ts";
import { activate, changeNow } from "../pipeline/store/releases.ts";
import { reasonNeeded } from "../pipeline/store/revocations.ts";
import type { Store } from "../pipeline/store/store.ts";
import type { Gate } from "../schemas/public/gates.ts";
import { type Finding, verify } from "./verify/index.ts";

export interface BuildReleaseOptions extends BuildOptions {
  readonly activate: boolean;
  /** True to verify the release before the activation. Its scores are then computed again. */
  readonly verify?: boolean;
}

export interface ReleaseResult extends BuiltRelease {
  readonly activated: boolean;
  readonly gated: readonly Gate[];
  /** The findings of the verification; empty if there was no verification. */
  readonly findings: readonly Finding[];
  /** Seconds, in total and for each step. A stage that an interrupted build had already finished takes almost no time. */
  readonly took: { readonly steps: readonly TimedStep[]; readonly seconds: number };
}

/**
 * Builds a release and activates it. The old release stays active until the last step.
 * @throws NothingHarvested if no source has payloads; ReleaseRetracted if the build would make a retracted release again
 */
export async function buildAndActivate(
  store: Store,
  { activate: isWanted, verify: isVerified = false, ...options }: BuildReleaseOptions,
  effects: Effects,
): Promise<ReleaseResult> {
  // Checked before the lock, because taking the lock would create a missing store.
  await requireHarvested(store, options.sources, options.named ?? false);
  const unlock = await lockStore(store, "this build");
  try {
    const clock = new StepClock(effects.now);
    const built = await build(store, options, effects, clock);
    const { releaseDigest, gates } = built.receipt;
    const gated = failedGates(gates);
    const { threads, memory, force = null } = options;
    const verification = { threads, memory, rebuild: { from: "tables" } as const };
    const findings = isVerified
      ? (await clock.time("verify", () => verify(store, releaseDigest, verification, effects))).findings
      : [];
    const activated = isWanted && (gated.length === 0 || force !== null) && findings.length === 0;
    if (activated) {
      const reason = await reasonNeeded(store, releaseDigest, gated, force);
      await activate(store, releaseDigest, { ...changeNow(effects), reason });
    }
    return { ...built, activated, gated, findings, took: clock.taken() };
  } finally {
    await unlock();
  }
}
