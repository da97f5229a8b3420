// The one licence that a sentence names: "The data are licensed under CC0." Terms that name two, or none, name none here.
import { plainKey } from "./keys.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

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
export function readNaming(table: VocabularyTable, resolve: (name: string) => string): (text: string) => string {
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
