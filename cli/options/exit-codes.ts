/** Exit codes of every command (decisions.md, "The command line"). */

export const FAILED = 1;
export const WRONG_USAGE = 2;
export const DONE_WITH_REFUSALS = 3;

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
  return error instanceof UsageError ? WRONG_USAGE : null;
}
