/** Reads creators and contributors, and counts them (rubrics.md, `person_creator_count`). */

import type { Affiliation, Creator } from "../../schemas/internal/capture.ts";
import type { Evidence } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { displayText } from "./text.ts";

export interface StatedCreator {
  readonly name: string | null;
  readonly given: string | null;
  readonly family: string | null;
  readonly type: "person" | "organisation" | null;
  readonly orcid: string | null;
  readonly affiliations: readonly Affiliation[];
}

export interface CreatorsRead {
  readonly creators: readonly Creator[];
  readonly evidence: Partial<Evidence>;
}

/** Returns the evidence columns that follow from the names and ORCID iDs of creators. */
export function creatorCounts(creators: readonly Creator[]): Partial<Evidence> {
  const people = creators.filter((creator) => creator.person);
  return {
    creator_count: creators.length,
    person_creator_count: people.length,
    creator_pid_count: new Set(people.map(({ orcid }) => orcid).filter((orcid) => orcid !== null)).size,
  };
}

export interface StatedContributor {
  readonly name: string | null;
  readonly role: string | null;
}

/**
 * Counts contributors who are not creators (rubrics.md). Each name counts once. Anyone with the name of a creator, such as a
 * contact person, is that creator.
 */
export function contributorCounts(
  stated: readonly StatedContributor[],
  creators: readonly Creator[],
  { names, placeholders, roles, note }: Vocabularies,
): Pick<Evidence, "contributor_count" | "contributor_role_count"> {
  const named = new Set<string>();
  const inRole = new Set<string>();
  const creatorNames = new Set(stated.length === 0 ? [] : creators.map(({ name }) => names.foldName(name)));
  for (const { name, role } of stated) {
    if (name === null || placeholders.isPlaceholder(name, "name")) continue;
    const folded = names.foldName(name);
    if (creatorNames.has(folded)) continue;
    named.add(folded);
    const isRole = roles.counts(role ?? "");
    if (isRole) inRole.add(folded);
    // Names of people are not among the values.
    if (role !== null) note?.("contributor_role_count", role, isRole);
  }
  return { contributor_count: named.size, contributor_role_count: inRole.size };
}

/** Reads a creator. Returns null if the name is missing or a placeholder. */
export function readCreator(stated: StatedCreator, vocabularies: Vocabularies): Creator | null {
  const name = displayText(makeName(stated) ?? "", 300);
  if (name === "" || vocabularies.placeholders.isPlaceholder(name, "name")) return null;
  return {
    name,
    person: isPerson(stated, name, vocabularies),
    fullName: hasFullGivenName(stated, name, vocabularies),
    orcid: stated.orcid,
    affiliations: stated.affiliations.filter(
      ({ text, ror }) => ror !== null || !vocabularies.placeholders.isPlaceholder(text, "any"),
    ),
  };
}

function makeName(stated: StatedCreator): string | null {
  if (stated.name !== null) return stated.name;
  if (stated.family !== null) return stated.given === null ? stated.family : `${stated.family}, ${stated.given}`;
  return stated.given ?? stated.orcid;
}

/**
 * True if the creator is a person: the source says so, or there is an ORCID iD, a given and a family name, or a name in the
 * form `Family, Given`. "Steele, PhD" is not in this form.
 */
function isPerson(stated: StatedCreator, name: string, vocabularies: Vocabularies): boolean {
  if (stated.type !== null) return stated.type === "person";
  if (stated.orcid !== null) return true;
  if (stated.given !== null && stated.family !== null) return true;
  const parts = vocabularies.names.dropDegrees(name).split(",");
  // "King, Martin, Jr." is a family name and a given name with a suffix.
  const pair = parts.filter((part, index) => index < 2 || !vocabularies.names.isGenerational(part));
  return pair.length === 2 && pair.every((part) => part.trim() !== "");
}

const SPELLED_OUT = /[A-Za-z][a-z]{2}/;

/** True if a given name is written in full. Initials ("J.", "JW") could belong to two different people. */
function hasFullGivenName(stated: StatedCreator, name: string, vocabularies: Vocabularies): boolean {
  // A separate given name only distinguishes people if it is part of the displayed name.
  const { given } = stated;
  if (given !== null && name.includes(given) && hasSpelledOutWord(given)) return true;
  return hasSpelledOutWord(readGivenName(vocabularies.names.dropDegrees(name)));
}

function hasSpelledOutWord(text: string): boolean {
  return SPELLED_OUT.test(text) || text.split(/[\s.\-‐]+/u).some(isSpelledOut);
}

function readGivenName(name: string): string {
  const comma = name.indexOf(",");
  if (comma >= 0) return name.slice(comma + 1);
  const words = name.trim().split(/\s+/u);
  // "Steele J" has its family name first, followed by initials.
  return words.length > 1 && hasSpelledOutWord(words.at(-1) ?? "") ? words.slice(0, -1).join(" ") : "";
}

/**
 * True if a word is not initials. Initials are one letter or up to three capitals, but one Chinese, Japanese or Korean
 * character is a name.
 */
function isSpelledOut(word: string): boolean {
  const composed = word.normalize("NFC");
  if (/^\p{L}$/u.test(composed))
    return /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(composed);
  return /\p{L}/u.test(composed) && !/^\p{Lu}{2,3}$/u.test(composed);
}
