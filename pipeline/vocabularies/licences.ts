/** Finds the SPDX ids of stated licences, and classifies licences. Ids and names come from the SPDX list package. */

import spdx from "spdx-license-list";
import {
  addressKey,
  indexRows,
  licenceKey,
  memoise,
  plainKey,
  type VocabularyRow,
  type VocabularyTable,
} from "./read-table.ts";

export interface Licences {
  /**
   * Returns the SPDX id of the first text that is an id, URL, alias or full name of a licence. Otherwise returns that of
   * the first longer text that names a single licence. Returns '' if there is none, or if a longer text names two licences,
   * because it is then not known which of them applies.
   */
  resolve(texts: readonly string[]): string;
  /**
   * Returns the Creative Commons licence ("CC-BY-SA") that the texts name without a version, or whose version for a country
   * has no SPDX id; otherwise ''.
   */
  resolveUnversioned(texts: readonly string[]): string;
  /** True if a text is on the licence of the metadata, and not on that of the data. */
  isAboutMetadata(text: string): boolean;
  /**
   * True if a licence conforms with the Open Definition or is approved by the OSI. The id may lack its version; '' is not
   * open.
   */
  isOpen(id: string): boolean;
  /** True for a licence without an NC, ND or SA clause. The id may lack its version; '' is not permissive. */
  isPermissive(id: string): boolean;
}

/** Longest name of a licence in characters. A longer text contains terms of use. */
const MAX_NAME_LENGTH = 400;

// The package does not define an order of ids.
const IDS: readonly string[] = Object.keys(spdx).sort();

/**
 * Matches the id of a Creative Commons licence: its name, its version, and an optional country. CC0 is left out, because it
 * has only one version.
 */
const VERSIONED = /^(CC-BY(?:-[A-Z]{2})*)-(\d\.\d)(?:-|$)/;

/**
 * Matches the end of the URL of a Creative Commons licence that was ported to a country: "/3.0/us". Many of them have no
 * SPDX id.
 */
const PORT = /\/(?:1\.0|2\.[015]|3\.0)\/[a-z]{2,8}$/;

/** Matches the last word of "CC0 1.0 Universal License", which names often have in addition. */
const LAST_WORD = /[ -]licen[cs]e[.\s]{0,3}$/i;

/**
 * Reads the tables of licences. Names and URLs are only read for the first text that is not an id, and classes for the
 * first call of `isOpen` or `isPermissive`, because they take longer than all other word lists together.
 */
export function readLicences(aliases: VocabularyTable, classes: VocabularyTable, phrases: VocabularyTable): Licences {
  const ids = new Map(IDS.map((id) => [id.toLowerCase(), id]));
  const spellings = lazily(() => readSpellings(aliases));
  const findClass = lazily(() => readClasses(classes));
  const find = (text: string): string => {
    const id = ids.get(
      text
        .trim()
        .toLowerCase()
        .replace(/[\s_]+/g, "-"),
    );
    if (id !== undefined) return id;
    const { addresses, names, unversionedAddresses, unversionedNames } = spellings();
    const address = addressKey(text);
    const name = licenceKey(text);
    return (
      addresses.get(address) ??
      names.get(name) ??
      unversionedAddresses.get(address.replace(PORT, "")) ??
      unversionedNames.get(name) ??
      ""
    );
  };
  const lookUp = memoise((text) => find(text) || find(text.replace(LAST_WORD, "")));
  const lookUpName = (text: string) => (text.length <= MAX_NAME_LENGTH ? lookUp(text) : "");
  const words = readPhrases(phrases);
  const namesIn = readNaming(words, lookUpName);
  const namedIn = (text: string): string => {
    const [id = "", ...more] = namesIn(text);
    return more.length === 0 ? id : "";
  };
  const isAmbiguous = (text: string) => lookUpName(text) === "" && new Set(namesIn(text).map(licenceFamily)).size > 1;
  const isVersioned = (id: string) => Object.hasOwn(spdx, id);
  const first = (texts: readonly string[], isWanted: (id: string) => boolean): string => {
    if (texts.some(isAmbiguous)) return "";
    for (const read of [lookUpName, namedIn]) {
      for (const text of texts) {
        const id = read(text);
        if (id !== "" && isWanted(id)) return id;
      }
    }
    return "";
  };

  return {
    resolve: (texts) => first(texts, isVersioned),
    resolveUnversioned: (texts) => first(texts, (id) => !isVersioned(id)),
    isAboutMetadata: (text) => isAboutMetadata(text, words),
    isOpen: (id) => findClass().open.get(id) ?? false,
    isPermissive: (id) => findClass().permissive.get(id) ?? false,
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns the ids of licences by URL and by name. Creative Commons licences also have URLs and names without a version.
 */
function readSpellings(aliases: VocabularyTable) {
  const addresses = readAddresses(aliases);
  const names = readNames(aliases);
  const allNames = new Map([...IDS.map((id) => [licenceKey(id), id] as const), ...names]);
  return {
    addresses,
    names,
    unversionedAddresses: withoutVersions(addresses, (address) => address.replace("//", "/").replace(/\/$/, "")),
    unversionedNames: withoutVersions(allNames, licenceKey),
  };
}

function readClasses(classes: VocabularyTable) {
  const open = new Map<string, boolean>();
  const permissive = new Map<string, boolean>();
  for (const [id, row] of classify(classes)) {
    open.set(id, isOpenBy(row, id));
    permissive.set(id, row.flag("permissive"));
  }
  for (const id of IDS) {
    const unversioned = VERSIONED.exec(id)?.[1];
    if (unversioned === undefined) continue;
    // NC, ND and SA mean the same in every version.
    for (const is of [open, permissive]) is.set(unversioned, is.get(id) === true && is.get(unversioned) !== false);
  }
  return { open, permissive };
}

/**
 * Returns SPDX ids by the URLs of licences, from licence-aliases.csv and the package spdx-license-list. The file takes
 * precedence over the package, whose URLs are left out if several licences share them.
 */
function readAddresses(table: VocabularyTable): ReadonlyMap<string, string> {
  const rows = table.rows.filter((row) => row.word("match", ["url", "text"]) === "url");
  const addresses = new Map<string, string>();
  for (const id of IDS) {
    const key = addressKey(spdx[id]?.url ?? "");
    // '' marks a URL of two licences. A host without a path does not identify a licence.
    if (key.includes("/")) addresses.set(key, addresses.has(key) ? "" : id);
  }
  for (const row of indexRows(rows, (row) => row.filled("text")).values()) {
    for (const [text, id] of expand(row)) {
      if (addressKey(text) !== text)
        row.fail(
          `"${text}" is not a URL in lower case without scheme, query and last slash; write "${addressKey(text)}"`,
        );
      addresses.set(text, id);
    }
  }
  return addresses;
}

/** Expands a row to texts with their ids. A row with `{id}` results in a URL for every id; any other row has one id. */
function expand(row: VocabularyRow): [text: string, id: string][] {
  const text = row.text("text");
  const stated = row.filled("spdx_id");
  if (stated === "{id}") return IDS.map((id) => [text.replace("{id}", id.toLowerCase()), id]);
  if (!Object.hasOwn(spdx, stated)) row.fail(`"${stated}" is not an SPDX id, such as CC-BY-4.0`);
  return [[text, stated]];
}

/**
 * Returns SPDX ids by the names of licences, from licence-aliases.csv and the package spdx-license-list (full names).
 * The file takes precedence over the package.
 */
function readNames(table: VocabularyTable): ReadonlyMap<string, string> {
  // A deprecated id has the same name as its successor, whose id is longer: GPL-3.0 and GPL-3.0-only.
  const successorsLast = IDS.toSorted((a, b) => a.length - b.length);
  const names = new Map(successorsLast.map((id) => [licenceKey(spdx[id]?.name ?? id), id]));
  const rows = table.rows.filter((row) => row.text("match") === "text");
  for (const [key, row] of indexRows(rows, (row) => licenceKey(row.filled("text")))) {
    for (const [, id] of expand(row)) names.set(key, id);
  }
  return names;
}

/** Returns the Creative Commons licences by their spellings with the version removed. */
function withoutVersions(
  spellings: ReadonlyMap<string, string>,
  normalise: (spelling: string) => string,
): ReadonlyMap<string, string> {
  const unversioned = new Map<string, string>();
  for (const [spelling, id] of spellings) {
    const [, name, version] = VERSIONED.exec(id) ?? [];
    if (name === undefined || version === undefined || !spelling.includes(version)) continue;
    unversioned.set(normalise(spelling.replaceAll(version, "")), name);
  }
  return unversioned;
}

/** Returns the first row of licence-classes.csv whose pattern matches, for each id. */
function classify(table: VocabularyTable): Map<string, VocabularyRow> {
  const patterns = table.rows.map((row) => ({ row, fits: globPattern(row.filled("pattern")) }));
  const last = table.rows.at(-1);
  if (last && last.text("pattern") !== "*")
    last.fail('the last row must have the pattern "*", which covers all other licences');
  const classes = new Map<string, VocabularyRow>();
  for (const id of IDS) {
    const found = patterns.find(({ fits }) => fits.test(id));
    if (found) classes.set(id, found.row);
  }
  return classes;
}

function globPattern(glob: string): RegExp {
  return new RegExp(`^${glob.replace(/[.+]/g, "\\$&").replaceAll("*", ".*")}$`);
}

function isOpenBy(row: VocabularyRow, id: string): boolean {
  const open = row.word("open", ["yes", "no", "osi"]);
  return open === "osi" ? spdx[id]?.osiApproved === true : open === "yes";
}

/** Number of characters of a longer text that are read. A licence is usually named at the beginning. */
const READ = 4000;

/** Largest number of words in the name of a licence, with articles and brackets before it. */
const WORDS = 16;

/**
 * Largest number of places in a text at which the name of a licence is searched. Further places are ignored, because a
 * text with so many hardly states one licence.
 */
const PLACES = 50;

const ADDRESS = /https?:\/\/[^\s<>"'()[\]]{1,300}/gi;

/** Matches the version in an id, which follows the name of the licence. */
const VERSION = /^-\d\.\d/;

/** Words that may precede the name of a licence without being part of it. */
const ARTICLES = new Set([
  "a",
  "an",
  "the",
  "terms",
  "of",
  "conditions",
  "and",
  "license",
  "licence",
  "version",
  "following",
]);

/** Number of characters before a phrase in which a negation such as "not" applies to it. */
const CLAUSE = 50;

/** Returns an id without its version: "CC-BY-NC", "GPL". */
function licenceFamily(id: string): string {
  return id.split(/-\d/)[0] ?? id;
}

/**
 * Returns a function that finds the licences that a longer text names. `resolve` returns the id of a name or URL, or ''.
 */
function readNaming(phrases: Phrases, resolve: (name: string) => string): (text: string) => readonly string[] {
  return (text) => {
    const read = text.slice(0, READ).replace(/\s+/g, " ");
    const lower = read.toLowerCase();
    // Hyphens vary: "non-commercial" and "non commercial".
    const plain = lower.replace(/[-\u2010-\u2015]/g, " ");
    const others = phrases.commercial.reduce((text, phrase) => text.replaceAll(phrase, ""), plain);
    // A licence with additional restrictions is another licence.
    if (phrases.limits.some((phrase) => others.includes(phrase))) return [];
    const ids = new Set<string>();
    for (const address of read.match(ADDRESS) ?? []) ids.add(resolve(address.replace(/[.,;:]{1,9}$/, "")));
    for (const place of placesIn(lower, phrases)) ids.add(nameAt(read.slice(place), resolve));
    ids.delete("");
    // "CC BY (https://creativecommons.org/licenses/by/4.0/)" names one licence twice, once without its version.
    const isRepeated = (id: string) =>
      [...ids].some((other) => other.startsWith(id) && VERSION.test(other.slice(id.length)));
    const named = [...ids].filter((id) => !isRepeated(id));
    const isRestricted = others !== plain && !named.every((id) => id.includes("-NC"));
    return isRestricted ? [] : named;
  };
}

/**
 * The meanings of phrases: the name of a licence follows (`names`), a negation (`denies`), an additional restriction
 * (`limits`), a restriction to non-commercial use, which is only additional for a licence without NC (`commercial`), and
 * words for metadata and for data (`metadata`, `data`).
 */
const MEANINGS = ["names", "denies", "limits", "commercial", "metadata", "data"] as const;

type Phrases = Readonly<Record<(typeof MEANINGS)[number], readonly string[]>>;

/** Reads licence-phrases.csv. */
function readPhrases(table: VocabularyTable): Phrases {
  const rows = [...indexRows(table.rows, (row) => row.filled("phrase")).values()];
  for (const row of rows)
    if (plainKey(row.text("phrase")) !== row.text("phrase"))
      row.fail(`the phrase is not lower case with single spaces; write "${plainKey(row.text("phrase"))}"`);
  const of = (meaning: (typeof MEANINGS)[number]) =>
    rows.filter((row) => row.word("meaning", MEANINGS) === meaning).map((row) => row.text("phrase"));
  // A longer phrase contains shorter ones: "only for non commercial" contains "for non commercial".
  const commercial = of("commercial").toSorted((a, b) => b.length - a.length);
  return {
    names: of("names"),
    denies: of("denies"),
    limits: of("limits"),
    commercial,
    metadata: of("metadata"),
    data: of("data"),
  };
}

/**
 * Number of words at the beginning of a sentence that can contain its subject. Metadata are often named with their
 * catalogue; "the data" are not.
 */
const SUBJECT = { metadata: 8, data: 3 };

/**
 * True if the subject of a sentence is metadata, and that of no sentence is data: "All metadata of the archive are
 * available under CC0. Please name the data providers."
 */
function isAboutMetadata(text: string, { metadata, data }: Phrases): boolean {
  const read = text.slice(0, READ).toLowerCase();
  if (!metadata.some((word) => read.includes(word))) return false;
  const subjects = read.split(/[.;:](?!\S)/).map((sentence) => {
    const words = sentence.split(/[^\p{L}]/u).filter((word) => word !== "");
    const isMetadata = words.slice(0, SUBJECT.metadata).some((word) => metadata.includes(word));
    const subject = words.slice(0, isMetadata ? SUBJECT.metadata : SUBJECT.data);
    return { isMetadata, isData: subject.some((word) => data.includes(word)) };
  });
  return subjects.some(({ isMetadata }) => isMetadata) && !subjects.some(({ isData }) => isData);
}

/** Returns the positions in a text at which the name of a licence may begin, after a phrase. */
function placesIn(text: string, { names, denies }: Phrases): number[] {
  const places: number[] = [];
  for (const phrase of names) {
    for (let at = text.indexOf(phrase); at >= 0 && places.length < PLACES; at = text.indexOf(phrase, at + 1)) {
      const clause =
        text
          .slice(Math.max(0, at - CLAUSE), at)
          .split(/[.;:]/)
          .at(-1) ?? "";
      const words = clause.split(/[^\p{L}]/u);
      if (words.at(-1) === "" && !words.some((word) => denies.includes(word))) places.push(at + phrase.length);
    }
  }
  return places;
}

/** Returns the id of the licence at the beginning of a text. Prefers the longest run of words that is a name. */
function nameAt(text: string, resolve: (name: string) => string): string {
  const words = text.trimStart().slice(0, 400).split(" ").slice(0, WORDS);
  const first = words.findIndex((word) => !ARTICLES.has(stripPunctuation(word).toLowerCase()));
  const rest = first < 0 ? [] : words.slice(first);
  for (let count = rest.length; count > 0; count -= 1) {
    const name = stripPunctuation(rest.slice(0, count).join(" "));
    if (count === 1 && !isName(name)) return "";
    const id = resolve(name);
    if (id !== "") return id;
  }
  return "";
}

/** True for a word that is spelled like the name of a licence, such as MIT, CC0 or GPL-3.0, and unlike "fair" or "ruby". */
function isName(word: string): boolean {
  return /\d/.test(word) || (word.length > 1 && word === word.toUpperCase());
}

function stripPunctuation(text: string): string {
  return text.replace(/^[\s"'“”‘’«»()[\],;:.]{1,20}/, "").replace(/[\s"'“”‘’«»()[\],;:.]{1,20}$/, "");
}
