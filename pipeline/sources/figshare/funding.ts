/** Figshare's funding as evidence: a list since 2018, one line of text before. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { countDistinct } from "../../reading/distinct.ts";
import { asText, at, firstText, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

export function fundingEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const list = reader.list("funding_list", ["funder_count", "award_count"]);
  if (list === null || list.length === 0) {
    const line = countDistinct([asText(reader.raw("funding"))], vocabularies);
    // The line may name a funder, a grant or both: that there is none of one of them is not said.
    if (line > 0) return { funder_count: line };
    return list === null ? {} : { funder_count: 0, award_count: 0 };
  }
  // Funding entered by hand has its funder in the title.
  const funders = list.map((entry) => firstText(at(entry, "funder_name"), at(entry, "title")));
  return {
    funder_count: countDistinct(funders, vocabularies),
    award_count: countDistinct(
      list.map((entry) => asText(at(entry, "grant_code"))),
      vocabularies,
    ),
  };
}
