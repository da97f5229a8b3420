/** Dryad's keywords, field of science, places, periods, texts and statement on human subjects as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf } from "../../reading/dates.ts";
import { asText, at, firstText, type Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/terms.ts";
import { textLength } from "../../reading/text-length.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { DryadAnswer } from "./answer.ts";

export function textEvidence(reader: Reader, answer: DryadAnswer, vocabularies: Vocabularies): Partial<Evidence> {
  const methods = reader.text("methods", ["methods_length"]);
  return {
    ...terms(reader, answer, vocabularies),
    place_count: places(reader, vocabularies),
    coverage_date_count: periods(reader, answer, vocabularies),
    ethics_length: ethics(reader, answer, vocabularies),
    description_length: description(reader, vocabularies),
    methods_length: textLength(methods, vocabularies),
  };
}

/** Keywords are free; the field of science is a term of the OECD's classification. */
function terms(reader: Reader, { hasSubjects }: DryadAnswer, vocabularies: Vocabularies): Partial<Evidence> {
  const keywords = reader.list("keywords", ["keyword_count"]);
  const field = reader.text("fieldOfScience", ["subject_count"]);
  const subjects = countTerms([field], vocabularies);
  const all = countTerms([...(keywords ?? []).map(asText), field], vocabularies);
  return {
    keyword_count: keywords === null ? all || null : all,
    subject_count: field === null ? null : subjects || (hasSubjects ? 0 : null),
  };
}

/** Place names, points and boxes, each one place. */
function places(reader: Reader, { placeholders }: Vocabularies): number | null {
  const locations = reader.list("locations", ["place_count"]);
  if (locations === null) return null;
  return locations.flatMap((location) => {
    const name = asText(at(location, "place"));
    const point = firstText(at(location, "point", "latitude"), at(location, "point", "longitude"));
    const box = firstText(at(location, "box", "swLatitude"), at(location, "box", "neLatitude"));
    return [name !== null && placeholders.isPlaceholder(name, "any") ? null : name, point, box].filter(
      (stated) => stated !== null,
    );
  }).length;
}

/** Periods in the depositor's words; one written as a date has to be one. */
function periods(reader: Reader, { hasSubjects }: DryadAnswer, { placeholders }: Vocabularies): number | null {
  const stated = reader.list("temporalCoverages", ["coverage_date_count"]);
  if (stated === null) return null;
  const words = stated.map(asText).filter((text) => text !== null && !placeholders.isPlaceholder(text, "any"));
  const read = words.filter((text) => !/^\d{4}-/.test(text ?? "") || dateOf(text) !== null);
  if (read.length < words.length) reader.fail(["coverage_date_count"]);
  return read.length || (hasSubjects ? 0 : null);
}

/** For a time Dryad answered the usage notes in place of the statement: that is none. */
function ethics(reader: Reader, { hasSubjects }: DryadAnswer, vocabularies: Vocabularies): number | null {
  if (reader.raw("hsiStatement") === true) return 1;
  if (reader.raw("hsiStatement") === false) return 0;
  const statement = reader.text("hsiStatement", ["ethics_length"]);
  if (statement === null || (statement === "" && !hasSubjects)) return null;
  if (statement !== "" && statement === asText(reader.raw("usageNotes"))) return null;
  return textLength(statement, vocabularies);
}

/** The longer of abstract and usage notes, which Dryad registers with DataCite as another description. */
function description(reader: Reader, vocabularies: Vocabularies): number | null {
  const lengths = ["abstract", "usageNotes"].map((key) =>
    textLength(reader.text(key, ["description_length"]), vocabularies),
  );
  return lengths.includes(null)
    ? Math.max(...lengths.map((length) => length ?? 0)) || null
    : Math.max(...lengths.map(Number));
}
