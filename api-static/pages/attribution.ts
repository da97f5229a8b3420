/** Rows of reported affiliations and countries. */

import type { CountryRow, InstitutionRow } from "../../schemas/public/api/attribution.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { getNumbersBesideMean, readBucketMeans, readDistribution, readMean, readTotals } from "./numbers.ts";
import type { CountryData, InstitutionData } from "./rows.ts";

export function institutionRow(row: InstitutionData): InstitutionRow {
  return {
    id: row.id,
    label: row.label,
    countryCode: row.country_code,
    authorCount: row.author_count,
    ...buildAggregate(row),
  };
}

export function countryRow(row: CountryData, name: string): CountryRow {
  return { countryCode: row.country_code, name, institutionCount: row.institution_count, ...buildAggregate(row) };
}

function buildAggregate(row: InstitutionData | CountryData) {
  return {
    recordCount: row.record_count,
    scoredCount: row.scored_count,
    meanScore: readMean(row.mean_score),
    ...getNumbersBesideMean(row),
    bucketMeans: readBucketMeans(row),
    scoreDistribution: readDistribution(row),
    totalDistribution: readTotals(row),
  };
}

/**
 * Returns a sentence that says how many records have a country, and from which of their metadata it comes. `number` formats
 * a count.
 */
export function attributionText(attribution: Receipt["attribution"], number: (count: number) => string): string {
  if (attribution === null) return "left out";
  const { attributed, records, byBasis, withoutAffiliation, withoutCountry } = attribution;
  const all = `${number(attributed)} of ${number(records)} ${records === 1 ? "record has" : "records have"} a country`;
  if (byBasis === undefined || withoutAffiliation === undefined || withoutCountry === undefined) return all;
  const { ror, field, text, region } = byBasis;
  return (
    `${all}: ${number(ror)} by a ROR id, ${number(field)} by a field for it, ${number(text)} by the reported text, ` +
    `${number(region)} by a state or province in it; ${number(withoutAffiliation)} without an affiliation, ` +
    `${number(withoutCountry)} without one that names its country`
  );
}
