/** Subjects, contributors, places, descriptions, version and venue of a research product as evidence. */

import type { Creator } from "../../../schemas/internal/capture.ts";
import type { Evidence } from "../../../schemas/public/evidence.ts";
import { contributorCounts } from "../../reading/people.ts";
import { asText, at, firstText, type Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/terms.ts";
import { textLength } from "../../reading/text-length.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { partlyMapped } from "./answer.ts";

export function textEvidence(
  reader: Reader,
  creators: readonly Creator[],
  vocabularies: Vocabularies,
): Partial<Evidence> {
  return {
    ...terms(reader, vocabularies),
    contributor_count: contributors(reader, creators, vocabularies),
    place_count: places(reader),
    description_length: description(reader, vocabularies),
    version_stated: version(reader, vocabularies),
    venue_stated: venue(reader, vocabularies),
  };
}

/** Fields of science and development goals are OpenAIRE's own guesses, as is whatever it says it inferred. */
const CLASSIFIED = new Set(["fos", "sdg"]);

function terms(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const list = reader.list("subjects", ["keyword_count", "subject_count"]);
  if (list === null) return {};
  const stated = list.filter((entry) => !CLASSIFIED.has(schemeOf(entry)) && !isInferred(entry));
  const term = (entry: unknown) => firstText(at(entry, "subject", "value"), at(entry, "value"), entry);
  const schemed = stated.filter((entry) => !["", "keyword", "unknown"].includes(schemeOf(entry)));
  return {
    keyword_count: countTerms(stated.map(term), vocabularies),
    subject_count: countTerms(schemed.map(term), vocabularies),
  };
}

function schemeOf(entry: unknown): string {
  return firstText(at(entry, "subject", "scheme"), at(entry, "scheme"))?.toLowerCase() ?? "";
}

function isInferred(entry: unknown): boolean {
  return /^inferred/i.test(firstText(at(entry, "provenance", "provenance"), at(entry, "provenance")) ?? "");
}

/** Names alone: their roles are lost. */
function contributors(reader: Reader, creators: readonly Creator[], vocabularies: Vocabularies): number | null {
  const stated = partlyMapped(reader, "contributors", ["contributor_count"])?.map((entry) => ({
    name: firstText(entry, at(entry, "fullName"), at(entry, "name")),
    role: null,
  }));
  return stated === undefined ? null : contributorCounts(stated, creators, vocabularies).contributor_count;
}

const PLACES = ["place", "point", "box"];

function places(reader: Reader): number | null {
  const list = partlyMapped(reader, "geoLocations", ["place_count"]);
  return list?.flatMap((entry) => PLACES.filter((key) => asText(at(entry, key)) !== null)).length ?? null;
}

function description(reader: Reader, vocabularies: Vocabularies): number | null {
  const list = reader.list("descriptions", ["description_length"]);
  if (list === null) return null;
  const lengths = list.map((entry) => textLength(firstText(entry, at(entry, "value")) ?? "", vocabularies) ?? 0);
  return Math.max(0, ...lengths);
}

/** "None" is what a version that was missing became on its way. */
function version(reader: Reader, vocabularies: Vocabularies): boolean | null {
  const stated = reader.text("version", ["version_stated"]);
  return stated === null || stated === "" ? null : !vocabularies.placeholders.isPlaceholder(stated, "any");
}

function venue(reader: Reader, vocabularies: Vocabularies): boolean | null {
  const container = reader.object("container", ["venue_stated"]);
  if (container === null || Object.keys(container).length === 0) return null;
  const name = asText(container.name);
  return name !== null && !vocabularies.placeholders.isPlaceholder(name, "any");
}
