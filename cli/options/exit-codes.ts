/**
 * Exit codes, and the errors that lead to them (decisions.md, "The command line"). docs/reference/cli.md is generated
 * from this list.
 */

import type { RunStep } from "../../releases/run/unfinished-run.ts";

export const FAILED = 1;
export const WRONG_USAGE = 2;
/** Exit code if the command succeeded, but some input was rejected. */
export const DONE_WITH_REJECTIONS = 3;
/** Exit code if a rebuild equals the release as far as they could be compared, but some parts could not be compared. */
export const PARTLY_VERIFIED = 4;

/** An exit code: its name in the help, and the errors that lead to it. */
interface ExitCode {
  readonly name: string;
  readonly when: string;
}

/** The exit codes of all commands. A kind of error has the same code in every command (test/cli/exit-codes.test.ts). */
export const EXIT_CODES: ReadonlyMap<number, ExitCode> = new Map([
  [0, { name: "success", when: "everything was done" }],
  [
    FAILED,
    {
      name: "failure",
      when: "what the command names or needs is missing, unreadable, damaged, in another state or unreachable: a file, a store, a release, a key, a service",
    },
  ],
  [
    WRONG_USAGE,
    {
      name: "wrong usage",
      when: "the command line or a setting is wrong in itself: an unknown name, a malformed value, options that exclude each other, a missing option",
    },
  ],
  [
    DONE_WITH_REJECTIONS,
    { name: "success with rejected input", when: "the rest was done, and the output shows what was rejected and why" },
  ],
  [
    PARTLY_VERIFIED,
    { name: "verified in part", when: "everything that could be compared agrees, and something could not" },
  ],
]);

/** Exit code of `share-release run` if this step failed. */
export const STEP_FAILED: Readonly<Record<RunStep, number>> = {
  harvest: 10,
  build: 11,
  gates: 12,
  verify: 13,
  publish: 14,
  activate: 15,
};

/** The error of a run that failed. The command prints the summary of the run before this message. */
export class RunFailed extends Error {
  readonly code = "ERR_RUN_FAILED";
  readonly step: RunStep;
  constructor(step: RunStep, cause: unknown) {
    super(`${step}: ${causeText(cause)}`, { cause });
    this.name = "RunFailed";
    this.step = step;
  }
}

/** Returns the message of an expected error. For a fault of this program, returns the stack. */
function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause ? cause.message : (cause.stack ?? cause.message);
}

/** The error of a command that was called wrongly. The message explains what to do instead. */
export class UsageError extends Error {
  readonly code = "ERR_USAGE";
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** The error of a command that was called correctly but failed. The message explains why, and what to do. */
export class CommandFailed extends Error {
  readonly code = "ERR_COMMAND_FAILED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandFailed";
  }
}

/** Codes of errors whose cause is an option or a setting, so that the exit code is the one for wrong usage. */
const OF_USAGE = new Set(["ERR_USAGE", "ERR_CONFIGURATION", "bad-harvest-option"]);

/** Returns the exit code of an error; null for most errors, to which the general exit code 1 applies. */
export function findExitCode(error: unknown): number | null {
  if (error instanceof RunFailed) return STEP_FAILED[error.step];
  return error instanceof Error && "code" in error && OF_USAGE.has(String(error.code)) ? WRONG_USAGE : null;
}
