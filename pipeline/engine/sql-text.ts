/** Texts of SQL that every engine reads alike. */

import { readFile } from "node:fs/promises";
import type { ColumnType } from "../../schemas/public/column-type.ts";
import { sqlType } from "../../schemas/public/tables.ts";
import type { GivenRow, GivenTable } from "./engine.ts";
import { SqlError } from "./errors.ts";

/** A path or literal as SQL text. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * A file's text with its variables put in. One that is not given would be null, and nobody would notice.
 * @throws SqlError
 */
export async function readSql(file: URL, variables: Readonly<Record<string, string | number>> = {}): Promise<string> {
  const text = await readFile(file, "utf8");
  return text.replaceAll(/getvariable\('(\w+)'\)/g, (_, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) throw new SqlError(file, `the variable ${name} is not set`);
    return typeof value === "number" ? String(value) : quote(value);
  });
}

/** Texts, names in quotes and comments, in which a semicolon ends nothing. */
const WHOLE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|;|[^'"\-;]+|-/g;

/** The statements of a text, without what ends them. */
export function statementsOf(sql: string): string[] {
  const statements = [""];
  for (const [piece] of sql.matchAll(WHOLE)) {
    if (piece === ";") statements.push("");
    else if (!piece.startsWith("--")) statements.push(`${statements.pop() ?? ""}${piece}`);
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}

/** `create table` of rows at hand. */
export function fillSql({ name, columns }: GivenTable, rows: readonly GivenRow[]): string {
  const typed = Object.entries(columns);
  if (rows.length === 0) {
    return `create table ${name} (${typed.map(([column, type]) => `"${column}" ${sharedType(type)}`).join(", ")})`;
  }
  const names = typed.map(([column]) => `"${column}"`).join(", ");
  const values = rows.map((row) => `(${typed.map(([column]) => literal(row[column] ?? null)).join(", ")})`);
  const select = typed.map(([column, type]) => `cast("${column}" as ${sharedType(type)}) as "${column}"`).join(", ");
  return `create table ${name} as select ${select} from (values ${values.join(", ")}) as given(${names})`;
}

/** The name of a column type that every engine understands. */
export function sharedType(type: ColumnType): string {
  return type === "text" ? "string" : sqlType(type);
}

function literal(value: GivenRow[string]): string {
  return typeof value === "string" ? quote(value) : String(value);
}
