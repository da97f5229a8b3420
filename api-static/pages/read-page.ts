/** Reads and makes JSON pages. Pages that an earlier version of the program made may have fewer fields. */

import { z } from "zod";
import type { listPagination, Pagination } from "../../schemas/public/api/common.ts";
import type { ScoreRelease } from "../../schemas/public/release.ts";

/**
 * Returns a page that matches the schema. If a field is missing, it becomes null, or an empty list if the schema requires a
 * list.
 * @throws ZodError for any other difference from the schema
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

/** Returns a page that matches the schema, like {@link readPage}, but null if the value is not such a page. */
export function readPageOrNull<Schema extends z.ZodType>(schema: Schema, page: unknown): z.infer<Schema> | null {
  try {
    return readPage(schema, page);
  } catch (error) {
    if (error instanceof z.ZodError) return null;
    throw error;
  }
}

/** Replaces the value at a path by `after` if the value equals `before`. Returns whether it was replaced. */
function fill(value: unknown, [name, ...rest]: readonly PropertyKey[], before: unknown, after: unknown): boolean {
  if (typeof value !== "object" || value === null || name === undefined) return false;
  const fieldValue: unknown = Reflect.get(value, name);
  if (rest.length > 0) return fill(fieldValue, rest, before, after);
  return fieldValue === before && Reflect.set(value, name, after);
}

/** A page as one text, or as a list of its pieces in order. A piece is text or UTF-8 bytes. */
export type PageText = string | readonly (string | Uint8Array)[];

export function pageText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

export function pageBytes(page: PageText): Buffer {
  if (typeof page === "string") return Buffer.from(page);
  return Buffer.concat(page.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
}

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly pagination: z.infer<typeof listPagination>;
  readonly _meta: { readonly scoreRelease: ScoreRelease };
}

/** The position of a page in a list with `total` rows. */
interface PagePlace {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

export function listPage<Row>(data: readonly Row[], at: PagePlace, release: ScoreRelease): ListPage<Row> {
  return {
    data,
    pagination: makePagination(at),
    _meta: {
      scoreRelease: { scoreReleaseVersion: release.scoreReleaseVersion, releaseDigest: release.releaseDigest },
    },
  };
}

/**
 * The position of a response to a request with a cursor. `before` is the number of rows before those of the response.
 * `next` is the cursor for the rows after them; null if there are none.
 */
interface CursorPlace {
  readonly total: number;
  readonly limit: number;
  readonly before: number;
  readonly next: string | null;
}

/** Returns the response to a request with a cursor. `page` in it is the number of the page that contains its first row. */
export function cursorPage<Row>(data: readonly Row[], at: CursorPlace, release: ScoreRelease): ListPage<Row> {
  const { total, limit, before, next } = at;
  const page = Math.floor(before / limit) + 1;
  const pagination = {
    ...makePagination({ total, limit, page }),
    hasNext: next !== null,
    hasPrev: before > 0,
    nextCursor: next,
  };
  return { ...listPage(data, { total, limit, page }, release), pagination };
}

export function makePagination({ total, page, limit }: PagePlace): Pagination {
  const totalPages = Math.ceil(total / limit);
  return { total, page, limit, totalPages, hasNext: page < totalPages, hasPrev: page > 1 };
}
