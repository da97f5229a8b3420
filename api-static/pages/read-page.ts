/** Reads a page by the schema of its answer. An earlier version may have rendered it, which knew fewer members. */

import { z } from "zod";

/**
 * The page; a member that it lacks is null, or an empty list if the schema wants a list.
 * @throws ZodError if the page differs from the schema in any other way
 */
export function readPage<Schema extends z.ZodType>(schema: Schema, page: unknown): z.infer<Schema> {
  const read = schema.safeParse(page);
  if (read.success) return read.data;
  const filled = structuredClone(page);
  const lacking = read.error.issues.filter(({ path }) => fill(filled, path, undefined, null));
  const again = schema.safeParse(filled);
  if (again.success) return again.data;
  const isLacking = ({ path }: z.core.$ZodIssue) => lacking.some((issue) => issue.path.join() === path.join());
  for (const issue of again.error.issues)
    if (issue.code === "invalid_type" && issue.expected === "array" && isLacking(issue))
      fill(filled, issue.path, null, []);
  const last = schema.safeParse(filled);
  if (!last.success) throw read.error;
  return last.data;
}

/** The same, null for a value that is not such a page. */
export function readPageOrNull<Schema extends z.ZodType>(schema: Schema, page: unknown): z.infer<Schema> | null {
  try {
    return readPage(schema, page);
  } catch (error) {
    if (error instanceof z.ZodError) return null;
    throw error;
  }
}

/** Puts a value where there is another one at a path; whether there was. */
function fill(value: unknown, [name, ...rest]: readonly PropertyKey[], before: unknown, after: unknown): boolean {
  if (typeof value !== "object" || value === null || name === undefined) return false;
  const held: unknown = Reflect.get(value, name);
  if (rest.length > 0) return fill(held, rest, before, after);
  return held === before && Reflect.set(value, name, after);
}

/** A page: its text, or the pieces of it in order, of which some are UTF-8 already. */
export type Page = string | readonly (string | Uint8Array)[];

/** The text of a JSON page. */
export function pageText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The bytes of a page, in one piece. */
export function pageBytes(page: Page): Buffer {
  if (typeof page === "string") return Buffer.from(page);
  return Buffer.concat(page.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
}
