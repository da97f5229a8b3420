/** Licences as given, turned into SPDX ids, and what an id allows. The ids and names are those of the SPDX list package. */

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

/** Resolves and classes licences. */
export interface Licences {
  /**
   * The canonical SPDX id of the first text that is one, or is the address, an alias or the full name of one; else of the
   * first that says under which one licence something is given; else ''.
   */
  resolve(texts: readonly string[]): string;
  /** The Creative Commons licence that the texts name without its version ("CC-BY-SA"); '' if they name none. */
  resolveUnversioned(texts: readonly string[]): string;
  /** Conformant with the Open Definition, or approved by the OSI; false for ''. Takes unversioned licences too. */
  isOpen(id: string): boolean;
  /** No NC, ND or SA clause; false for ''. Takes unversioned licences too. */
  isPermissive(id: string): boolean;
}

/** No name of a licence is as long as this; longer texts are terms of use, in which one may be named. */
const LONGEST_NAME = 400;

// The package lists ids in no particular order.
const IDS: readonly string[] = Object.keys(spdx).sort();

/** The id of a Creative Commons licence: its name, its version, and perhaps a country. CC0 has one version only. */
const VERSIONED = /^(CC-BY(?:-[A-Z]{2})*)-(\d\.\d)(?:-|$)/;

/** Reads licence-aliases.csv, licence-classes.csv and licence-phrases.csv. */
export function readLicences(aliases: VocabularyTable, classes: VocabularyTable, phrases: VocabularyTable): Licences {
  const ids = new Map(IDS.map((id) => [id.toLowerCase(), id]));
  const addresses = readAddresses(aliases);
  const names = readNames(aliases);
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
  const unversionedNames = withoutVersions(
    new Map([...IDS.map((id) => [licenceKey(id), id] as const), ...names]),
    licenceKey,
  );
  const unversionedAddresses = withoutVersions(addresses, (address) => address.replace("//", "/").replace(/\/$/, ""));
  const lookUp = memoise((text) => {
    const id = ids.get(
      text
        .trim()
        .toLowerCase()
        .replace(/[\s_]+/g, "-"),
    );
    const address = addressKey(text);
    const name = licenceKey(text);
    return (
      id ??
      addresses.get(address) ??
      names.get(name) ??
      unversionedAddresses.get(address) ??
      unversionedNames.get(name) ??
      ""
    );
  });
  const lookUpName = (text: string) => (text.length <= LONGEST_NAME ? lookUp(text) : "");
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
    isOpen: (id) => open.get(id) ?? false,
    isPermissive: (id) => permissive.get(id) ?? false,
  };
}

/** Addresses of the table, then those the package gives where they are one licence's alone. */
function readAddresses(table: VocabularyTable): ReadonlyMap<string, string> {
  const rows = table.rows.filter((row) => row.word("match", ["url", "text"]) === "url");
  const addresses = new Map<string, string>();
  for (const id of IDS) {
    const key = addressKey(spdx[id]?.url ?? "");
    // '' marks an address that two licences share. A host alone is no licence's address.
    if (key.includes("/")) addresses.set(key, addresses.has(key) ? "" : id);
  }
  for (const row of indexRows(rows, (row) => row.filled("text")).values()) {
    for (const [text, id] of expand(row)) {
      if (addressKey(text) !== text) row.fail(`"${text}" is not a normalised address: "${addressKey(text)}" is`);
      addresses.set(text, id);
    }
  }
  return addresses;
}

/** A row for `{id}` says where every id of the list is found; any other row names one id. */
function expand(row: VocabularyRow): [text: string, id: string][] {
  const text = row.text("text");
  const stated = row.filled("spdx_id");
  if (stated === "{id}") return IDS.map((id) => [text.replace("{id}", id.toLowerCase()), id]);
  if (!Object.hasOwn(spdx, stated)) row.fail(`"${stated}" is no SPDX id`);
  return [[text, stated]];
}

/** Names of the table before the package's full names. */
function readNames(table: VocabularyTable): ReadonlyMap<string, string> {
  // A deprecated id shares its name with its successor, whose id is longer: GPL-3.0 with GPL-3.0-only.
  const successorsLast = IDS.toSorted((a, b) => a.length - b.length);
  const names = new Map(successorsLast.map((id) => [licenceKey(spdx[id]?.name ?? id), id]));
  const rows = table.rows.filter((row) => row.text("match") === "text");
  for (const [key, row] of indexRows(rows, (row) => licenceKey(row.filled("text")))) {
    for (const [, id] of expand(row)) names.set(key, id);
  }
  return names;
}

/** Each spelling of a Creative Commons licence with its version left out, and the licence without its version. */
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

/** The first row of licence-classes.csv, in file order, whose pattern fits each id. */
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

/** Of longer terms only the beginning is read, where a licence is named. */
const READ = 4000;

/** Words a licence's name has at most, with the articles and brackets before it. */
const WORDS = 16;

/** Places in one text where a licence may be named; a text with more is no statement. */
const PLACES = 50;

const ADDRESS = /https?:\/\/[^\s<>"'()[\]]{1,300}/gi;

/** What follows the name of a licence in its id. */
const VERSION = /^-\d\.\d/;

/** Words before a name that are no part of it. */
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

/** How far before a phrase a word in the same clause denies it. */
const CLAUSE = 50;

/** Reads licence-phrases.csv; `resolve` gives the id of a name or an address, or ''. */
function readNaming(table: VocabularyTable, resolve: (name: string) => string): (text: string) => string {
  const phrases = readPhrases(table);

  return (text) => {
    const read = text.slice(0, READ).replace(/\s+/g, " ");
    const lower = read.toLowerCase();
    // A licence with restrictions added to it is another one.
    if (phrases.limits.some((phrase) => lower.includes(phrase))) return "";
    const ids = new Set<string>();
    for (const address of read.match(ADDRESS) ?? []) ids.add(resolve(address.replace(/[.,;:]{1,9}$/, "")));
    for (const place of placesIn(lower, phrases)) ids.add(nameAt(read.slice(place), resolve));
    ids.delete("");
    // "CC BY (https://creativecommons.org/licenses/by/4.0/)" names one licence, once without its version.
    const isRepeated = (id: string) =>
      [...ids].some((other) => other.startsWith(id) && VERSION.test(other.slice(id.length)));
    const [id = "", ...others] = [...ids].filter((id) => !isRepeated(id));
    return others.length === 0 ? id : "";
  };
}

/** What is said by a phrase: that a name follows, that the clause is denied, that the licence is not the whole of it. */
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

/** Where a phrase ends that a licence may be named behind. */
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

/** The longest run of words at the beginning that is the name of a licence. */
function nameAt(text: string, resolve: (name: string) => string): string {
  const words = text.trimStart().slice(0, 400).split(" ").slice(0, WORDS);
  const first = words.findIndex((word) => !ARTICLES.has(bare(word).toLowerCase()));
  const rest = first < 0 ? [] : words.slice(first);
  for (let count = rest.length; count > 0; count -= 1) {
    const name = bare(rest.slice(0, count).join(" "));
    if (count === 1 && !isName(name)) return "";
    const id = resolve(name);
    if (id !== "") return id;
  }
  return "";
}

/** One word alone is a name where it is written as one: MIT, CC0, GPL-3.0; "fair" and "ruby" are words. */
function isName(word: string): boolean {
  return /\d/.test(word) || (word.length > 1 && word === word.toUpperCase());
}

/** Without the brackets, quotes and stops around it. */
function bare(text: string): string {
  return text.replace(/^[\s"'“”‘’«»()[\],;:.]{1,20}/, "").replace(/[\s"'“”‘’«»()[\],;:.]{1,20}$/, "");
}
