/** The deadline of a whole evaluation. */

import type { Effects } from "../pipeline/stage/effects.ts";
import { EvaluationError } from "./evaluation-error.ts";

/** The time of all requests and all work of one evaluation together. */
export const DEADLINE_MS = 30_000;

/** The work goes on behind a deadline that has passed: who asks again finds it done. */
export async function inTime<T>(work: Promise<T>, deadlineMs: number, { sleep }: Pick<Effects, "sleep">): Promise<T> {
  const done = new AbortController();
  const late = sleep(deadlineMs, done.signal).then(
    () => {
      const message = `no answer within ${deadlineMs / 1000} s; try again later`;
      throw new EvaluationError("source-too-slow", message, { retryAfter: 30 });
    },
    () => work,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
