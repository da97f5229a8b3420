/** The parts that objects of the read API have in common (interface.md; decisions.md, "Rows"). */

import { z } from "zod";
import { named } from "../named.ts";
import { scoreRelease } from "../release.ts";
import { BUCKETS } from "../signal.ts";

export const percentage = z.number().min(0).max(100);
/** A total, or the cap of one: a whole number, in JSON as in Parquet and Arrow. */
export const total = z.int().min(0).max(100);
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

export const scoreDistribution = named(
  "ScoreDistribution",
  z
    .object(
      Object.fromEntries(SCORE_RANGES.map((label) => [label, count])) as Record<
        (typeof SCORE_RANGES)[number],
        typeof count
      >,
    )
    .describe("Scored records by the eleven ranges of the total."),
);

/** Totals that four points a signal can make: 0, 4 … 100. */
export const ATTAINABLE_TOTALS = Array.from({ length: 26 }, (_, i) => String(4 * i));

export const totalDistribution = named(
  "TotalDistribution",
  z
    .object(Object.fromEntries(ATTAINABLE_TOTALS.map((total) => [total, count])))
    .describe("Scored records by each total there can be: the eleven ranges hold three of them and two by turns."),
);

/** The figures that a mean of totals is to be read with. */
export const besideMeans = {
  meanCap: percentage
    .nullable()
    .describe(
      "Mean of the highest totals that these records can reach at their sources: what the mean is to be read against.",
    ),
  passedOfEvaluable: percentage
    .nullable()
    .describe(
      "Signals passed of those that could be judged, in percent: the sum of the one over the sum of the other.",
    ),
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
    .describe("Mean points of each bucket, two decimals; null where nothing is scored."),
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
    .describe("The place of a page in its list."),
);
export type Pagination = z.infer<typeof pagination>;

/** The same of a list that a query answers: by a cursor, pages have no greatest number. */
export const listPagination = named(
  "ListPagination",
  pagination
    .extend({
      page: z.int().min(1),
      nextCursor: z
        .string()
        .nullable()
        .optional()
        .describe("The `cursor` of the rows that follow; null after the last. Absent where no `cursor` was given."),
    })
    .describe("The place of a page in its list."),
);

export const meta = named("Meta", z.object({ scoreRelease }).describe("The release an answer was made from."));

const LIST_WORDS = "A page of a list, where it stands in it, and the release it is from.";

/** The envelope of every paginated list. */
export function listOf<T extends z.ZodType>(row: T) {
  return z
    .object({ data: z.array(row).describe("The rows of the page."), pagination, _meta: meta })
    .describe(LIST_WORDS);
}

/** The same where a query answers, with what rendered pages never hold: what they hold is part of the release digest. */
export function queriedListOf<T extends z.ZodType>(row: T) {
  return listOf(row).extend({ pagination: listPagination }).describe(LIST_WORDS);
}
