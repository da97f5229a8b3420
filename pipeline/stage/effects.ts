/**
 * The effects of a stage outside its folders. They are passed in, because only cli/ and server/ access network, clock and
 * terminal.
 */

/** Progress of a named step: `done` of `total` units (null = unknown). */
export interface StageProgress {
  readonly stage: string;
  readonly step: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
}

/** A structured log line, without secrets and payload texts. */
export interface LogEvent {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [detail: string]: unknown;
}

export interface Effects {
  /** HTTP requests: `fetch` of Node, or a version with limits. */
  readonly fetch: typeof globalThis.fetch;
  /** The clock for retrieval, waits and publication. Scoring uses the as-of date. */
  readonly now: () => Date;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1), for back-off jitter only. */
  readonly random: () => number;
  readonly log: (event: LogEvent) => void;
  readonly progress: (progress: StageProgress) => void;
}

/** The message of a caught value, for logs and texts. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
