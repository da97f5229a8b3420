/** Reported-affiliation and country aggregates as the API shows them. */

import iso from "i18n-iso-countries";
import { z } from "zod";
import { bucketMeans, count, listOf, percentage, scoreDistribution } from "./common.ts";

/** ISO 3166-1 alpha-3. */
export const countryCode = z.string().regex(/^[A-Z]{3}$/);

/** A code as a client may write it, in any case; one that ISO 3166 has not assigned is no country. */
export const assignedCountryCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/, "must be three letters, an ISO 3166-1 alpha-3 code")
  .transform((code) => code.toUpperCase())
  .pipe(countryCode.refine((code) => Object.hasOwn(iso.getAlpha3Codes(), code), "is not an assigned ISO 3166-1 code"));

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
