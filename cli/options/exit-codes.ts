/** Exit codes and their errors (decisions.md, "The command line"). docs/reference/cli.md is generated from them. */

import type { RunStep } from "../../releases/run/unfinished-run.ts";

export const FAILED = 1;
export const WRONG_USAGE = 2;
/** Success, but some input was rejected. */
export const DONE_WITH_REJECTIONS = 3;
/** A rebuild agrees as far as it could be compared, and something could not. */
export const PARTLY_VERIFIED = 4;

/** The exit codes that every command can have, with their meanings. */
export const EXIT_CODES: ReadonlyMap<number, string> = new Map([
  [0, "success"],
  [FAILED, "failure"],
  [WRONG_USAGE, "wrong usage"],
  [DONE_WITH_REJECTIONS, "success with rejected input"],
  [PARTLY_VERIFIED, "verified in part"],
]);

/** Exit codes of `run` by the failed step. */
export const STEP_FAILED: Readonly<Record<RunStep, number>> = {
  harvest: 10,
  build: 11,
  gates: 12,
  verify: 13,
  publish: 14,
  activate: 15,
};

/** A failed run. The command prints its summary first. */
export class RunFailed extends Error {
  readonly code = "ERR_RUN_FAILED";
  readonly step: RunStep;
  constructor(step: RunStep, cause: unknown) {
    super(`${step}: ${causeText(cause)}`, { cause });
    this.name = "RunFailed";
    this.step = step;
  }
}

/** Returns the message of an expected error, or the stack of a fault of this program. */
function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause ? cause.message : (cause.stack ?? cause.message);
}

/** Wrong usage. The message says what to do instead. */
export class UsageError extends Error {
  readonly code = "ERR_USAGE";
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** A failed command. The message says why, and what to do. */
export class CommandFailed extends Error {
  readonly code = "ERR_COMMAND_FAILED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandFailed";
  }
}

/** Returns the exit code of an error; null for the general one. */
export function exitCodeOf(error: unknown): number | null {
  if (error instanceof RunFailed) return STEP_FAILED[error.step];
  return error instanceof UsageError ? WRONG_USAGE : null;
}
