/** The errors that can arise between us and DuckDB. */

import { basename, dirname } from "node:path";

function nameOf(file: URL): string {
  return `${basename(dirname(file.pathname))}/${basename(file.pathname)}`;
}

/** What people can do about it; DuckDB's own advice names settings they cannot reach. */
const OUT_OF_MEMORY = "\nGive the command more with --memory, such as --memory 2GB; what a build made so far is kept.";

/** Whether the engine had too little memory, or too little room to spill: a fault of the machine, and not of what was read. */
export function isOutOfMemory(error: unknown): boolean {
  // By how its own message begins: the texts of a release stand in messages too.
  return error instanceof Error && (error.message.startsWith("Out of Memory Error") || isOutOfMemory(error.cause));
}

/** An error of the engine, with what can be done about it where something can. */
export function advised(cause: unknown): unknown {
  return cause instanceof Error && isOutOfMemory(cause) ? new Error(withAdvice(cause.message), { cause }) : cause;
}

function withAdvice(message: string): string {
  return /out of memory/i.test(message) ? `${message}${OUT_OF_MEMORY}` : message;
}

/** A statement of one of our SQL files failed. */
export class SqlError extends Error {
  readonly code = "ERR_SQL";
  constructor(file: URL, message: string, options?: ErrorOptions) {
    super(`${nameOf(file)}: ${withAdvice(message)}`, options);
    this.name = "SqlError";
  }
}

/** A table could not be written. */
export class OutputError extends Error {
  readonly code = "ERR_OUTPUT";
  constructor(table: string, message: string, options?: ErrorOptions) {
    super(`the table ${table} could not be written: ${withAdvice(message)}`, options);
    this.name = "OutputError";
  }
}

/** A check found rows that break a rule: the run stops with those rows. */
export class CheckError extends Error {
  readonly code = "ERR_CHECK";
  readonly rows: readonly unknown[];
  constructor(file: URL, rows: readonly unknown[]) {
    super(`${nameOf(file)}: ${rows.length} or more rows break a rule, the first: ${JSON.stringify(rows[0])}`);
    this.name = "CheckError";
    this.rows = rows;
  }
}
