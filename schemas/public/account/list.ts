/** The envelope of lists under /account: like that of every list, but of no release. */

import { z } from "zod";
import { pagination } from "../api/common.ts";
import { authorListQuery } from "../api/queries.ts";

/** Page and limit alone: these lists have one order, the newest first. */
export const accountListQuery = z.object({ page: authorListQuery.shape.page, limit: authorListQuery.shape.limit });
export type AccountListQuery = z.infer<typeof accountListQuery>;

export function accountListOf<T extends z.ZodType>(row: T) {
  return z
    .object({ data: z.array(row).describe("The rows of the page, the newest first."), pagination })
    .describe("A page of a list, and where it stands in it.");
}

/** The answer to a DELETE. */
export const deleted = z.object({ deleted: z.literal(true) }).describe("It is gone.");
