/**
 * Defines the effects that a stage has outside its own folders: network, clock, random numbers, log and progress.
 * Callers pass them in, because only cli/ and server/ may use the real ones.
 */

/** Progress of one step: `done` of `total` units are finished. `total` is null if it is unknown. */
export interface StageProgress {
  readonly stage: string;
  readonly step: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
}

/** A log entry with named fields. It contains neither secrets nor texts of payloads. */
export interface LogEvent {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [detail: string]: unknown;
}

export interface Effects {
  /** Sends HTTP requests: `fetch` of Node, or a version with limits. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Returns the present time, for example to record when a response was received. Scores never depend on it, only on
   * the as-of date.
   */
  readonly now: () => Date;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a random number in [0, 1). Used only to spread out retries. */
  readonly random: () => number;
  readonly log: (event: LogEvent) => void;
  readonly progress: (progress: StageProgress) => void;
}

/**
 * Returns the message of a caught value, which need not be an error. An error without a message, such as the one for a
 * host whose addresses all failed, has the message of its first error or its cause.
 */
export function getErrorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner === undefined ? error.name : getErrorMessage(inner);
}
