/** Repeats work at an interval, for as long as the server runs. */

import type { Effects } from "../../pipeline/stage/effects.ts";

/** Runs `look` after each pause until the signal fires. `look` has to handle its own errors. */
export async function poll(
  look: () => Promise<void>,
  milliseconds: number,
  sleep: Effects["sleep"],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sleep(milliseconds, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await look();
  }
}
