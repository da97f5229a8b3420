/** Funders and awards of the projects behind an EDI package. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { countDistinct } from "../../reading/distinct.ts";
import type { Reader } from "../../reading/reader.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { allAt, elementsOf } from "./elements.ts";

const COLUMNS = ["funder_count", "award_count"] as const;

/** As much of a text as is read: funding is told in sentences. */
const LONGEST_FUNDING = 10_000;

/** Words of capitals and digits, with hyphens inside: DEB-0823293, 1637396, P14AC00749. */
const WORD = /(?<![\p{L}\p{N}])[A-Z0-9]+(?:-[A-Z0-9]+)*(?![\p{L}\p{N}])/gu;
/** Addresses and DOIs have numbers of their own. */
const ADDRESS = /\bhttps?:\/\/\S+|\b10\.\d{4,9}\/\S+/gi;

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
  const written = said.flatMap((text) => awardNumbersIn(text ?? ""));
  const funders = countDistinct(named, vocabularies);
  const stated = countDistinct([...numbers, ...written], vocabularies);
  return {
    funder_count: funders > 0 ? funders : Math.min(said.length, 1),
    award_count: stated > 0 || recent ? stated : null,
  };
}

function awardNumbersIn(text: string): string[] {
  return (text.slice(0, LONGEST_FUNDING).replace(ADDRESS, " ").match(WORD) ?? []).filter(isAwardNumber);
}

/** Five digits in a row or more, or a code of letters and digits such as the US agencies give: P14AC00749, NNX14AB12G. */
function isAwardNumber(word: string): boolean {
  if (/\d{5}/.test(word)) return true;
  return word.split("-").some((part) => part.length >= 9 && /[A-Z]/.test(part) && part.replace(/\D/g, "").length >= 4);
}
