/** What can go wrong between us and DuckDB. */

import { basename, dirname } from "node:path";

function nameOf(file: URL): string {
  return `${basename(dirname(file.pathname))}/${basename(file.pathname)}`;
}

/** A statement of one of our SQL files failed. */
export class SqlError extends Error {
  readonly code = "ERR_SQL";
  constructor(file: URL, message: string, options?: ErrorOptions) {
    super(`${nameOf(file)}: ${message}`, options);
    this.name = "SqlError";
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
