/** The effects that tests pass to the pipeline: a clock that stands still, no network, and a recorded log. */

import type { Effects, LogEvent, StageProgress } from "../../pipeline/stage/effects.ts";

export interface RecordedEffects extends Effects {
  readonly logged: LogEvent[];
  readonly progressed: StageProgress[];
}

/** Returns effects whose clock stands still at `now`, whose requests fail, and whose log and progress are recorded. */
export function recordedEffects(now = "2026-11-02T09:30:00.000Z"): RecordedEffects {
  const logged: LogEvent[] = [];
  const progressed: StageProgress[] = [];
  return {
    logged,
    progressed,
    fetch: () => Promise.reject(new Error("a request in a test without a network")),
    now: () => new Date(now),
    sleep: () => Promise.resolve(),
    random: () => 0.5,
    log: (event) => {
      logged.push(event);
    },
    progress: (progress) => {
      progressed.push(progress);
    },
  };
}
