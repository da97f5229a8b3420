/** The errors that can arise between us and DuckDB. */

import { basename, dirname } from "node:path";

function nameOf(file: URL): string {
  return `${basename(dirname(file.pathname))}/${basename(file.pathname)}`;
}

/** What people can do about it; DuckDB's own advice names settings they cannot reach. */
const OUT_OF_MEMORY = "\nGive the build more with --memory, such as --memory 2GB; what was built so far is kept.";

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
