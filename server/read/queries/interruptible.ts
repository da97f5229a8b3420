/** Work at the engine that ends early: when its time is over, or when nobody waits for it any more. */

import type { Database } from "../../../pipeline/engine/open.ts";
import type { ProblemError } from "../../frame/answering/problem-error.ts";
import { ClientGone, tooLong } from "./overload.ts";

/** A statement that is just beginning forgets that it was interrupted: it is told again until it ends. */
const AGAIN_MILLISECONDS = 20;

export interface Bounds {
  readonly milliseconds: number;
  /** Fires when the client is gone; null where no client waits. */
  readonly signal: AbortSignal | null;
}

/** @throws ProblemError `overloaded` where the time is over, ClientGone where the signal fired */
export async function interruptible<T>(
  db: Database,
  { milliseconds, signal }: Bounds,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const session = await db.beside();
  let ended: ProblemError | null = null;
  let again: NodeJS.Timeout | undefined;
  const end = (why: ProblemError) => {
    ended ??= why;
    session.interrupt();
    again ??= setInterval(() => session.interrupt(), AGAIN_MILLISECONDS);
  };
  const gone = () => end(new ClientGone());
  const timer = setTimeout(() => end(tooLong(milliseconds)), milliseconds);
  signal?.addEventListener("abort", gone, { once: true });
  try {
    if (signal?.aborted) throw new ClientGone();
    return await work(session);
  } catch (error) {
    throw ended ?? error;
  } finally {
    clearTimeout(timer);
    clearInterval(again);
    signal?.removeEventListener("abort", gone);
    session.leave();
  }
}
