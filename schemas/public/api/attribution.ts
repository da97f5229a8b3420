/** Institutions and countries as the API shows them, computed from the affiliations of creators. */

import iso from "i18n-iso-countries/index.js";
import { z } from "zod";
import { named } from "../named.ts";
import {
  besideMeans,
  bucketMeans,
  count,
  defineList,
  defineQueriedList,
  percentage,
  scoreDistribution,
  totalDistribution,
} from "./common.ts";

/** A country code (ISO 3166-1 alpha-3). */
export const countryCode = z.string().regex(/^[A-Z]{3}$/);

/** A country code in a request, in upper or lower case. It must be assigned in ISO 3166. */
export const assignedCountryCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/, "must be three letters, an ISO 3166-1 alpha-3 code such as NOR")
  .transform((code) => code.toUpperCase())
  .pipe(
    countryCode.refine(
      (code) => Object.hasOwn(iso.getAlpha3Codes(), code),
      "is not an assigned ISO 3166-1 alpha-3 code; use one such as NOR",
    ),
  );

const aggregate = {
  recordCount: count.describe("Records attributed to it. A record can count in several rows, once in each."),
  scoredCount: count.describe("Scored records; the means are over these."),
  meanScore: percentage.nullable().describe("Mean total of the scored records."),
  ...besideMeans,
  bucketMeans,
  scoreDistribution,
  totalDistribution,
};

export const institutionRow = named(
  "InstitutionRow",
  z
    .object({
      id: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .describe("SHA-256 of the exact raw affiliation text."),
      label: z.string().describe("The text, cleaned for display."),
      countryCode: countryCode.nullable().describe("The country in the text or of its ROR id; null if unknown."),
      authorCount: count.describe("Researchers who reported it."),
      ...aggregate,
    })
    .describe("One affiliation as reported. It is not an organisation of a registry and has no S-Index."),
);
export type InstitutionRow = z.infer<typeof institutionRow>;
export const institutionList = defineList(institutionRow);
export const queriedInstitutionList = named("InstitutionList", defineQueriedList(institutionRow));

export const countryRow = named(
  "CountryRow",
  z
    .object({
      countryCode: countryCode.describe("ISO 3166-1 alpha-3."),
      name: z.string().describe("Short English name."),
      institutionCount: count.describe("Reported affiliations in it."),
      ...aggregate,
    })
    .describe("One country, by reported affiliations."),
);
export type CountryRow = z.infer<typeof countryRow>;
export const countryList = defineList(countryRow);
export const queriedCountryList = named("CountryList", defineQueriedList(countryRow));
