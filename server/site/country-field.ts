/** The field for a country in forms. Users may type a name, such as "Norway", but the API accepts only codes. */

import { nearest } from "../../pipeline/reading/identifiers.ts";
import type { Countries } from "../../pipeline/vocabularies/countries.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { FieldErrors } from "../../web/components/forms.ts";
import type { QueryFields } from "../../web/components/navigation.ts";

/** Returns the fields with a country code, such as `NOR`, in place of a name in `countryCode`. */
export function withCountryCode<F extends QueryFields>(fields: F): F {
  const { countries } = loadVocabularies();
  const code = countries.ofStatement(fields.countryCode ?? "");
  return code === null ? fields : { ...fields, countryCode: code };
}

/** Returns the errors of a form, with a better error for the country: it says that names are accepted, and may suggest one. */
export function withCountryError(errors: FieldErrors, { countryCode = "" }: QueryFields): FieldErrors {
  if (!errors.has("countryCode")) return errors;
  const { countries } = loadVocabularies();
  return new Map([...errors, ["countryCode", countryError(countryCode, countries)]]);
}

/** Longest text for which a country is suggested, in characters. Comparing longer texts takes too much time. */
const MAX_COUNTRY_LENGTH = 60;

/** Returns the error for a text that is not a country. It mentions names and codes, because the form accepts both. */
function countryError(text: string, { names }: Countries): string {
  const meant = text.length > MAX_COUNTRY_LENGTH ? null : nearest(text, names, text.length / 3);
  return `must be the name of a country or its three letters${meant === null ? "" : `, perhaps ${meant}`}`;
}
