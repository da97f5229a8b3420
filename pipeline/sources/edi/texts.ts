/** Keywords, places, times, abstract and methods of an EML dataset as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf } from "../../reading/dates.ts";
import { asObject, asText, at, type Json, type Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/terms.ts";
import { textLength } from "../../reading/text-length.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { allAt, elementsOf } from "./elements.ts";

export function textEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const coverages = elementsOf(reader, "coverage", ["place_count", "coverage_date_count"]);
  return {
    ...terms(reader, vocabularies),
    place_count: places(coverages, vocabularies),
    coverage_date_count: times(coverages, reader),
    description_length: description(reader, vocabularies),
    methods_length: methods(reader, vocabularies),
  };
}

/** Keywords of a set with a thesaurus are its terms; so are the dataset's semantic annotations (EML 2.2). */
function terms(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const sets = elementsOf(reader, "keywordSet", ["keyword_count", "subject_count"]);
  const keywords = (set: Json) => allAt(set, "keyword").map(xmlTextOf);
  const schemed = sets.filter((set) => {
    const thesaurus = xmlTextOf(set.keywordThesaurus);
    return thesaurus !== null && !vocabularies.placeholders.isPlaceholder(thesaurus, "any");
  });
  const annotations = elementsOf(reader, "annotation", []).map((entry) => {
    const label = asText(at(entry.valueURI, "@label"));
    return asText(at(entry.valueURI, "#text")) === null ? null : label;
  });
  return {
    keyword_count: countTerms([...sets.flatMap(keywords), ...annotations], vocabularies),
    subject_count: countTerms([...schemed.flatMap(keywords), ...annotations], vocabularies),
  };
}

const SHAPES = ["boundingCoordinates", "datasetGPolygon"];

/** Each description of a place, and each box or polygon. */
function places(coverages: readonly Json[], vocabularies: Vocabularies): number {
  return coverages
    .flatMap((coverage) => allAt(coverage, "geographicCoverage"))
    .reduce<number>((sum, place) => {
      const named = countTerms(allAt(place, "geographicDescription").map(xmlTextOf), vocabularies);
      return sum + named + SHAPES.flatMap((shape) => allAt(place, shape).filter(isFilled)).length;
    }, 0);
}

function isFilled(shape: unknown): boolean {
  return asObject(shape) !== null && xmlTextOf(shape) !== null;
}

/** Ranges by their beginning, single dates, and dates on another scale (geological time) without reading those. */
function times(coverages: readonly Json[], reader: Reader): number {
  const stated = coverages.flatMap((coverage) => allAt(coverage, "temporalCoverage"));
  const dates = stated.flatMap((time) => [
    ...allAt(time, "rangeOfDates", "beginDate"),
    ...allAt(time, "singleDateTime"),
  ]);
  const other = dates.filter((date) => xmlTextOf(at(date, "alternativeTimeScale")) !== null).length;
  const calendar = dates.map((date) => xmlTextOf(at(date, "calendarDate"))).filter((date) => date !== null);
  const read = calendar.filter((date) => dateOf(date) !== null).length;
  if (read < calendar.length) reader.fail(["coverage_date_count"]);
  return read + other;
}

/** The abstract, or what else describes the package where that is longer. */
function description(reader: Reader, vocabularies: Vocabularies): number {
  const texts = ["abstract", "purpose", "introduction", "additionalInfo"].flatMap((name) => allAt(reader.raw(name)));
  return Math.max(0, ...texts.map((text) => textLength(xmlTextOf(text), vocabularies) ?? 0));
}

/** The sentences PASTA writes into the step in which a package names its sources. */
const GENERATED = /provenance(?:-based)? metadata/i;

/** All steps and the sampling as one text, without the works and datasets they name. */
function methods(reader: Reader, vocabularies: Vocabularies): number {
  const methods = elementsOf(reader, "methods", ["methods_length"]);
  const steps = methods.flatMap((element) => allAt(element, "methodStep")).map(textOfStep);
  const sampling = methods.flatMap((element) => allAt(element, "sampling")).map(xmlTextOf);
  const control = methods.flatMap((element) => allAt(element, "qualityControl", "description")).map(xmlTextOf);
  const said = [...steps, ...sampling, ...control].filter(
    (text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any"),
  );
  return textLength(said.join(" "), vocabularies) ?? 0;
}

function textOfStep(step: unknown): string | null {
  const parts = ["description", "instrumentation", "subStep"].flatMap((name) => allAt(step, name));
  const hasSource = allAt(step, "dataSource").length > 0;
  const paragraphs = hasSource
    ? parts.flatMap(paragraphsOf).filter((text) => !GENERATED.test(text))
    : parts.map(xmlTextOf);
  const said = paragraphs.filter((text) => text !== null);
  return said.length === 0 ? null : said.join(" ");
}

function paragraphsOf(part: unknown): string[] {
  const paragraphs = allAt(part, "para");
  return (paragraphs.length > 0 ? paragraphs : [part]).map(xmlTextOf).filter((text) => text !== null);
}
