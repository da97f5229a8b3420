/** The places and times at which samples of a study were taken, by the attributes of BioSample. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf } from "../../reading/dates.ts";
import { at, type Json, oneOrMany } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { xmlTextOf } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** Names of attributes, letters and digits alone: `geo_loc_name`, `geographic location (country and/or sea)`. */
const PLACE = /^(?:geolocname|latlon|geographiclocation(?:countryandorsea|regionandlocality)?)$/;
const DATE = /^collection(?:date|timestamp)$/;

/** What INSDC prescribes where a value cannot be given (insdc.org, "Missing value reporting"). */
const MISSING = /^(?:missing|not (?:applicable|collected|provided)|restricted access)\b/i;

/** BioSample also takes days and months by their English name: 30-Oct-1990. */
const NAMED_MONTH = /^(?:\d{1,2}-)?[A-Z][a-z]{2}-\d{4}(?:$|\/)/;

/** Distinct values of attributes, and how many are remembered: what counts is whether there are any. */
export interface SamplingValues {
  readonly places: ReadonlySet<string>;
  readonly dates: ReadonlySet<string>;
}
const REMEMBERED = 10_000;

/** The values that samples add to those of others of the same study. */
export function samplingValues(samples: readonly Json[], before: SamplingValues | null): SamplingValues {
  const attributes = samples.flatMap((sample) => oneOrMany(at(sample, "SAMPLE_ATTRIBUTES", "SAMPLE_ATTRIBUTE")));
  const valuesOf = (name: RegExp) =>
    attributes
      .filter((attribute) => name.test((xmlTextOf(at(attribute, "TAG")) ?? "").toLowerCase().replace(/[^a-z0-9]/g, "")))
      .map((attribute) => xmlTextOf(at(attribute, "VALUE")))
      .filter((value) => value !== null && !MISSING.test(value));
  const dates = valuesOf(DATE).filter((value) => dateOf(value) !== null || NAMED_MONTH.test(value ?? ""));
  return { places: joined(before?.places, valuesOf(PLACE)), dates: joined(before?.dates, dates) };
}

function joined(before: ReadonlySet<string> | undefined, values: readonly (string | null)[]): ReadonlySet<string> {
  const added = values.filter((value) => value !== null && before?.has(value) !== true);
  if (before !== undefined && (added.length === 0 || before.size >= REMEMBERED)) return before;
  return new Set([...(before ?? []), ...added.filter((value) => value !== null)]);
}

/** Null where no payload has samples; summaries name them without their attributes. */
export function sampleEvidence(values: SamplingValues | null, vocabularies: Vocabularies): Partial<Evidence> {
  if (values === null) return {};
  return {
    place_count: countTerms([...values.places], vocabularies),
    coverage_date_count: countTerms([...values.dates], vocabularies),
  };
}
