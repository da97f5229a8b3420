/** What the objects of the read API have in common (interface.md; decisions.md, "Rows"). */

import { z } from "zod";
import { scoreRelease } from "../release.ts";
import { BUCKETS } from "../signal.ts";

export const percentage = z.number().min(0).max(100);
export const points = z.int().min(0).max(20);
export const count = z.int().min(0);

export const SCORE_RANGES = [
  "0-9",
  "10-19",
  "20-29",
  "30-39",
  "40-49",
  "50-59",
  "60-69",
  "70-79",
  "80-89",
  "90-99",
  "100",
] as const;

/** Scored records by the 11 ranges of total. */
export const scoreDistribution = z.object(
  Object.fromEntries(SCORE_RANGES.map((label) => [label, count])) as Record<
    (typeof SCORE_RANGES)[number],
    typeof count
  >,
);

/** Mean points of each bucket, two decimals; null where nothing is scored. */
export const bucketMeans = z.object(
  Object.fromEntries(BUCKETS.map((id) => [id, z.number().min(0).max(20).nullable()])) as Record<
    (typeof BUCKETS)[number],
    z.ZodNullable<z.ZodNumber>
  >,
);

export const pagination = z.object({
  total: count,
  page: z.int().min(1).max(10_000),
  limit: z.int().min(1).max(250),
  totalPages: count,
  hasNext: z.boolean(),
  hasPrev: z.boolean(),
});
export type Pagination = z.infer<typeof pagination>;

export const meta = z.object({ scoreRelease });

/** The envelope of every paginated list. */
export function listOf<T extends z.ZodType>(row: T) {
  return z.object({ data: z.array(row), pagination, _meta: meta });
}
