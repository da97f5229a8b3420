/** Shapes of what belongs to one person, each with its public name and an example, made of what releases show. */

import { z } from "zod";
import type { Evaluation } from "../api/evaluation.ts";
import type { RecordRow } from "../api/record.ts";
import type { ResearcherRow } from "../api/researcher.ts";
import { named } from "../named.ts";

/** A record and a researcher as a release lists them, and an evaluation: those of the API's other examples. */
export interface ExampleParts {
  readonly record: RecordRow;
  readonly researcher: ResearcherRow;
  readonly evaluation: Evaluation;
}

/** Two moments of the examples: something began, and went on later. */
export const EXAMPLE_MOMENTS = { begun: "2026-11-02T12:00:00.000Z", later: "2026-11-02T12:06:40.000Z" } as const;

const EXAMPLES = z.registry<{ example: (parts: ExampleParts) => z.$input }>();

/** A schema with its public name and an example of it. */
export function shape<T extends z.ZodType>(name: string, schema: T, example: (parts: ExampleParts) => z.input<T>): T {
  EXAMPLES.add<z.ZodType>(schema, { example });
  return named(name, schema);
}

/** Whether a schema was given an example. */
export function isShape(schema: z.ZodType): boolean {
  return EXAMPLES.has(schema);
}

/**
 * The example of a shape.
 * @throws Error for a schema that is no shape
 */
export function exampleOfShape<T extends z.ZodType>(schema: T, parts: ExampleParts): z.input<T> {
  const found = EXAMPLES.get(schema);
  if (found === undefined) throw new Error(`no example was given with the schema "${schema.description}"`);
  return found.example(parts);
}
