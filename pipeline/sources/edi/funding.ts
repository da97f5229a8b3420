/** Funders and awards of the projects behind an EDI package. */

import type { Evidence } from "../../../schemas/evidence.ts";
import { countDistinct } from "../../reading/distinct.ts";
import type { Reader } from "../../reading/reader.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { allAt, elementsOf } from "./elements.ts";

const COLUMNS = ["funder_count", "award_count"] as const;

/** A number of five digits or more, with the letters of the programme before it: DEB-0823293, OCE 1637396. */
const AWARD_NUMBER = /\b(?:[A-Z]{2,6}[- ]?)?\d{5,}\b/g;

/**
 * Awards are elements since EML 2.2. Before it, funding is a text: it names its funder, and perhaps award numbers; that
 * none is found in a text does not say there is none.
 */
export function fundingEvidence(reader: Reader, recent: boolean, vocabularies: Vocabularies): Partial<Evidence> {
  const projects = elementsOf(reader, "project", COLUMNS);
  const all = [...projects, ...projects.flatMap((project) => allAt(project, "relatedProject"))];
  const awards = all.flatMap((project) => allAt(project, "award"));
  const texts = all.flatMap((project) => allAt(project, "funding")).map(xmlTextOf);
  const said = texts.filter((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any"));
  const named = awards.flatMap((award) => allAt(award, "funderName").slice(0, 1)).map(xmlTextOf);
  const numbers = awards.flatMap((award) => allAt(award, "awardNumber")).map(xmlTextOf);
  const written = said.flatMap((text) => text?.match(AWARD_NUMBER) ?? []);
  const funders = countDistinct(named, vocabularies);
  const stated = countDistinct([...numbers, ...written], vocabularies);
  return {
    funder_count: funders > 0 ? funders : Math.min(said.length, 1),
    award_count: stated > 0 || recent ? stated : null,
  };
}
