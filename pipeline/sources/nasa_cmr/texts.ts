/** GCMD keywords, places, times, abstract and version of a CMR collection as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf } from "../../reading/dates.ts";
import { counted } from "../../reading/normalised.ts";
import { asList, asObject, asText, at, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/terms.ts";
import { textLength } from "../../reading/text-length.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

export function textEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  return {
    ...terms(reader, vocabularies),
    place_count: places(reader, vocabularies),
    coverage_date_count: coverage(reader),
    description_length: description(reader, vocabularies),
  };
}

/** The steps of a science keyword below its category, which is the same for nearly all. */
const STEPS = ["Topic", "Term", "VariableLevel1", "VariableLevel2", "VariableLevel3", "DetailedVariable"];

/** A science keyword is a path in the GCMD scheme: one term, however many steps it has. */
function terms(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const science = reader.list("ScienceKeywords", ["keyword_count", "subject_count"]);
  const topics = reader.list("ISOTopicCategories", ["keyword_count", "subject_count"]);
  const free = reader.list("AncillaryKeywords", ["keyword_count"]);
  const path = (keyword: unknown) =>
    STEPS.map((step) => asText(at(keyword, step)))
      .filter((step) => step !== null && !vocabularies.placeholders.isPlaceholder(step, "any"))
      .join(" > ");
  const schemed = [...(science ?? []).map(path), ...(topics ?? []).map(asText)].filter((term) => term !== "");
  const keywords = countTerms([...schemed, ...(free ?? []).map(asText)], vocabularies);
  return {
    keyword_count: counted(keywords, [science, topics, free]),
    subject_count: counted(countTerms(schemed, vocabularies), [science, topics]),
  };
}

const SHAPES = ["Points", "BoundingRectangles", "GPolygons", "Lines"];
const NAMES = ["Type", "Subregion1", "Subregion2", "Subregion3", "DetailedLocation"];

/** Shapes of the spatial extent, and place names of GCMD's location keywords. */
function places(reader: Reader, vocabularies: Vocabularies): number | null {
  const extent = reader.object("SpatialExtent", ["place_count"]);
  const locations = reader.list("LocationKeywords", ["place_count"]);
  const geometry = at(extent, "HorizontalSpatialDomain", "Geometry");
  const shapes = SHAPES.flatMap((key) => asList(at(geometry, key))).filter(isFilled).length;
  const names = (locations ?? []).map((place) => NAMES.map((key) => asText(at(place, key)) ?? "").join(" "));
  return counted(shapes + countTerms(names, vocabularies), [extent, locations]);
}

function isFilled(shape: unknown): boolean {
  return Object.keys(asObject(shape) ?? {}).length > 0;
}

/** CMR writes this where a provider gives no time at all. */
const NOT_PROVIDED = /^1970-01-01T00:00:00(?:\.0+)?Z$/;

/** Ranges by their beginning, single dates, repeating periods by their start, and geological ages. */
function coverage(reader: Reader): number | null {
  const extents = reader.list("TemporalExtents", ["coverage_date_count"]);
  const ages = reader.list("PaleoTemporalCoverages", []);
  if (extents === null) return null;
  const dates = extents.flatMap((extent) => datesOf(extent, reader));
  const read = dates.filter((date) => dateOf(date) !== null);
  if (read.length < dates.length) reader.fail(["coverage_date_count"]);
  return read.length + (ages ?? []).filter(isFilled).length;
}

function datesOf(extent: unknown, outer: Reader): string[] {
  const stated = asObject(extent);
  if (stated === null) {
    outer.fail(["coverage_date_count"]);
    return [];
  }
  const reader = new Reader(stated, new Set(), "none");
  const lists = ["RangeDateTimes", "SingleDateTimes", "PeriodicDateTimes"].map((key) => reader.list(key, []));
  if (lists.includes(null)) outer.fail(["coverage_date_count"]);
  return lists
    .flatMap((list) => list ?? [])
    .map((entry) => asText(entry) ?? asText(at(entry, "BeginningDateTime")) ?? asText(at(entry, "StartDate")))
    .filter((date) => date !== null && !NOT_PROVIDED.test(date))
    .map((date) => date ?? "");
}

/** The abstract, or the purpose where that is longer. */
function description(reader: Reader, vocabularies: Vocabularies): number | null {
  const texts = ["Abstract", "Purpose"].map((key) => reader.text(key, ["description_length"]));
  const lengths = texts.map((text) => textLength(text, vocabularies)).filter((length) => length !== null);
  return lengths.length === 0 ? null : Math.max(...lengths);
}
