/** Gives schemas public names. Generated clients use them as names of types. */

import { z } from "zod";

export const NAMES = z.registry<{ id: string }>();

const usedNames = new Set<string>();

/**
 * Gives a schema its public name.
 * @throws Error if another schema already has this name
 */
export function named<T extends z.ZodType>(name: string, schema: T): T {
  if (usedNames.has(name)) throw new Error(`two schemas have the public name ${name}; give one of them another name`);
  usedNames.add(name);
  NAMES.add(schema, { id: name });
  return schema;
}
