/** An evaluator of a test: real waits, a clock that can be held, and the guarded way out, which may go to loopback where told. */

import { setTimeout as wait } from "node:timers/promises";
import { Evaluator, type EvaluatorOptions } from "../../evaluate/index.ts";
import type { Effects, LogEvent } from "../../pipeline/stage/effects.ts";
import { type GuardOptions, guardedFetch } from "../../server/outbound/guarded-fetch.ts";

export interface OpenEvaluator extends AsyncDisposable {
  readonly evaluator: Evaluator;
  readonly logged: readonly LogEvent[];
  /** Every address that was to be fetched. */
  readonly fetched: readonly string[];
  /** What the clock says; it stands still until this is changed. */
  now: Date;
}

export async function openEvaluator(
  options: Omit<EvaluatorOptions, "contact"> = {},
  guard: GuardOptions = {},
): Promise<OpenEvaluator> {
  const logged: LogEvent[] = [];
  const fetched: string[] = [];
  const outbound = guardedFetch({ allow: Object.values(options.upstreams ?? {}), ...guard });
  const opened = { logged, fetched, now: new Date("2026-11-01T12:00:00.000Z") };
  const effects: Effects = {
    fetch: (input, init) => {
      fetched.push(String(input));
      return outbound.fetch(input, init);
    },
    now: () => opened.now,
    sleep: (milliseconds, signal) => wait(milliseconds, undefined, signal === undefined ? {} : { signal }),
    // No jitter: a retry comes at once.
    random: () => 0,
    log: (event) => logged.push(event),
    progress: () => {},
  };
  const evaluator = await Evaluator.open({ contact: null, ...options }, effects);
  return Object.assign(opened, {
    evaluator,
    async [Symbol.asyncDispose]() {
      await evaluator.close();
      await outbound.close();
    },
  });
}
