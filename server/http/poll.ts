/** Looking again and again, for as long as the server runs. */

import type { Effects } from "../../pipeline/stage/effects.ts";

/** Runs `look` after each wait until the signal fires; what fails in it is for `look` to deal with. */
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
