/** Zenodo keywords, subjects, contributors, places, dates, texts and venue as evidence. */

import type { Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf } from "../../reading/dates.ts";
import { contributorCounts } from "../../reading/people.ts";
import { asText, at, firstText, type Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/terms.ts";
import { textLength } from "../../reading/text-length.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** `recent`: the answer has the shape since 2019, which has room for places and dates. */
export function textEvidence(
  reader: Reader,
  creators: readonly Creator[],
  recent: boolean,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  return {
    ...terms(reader, vocabularies),
    ...contributors(reader, creators, vocabularies),
    place_count: recent || reader.has("locations") ? places(reader) : null,
    coverage_date_count: recent || reader.has("dates") ? coverage(reader, vocabularies) : null,
    description_length: textLength(reader.text("description", ["description_length"]), vocabularies),
    methods_length: textLength(reader.text("method", ["methods_length"]), vocabularies),
    venue_stated: venue(reader),
  };
}

function terms(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const keywords = reader.list("keywords", ["keyword_count"]);
  const subjects = reader.list("subjects", ["keyword_count", "subject_count"]);
  const schemed = (subjects ?? []).map((subject) =>
    firstText(at(subject, "term"), at(subject, "subject"), at(subject, "identifier")),
  );
  const free = (keywords ?? []).map(asText);
  return {
    keyword_count: keywords === null && subjects === null ? null : countTerms([...free, ...schemed], vocabularies),
    subject_count: subjects === null ? null : countTerms(schemed, vocabularies),
  };
}

function contributors(reader: Reader, creators: readonly Creator[], vocabularies: Vocabularies): Partial<Evidence> {
  const stated = reader
    .list("contributors", ["contributor_count", "contributor_role_count"])
    ?.map((entry) => ({ name: asText(at(entry, "name")), role: asText(at(entry, "type")) }));
  return stated === undefined ? {} : contributorCounts(stated, creators, vocabularies);
}

function places(reader: Reader): number | null {
  const list = reader.list("locations", ["place_count"]);
  return (
    list?.filter((entry) => firstText(at(entry, "place"), at(entry, "lat"), at(entry, "lon")) !== null).length ?? null
  );
}

function coverage(reader: Reader, vocabularies: Vocabularies): number | null {
  const list = reader.list("dates", ["coverage_date_count"]);
  if (list === null) return null;
  const stated = list.filter((entry) => vocabularies.dateTypes.isCoverage(asText(at(entry, "type")) ?? ""));
  const read = stated.filter(
    (entry) => dateOf(firstText(at(entry, "start"), at(entry, "end"), at(entry, "date"))) !== null,
  );
  if (read.length < stated.length) reader.fail(["coverage_date_count"]);
  return read.length;
}

/** How the form of a deposit calls the same. */
const TITLES_OF_DEPOSITS = ["journal_title", "conference_title", "imprint_publisher", "partof_title"];

/** A journal, a meeting or an imprint, by its title. */
function venue(reader: Reader): boolean {
  const titles = [
    ["journal", "title"],
    ["meeting", "title"],
    ["imprint", "publisher"],
    ["part_of", "title"],
  ] as const;
  const stated = [
    ...titles.map(([key, title]) => at(reader.raw(key), title)),
    ...TITLES_OF_DEPOSITS.map((key) => reader.raw(key)),
  ];
  return firstText(...stated) !== null;
}
