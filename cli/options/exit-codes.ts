/** Exit codes of every command (decisions.md, "The command line"). docs/reference/cli.md is generated from them. */

import type { RunStep } from "../../releases/run/unfinished-run.ts";

export const FAILED = 1;
export const WRONG_USAGE = 2;
export const DONE_WITH_REFUSALS = 3;

/** The exit codes that every command can have, with their meanings. */
export const EXIT_CODES: ReadonlyMap<number, string> = new Map([
  [0, "done"],
  [FAILED, "failed"],
  [WRONG_USAGE, "wrong usage"],
  [DONE_WITH_REFUSALS, "done but with refused input"],
]);

/** Of `run`: the step that did not do what it should. */
export const STEP_FAILED: Readonly<Record<RunStep, number>> = {
  harvest: 10,
  build: 11,
  gates: 12,
  verify: 13,
  publish: 14,
  activate: 15,
};

/** A run that did not come to its end. The summary is printed before. */
export class RunFailed extends Error {
  readonly code = "ERR_RUN_FAILED";
  readonly step: RunStep;
  constructor(step: RunStep, cause: unknown) {
    super(`${step}: ${whyOf(cause)}`, { cause });
    this.name = "RunFailed";
    this.step = step;
  }
}

/** The stack only where it is our fault. */
function whyOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause ? cause.message : (cause.stack ?? cause.message);
}

/** What was asked for cannot be: the message says what to do instead. */
export class UsageError extends Error {
  readonly code = "ERR_USAGE";
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** What was asked for could not be done: the message says why and what to do. */
export class CommandFailed extends Error {
  readonly code = "ERR_COMMAND_FAILED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandFailed";
  }
}

/** The exit code an error asks for, or null. */
export function exitCodeOf(error: unknown): number | null {
  if (error instanceof RunFailed) return STEP_FAILED[error.step];
  return error instanceof UsageError ? WRONG_USAGE : null;
}
