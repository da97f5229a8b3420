/** Parts that several API objects share (interface.md; decisions.md, "Rows"). */

import { z } from "zod";
import { named } from "../named.ts";
import { scoreRelease } from "../release.ts";
import { ATTAINABLE_TOTALS, BUCKETS, SCORE_RANGES } from "../signal.ts";

export const percentage = z.number().min(0).max(100);
/** A total or possible points (cap): an integer in JSON, Parquet and Arrow. */
export const total = z.int().min(0).max(100);
export const points = z.int().min(0).max(20);
export const count = z.int().min(0);

export const scoreDistribution = named(
  "ScoreDistribution",
  z
    .object(
      Object.fromEntries(SCORE_RANGES.map((label) => [label, count])) as Record<
        (typeof SCORE_RANGES)[number],
        typeof count
      >,
    )
    .describe("Number of scored records in each of eleven ranges of the total."),
);

export const totalDistribution = named(
  "TotalDistribution",
  z
    .object(Object.fromEntries(ATTAINABLE_TOTALS.map((total) => [total, count])))
    .describe("Number of scored records with each possible total."),
);

/** The numbers that accompany every mean total, because nobody can judge a mean without them. */
export const besideMeans = {
  meanCap: percentage
    .nullable()
    .describe("Mean cap of these records: the highest mean that they could reach at their sources."),
  passedOfEvaluable: percentage
    .nullable()
    .describe("Passed signals as a percentage of evaluable signals, summed over all records."),
};

export const bucketMeans = named(
  "BucketMeans",
  z
    .object(
      Object.fromEntries(BUCKETS.map((id) => [id, z.number().min(0).max(20).nullable()])) as Record<
        (typeof BUCKETS)[number],
        z.ZodNullable<z.ZodNumber>
      >,
    )
    .describe("Mean points of each bucket, two decimals; null without a scored record."),
);

export const pagination = named(
  "Pagination",
  z
    .object({
      total: count.describe("Rows of the whole list."),
      page: z.int().min(1).max(10_000),
      limit: z.int().min(1).max(250).describe("Most rows of a page."),
      totalPages: count,
      hasNext: z.boolean(),
      hasPrev: z.boolean(),
    })
    .describe("The position of a page in its list."),
);
export type Pagination = z.infer<typeof pagination>;

/** The pagination of a list with filters. With a cursor, the number of pages has no limit. */
export const listPagination = named(
  "ListPagination",
  pagination
    .extend({
      page: z.int().min(1),
      nextCursor: z
        .string()
        .nullable()
        .optional()
        .describe("The `cursor` of the next rows; null after the last. Absent if the request had no `cursor`."),
    })
    .describe("The position of a page in its list."),
);

export const meta = named("Meta", z.object({ scoreRelease }).describe("The release behind the response."));

const LIST_WORDS = "A page of a list, its position, and its release.";

/** The envelope of every paginated list. */
export function defineList<T extends z.ZodType>(row: T) {
  return z
    .object({ data: z.array(row).describe("The rows of the page."), pagination, _meta: meta })
    .describe(LIST_WORDS);
}

/**
 * The envelope of lists that are queried. Pre-rendered pages lack its additional fields, because the release digest covers
 * these pages.
 */
export function defineQueriedList<T extends z.ZodType>(row: T) {
  return defineList(row).extend({ pagination: listPagination }).describe(LIST_WORDS);
}
