/**
 * Finds facts that a record contains in prose although its source has a field for them, such as a DOI in the description.
 * The depositor only has to copy the value to the field to gain the points. Every value that is returned occurs in the
 * record.
 */

import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { memoise } from "../vocabularies/read-table.ts";
import { readDoi } from "./identifiers.ts";
import { asText, at, type Json } from "./reader.ts";

/** A value that was found, and the path of the text that contains it, such as `metadata.description`. */
export interface FoundValue {
  readonly evidence: EvidenceName;
  readonly value: string;
  readonly foundIn: string;
}

interface Text {
  readonly path: string;
  readonly text: string;
}

/** A link with words before it that may state another relation than "references". `reason` quotes these words. */
export interface OtherLink extends FoundValue {
  readonly reason: string;
}

/** The texts of a payload that are searched for values. */
interface SearchedTexts {
  /** Texts of at least four words. */
  readonly prose: Text[];
  /** Names of contributors who have the role of a funder. */
  readonly funders: Text[];
  /** Texts of keywords and subjects. */
  readonly terms: Text[];
}

/** Limits of the search in one payload. Descriptions usually have a few thousand characters. */
const MAX_CHARACTERS = 20_000;
const MAX_NODES = 5_000;
const MAX_DEPTH = 12;

/**
 * Largest number of values for one column. A text with more values is a list of literature rather than a fact in the wrong
 * place.
 */
const MAX_FOUND = 5;

/**
 * Finds values for columns that are empty in the record. `known` contains the values that the fields of the record
 * already have, in lower case; these values and versions of these DOIs are not returned.
 */
export function findElsewhere(...search: Parameters<typeof findAll>): readonly FoundValue[] {
  return findAll(...search).flatMap(({ reason, ...found }) => (reason === null ? [found] : []));
}

/** Finds the links that {@link findElsewhere} leaves out because of the words before them. */
export function findOtherLinks(...search: Parameters<typeof findAll>): readonly OtherLink[] {
  return findAll(...search).flatMap(({ reason, ...found }) => (reason === null ? [] : [{ ...found, reason }]));
}

/** A value in a text. `reason` explains why it must not be copied; null if it can be. */
interface Mention {
  readonly value: string;
  readonly reason: string | null;
}

function findAll(
  payload: unknown,
  evidence: Partial<Evidence>,
  known: ReadonlySet<string>,
  vocabularies: Vocabularies,
): (FoundValue & Mention)[] {
  const wanted = FINDERS.filter(({ column, isMissing }) => isMissing(evidence[column]));
  if (wanted.length === 0) return [];
  const texts = textsIn(payload);
  return wanted.flatMap(({ column, within, find, most = MAX_FOUND }) => {
    const found = new Map<string, FoundValue & Mention>();
    for (const { path, text } of texts[within]) {
      for (const { value, reason } of find(text, vocabularies)) {
        const key = value.toLowerCase();
        const earlier = found.get(key);
        if (known.has(key) || known.has(withoutVersion(key))) continue;
        // One sentence that states another relation is enough.
        if (earlier !== undefined && (earlier.reason !== null || reason === null)) continue;
        found.set(key, { evidence: column, value, foundIn: path, reason });
      }
    }
    return found.size > most ? [] : [...found.values()];
  });
}

/**
 * Matches names of fields that are not searched: fields that are meant for these values, such as `references`, and
 * fields of people, files and URLs.
 */
const OTHER_FIELDS =
  /reference|citation|cited|bibliograph|publication|related|fund|grant|award|sponsor|rights|licen[cs]e|creator|author|contributor|person|contact|link|url|uri|file|schema|provenance/i;

const TERM_FIELDS = /^(?:keywords?|keywordvalue|subjects?)$/i;

type FieldKind = keyof SearchedTexts | "other";

/**
 * Returns the kind of a field by its name. The cache has a limit: most payloads share a few hundred names, but a hostile
 * one may have any number.
 */
const getFieldKind = memoise((field): FieldKind => {
  if (/^contributors?$/i.test(field)) return "funders";
  if (TERM_FIELDS.test(field)) return "terms";
  return OTHER_FIELDS.test(field) ? "other" : "prose";
}, 2_000);

function textsIn(payload: unknown): SearchedTexts {
  const texts: SearchedTexts = { prose: [], funders: [], terms: [] };
  let characters = 0;
  let nodes = 0;
  const add = (kind: keyof SearchedTexts, path: string, stated: string) => {
    const text = stated.slice(0, MAX_CHARACTERS - characters);
    characters += text.length;
    texts[kind].push({ path, text });
  };
  const visit = (value: unknown, path: string, kind: FieldKind, depth: number): void => {
    nodes += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH || characters >= MAX_CHARACTERS) return;
    if (typeof value === "string") {
      if (kind === "terms") add(kind, path, value);
      // Most texts are words, ids and addresses without a space.
      else if (value.includes(" ") && PROSE.test(value)) add("prose", path, value);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const each of value) visit(each, path, kind, depth + 1);
      return;
    }
    if (kind === "funders") {
      const funder = funderIn(value);
      if (funder !== null) add(kind, path, funder);
      return;
    }
    for (const name in value) {
      if (!Object.hasOwn(value, name)) continue;
      // Dataverse's block "citation" has the description and the keywords.
      const own = path.endsWith("metadataBlocks") ? "prose" : name === "value" ? kind : getFieldKind(name);
      if (own !== "other") visit((value as Json)[name], path === "" ? name : `${path}.${name}`, own, depth + 1);
    }
  };
  visit(payload, "", "prose", 0);
  return texts;
}

/** Matches prose: at least four words. */
const PROSE = /\S \S{1,100} \S{1,100} \S/;

/**
 * Returns the name of a contributor who is a funder; otherwise null. Kernel 4 of DataCite removed this contributor type in
 * favour of fundingReferences, but records still have it.
 */
function funderIn(contributor: object): string | null {
  const isFunder = asText(at(contributor, "contributorType"))?.toLowerCase() === "funder";
  const name = isFunder ? asText(at(contributor, "name")) : null;
  return name === null || (isPersonal(name) && at(contributor, "nameType") !== "Organizational") ? null : name;
}

/**
 * True for a name such as "Doe, Jane". Such a name is not returned as a funder, so that no value contains the name of a
 * person.
 */
function isPersonal(name: string): boolean {
  const parts = name.split(",");
  return parts.length === 2 && parts.every((part) => part.trim().split(" ").length <= 2);
}

interface Finder {
  readonly column: EvidenceName;
  readonly isMissing: (value: Evidence[EvidenceName] | undefined) => boolean;
  readonly within: keyof SearchedTexts;
  /**
   * Largest number of values, if it differs from {@link MAX_FOUND}. For licences, it is 1, because two licences in one
   * text belong to different things.
   */
  readonly most?: number;
  readonly find: (text: string, vocabularies: Vocabularies) => readonly Mention[];
}

const isZero = (value: unknown) => value === 0;
const isOneOrTwo = (value: unknown) => value === 1 || value === 2;

/** Returns a finder of values that can be copied whatever the words before them. */
function whatever(find: (text: string, vocabularies: Vocabularies) => readonly string[]): Finder["find"] {
  return (text, vocabularies) => find(text, vocabularies).map((value) => ({ value, reason: null }));
}

const FINDERS: readonly Finder[] = [
  { column: "reference_pid_count", isMissing: isZero, within: "prose", find: worksIn },
  { column: "linked_code_count", isMissing: isZero, within: "prose", find: codeIn },
  { column: "award_count", isMissing: isZero, within: "prose", find: whatever(awardsIn) },
  { column: "funder_count", isMissing: isZero, within: "funders", find: whatever((name) => [name.trim()]) },
  { column: "keyword_count", isMissing: isOneOrTwo, within: "terms", find: whatever(joinedTermsIn), most: 40 },
  { column: "license_text", isMissing: (value) => value === "", within: "prose", find: whatever(licencesIn), most: 1 },
];

/** Matches DOIs with pairs of brackets, as in 10.1016/S0140-6736(20)30183-5. */
const DOIS = /\b10\.\d{4,9}\/(?:[^\s"'<>()[\]{}|\\&]|\([^\s"'<>()[\]{}|\\&]{1,40}\)){1,200}/g;
const PMIDS = /\bPMID:? ?(\d{4,8})\b/g;
const ARXIV = /\barXiv: ?(\d{4}\.\d{4,5})/gi;

/** Punctuation that can follow an identifier in a sentence. */
const PUNCTUATION = ".,;:!?*";

function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && PUNCTUATION.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function worksIn(text: string): Mention[] {
  // Few texts contain a DOI, and a search for three characters is faster than a pattern.
  return [
    ...(text.includes("10.") ? linksIn(text, DOIS, ([doi]) => readLinkedDoi(doi)) : []),
    ...(text.includes("PMID") ? linksIn(text, PMIDS, ([, id]) => `PMID:${id}`) : []),
    ...(/xiv/i.test(text) ? linksIn(text, ARXIV, ([, id]) => `arXiv:${id}`) : []),
  ];
}

/** Reads a DOI in a text. Most follow https://doi.org/ or are in another URL, so that characters can be percent-encoded. */
function readLinkedDoi(doi: string): string | null {
  return readDoi(`https://doi.org/${withoutPunctuation(doi)}`);
}

const URLS = /https?:\/\/[^\s"'<>()[\]{}|\\&]{1,300}/gi;

/** Returns URLs of repositories on code hosts. Leaves out start pages and pages of users. */
function codeIn(text: string, { codeHosts }: Vocabularies): Mention[] {
  return linksIn(text, URLS, ([stated]) => {
    const url = withoutPunctuation(stated);
    const [, , , owner = "", name = ""] = url.split("/");
    return owner !== "" && name !== "" && codeHosts.isCodeHost(url) ? url : null;
  });
}

/** Returns the values of the matches that `read` accepts. */
function linksIn(text: string, pattern: RegExp, read: (match: RegExpExecArray) => string | null): Mention[] {
  return Array.from(text.matchAll(pattern)).flatMap((match) => {
    const value = read(match);
    return value === null ? [] : [{ value, reason: otherRelation(text, match.index) }];
  });
}

/** Number of characters before a link that are searched for the relation. */
const MAX_BEFORE = 300;

/** Matches the end of a sentence or paragraph, but not "et al." and other abbreviations of one or two letters. */
const SENTENCE_END = /[a-z0-9)]{3}[.!?]\s{1,3}(?=[A-Z])|<\/?(?:p|br|li|div)\b|\n\s{0,3}\n/;

/** Matches a negation, or words for relations of DataCite other than References, such as IsCitedBy and IsNewVersionOf. */
const OTHER_RELATIONS = [
  /\b(?:not|no longer|never|cannot|neither|nor|unrelated|instead of|rather than|[a-z]{2,8}n['’]t)\b/i,
  /\b(?:cited|referenced|reviewed|replaced|superseded|obsoleted|continued) by\b/i,
  /\b(?:updates?|versions?|translations?|copy|copies|is part) (?:of|to)\b|\bsupplement|\bderived from\b|\bidentical to\b/i,
  /\b(?:publication|paper|article|manuscript|preprint) (?:for|of|on|about|describing) (?:this|these|the|our) data\w{0,5}/i,
  /\bdata\w{0,5} (?:is|are|was|were|has been|have been) (?:described|published|documented|presented) (?:in|by)\b/i,
];

/** Returns why a link at this place of a text may have another relation than "references"; otherwise null. */
function otherRelation(text: string, index: number): string | null {
  const before = text.slice(Math.max(0, index - MAX_BEFORE), index).replaceAll("&nbsp;", " ");
  const [sentence = ""] = before.split(SENTENCE_END).slice(-1);
  const words = sentence.replaceAll(/\s+/g, " ");
  const [found = null] = OTHER_RELATIONS.flatMap((relation) => relation.exec(words)?.[0] ?? []);
  return found === null ? null : `the text says "${found}" before it, so it may not be a reference`;
}

/** Returns a DOI without the suffix of a version, such as ".v2". */
export function withoutVersion(doi: string): string {
  return doi.replace(/[./_-]v\d{1,4}$/i, "");
}

/** Matches one keyword in a list: a few words that begin with a letter, without brackets and codes. */
const TERM = /^\p{L}[\p{L}\p{M}\p{N} '’.-]{1,49}$/u;
const MAX_TERM_WORDS = 4;

/**
 * Returns the keywords in a text that lists several, such as "tides; sea level; North Sea". A comma can also be part of a
 * keyword ("Carcinoma, renal"), so a list with commas must have at least five keywords.
 */
export function joinedTermsIn(text: string): string[] {
  const mark = text.includes(";") ? ";" : ",";
  const terms = withoutPunctuation(text.trim())
    .split(mark)
    .map((term) => term.trim());
  const isList = terms.length >= (mark === ";" ? 3 : 5);
  return isList && terms.every((term) => TERM.test(term) && term.split(" ").length <= MAX_TERM_WORDS) ? terms : [];
}

const AWARD_WORDS = /\b(?:grant|award)s?\b/gi;

const AWARD_KINDS = new Set(["agreement", "award", "contract", "reference"]);
const NUMBER_WORDS = new Set(["no", "no.", "nr", "nr.", "number", "id", "#"]);
const MAX_AWARD = 70;

/**
 * Returns award numbers from texts such as "grant agreement No 101017452", "award number OCE-1537546" or "Grant
 * #R01-HL12345".
 */
function awardsIn(text: string): string[] {
  return Array.from(text.matchAll(AWARD_WORDS), ({ 0: word, index }) => {
    const after = text.slice(index + word.length, index + word.length + MAX_AWARD);
    const [first = "", ...rest] = after.replaceAll("#", " # ").replaceAll(":", " ").trim().split(/\s+/, 4);
    const [marker = "", number = ""] = AWARD_KINDS.has(first.toLowerCase()) ? rest : [first, ...rest];
    return NUMBER_WORDS.has(marker.toLowerCase()) ? withoutPunctuation(number) : "";
  }).filter(isAwardNumber);
}

/** True if a text can be an award number: it has at least four digits and is neither a year nor a DOI. */
function isAwardNumber(text: string): boolean {
  if (!/^[A-Z0-9][A-Z0-9/._-]{4,30}$/i.test(text) || text.startsWith("10.")) return false;
  return text.replace(/\D/g, "").length >= 4 && !/^(?:19|20)\d\d$/.test(text);
}

const LICENCES = [
  /https?:\/\/(?:www\.)?creativecommons\.org\/(?:licenses|publicdomain)\/[a-z-]{2,12}\/\d\.\d/gi,
  /\bCC[ -]BY(?:[ -](?:NC|ND|SA))*[ -]\d\.\d\b/g,
  /\bCC0(?: 1\.0)?\b/g,
  /\bCreative Commons Attribution(?:[ -](?:NonCommercial|NoDerivatives|NoDerivs|ShareAlike))* \d\.\d(?: International| Unported)?/gi,
];

/** Matches words that occur together with a licence, such as "licensed under", "public domain" or "terms". */
const UNDER = /licen[cs]e|licen[cs]ed|licen[cs]ing|public domain|terms/i;

/**
 * Returns the SPDX ids of licences in a text. The text must also contain a word such as "licence", because a bare "CC BY"
 * often belongs to a picture.
 */
function licencesIn(text: string, { licences }: Vocabularies): string[] {
  if (!UNDER.test(text)) return [];
  const stated = LICENCES.flatMap((pattern) => Array.from(text.matchAll(pattern), ([words]) => words));
  return [...new Set(stated.map((words) => licences.resolve([words])))].filter((id) => id !== "");
}
