/** Determines the Arrow columns of the rows of a list. Nested JSON objects become structs. */

import { z } from "zod";

/** The Arrow type of a column. `words` means a dictionary with the values that the schema lists. */
export type ArrowKind =
  | { readonly kind: "int32" | "float64" | "bool" | "utf8" }
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "struct"; readonly members: readonly ArrowColumn[] };

export interface ArrowColumn {
  readonly name: string;
  /** Path of the field in a row, with dots between the names, such as `score.total`. */
  readonly path: string;
  readonly nullable: boolean;
  readonly meaning: string;
  readonly of: ArrowKind;
}

/**
 * Returns the Arrow columns of a list, from the schema of its response.
 *
 * @throws Error if a field has an unsupported type
 */
export function arrowColumns(answer: z.ZodType | null): readonly ArrowColumn[] {
  const data = answer instanceof z.ZodObject ? answer.shape.data : null;
  const row = data instanceof z.ZodArray ? data.element : null;
  if (!(row instanceof z.ZodObject)) throw new Error("the response schema of a list has no array called data");
  return listMembers(row, "");
}

function listMembers({ shape }: z.ZodObject, before: string): ArrowColumn[] {
  return Object.entries(shape).map(([name, schema]) => {
    const path = `${before}${name}`;
    const nullable = schema instanceof z.ZodNullable;
    const meaning = schema.description ?? "";
    return { name, path, nullable, meaning, of: chooseKind(nullable ? schema.unwrap() : schema, path) };
  });
}

function chooseKind(schema: z.core.$ZodType, path: string): ArrowKind {
  if (schema instanceof z.ZodObject) return { kind: "struct", members: listMembers(schema, `${path}.`) };
  if (schema instanceof z.ZodNumber) return { kind: schema.format === "safeint" ? "int32" : "float64" };
  if (schema instanceof z.ZodBoolean) return { kind: "bool" };
  if (schema instanceof z.ZodEnum) return { kind: "words", words: schema.options.map(String) };
  if (schema instanceof z.ZodLiteral) return { kind: "words", words: [...schema.values].map(String) };
  if (isText(schema)) return { kind: "utf8" };
  throw new Error(`no Arrow type is defined for the field ${path}; add its schema to arrow-columns.ts`);
}

function isText(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodString || schema instanceof z.ZodStringFormat;
}
