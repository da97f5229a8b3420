/** A receipt's attribution to countries in one line. */

import type { Receipt } from "../../schemas/public/release.ts";

/** `number` shows a count. */
export function attributionText(attribution: Receipt["attribution"], number: (count: number) => string): string {
  if (attribution === null) return "left out";
  const { attributed, records, byBasis, withoutAffiliation, withoutCountry } = attribution;
  const all = `${number(attributed)} of ${number(records)} records have a country`;
  if (byBasis === undefined || withoutAffiliation === undefined || withoutCountry === undefined) return all;
  const { ror, field, text, region } = byBasis;
  return (
    `${all}: ${number(ror)} by a ROR id, ${number(field)} by a field for it, ${number(text)} by the reported text, ` +
    `${number(region)} by a state or province in it; ${number(withoutAffiliation)} report no affiliation, ` +
    `${number(withoutCountry)} none that tells its country`
  );
}
