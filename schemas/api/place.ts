/** Reported-affiliation and country aggregates as the API shows them. */

import { z } from "zod";
import { bucketMeans, count, listOf, percentage, scoreDistribution } from "./common.ts";

/** ISO 3166-1 alpha-3. */
export const countryCode = z.string().regex(/^[A-Z]{3}$/);

const aggregate = {
  recordCount: count,
  scoredCount: count,
  meanScore: percentage.nullable(),
  bucketMeans,
  scoreDistribution,
};

export const institutionRow = z.object({
  /** sha256 of the exact raw affiliation text. */
  id: z.string().regex(/^[0-9a-f]{64}$/),
  label: z.string(),
  countryCode: countryCode.nullable(),
  authorCount: count,
  ...aggregate,
});
export type InstitutionRow = z.infer<typeof institutionRow>;
export const institutionList = listOf(institutionRow);

export const countryRow = z.object({
  countryCode,
  name: z.string(),
  institutionCount: count,
  ...aggregate,
});
export type CountryRow = z.infer<typeof countryRow>;
export const countryList = listOf(countryRow);
