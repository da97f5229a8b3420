/** A list as CSV (RFC 4180, UTF-8, with a header line): the rows of its JSON, members of members named by their path. */

import { writeToBuffer } from "fast-csv";
import type { z } from "zod";
import { rowMembers } from "../../../schemas/public/api/row-members.ts";
import { FORMULA } from "../../../schemas/public/formula.ts";
import type { Fields } from "./fields.ts";

/** Columns of a list's answer in the order of its rows; `fields` where not all are asked for. */
export function csvColumns(answer: z.ZodType | null, fields: Fields | null = null): string[] {
  const columns = rowMembers(answer).flatMap(({ path, leaf }) => (leaf ? [path] : []));
  return fields === null ? columns : columns.filter((path) => fields.has(path));
}

/** Null is an empty field. The header line is there even where no row is. */
export function csvBody(columns: readonly string[], rows: readonly object[]): Promise<Buffer> {
  const lines = rows.map((row) => columns.map((column) => fieldOf(valueAt(row, column))));
  return writeToBuffer([[...columns], ...lines], { rowDelimiter: "\r\n", includeEndRowDelimiter: true });
}

function valueAt(row: object, column: string): unknown {
  return column.split(".").reduce<unknown>((at, name) => (isObject(at) ? at[name] : null), row);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

const RUNS = new RegExp(FORMULA, "u");

/** A text that a spreadsheet would run gets an apostrophe before it, which spreadsheets do not show. */
function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" && RUNS.test(value) ? `'${value}` : String(value);
}
