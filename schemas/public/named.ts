/** Public names of schemas, which generated clients use as type names. */

import { z } from "zod";

export const NAMES = z.registry<{ id: string }>();

const usedNames = new Set<string>();

/**
 * Gives a schema its public name.
 * @throws Error if another schema has the name
 */
export function named<T extends z.ZodType>(name: string, schema: T): T {
  if (usedNames.has(name)) throw new Error(`two schemas are named ${name}`);
  usedNames.add(name);
  NAMES.add(schema, { id: name });
  return schema;
}
