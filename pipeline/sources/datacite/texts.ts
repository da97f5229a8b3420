/** DataCite subjects, contributors, places, dates of coverage, descriptions, version and venue as evidence. */

import type { Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf } from "../../reading/dates.ts";
import { contributorCounts } from "../../reading/people.ts";
import { asList, asObject, asText, at, firstText, type Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/terms.ts";
import { textLength } from "../../reading/text-length.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { cannotState } from "./schema-org.ts";

export function textEvidence(
  reader: Reader,
  creators: readonly Creator[],
  vocabularies: Vocabularies,
): Partial<Evidence> {
  return {
    ...subjects(reader, vocabularies),
    ...contributors(reader, creators, vocabularies),
    place_count: places(reader),
    coverage_date_count: coverage(reader, vocabularies),
    ...descriptions(reader, vocabularies),
    venue_stated: venue(reader, vocabularies),
  };
}

const SCHEME_KEYS = ["subjectScheme", "schemeUri", "valueUri", "classificationCode"] as const;

/** A term from a named scheme: scheme name, scheme URI, value URI or code. */
function isSchemed(subject: unknown): boolean {
  return SCHEME_KEYS.some((key) => asText(at(subject, key)) !== null);
}

function subjects(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const list = reader.list("subjects", ["keyword_count", "subject_count"]);
  if (list === null) return {};
  const term = (subject: unknown) => asText(at(subject, "subject")) ?? asText(subject);
  return {
    keyword_count: countTerms(list.map(term), vocabularies),
    subject_count: countTerms(list.filter(isSchemed).map(term), vocabularies),
  };
}

function contributors(reader: Reader, creators: readonly Creator[], vocabularies: Vocabularies): Partial<Evidence> {
  const stated = reader.list("contributors", ["contributor_count", "contributor_role_count"])?.map((entry) => ({
    name: firstText(at(entry, "name"), at(entry, "familyName")),
    role: asText(at(entry, "contributorType")),
  }));
  return stated === undefined ? {} : contributorCounts(stated, creators, vocabularies);
}

const PLACES = ["geoLocationPlace", "geoLocationPoint", "geoLocationBox", "geoLocationPolygon"];

/** Points, boxes, polygons and place names, each one place; `[{}]` is none. */
function places(reader: Reader): number | null {
  const list = reader.list("geoLocations", ["place_count"]);
  if (list === null) return null;
  return list.flatMap((location) => PLACES.filter((key) => !isBlank(at(location, key)))).length;
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isBlank);
  const object = asObject(value);
  return object === null ? asText(value) === null : Object.values(object).every(isBlank);
}

/** Dates of collection or coverage; one that cannot be read is an error, never a silent none. */
function coverage(reader: Reader, vocabularies: Vocabularies): number | null {
  const list = reader.list("dates", ["coverage_date_count", "embargo_active"]);
  if (list === null) return null;
  const stated = list
    .filter((entry) => vocabularies.dateTypes.isCoverage(asText(at(entry, "dateType")) ?? ""))
    .map((entry) => asText(at(entry, "date")))
    .filter((date) => date !== null && !vocabularies.placeholders.isPlaceholder(date, "any"));
  const read = stated.filter((date) => dateOf(date?.replace(/^\//, "") ?? null) !== null);
  if (read.length < stated.length) reader.fail(["coverage_date_count"]);
  return read.length;
}

const DESCRIPTION_TYPES = new Set(["abstract", "other", ""]);
const METHODS_TYPES = new Set(["methods", "technicalinfo"]);

function descriptions(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const list = reader.list("descriptions", ["description_length", "methods_length"]);
  if (list === null) return {};
  const longest = (types: ReadonlySet<string>) => {
    const texts = list
      .filter((entry) => types.has((asText(at(entry, "descriptionType")) ?? "").toLowerCase()))
      .flatMap((entry) => textsOf(at(entry, "description") ?? entry));
    return Math.max(0, ...texts.map((text) => textLength(text, vocabularies) ?? 0));
  };
  const methods = longest(METHODS_TYPES);
  const isUnknown = methods === 0 && cannotState(reader, "methods");
  return { description_length: longest(DESCRIPTION_TYPES), methods_length: isUnknown ? null : methods };
}

function textsOf(value: unknown): string[] {
  const texts = Array.isArray(value) ? asList(value).map(asText) : [asText(value)];
  return texts.filter((text) => text !== null);
}

/** A journal, series or book; the repository itself, which DataCite also puts here, is no venue. */
function venue(reader: Reader, vocabularies: Vocabularies): boolean | null {
  const container = reader.object("container", ["venue_stated"]);
  if (container === null) return null;
  const title = asText(container.title);
  if (title === null || vocabularies.placeholders.isPlaceholder(title, "any")) return false;
  return asText(container.type) !== "DataRepository";
}
