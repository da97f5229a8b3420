/**
 * Folds texts and names, so that different spellings of the same name are equal (decisions.md, "Identity of
 * researchers").
 */

import { indexRows, memoise, type VocabularyRow, type VocabularyTable } from "./read-table.ts";

/** Number of names in the cache. A name is needed several times in a row, and rarely later. */
const NAMES = 1000;

/** Folds texts and names of people. Letters that are not Latin stay unchanged. */
export interface Folding {
  /**
   * Converts a text to lower case without accents, punctuation and full-width forms. Replaces the letters of
   * folding.csv, such as ß by ss, and reduces white space to single spaces.
   */
  foldText(text: string): string;
  /** Folds the name of a person. Removes degrees, and changes `Family, Given` to `Given Family`. */
  foldName(text: string): string;
  /** Removes degrees and titles from a name. A name that only has such words stays unchanged. */
  dropDegrees(text: string): string;
  /** True for a generational suffix such as Jr. or III, which belongs to the name but is never a given name. */
  isGenerational(segment: string): boolean;
}

export function readFolding(folding: VocabularyTable, { dropDegrees: drop, isGenerational }: Degrees): Folding {
  const foldText = textFolder(folding);
  const dropDegrees = memoise(drop, NAMES);
  return {
    foldText,
    dropDegrees,
    isGenerational,
    foldName: memoise((text) => {
      const [first = "", second = "", ...rest] = dropDegrees(text.normalize("NFKC")).split(",");
      // "Martin King, Jr." is in the right order.
      const turned = isGenerational(second) ? [first, second] : [second, first];
      return foldText([...turned, ...rest].join(" "));
    }, NAMES),
  };
}

const ASCII = /^[\x20-\x26\x28-\x5f\x61-\x7e]*$/;

function textFolder(table: VocabularyTable): (text: string) => string {
  const rows = indexRows(table.rows, (row) => row.filled("character"));
  const folded = new Map([...rows].map(([character, row]) => [character, row.text("folded")]));
  for (const [character, row] of rows) {
    if ([...character].length !== 1)
      row.fail(`the column character contains "${character}"; write exactly one character`);
  }

  return (text) => {
    // Most texts are plain ASCII without apostrophes and need no normalisation.
    if (ASCII.test(text))
      return text
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, " ")
        .trim();
    return (
      text
        .normalize("NFKC")
        // Invisible characters, and accents used as an apostrophe (O´Brien).
        .replace(/\p{Cf}| \p{M}+/gu, "")
        .toLowerCase()
        .normalize("NFD")
        // Marks of other scripts belong to their letters: й is not и, and が is not か.
        .replace(/([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, "$1")
        .normalize("NFC")
        .replace(/[^a-z0-9 ]/gu, (character) => folded.get(character) ?? character)
        // Everything from a character that is neither letter nor digit up to the next letter or digit. Marks in between
        // belong to no letter.
        .replace(/(?:^|[^\p{L}\p{M}\p{N}])[^\p{L}\p{N}]*/gu, " ")
        .trim()
    );
  };
}

const POSITIONS = ["after", "always", "comma", "before", "generation"] as const;
type Position = (typeof POSITIONS)[number];

interface Degrees {
  /** Removes degrees and titles from a name. A name that only has such words stays unchanged. */
  dropDegrees(text: string): string;
  /** True for a generational suffix such as Jr. or III, which belongs to the name but is never a given name. */
  isGenerational(segment: string): boolean;
}

/** A row of degrees.csv: where the word stands in a name, and how it is spelled. */
interface Word {
  readonly position: Position;
  readonly letters: string;
  /** True if the word needs its full stop: "Ing." is a title, but Ing is a given name. */
  readonly dotted: boolean;
}

interface Words {
  readonly degrees: ReadonlyMap<string, Word>;
  readonly particles: ReadonlySet<string>;
}

/**
 * Reads degrees.csv, and name-particles.csv with words that begin a family name ("van"). In degrees.csv, `position` is
 * where a word stands: a title `before` a name, a degree `after` it. A degree that can also be a name or initials (MA, MD,
 * DO) only counts after a `comma` and a full name. If the words before the comma are only a family name, or if there is no
 * comma, a degree must not look like initials ("Scargle, J. D.", "Beard, JD") or a name ("Chen, Meng"). A word that is
 * `always` a degree is never read as initials, unless its letters are separate.
 */
export function readDegrees(table: VocabularyTable, particleTable: VocabularyTable): Degrees {
  const rows = [...indexRows(table.rows, (row) => degreeKey(row.filled("text")))];
  const degrees = new Map(rows.map(([key, row]) => [key, readWord(row)]));
  const particles = new Set(
    [...indexRows(particleTable.rows, (row) => row.filled("particle"))].flatMap(([particle, row]) =>
      row.flag("capital") ? [particle, capitalised(particle)] : [particle],
    ),
  );

  return {
    dropDegrees: (text) => dropAll(text, { degrees, particles }) || text.trim(),
    isGenerational: (segment) => degrees.get(degreeKey(segment))?.position === "generation",
  };
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function readWord(row: VocabularyRow): Word {
  const text = row.filled("text");
  return {
    position: row.word("position", POSITIONS),
    letters: keepLetters(text),
    dotted: /^\p{Lu}\p{Ll}+\.$/u.test(text),
  };
}

/**
 * Matches initials with spaces between them. If two words precede them, both are the family name ("Castro Lima, M. D.").
 */
const STAND_APART = /^(?:\p{Lu}\.?\s+)+\p{Lu}\.?$/u;

function dropAll(text: string, words: Words): string {
  const [first = "", ...rest] = text.split(",").map((segment) => segment.trim());
  const name = stripEnds(first, words.degrees, isTitle);
  const names = name === "" ? [] : [name];
  for (const segment of rest) {
    const isFullName = names.length > 1 || (isInOrder(name, words) && !STAND_APART.test(segment));
    if (segment === "" || isDegrees(segment, words, isFullName)) continue;
    names.push(stripEnds(segment, words.degrees, isSureTitle) || segment);
  }
  return names.join(", ");
}

/**
 * True if a text has a given and a family name. It must have at least two words, and the first must not begin a family name
 * ("van Eijk").
 */
function isInOrder(name: string, { particles }: Words): boolean {
  const [first = "", ...rest] = name.split(/\s+/);
  return rest.length > 0 && !particles.has(first);
}

/** Removes titles at the start, and degrees at the end that cannot be anything else. At least one word remains. */
function stripEnds(segment: string, degrees: Words["degrees"], isTitleInFront: typeof isTitle): string {
  const tokens = segment.split(/\s+/).filter(Boolean);
  while (tokens.length > 1 && isTitleInFront(tokens[0] ?? "", degrees)) tokens.shift();
  while (tokens.length > 1 && isSureDegree(tokens.at(-1) ?? "", degrees)) tokens.pop();
  return tokens.join(" ");
}

/** True for a title before a name. In "MR Bellon", the capitals are initials and not a title. */
function isTitle(token: string, degrees: Words["degrees"]): boolean {
  const word = degrees.get(degreeKey(token));
  return word?.position === "before" && !mayBeInitials(token) && isDotted(token, word);
}

/** True for a word before a given name that can only be a title. */
function isSureTitle(token: string, degrees: Words["degrees"]): boolean {
  return isTitle(token, degrees) && isSure(token, degrees);
}

function isSureDegree(token: string, degrees: Words["degrees"]): boolean {
  const position = degrees.get(degreeKey(token))?.position;
  return (position === "after" || position === "always") && isSure(token, degrees);
}

/** True if a text after a comma only contains degrees and titles: "PhD", "M.D Ph.D", "Prof. dr.", "Ph. D.". */
function isDegrees(segment: string, { degrees }: Words, isFullName: boolean): boolean {
  const isDegree = (text: string): boolean => {
    const word = degrees.get(degreeKey(text));
    if (word === undefined || word.position === "generation") return false;
    return isFullName ? isDotted(text, word) : isSure(text, degrees);
  };
  return isDegree(segment) || segment.split(/[\s/&]+/).every(isDegree);
}

/** True for a degree or a title that cannot be a name or initials. */
function isSure(text: string, degrees: Words["degrees"]): boolean {
  const word = degrees.get(degreeKey(text));
  if (word === undefined || word.position === "comma" || word.position === "generation") return false;
  if (word.position === "always") return !/^(?:\p{Lu}[.\s-]+)+\p{Lu}\.?$/u.test(text);
  return !mayBeInitials(text) && !mayBeGivenName(text, word) && isDotted(text, word);
}

/**
 * True for up to three capital letters, together or separate: "JD", "M.R.", "R. N.". Four capitals are not read as
 * initials.
 */
function mayBeInitials(text: string): boolean {
  return /^\p{Lu}{1,3}$/u.test(keepLetters(text));
}

/**
 * True for a word that could be a given name, because it is not spelled like the degree ("Meng", "MENG", "M. Ed."). "MEng",
 * "M.Eng." and "Msc" are degrees.
 */
function mayBeGivenName(text: string, { letters }: Word): boolean {
  const startsWithInitial = /^\p{Lu}\.?\s/u.test(text);
  return startsWithInitial || (keepLetters(text) !== letters && /[aeiouy]/i.test(text));
}

function isDotted(text: string, { dotted }: Word): boolean {
  return !dotted || text.endsWith(".");
}

function keepLetters(text: string): string {
  return PLAIN_WORD.test(text) ? text : text.replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Matches a word of letters and digits only. Most words of names are like this and need no cleaning. */
const PLAIN_WORD = /^[A-Za-z0-9]*$/;

/** Returns the key of a degree: `Ph.D.`, `PhD` and `ph. d` have the same key. */
function degreeKey(text: string): string {
  return keepLetters(text.toLowerCase());
}
