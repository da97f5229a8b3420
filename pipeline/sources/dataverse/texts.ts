/** Dataverse keywords, subjects, places, periods, descriptions, methods, funding and venue as evidence. */

import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf } from "../../reading/dates.ts";
import { countDistinct } from "../../reading/distinct.ts";
import { asText, at } from "../../reading/reader.ts";
import { countTerms } from "../../reading/terms.ts";
import { textLength } from "../../reading/text-length.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { type Fields, part } from "./fields.ts";

export function textEvidence(fields: Fields, vocabularies: Vocabularies): Partial<Evidence> {
  return {
    ...terms(fields, vocabularies),
    place_count: places(fields, vocabularies),
    coverage_date_count: coverage(fields),
    description_length: description(fields, vocabularies),
    methods_length: methods(fields, vocabularies),
    ...funding(fields, vocabularies),
    venue_stated: venue(fields, vocabularies),
  };
}

/** Keywords and classifications, of a scheme where they name one; the broad subject names none. */
function terms(fields: Fields, vocabularies: Vocabularies): Partial<Evidence> {
  const both = ["keyword_count", "subject_count"] as const;
  const keywords = fields.list("keyword", both);
  const classes = fields.list("topicClassification", both);
  const subjects = fields.texts("subject", ["keyword_count"]);
  const schemed = [
    ...(keywords ?? []).filter((entry) => isSchemed(entry, "keyword")).map(keyword),
    ...(classes ?? []).filter((entry) => isSchemed(entry, "topicClass")).map((entry) => part(entry, "topicClassValue")),
  ];
  const all = [
    ...(keywords ?? []).map(keyword),
    ...(classes ?? []).map((entry) => part(entry, "topicClassValue")),
    ...(subjects ?? []),
  ];
  if (keywords === null && classes === null && subjects === null) return {};
  return { keyword_count: countTerms(all, vocabularies), subject_count: countTerms(schemed, vocabularies) };
}

/** The term, or if a keyword has only the address of one, that. */
function keyword(entry: unknown): string | null {
  return part(entry, "keywordValue") ?? part(entry, "keywordTermURI");
}

/** The scheme's name or address, or the address of the term. */
function isSchemed(entry: unknown, prefix: "keyword" | "topicClass"): boolean {
  return ["Vocab", "Vocabulary", "VocabURI", "VocabularyURI", "TermURI"].some(
    (name) => part(entry, `${prefix}${name}`) !== null,
  );
}

const PLACE_NAMES = ["country", "state", "city", "otherGeographicCoverage"];

/** Each coverage and each bounding box is one place. */
function places(fields: Fields, { placeholders }: Vocabularies): number | null {
  const named = fields.list("geographicCoverage", ["place_count"]);
  const boxes = fields.list("geographicBoundingBox", ["place_count"]);
  if (named === null && boxes === null) return null;
  const isNamed = (entry: unknown) =>
    PLACE_NAMES.map((name) => part(entry, name)).some(
      (text) => text !== null && !placeholders.isPlaceholder(text, "any"),
    );
  const isDrawn = (entry: unknown) => Object.values(Object(entry)).some((side) => asText(at(side, "value")) !== null);
  return (named ?? []).filter(isNamed).length + (boxes ?? []).filter(isDrawn).length;
}

/** Periods covered and periods of collection, with a start or an end; a date that cannot be read is an error. */
function coverage(fields: Fields): number | null {
  const columns: EvidenceName[] = ["coverage_date_count"];
  const lists = ["timePeriodCovered", "dateOfCollection"].map((name) => {
    const dates = fields.list(name, columns)?.map((entry) => part(entry, `${name}Start`) ?? part(entry, `${name}End`));
    return dates?.filter((date) => date !== null) ?? null;
  });
  if (lists.every((list) => list === null)) return null;
  const stated = lists.flatMap((list) => list ?? []);
  const read = stated.filter((date) => dateOf(date) !== null);
  if (read.length < stated.length) fields.fail(columns);
  return read.length;
}

function description(fields: Fields, vocabularies: Vocabularies): number | null {
  const list = fields.list("dsDescription", ["description_length"]);
  if (list === null) return null;
  return Math.max(0, ...list.map((entry) => textLength(part(entry, "dsDescriptionValue"), vocabularies) ?? 0));
}

/** The fields on method of the social science block, DDI's section of that name. */
const METHOD_FIELDS = [
  "timeMethod",
  "frequencyOfDataCollection",
  "samplingProcedure",
  "deviationsFromSampleDesign",
  "collectionMode",
  "researchInstrument",
  "dataCollectionSituation",
  "actionsToMinimizeLoss",
  "controlOperations",
  "weighting",
  "cleaningOperations",
];

/** All of them together are the section on methods. */
function methods(fields: Fields, vocabularies: Vocabularies): number | null {
  const texts = METHOD_FIELDS.map((name) => fields.texts(name, ["methods_length"]));
  if (texts.every((list) => list === null)) return null;
  const lengths = texts.flatMap((list) => list ?? []).map((text) => textLength(text, vocabularies) ?? 0);
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Agencies of grants, and contributors whose type is Funder. */
function funding(fields: Fields, vocabularies: Vocabularies): Partial<Evidence> {
  const grants = fields.list("grantNumber", ["funder_count", "award_count"]);
  const contributors = fields.list("contributor", ["funder_count"]);
  if (grants === null) return {};
  const funders = (contributors ?? [])
    .filter((entry) => part(entry, "contributorType")?.toLowerCase() === "funder")
    .map((entry) => part(entry, "contributorName"));
  return {
    funder_count: countDistinct([...grants.map((entry) => part(entry, "grantNumberAgency")), ...funders], vocabularies),
    award_count: countDistinct(
      grants.map((entry) => part(entry, "grantNumberValue")),
      vocabularies,
    ),
  };
}

/** An issue of a journal. A series is what other datasets of the same kind are in, and no place of publication. */
function venue(fields: Fields, vocabularies: Vocabularies): boolean | null {
  const issues = fields.list("journalVolumeIssue", ["venue_stated"]);
  if (issues === null) return null;
  return (
    countDistinct(
      issues.map((entry) => part(entry, "journalVolume") ?? part(entry, "journalIssue")),
      vocabularies,
    ) > 0
  );
}
