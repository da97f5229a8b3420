/**
 * Defines the effects of a stage outside its folders: network, clock and log. They are passed to the stages, because only
 * cli/ and server/ may access the real ones.
 */

/** Progress of one step: `done` of `total` units. `total` is null if unknown. */
export interface StageProgress {
  readonly stage: string;
  readonly step: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
}

/** A structured log entry. It contains neither secrets nor texts of payloads. */
export interface LogEvent {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [detail: string]: unknown;
}

export interface Effects {
  /** Sends HTTP requests: `fetch` of Node, or a version with limits. */
  readonly fetch: typeof globalThis.fetch;
  /** Returns the time, for retrieval, waits and publication. Scoring uses the as-of date instead. */
  readonly now: () => Date;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a random number in [0, 1). It only spreads the waits before retries. */
  readonly random: () => number;
  readonly log: (event: LogEvent) => void;
  readonly progress: (progress: StageProgress) => void;
}

/** Returns the message of a caught value, for logs and messages. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
