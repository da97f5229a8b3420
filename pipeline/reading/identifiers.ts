/** Reads persistent identifiers in common spellings and returns them in canonical form. */

import type { Affiliation } from "../../schemas/internal/capture.ts";
import type { IdentifierScheme, Vocabularies } from "../vocabularies/index.ts";

const DOI = /^10\.\d{4,9}(?:\.\d+)*\/\S+$/;
const DOI_PREFIX = /^(?:https?:\/\/(?:dx\.|www\.)?doi\.org\/|doi:\s*)/i;
const SIXTEEN = /^(\d{4})[- ]?(\d{4})[- ]?(\d{4})[- ]?(\d{3}[\dXx])\s*\/?$/;
/** Matches text that may precede the sixteen digits of an ORCID iD. After other text, the digits may be another number. */
const ORCID_PREFIX = /^(?:(?:https?:\/\/)?(?:[a-z]{1,20}\.)?orcid\.org\/|(?:urn:|info:)?orcid(?: id)?[:= ]\s*)/i;
const ISNI_PREFIX = /^(?:(?:https?:\/\/)?(?:www\.)?isni\.org\/?(?:isni\/)?|(?:urn:)?isni[:= ]\s*)/i;
const ROR = /^(?:https?:\/\/)?(?:www\.)?(?:ror\.org\/)?(0[a-hj-km-np-tv-z0-9]{6}\d{2})\/?$/i;
const GRID = /(?:^|\/)(grid\.\d{1,8}\.[0-9a-f]{1,4})$/i;
const WIKIDATA = /(?:^|\/)(Q\d{1,12})$/;

/**
 * Returns the DOI in lower case without `https://doi.org/`; null if the text is not a DOI. Source: DOI handbook, 2.8 (DOIs
 * are case-insensitive).
 */
export function readDoi(text: string | null): string | null {
  if (text === null) return null;
  let bare = text.trim().replace(DOI_PREFIX, "").replace(DOI_PREFIX, "");
  if (/^10\.[^/]*%2f/i.test(bare) || (bare !== text && bare.includes("%"))) bare = percentDecoded(bare);
  const doi = bare.toLowerCase();
  return doi.length <= 2000 && DOI.test(doi) ? doi : null;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns the iD in the form 0000-0002-1825-0097; null if the text is not one or its check digit is wrong. Source: ORCID,
 * "Structure of the ORCID Identifier".
 */
export function readOrcid(text: string | null): string | null {
  const digits = sixteenDigits(text, ORCID_PREFIX);
  return digits === null
    ? null
    : `${digits.slice(0, 4)}-${digits.slice(4, 8)}-${digits.slice(8, 12)}-${digits.slice(12)}`;
}

/** Returns the sixteen characters of an ISNI (ISO 27729); null if the text is not one or its check digit is wrong. */
export function readIsni(text: string | null): string | null {
  return sixteenDigits(text, ISNI_PREFIX);
}

/** Removes prefixes and returns the sixteen digits. A prefix can occur twice: `orcid:https://orcid.org/…`. */
function sixteenDigits(text: string | null, prefix: RegExp): string | null {
  if (text === null || text.length > 200) return null;
  const match = SIXTEEN.exec(text.trim().replace(prefix, "").replace(prefix, ""));
  if (match === null) return null;
  const digits = `${match[1]}${match[2]}${match[3]}${match[4]}`.toUpperCase();
  return digits !== "0000000000000000" && checkDigit(digits) === digits[15] ? digits : null;
}

/** Computes the check digit of the first fifteen digits (ISO 7064 MOD 11-2). */
function checkDigit(digits: string): string {
  let total = 0;
  for (let i = 0; i < 15; i += 1) total = (total + Number(digits[i])) * 2;
  const result = (12 - (total % 11)) % 11;
  return result === 10 ? "X" : String(result);
}

/** Returns the ROR id without its URL; null if the text is not one. */
export function readRor(text: string | null): string | null {
  return (text === null ? null : ROR.exec(text.trim())?.[1]?.toLowerCase()) ?? null;
}

/** Returns a key that identifies an organisation by its ROR, ISNI, GRID or Wikidata id; null for any other text. */
export function readOrganisationPid(text: string | null, scheme: string | null): string | null {
  if (text === null) return null;
  const ror = readRor(text);
  if (ror !== null) return `ror:${ror}`;
  const grid = GRID.exec(text)?.[1];
  if (grid !== undefined) return `grid:${grid.toLowerCase()}`;
  const hint = `${scheme ?? ""} ${text}`;
  if (/isni/i.test(hint)) {
    const isni = readIsni(text);
    return isni === null ? null : `isni:${isni}`;
  }
  const wikidata = /wikidata/i.test(hint) ? WIKIDATA.exec(text)?.[1] : undefined;
  return wikidata === undefined ? null : `wikidata:${wikidata}`;
}

/**
 * Matches a Crossref Funder id: a DOI with Crossref's prefix for funders. Some payloads only contain the number after
 * the prefix.
 */
const FUNDER_DOI = /^10\.13039\/\d{6,15}$/;
const FUNDER_NUMBER = /^\d{6,15}$/;
const RINGGOLD = /^(?:ringgold[: ]*)?(\d{2,8})$/i;

/**
 * Returns the identifier of an organisation as `<scheme>:<id>`, without its URL. Schemes are `crossref_funder`, `ror`,
 * `grid`, `isni`, `wikidata` and `ringgold`. The form of the text decides, because sources mix up the names of schemes.
 * Only plain digits and a Wikidata id without its URL need `scheme`.
 */
export function readOrganisationId(text: string | null, scheme: string | null): string | null {
  if (text === null || text.length > 200) return null;
  const ror = readRor(text);
  if (ror !== null) return `ror:${ror}`;
  const doi = readDoi(text);
  if (doi !== null) return FUNDER_DOI.test(doi) ? `crossref_funder:${doi}` : null;
  const bare = text.trim();
  if (FUNDER_NUMBER.test(bare) && /crossref|fundref/i.test(scheme ?? "")) return `crossref_funder:10.13039/${bare}`;
  const ringgold = /ringgold/i.test(scheme ?? text) ? RINGGOLD.exec(bare)?.[1] : undefined;
  if (ringgold !== undefined) return `ringgold:${ringgold}`;
  return readOrganisationPid(bare, scheme);
}

/** An identifier as the payload contains it, before it is checked. */
export interface StatedIdentifier {
  readonly text: string | null;
  /** Name or URL of the identifier scheme; null if the payload does not contain it. */
  readonly scheme: string | null;
}

/** Returns the first ROR id of an affiliation, and its identifiers of other schemes in sorted order. */
export function affiliationIds(...stated: readonly StatedIdentifier[]): Pick<Affiliation, "ror" | "otherIds"> {
  const ids = stated.flatMap(({ text, scheme }) => readOrganisationId(text, scheme) ?? []);
  const ror = ids.find((id) => id.startsWith("ror:"))?.slice("ror:".length) ?? null;
  const otherIds = [...new Set(ids.filter((id) => !id.startsWith("ror:")))].sort();
  return otherIds.length === 0 ? { ror } : { ror, otherIds };
}

const PMID =
  /^(?:pmid:?\s*|https?:\/\/(?:www\.ncbi\.nlm\.nih\.gov\/pubmed|pubmed\.ncbi\.nlm\.nih\.gov)\/)?[1-9]\d{0,8}\/?$/i;
/**
 * Matches an arXiv identifier, in the form since 2007 and in the older one. Source: arXiv, "Understanding the arXiv
 * identifier".
 */
const ARXIV = /^(?:arxiv:\s*)?(?:\d{4}\.\d{4,5}|[a-z]{1,10}(?:-[a-z]{1,10})?(?:\.[a-z]{2})?\/\d{7})(?:v\d{1,3})?$/i;
const HANDLE = /^(?:hdl:\s*|info:hdl\/)?\d{1,9}(?:\.[a-z0-9]{1,30}){0,5}\/\S+$/i;

/**
 * True if the text is a valid identifier of the scheme. A stated type is not enough: some payloads call "foosball" a DOI.
 */
export function isIdentifier(text: string | null, scheme: IdentifierScheme): boolean {
  if (text === null || text.length > 2048) return false;
  switch (scheme) {
    case "doi":
      return readDoi(text) !== null;
    case "url":
      return readWebUrl(text) !== null;
    case "pmid":
      return PMID.test(text.trim());
    case "arxiv":
      return ARXIV.test(text.trim());
    case "handle":
      return HANDLE.test(text.trim());
    default:
      return scheme satisfies never;
  }
}

/** Returns the text if it is an http or https URL; otherwise null. */
export function readWebUrl(text: string | null): string | null {
  return text !== null && /^https?:\/\/[^\s]+$/i.test(text) && text.length <= 2048 ? text : null;
}

/**
 * Patterns of persistent identifiers in a reference. They are separate, so that a tool can prove that each takes linear
 * time.
 */
const PIDS = [/\b10\.\d{4,9}\/\S/, /\bPMID:?\s*\d/i, /\barXiv:\s*\S/i, /\bhdl:\s*\S/i, /https?:\/\/\S/i];

/** Counts the references whose text contains a persistent identifier. */
export function identifiedIn(references: readonly string[], { note }: Vocabularies): number {
  return references.filter((text) => {
    const isIdentified = PIDS.some((pid) => pid.test(text));
    note?.("reference_pid_count", text, isIdentified);
    return isIdentified;
  }).length;
}

/**
 * Returns the known word that is most similar to `word`, ignoring case, and the first one if several are equally
 * similar. Returns null if every known word differs by more than `most` changes.
 */
export function nearest(word: string, known: readonly string[], most = Number.POSITIVE_INFINITY): string | null {
  const meant = word.toLowerCase();
  const distances = known.map((name) => [name, measureDistance(meant, name.toLowerCase())] as const);
  return (
    distances.filter(([, distance]) => distance <= most).toSorted(([, one], [, other]) => one - other)[0]?.[0] ?? null
  );
}

/**
 * Returns the number of changes between two words: insertions, deletions, replacements and swaps of neighbours (optimal
 * string alignment). If one word begins with the other, each further letter counts as half a change.
 */
function measureDistance(one: string, other: string): number {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  if (shorter !== "" && longer.startsWith(shorter)) return (longer.length - shorter.length) / 2;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (same ? 0 : 1),
        swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return at(row, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
