/** Recognises kinds of files by name or stated format: open, inspectable, documentation, code and manifest. */

import { withoutSpacedEnd } from "./ends.ts";
import { indexRows, memoise, plainKey, type VocabularyRow, type VocabularyTable } from "./read-table.ts";

const FLAGS = ["open", "inspectable", "documentation", "code", "manifest"] as const;
const MATCHES = ["ending", "extension", "name", "stem", "media"] as const;

export type FileKind = Readonly<Record<(typeof FLAGS)[number], boolean>>;

/** Classifies files by name and format. Files are never opened. */
export interface FileKinds {
  /**
   * Returns the kinds of a file. They are those of all rows that match its name: its end, its extensions, the full
   * name, or its stem.
   */
  readKinds(fileName: string): FileKind;
  /** True if a stated format (`text/csv`, `.csv`, `CSV file`, `NetCDF`) is open. */
  isOpenMedia(format: string): boolean;
}

/**
 * The kinds of files by pattern, with one map for each way to match a name. The number is a set of flags: bit i stands
 * for FLAGS[i]. `phrase` contains the patterns with asterisks, which match any part of a stem.
 */
interface Patterns {
  readonly ending: ReadonlyMap<string, number>;
  readonly extension: ReadonlyMap<string, number>;
  readonly name: ReadonlyMap<string, number>;
  readonly stem: ReadonlyMap<string, number>;
  readonly phrase: ReadonlyMap<string, number>;
  readonly media: ReadonlyMap<string, number>;
}

/** Returns the extensions in file-kinds.csv, including those without flags. */
export function listExtensions(table: VocabularyTable): ReadonlySet<string> {
  return new Set(table.rows.filter((row) => row.text("match") === "extension").map((row) => row.text("pattern")));
}

/** Reads file-kinds.csv. `isGeneric` is true for words that do not describe the content, such as numbers. */
export function readFileKinds(table: VocabularyTable, isGeneric: (word: string) => boolean): FileKinds {
  const { ending, extension, name: names, stem, phrase, media } = readPatterns(table, isGeneric);
  const longest = Math.max(0, ...[...phrase.keys()].map((key) => key.split("_").length));
  // As a format, "SAS" is a data set. As an extension, `.sas` is a program. Therefore entries for formats come first.
  const isOpenFormat = (key: string) => readKind(media.get(key) ?? extension.get(key) ?? 0).open;

  return {
    readKinds(fileName) {
      const name = baseName(fileName).toLowerCase();
      let bits = names.get(name) ?? 0;
      for (const [end, flags] of ending) if (name.endsWith(end)) bits |= flags;
      for (const suffix of listSuffixes(name)) bits |= extension.get(suffix) ?? 0;
      const words = splitWords(readStem(name, (suffix) => extension.has(suffix)));
      bits |= stem.get(withoutCounters(words, isGeneric).join("_")) ?? 0;
      for (const key of listPhrases(words, longest)) bits |= phrase.get(key) ?? 0;
      return readKind(bits);
    },
    isOpenMedia: memoise((format) => formatsIn(format).some(isOpenFormat)),
  };
}

function readPatterns(table: VocabularyTable, isGeneric: (word: string) => boolean): Patterns {
  const patterns = Object.fromEntries([...MATCHES, "phrase"].map((match) => [match, new Map<string, number>()]));
  for (const row of indexRows(table.rows, (row) => `${row.text("match")} ${row.filled("pattern")}`).values()) {
    const pattern = row.text("pattern");
    if (pattern !== pattern.toLowerCase()) row.fail(`"${pattern}" is not lower case; write "${pattern.toLowerCase()}"`);
    const match = row.word("match", MATCHES);
    const [kind, key] = match === "stem" ? stemPattern(row, pattern, isGeneric) : [match, pattern];
    patterns[kind]?.set(key, readFlagBits(row));
  }
  const { ending, extension, name, stem, phrase, media } = patterns;
  const none = new Map<string, number>();
  return {
    ending: ending ?? none,
    extension: extension ?? none,
    name: name ?? none,
    stem: stem ?? none,
    phrase: phrase ?? none,
    media: media ?? none,
  };
}

function stemPattern(
  row: VocabularyRow,
  pattern: string,
  isGeneric: (word: string) => boolean,
): ["stem" | "phrase", string] {
  const words = splitWords(pattern);
  if (/^\*.*\*$/.test(pattern)) return ["phrase", words.join("_")];
  // Names are compared without counters, so a pattern that ends in a counter could never match.
  if (withoutCounters(words, isGeneric).length < words.length)
    row.fail(`"${pattern}" ends in a generic word, so no file name can match it; remove that word`);
  return ["stem", words.join("_")];
}

function readFlagBits(row: VocabularyRow): number {
  const bits = FLAGS.reduce((sum, flag, bit) => sum | (row.flag(flag) ? 1 << bit : 0), 0);
  const kind = readKind(bits);
  // In rubrics.md, inspectable files are among the open ones.
  if (kind.inspectable && !kind.open)
    row.fail("a format that is inspectable must also be open; set open to yes, or inspectable to no");
  if (row.text("match") === "media" && bits > 1)
    row.fail(
      'a row with match "media" can set only the flag open; set inspectable, documentation, code and manifest to no',
    );
  return bits;
}

function readKind(bits: number): FileKind {
  return {
    open: (bits & 1) !== 0,
    inspectable: (bits & 2) !== 0,
    documentation: (bits & 4) !== 0,
    code: (bits & 8) !== 0,
    manifest: (bits & 16) !== 0,
  };
}

/** Removes generic words at the end: `Prot_SAP_000` becomes `prot_sap`, and `codebook_final_v2` becomes `codebook`. */
function withoutCounters(words: readonly string[], isGeneric: (word: string) => boolean): readonly string[] {
  return words.slice(0, words.findLastIndex((word) => !isGeneric(word)) + 1);
}

function listPhrases(words: readonly string[], longest: number): string[] {
  return words.flatMap((_, start) =>
    words.slice(start, start + longest).map((_, more) => words.slice(start, start + more + 1).join("_")),
  );
}

const MEDIA_TYPE =
  /\b(?:application|audio|chemical|font|image|message|model|multipart|text|video)\/[a-z0-9][a-z0-9.+-]*/g;

/** Number of characters of a stated format that are read. */
const MAX_FORMAT_LENGTH = 500;

/**
 * Returns the keys under which a stated format is looked up. These are the media types in it (`… .dat - text/plain`)
 * and their suffixes (`+json`, RFC 6839). If it has no media type, they are the whole text and each item of a list,
 * without a dot or the word "file".
 */
function formatsIn(format: string): string[] {
  const text = plainKey(format.slice(0, MAX_FORMAT_LENGTH));
  const types = text.match(MEDIA_TYPE) ?? [];
  if (types.length > 0) return types.flatMap((type) => [type, type.replace(/^[^+]*/, "")]);
  return [text, bareFormat(text), ...text.split(/[,;/()]| and | or /).map(bareFormat)];
}

function bareFormat(text: string): string {
  const bare = text.trim().replace(/^\*?\./, "");
  const word = /[\s-](?:files?|formats?)$/.exec(bare)?.[0];
  return word === undefined ? bare : withoutSpacedEnd(bare.slice(0, -word.length), "-");
}

// File kinds and descriptive names split a file name in the same way into folders, stem, extension and words.

/** Longest file name in characters, as in file systems. If a name is longer, only its end is read. */
const MAX_NAME_LENGTH = 255;

/** Returns a file name without its folders, in composed Unicode form (NFC). */
export function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name.slice(-MAX_NAME_LENGTH).normalize("NFC");
}

/**
 * Returns the text after each dot, longest first: `brain.nii.gz` returns `nii.gz` and `gz`. A dot at the start does not
 * count.
 */
function listSuffixes(name: string): string[] {
  const suffixes: string[] = [];
  for (let dot = name.indexOf(".", 1); dot !== -1; dot = name.indexOf(".", dot + 1)) suffixes.push(name.slice(dot + 1));
  return suffixes;
}

/**
 * Returns the name without its extension: the longest extension that is listed, otherwise an end that looks like an
 * extension. For example, `v1.2` has no extension.
 */
export function readStem(name: string, isListed: (extension: string) => boolean): string {
  const suffixes = listSuffixes(name);
  const extension = suffixes.find((suffix) => isListed(suffix.toLowerCase())) ?? suffixes.findLast(looksLikeExtension);
  return extension === undefined ? name : name.slice(0, -extension.length - 1);
}

function looksLikeExtension(suffix: string): boolean {
  return /^(?=.*\p{L})[\p{L}\p{N}]{1,10}$/u.test(suffix);
}

/** Splits a file name without extension into lower-case words, at separators and between letters and digits. */
export function splitWords(stem: string): string[] {
  return (
    stem
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  );
}

export function isNumber(word: string): boolean {
  return /^\p{N}+$/u.test(word);
}
