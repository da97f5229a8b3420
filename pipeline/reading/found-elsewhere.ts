/**
 * Facts that a record states in prose although its source has a field for them, such as a DOI in the description. To earn the
 * points, somebody only has to copy the value into the field. Nothing is returned that the record does not contain.
 */

import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { doiOf } from "./identifiers.ts";
import { asObject } from "./reader.ts";

/** A value, and the path of the text that contains it, such as `metadata.description`. */
export interface FoundValue {
  readonly evidence: EvidenceName;
  readonly value: string;
  readonly foundIn: string;
}

interface Prose {
  readonly path: string;
  readonly text: string;
}

/** Bounds of the search in one payload. Descriptions have a few thousand characters. */
const MAX_CHARACTERS = 20_000;
const MAX_NODES = 5_000;
const MAX_DEPTH = 12;

/** Values of one column. With more, the text is a list of literature rather than a forgotten field. */
const MAX_FOUND = 5;

/** Fields that already hold such values, and fields of people, files and addresses. */
const OTHER_FIELDS =
  /reference|citation|cited|bibliograph|publication|related|fund|grant|award|sponsor|rights|licen[cs]e|creator|author|contributor|person|contact|link|url|uri|file|schema|provenance/i;

/** Finds values for the columns that the record leaves empty. `known` has the values of its fields, in lower case. */
export function findElsewhere(
  payload: unknown,
  evidence: Evidence,
  known: ReadonlySet<string>,
  vocabularies: Vocabularies,
): readonly FoundValue[] {
  const wanted = FINDERS.filter(({ column, isMissing }) => isMissing(evidence[column]));
  if (wanted.length === 0) return [];
  const prose = proseIn(payload);
  return wanted.flatMap(({ column, find }) => {
    const found = new Map<string, FoundValue>();
    for (const { path, text } of prose) {
      for (const value of find(text, vocabularies)) {
        if (known.has(value.toLowerCase()) || found.has(value.toLowerCase())) continue;
        found.set(value.toLowerCase(), { evidence: column, value, foundIn: path });
      }
    }
    const values = [...found.values()];
    // Two licences in a text belong to different things.
    if (column === "license_text" && values.length > 1) return [];
    return values.length > MAX_FOUND ? [] : values;
  });
}

/** Returns the texts of a payload that are prose: at least four words, in a field of its own. */
function proseIn(payload: unknown): Prose[] {
  const prose: Prose[] = [];
  let characters = 0;
  let nodes = 0;
  const visit = (value: unknown, path: string, depth: number): void => {
    nodes += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH || characters >= MAX_CHARACTERS) return;
    if (typeof value === "string") {
      if (!PROSE.test(value)) return;
      const text = value.slice(0, MAX_CHARACTERS - characters);
      characters += text.length;
      prose.push({ path, text });
      return;
    }
    if (Array.isArray(value)) {
      for (const each of value) visit(each, path, depth + 1);
      return;
    }
    for (const [name, member] of Object.entries(asObject(value) ?? {})) {
      if (!OTHER_FIELDS.test(name)) visit(member, path === "" ? name : `${path}.${name}`, depth + 1);
    }
  };
  visit(payload, "", 0);
  return prose;
}

/** Four words with spaces. */
const PROSE = /\S \S{1,100} \S{1,100} \S/;

interface Finder {
  readonly column: EvidenceName;
  readonly isMissing: (value: Evidence[EvidenceName]) => boolean;
  readonly find: (text: string, vocabularies: Vocabularies) => readonly string[];
}

const isZero = (value: Evidence[EvidenceName]) => value === 0;

const FINDERS: readonly Finder[] = [
  { column: "reference_pid_count", isMissing: isZero, find: worksIn },
  { column: "linked_code_count", isMissing: isZero, find: codeIn },
  { column: "award_count", isMissing: isZero, find: awardsIn },
  { column: "license_text", isMissing: (value) => value === "", find: licencesIn },
];

const DOIS = /\b10\.\d{4,9}\/[^\s"'<>()[\]{}|\\&]{1,200}/g;
const PMIDS = /\bPMID:? ?(\d{4,8})\b/g;
const ARXIV = /\barXiv: ?(\d{4}\.\d{4,5})/gi;

/** Punctuation after an identifier in a sentence. */
const PUNCTUATION = ".,;:!?*";

function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && PUNCTUATION.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function worksIn(text: string): string[] {
  const dois = Array.from(text.matchAll(DOIS), ([doi]) => doiOf(withoutPunctuation(doi)));
  const others = [
    ...Array.from(text.matchAll(PMIDS), ([, id]) => `PMID:${id}`),
    ...Array.from(text.matchAll(ARXIV), ([, id]) => `arXiv:${id}`),
  ];
  return [...dois.filter((doi) => doi !== null), ...others];
}

const URLS = /https?:\/\/[^\s"'<>()[\]{}|\\&]{1,300}/gi;

/** Returns URLs of repositories on source-code hosts, not of their start pages or users. */
function codeIn(text: string, { codeHosts }: Vocabularies): string[] {
  return Array.from(text.matchAll(URLS), ([url]) => withoutPunctuation(url)).filter((url) => {
    const [, , , owner = "", name = ""] = url.split("/");
    return owner !== "" && name !== "" && codeHosts.isCodeHost(url);
  });
}

const AWARD_WORDS = /\b(?:grant|award)s?\b/gi;

const AWARD_KINDS = new Set(["agreement", "award", "contract", "reference"]);
const NUMBER_WORDS = new Set(["no", "no.", "nr", "nr.", "number", "id", "#"]);
const MAX_AWARD = 70;

/** Reads "grant agreement No 101017452", "award number OCE-1537546" or "Grant #R01-HL12345". */
function awardsIn(text: string): string[] {
  return Array.from(text.matchAll(AWARD_WORDS), ({ 0: word, index }) => {
    const after = text.slice(index + word.length, index + word.length + MAX_AWARD);
    const [first = "", ...rest] = after.replaceAll("#", " # ").replaceAll(":", " ").trim().split(/\s+/, 4);
    const [marker = "", number = ""] = AWARD_KINDS.has(first.toLowerCase()) ? rest : [first, ...rest];
    return NUMBER_WORDS.has(marker.toLowerCase()) ? withoutPunctuation(number) : "";
  }).filter(isAwardNumber);
}

/** An award number has at least four digits, and is neither a year nor a DOI. */
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

/** Words that introduce the licence of something: the data, or other works. */
const UNDER = /licen[cs]e|licen[cs]ed|licen[cs]ing|public domain|terms/i;

/** Returns SPDX ids of the licences that the text states. A licence without the word is often a label of a picture. */
function licencesIn(text: string, { licences }: Vocabularies): string[] {
  if (!UNDER.test(text)) return [];
  const stated = LICENCES.flatMap((pattern) => Array.from(text.matchAll(pattern), ([words]) => words));
  return [...new Set(stated.map((words) => licences.resolve([words])))].filter((id) => id !== "");
}
