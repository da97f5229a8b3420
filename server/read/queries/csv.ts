/** A list as CSV (RFC 4180, UTF-8, with a header line): the rows of its JSON, members of members named by their path. */

import { writeToBuffer } from "fast-csv";
import { z } from "zod";
import { SCORE_RANGES } from "../../../schemas/public/api/common.ts";
import { FORMULA } from "../../../schemas/public/formula.ts";

/** Columns of a list's answer in the order of its rows: `score.bucketScores.S` is a member of a member of a member. */
export function csvColumns(answer: z.ZodType | null): string[] {
  const data = answer instanceof z.ZodObject ? answer.shape.data : null;
  if (!(data instanceof z.ZodArray)) throw new Error("the answer of a list has no array of rows");
  return pathsIn(data.element);
}

function pathsIn(schema: unknown, path: readonly string[] = []): string[] {
  if (schema instanceof z.ZodNullable) return pathsIn(schema.unwrap(), path);
  if (!(schema instanceof z.ZodObject)) return [path.join(".")];
  return namesIn(schema.shape).flatMap((name) => pathsIn(schema.shape[name], [...path, name]));
}

/** An object has a member named like a whole number (the range `100`) before all others, wherever it was written. */
function namesIn(shape: object): string[] {
  const names = Object.keys(shape);
  return SCORE_RANGES.every((range) => range in shape) ? [...SCORE_RANGES] : names;
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
