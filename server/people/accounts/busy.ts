/** Waiting for an SQLite file that another process is writing to, without holding up this one. */

import { setTimeout as sleep } from "node:timers/promises";

/** How long SQLite itself waits, and with it the whole process: the usual commit of another process, and no more. */
export const BUSY_MILLISECONDS = 2;

/** How long a statement waits in all, its turn included. */
const PATIENCE_MILLISECONDS = 5000;

/** Between two tries everything else goes on. */
const PAUSE_MILLISECONDS = 10;

/** Begins to wait now; fires when it has been long enough. */
export function patience(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MILLISECONDS);
}

/** Tries until the file is free, at least once, and until `waiting` is over: from the first try on where it is not given. */
export async function whenFree<T>(work: () => T | Promise<T>, waiting?: AbortSignal): Promise<T> {
  let over = waiting;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      over ??= patience();
      if (over.aborted) throw error;
    }
    await sleep(PAUSE_MILLISECONDS);
  }
}

const SQLITE_BUSY = 5;

/** Whether the file was locked, whatever the extended code. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && Number(error.errcode) % 256 === SQLITE_BUSY;
}
