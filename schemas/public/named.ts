/** Public names of schemas. They are part of the interface: generated clients call their types by them. */

import { z } from "zod";

export const NAMES = z.registry<{ id: string }>();

const given = new Set<string>();

/**
 * A schema that the API's description refers to by a name, which is given where the schema is defined.
 * @throws Error where another schema has the name
 */
export function named<T extends z.ZodType>(name: string, schema: T): T {
  if (given.has(name)) throw new Error(`two schemas are named ${name}`);
  given.add(name);
  NAMES.add(schema, { id: name });
  return schema;
}
