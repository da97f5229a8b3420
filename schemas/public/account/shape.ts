/** Gives the schemas of accounts their public names and examples. Examples are made from those of the API. */

import { z } from "zod";
import type { Evaluation } from "../api/evaluation.ts";
import type { RecordRow } from "../api/record.ts";
import type { ResearcherRow } from "../api/researcher.ts";
import { named } from "../named.ts";

/** Examples of the API from which other examples are made. */
export interface ExampleParts {
  readonly record: RecordRow;
  readonly researcher: ResearcherRow;
  readonly evaluation: Evaluation;
}

/** Times in the examples. */
export const EXAMPLE_MOMENTS = { begun: "2026-11-02T12:00:00.000Z", later: "2026-11-02T12:06:40.000Z" } as const;

const EXAMPLES = z.registry<{ example: (parts: ExampleParts) => z.$input }>();

export function shape<T extends z.ZodType>(name: string, schema: T, example: (parts: ExampleParts) => z.input<T>): T {
  EXAMPLES.add<z.ZodType>(schema, { example });
  return named(name, schema);
}

export function isShape(schema: z.ZodType): boolean {
  return EXAMPLES.has(schema);
}

/**
 * Returns the example of a schema.
 * @throws Error if it has none
 */
export function exampleOfShape<T extends z.ZodType>(schema: T, parts: ExampleParts): z.input<T> {
  const found = EXAMPLES.get(schema);
  if (found === undefined) throw new Error(`the schema "${schema.description}" has no example; define it with shape()`);
  return found.example(parts);
}
