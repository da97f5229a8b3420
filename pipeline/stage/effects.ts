/** Everything a stage may do to the world beyond its directories; passed in, so that nothing below cli/ and server/ reaches for it. */

/** The progress that a stage reports while it works: `done` of `total` units (null = unknown), on one named step. */
export interface Progress {
  readonly stage: string;
  readonly step: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
}

/** A structured log line; never holds secrets or payload text. */
export interface LogEvent {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [detail: string]: unknown;
}

export interface Effects {
  /** HTTP out (the platform's fetch, or an agent with its own limits). */
  readonly fetch: typeof globalThis.fetch;
  /** The clock: for retrieval times, waits and the publication time only; scoring takes the as-of date. */
  readonly now: () => Date;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1), for back-off jitter only. */
  readonly random: () => number;
  readonly log: (event: LogEvent) => void;
  readonly progress: (progress: Progress) => void;
}
