/** Builds and reads SQL texts that every engine understands. */

import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { ColumnType } from "../../schemas/public/record-columns.ts";
import { sqlType } from "../../schemas/public/tables.ts";
import type { RowsTable, RowsTableRow } from "./open.ts";

/** Returns a path or text as an SQL literal in quotes. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Reads a SQL file and inserts the values of its variables. A missing variable is an error here, because the engine
 * would silently use null.
 *
 * @throws SqlError
 */
export async function readSql(file: URL, variables: Readonly<Record<string, string | number>> = {}): Promise<string> {
  const text = await readFile(file, "utf8");
  return text.replaceAll(/getvariable\('(\w+)'\)/g, (_, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined)
      throw new SqlError(file, `the program did not set the variable ${name} of this file; report this`);
    return typeof value === "number" ? String(value) : quote(value);
  });
}

/**
 * Matches one piece of SQL. A text, a quoted name or a comment is one piece, because a semicolon in it does not end a
 * statement.
 */
const WHOLE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|;|[^'"\-;]+|-/g;

/** Splits a text into statements. The semicolons between them are removed. */
export function splitStatements(sql: string): string[] {
  const statements = [""];
  for (const [piece] of sql.matchAll(WHOLE)) {
    if (piece === ";") statements.push("");
    else if (!piece.startsWith("--")) statements.push(`${statements.pop() ?? ""}${piece}`);
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}

/** Returns a `create table` statement that contains the rows. */
export function fillSql({ name, columns }: RowsTable, rows: readonly RowsTableRow[]): string {
  const typed = Object.entries(columns);
  if (rows.length === 0) {
    return `create table ${name} (${typed.map(([column, type]) => `"${column}" ${sharedType(type)}`).join(", ")})`;
  }
  const names = typed.map(([column]) => `"${column}"`).join(", ");
  const values = rows.map((row) => `(${typed.map(([column]) => literal(row[column] ?? null)).join(", ")})`);
  const select = typed.map(([column, type]) => `cast("${column}" as ${sharedType(type)}) as "${column}"`).join(", ");
  return `create table ${name} as select ${select} from (values ${values.join(", ")}) as given(${names})`;
}

/** Returns the SQL name of a column type that every engine understands. */
export function sharedType(type: ColumnType): string {
  return type === "text" ? "string" : sqlType(type);
}

function literal(value: RowsTableRow[string]): string {
  return typeof value === "string" ? quote(value) : String(value);
}

function getSqlName(file: URL): string {
  return `${basename(dirname(file.pathname))}/${basename(file.pathname)}`;
}

/**
 * Advice for errors about missing memory. DuckDB's own advice mentions settings that users of this program cannot
 * change.
 */
const OUT_OF_MEMORY =
  "\nUse more memory with --memory, such as --memory 2GB. A build resumes at its last finished stage.";

export function isOutOfMemory(error: unknown): boolean {
  // Checks only the beginning, because the rest may quote texts of records.
  return error instanceof Error && (error.message.startsWith("Out of Memory Error") || isOutOfMemory(error.cause));
}

export function addAdvice(cause: unknown): unknown {
  return cause instanceof Error && isOutOfMemory(cause) ? new Error(withAdvice(cause.message), { cause }) : cause;
}

function withAdvice(message: string): string {
  return /out of memory/i.test(message) ? `${message}${OUT_OF_MEMORY}` : message;
}

/** The error if a statement in a SQL file of this program failed. */
export class SqlError extends Error {
  readonly code = "ERR_SQL";
  constructor(file: URL, message: string, options?: ErrorOptions) {
    super(`${getSqlName(file)}: ${withAdvice(message)}`, options);
    this.name = "SqlError";
  }
}

/** The error if a table could not be written. */
export class OutputError extends Error {
  readonly code = "ERR_OUTPUT";
  constructor(table: string, message: string, options?: ErrorOptions) {
    super(`the table ${table} could not be written: ${withAdvice(message)}`, options);
    this.name = "OutputError";
  }
}

/** The error if a check found rows that break a rule. It stops the build. */
export class CheckError extends Error {
  readonly code = "ERR_CHECK";
  readonly rows: readonly unknown[];
  constructor(file: URL, rows: readonly unknown[]) {
    super(`${getSqlName(file)}: ${rows.length} or more rows break a rule, the first: ${JSON.stringify(rows[0])}`);
    this.name = "CheckError";
    this.rows = rows;
  }
}
