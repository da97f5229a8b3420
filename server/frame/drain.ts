/** Stopping without failing anyone: what runs is finished, what comes is told to go elsewhere. */

import type { FastifyInstance } from "fastify";
import type { Effects } from "../../pipeline/stage/effects.ts";

export interface DrainOptions {
  /** How long requests are answered 503 before the port closes, so that a load balancer sees it on /health first. */
  readonly noticeMilliseconds: number;
  /** How long running requests may take; connections still open then are cut. */
  readonly graceMilliseconds: number;
}

/** How often connections that have become idle are closed. */
const SWEEP_MILLISECONDS = 20;

/** As many sweeps nobody may have come before the port is closed: on a busy machine one may pass without a turn of the loop. */
const QUIET_SWEEPS = 5;

/** Closes the server once its requests are done, at the latest when the grace is over. */
export async function drain(
  app: FastifyInstance,
  { noticeMilliseconds, graceMilliseconds }: DrainOptions,
  { sleep }: Pick<Effects, "sleep">,
): Promise<void> {
  if (noticeMilliseconds > 0) await sleep(noticeMilliseconds);
  let waited = await untilNobodyComes(app, graceMilliseconds, sleep);
  let closed = false;
  const closing = app.close().finally(() => {
    closed = true;
  });
  for (; !closed; waited += SWEEP_MILLISECONDS) {
    if (waited >= graceMilliseconds) app.server.closeAllConnections();
    // A connection whose answer has just gone out would otherwise stay open for its keep-alive time.
    else app.server.closeIdleConnections();
    await Promise.race([closing, sleep(SWEEP_MILLISECONDS)]);
  }
  await closing;
}

/**
 * Waits for those who are connected and not yet accepted (one a turn of the event loop): closing the port resets them.
 * Answers how long it took of the grace, in milliseconds.
 */
async function untilNobodyComes(
  app: FastifyInstance,
  graceMilliseconds: number,
  sleep: Effects["sleep"],
): Promise<number> {
  let came = 0;
  const count = () => {
    came += 1;
  };
  app.server.on("connection", count);
  let waited = 0;
  for (let quiet = 0; quiet < QUIET_SWEEPS && waited < graceMilliseconds; waited += SWEEP_MILLISECONDS) {
    const before = came;
    await sleep(SWEEP_MILLISECONDS);
    quiet = came === before ? quiet + 1 : 0;
  }
  app.server.off("connection", count);
  return waited;
}
