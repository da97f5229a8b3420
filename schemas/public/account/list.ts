/** The envelope of lists under /account. These lists do not belong to a release. */

import { z } from "zod";
import { pagination } from "../api/common.ts";
import { authorListQuery } from "../api/queries.ts";
import { exampleOfShape, shape } from "./shape.ts";

/**
 * Query parameters that select a page of such a list. None selects an order, because these lists are always sorted newest
 * first.
 */
export const accountListQuery = z.object({ page: authorListQuery.shape.page, limit: authorListQuery.shape.limit });
export type AccountListQuery = z.infer<typeof accountListQuery>;

const ONE_ROW = { total: 1, page: 1, limit: 10, totalPages: 1, hasNext: false, hasPrev: false };

export function defineAccountList<T extends z.ZodType>(name: string, row: T) {
  return shape(
    name,
    z
      .object({ data: z.array(row).describe("The rows of the page, newest first."), pagination })
      .describe("A page of a list and its position."),
    (parts) => ({ data: [exampleOfShape(row, parts)], pagination: ONE_ROW }),
  );
}

/** The response to a DELETE request. */
export const deleted = shape(
  "Deleted",
  z.object({ deleted: z.literal(true) }).describe("The item was deleted."),
  () => ({
    deleted: true as const,
  }),
);
