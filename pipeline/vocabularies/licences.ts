/** Finds the SPDX ids of licence statements, and classifies licences. Ids and names come from the SPDX list package. */

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
   * Returns the SPDX id of the first text that is an id, URL, alias or full name of a licence. If there is none, returns
   * that of the first text that states a single licence; otherwise ''.
   */
  resolve(texts: readonly string[]): string;
  /** Returns the Creative Commons licence that the texts name without its version ("CC-BY-SA"), or ''. */
  resolveUnversioned(texts: readonly string[]): string;
  /**
   * True if a licence conforms with the Open Definition or is approved by the OSI; false for ''. Accepts licences
   * without a version.
   */
  isOpen(id: string): boolean;
  /** True for a licence without NC, ND or SA clause; false for ''. Accepts licences without a version. */
  isPermissive(id: string): boolean;
}

/** Longest name of a licence in characters. Longer texts are terms of use. */
const MAX_NAME_LENGTH = 400;

// The package does not define an order of ids.
const IDS: readonly string[] = Object.keys(spdx).sort();

/** Matches the id of a Creative Commons licence: its name, its version, and an optional country. CC0 only has one version. */
const VERSIONED = /^(CC-BY(?:-[A-Z]{2})*)-(\d\.\d)(?:-|$)/;

/**
 * Reads the tables of licences. Names and URLs are read with the first text that is not an id, and classes with the first
 * question about one, because they take longer than all other word lists together.
 */
export function readLicences(aliases: VocabularyTable, classes: VocabularyTable, phrases: VocabularyTable): Licences {
  const ids = new Map(IDS.map((id) => [id.toLowerCase(), id]));
  const spellings = lazily(() => readSpellings(aliases));
  const findClass = lazily(() => readClasses(classes));
  const lookUp = memoise((text) => {
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
      addresses.get(address) ?? names.get(name) ?? unversionedAddresses.get(address) ?? unversionedNames.get(name) ?? ""
    );
  });
  const lookUpName = (text: string) => (text.length <= MAX_NAME_LENGTH ? lookUp(text) : "");
  const namedIn = readNaming(phrases, lookUpName);
  const isVersioned = (id: string) => Object.hasOwn(spdx, id);
  const first = (texts: readonly string[], isWanted: (id: string) => boolean): string => {
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

/** Returns the ids of licences by URL and name, and those of Creative Commons licences without their version. */
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

/** Returns the URLs of the table, then those of the package that belong to one licence. */
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
      if (addressKey(text) !== text) row.fail(`"${text}" is not a normalised URL: "${addressKey(text)}" is`);
      addresses.set(text, id);
    }
  }
  return addresses;
}

/** Expands a row. A row with `{id}` gives a URL for every id. Other rows name one id. */
function expand(row: VocabularyRow): [text: string, id: string][] {
  const text = row.text("text");
  const stated = row.filled("spdx_id");
  if (stated === "{id}") return IDS.map((id) => [text.replace("{id}", id.toLowerCase()), id]);
  if (!Object.hasOwn(spdx, stated)) row.fail(`"${stated}" is not an SPDX id`);
  return [[text, stated]];
}

/** Returns the names of the table, then the full names of the package. */
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

/** Returns each spelling of a Creative Commons licence without its version, with that licence. */
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

/** Returns, for each id, the first row of licence-classes.csv whose pattern matches. */
function classify(table: VocabularyTable): Map<string, VocabularyRow> {
  const patterns = table.rows.map((row) => ({ row, fits: globPattern(row.filled("pattern")) }));
  const last = table.rows.at(-1);
  if (last && last.text("pattern") !== "*") last.fail('the last row must be "*"');
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

/** Longest terms that are read, in characters. A licence is usually named at the beginning. */
const READ = 4000;

/** Most words of a licence name, with articles and brackets before it. */
const WORDS = 16;

/** Most positions in a text at which a licence can be named. A text with more does not state a licence. */
const PLACES = 50;

const ADDRESS = /https?:\/\/[^\s<>"'()[\]]{1,300}/gi;

/** The version after the name of a licence in its id. */
const VERSION = /^-\d\.\d/;

/** Words before a name that are not part of it. */
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

/** Characters before a phrase in which a word negates it. */
const CLAUSE = 50;

/** Reads licence-phrases.csv; `resolve` returns the id of a name or URL, or ''. */
function readNaming(table: VocabularyTable, resolve: (name: string) => string): (text: string) => string {
  const phrases = readPhrases(table);

  return (text) => {
    const read = text.slice(0, READ).replace(/\s+/g, " ");
    const lower = read.toLowerCase();
    // A licence with additional restrictions is another licence.
    if (phrases.limits.some((phrase) => lower.includes(phrase))) return "";
    const ids = new Set<string>();
    for (const address of read.match(ADDRESS) ?? []) ids.add(resolve(address.replace(/[.,;:]{1,9}$/, "")));
    for (const place of placesIn(lower, phrases)) ids.add(nameAt(read.slice(place), resolve));
    ids.delete("");
    // "CC BY (https://creativecommons.org/licenses/by/4.0/)" names one licence twice, once without its version.
    const isRepeated = (id: string) =>
      [...ids].some((other) => other.startsWith(id) && VERSION.test(other.slice(id.length)));
    const [id = "", ...others] = [...ids].filter((id) => !isRepeated(id));
    return others.length === 0 ? id : "";
  };
}

/** Meanings of phrases: the name of a licence follows, a negation, or a restriction. */
const MEANINGS = ["names", "denies", "limits"] as const;

type Phrases = Readonly<Record<(typeof MEANINGS)[number], readonly string[]>>;

function readPhrases(table: VocabularyTable): Phrases {
  const rows = [...indexRows(table.rows, (row) => row.filled("phrase")).values()];
  for (const row of rows)
    if (plainKey(row.text("phrase")) !== row.text("phrase")) row.fail("the phrase is not lower case");
  const of = (meaning: (typeof MEANINGS)[number]) =>
    rows.filter((row) => row.word("meaning", MEANINGS) === meaning).map((row) => row.text("phrase"));
  return { names: of("names"), denies: of("denies"), limits: of("limits") };
}

/** Returns the ends of phrases after which the name of a licence may follow. */
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

/** Returns the licence named by the longest possible run of words at the beginning. */
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

/** True if a single word is spelled like a name: MIT, CC0, GPL-3.0, but not "fair" or "ruby". */
function isName(word: string): boolean {
  return /\d/.test(word) || (word.length > 1 && word === word.toUpperCase());
}

function stripPunctuation(text: string): string {
  return text.replace(/^[\s"'“”‘’«»()[\],;:.]{1,20}/, "").replace(/[\s"'“”‘’«»()[\],;:.]{1,20}$/, "");
}
