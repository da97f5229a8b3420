// What kind of file a name or a stated format stands for: open, inspectable, documentation, code, manifest.
import { baseName, stemOf, suffixesOf, wordsOf } from "./file-name-parts.ts";
import { formatsIn } from "./formats-in.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";
import type { VocabularyRow } from "./vocabulary-row.ts";

const FLAGS = ["open", "inspectable", "documentation", "code", "manifest"] as const;
const MATCHES = ["ending", "extension", "name", "stem", "media"] as const;

/** The kinds that a file is of; it can be of several. */
export type FileKind = Readonly<Record<(typeof FLAGS)[number], boolean>>;

/** Answers from names and formats alone: no file is ever opened. */
export interface FileKinds {
  /** Every flag that one of the rows matching the name (its end, its extensions, its whole name, its stem) sets. */
  kindsOf(fileName: string): FileKind;
  /** Whether a format as stated (`text/csv`, `.csv`, `CSV file`, `NetCDF`) is an open one. */
  isOpenMedia(format: string): boolean;
}

/** Flags by key; bit i is FLAGS[i]. A stem between asterisks in the table is a phrase: it may stand anywhere in a stem. */
interface Patterns {
  readonly ending: ReadonlyMap<string, number>;
  readonly extension: ReadonlyMap<string, number>;
  readonly name: ReadonlyMap<string, number>;
  readonly stem: ReadonlyMap<string, number>;
  readonly phrase: ReadonlyMap<string, number>;
  readonly media: ReadonlyMap<string, number>;
}

/** The suffixes file-kinds.csv lists as extensions, whatever it says of them. */
export function extensionsOf(table: VocabularyTable): ReadonlySet<string> {
  return new Set(table.rows.filter((row) => row.text("match") === "extension").map((row) => row.text("pattern")));
}

/** Reads file-kinds.csv; `isGeneric` says which words at the end of a stem are no part of its meaning. */
export function readFileKinds(table: VocabularyTable, isGeneric: (word: string) => boolean): FileKinds {
  const { ending, extension, name: names, stem, phrase, media } = readPatterns(table, isGeneric);
  const longest = Math.max(0, ...[...phrase.keys()].map((key) => key.split("_").length));
  // A stated "SAS" is a data set, where a file `.sas` is a program: what the table says of formats goes first.
  const isOpenFormat = (key: string) => kindOf(media.get(key) ?? extension.get(key) ?? 0).open;

  return {
    kindsOf(fileName) {
      const name = baseName(fileName).toLowerCase();
      let bits = names.get(name) ?? 0;
      for (const [end, flags] of ending) if (name.endsWith(end)) bits |= flags;
      for (const suffix of suffixesOf(name)) bits |= extension.get(suffix) ?? 0;
      const words = wordsOf(stemOf(name, (suffix) => extension.has(suffix)));
      bits |= stem.get(withoutCounters(words, isGeneric).join("_")) ?? 0;
      for (const key of phrasesOf(words, longest)) bits |= phrase.get(key) ?? 0;
      return kindOf(bits);
    },
    isOpenMedia: memoise((format) => formatsIn(format).some(isOpenFormat)),
  };
}

function readPatterns(table: VocabularyTable, isGeneric: (word: string) => boolean): Patterns {
  const patterns = Object.fromEntries([...MATCHES, "phrase"].map((match) => [match, new Map<string, number>()]));
  for (const row of indexRows(table.rows, (row) => `${row.text("match")} ${row.filled("pattern")}`).values()) {
    const pattern = row.text("pattern");
    if (pattern !== pattern.toLowerCase()) row.fail(`"${pattern}" is not lower case`);
    const match = row.word("match", MATCHES);
    const [kind, key] = match === "stem" ? stemPattern(row, pattern, isGeneric) : [match, pattern];
    patterns[kind]?.set(key, bitsOf(row));
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
  const words = wordsOf(pattern);
  if (/^\*.*\*$/.test(pattern)) return ["phrase", words.join("_")];
  // Counters are taken off a name before it is compared, so that a pattern ending in one could never match.
  if (withoutCounters(words, isGeneric).length < words.length) row.fail(`"${pattern}" ends in a generic word`);
  return ["stem", words.join("_")];
}

function bitsOf(row: VocabularyRow): number {
  const bits = FLAGS.reduce((sum, flag, bit) => sum | (row.flag(flag) ? 1 << bit : 0), 0);
  const kind = kindOf(bits);
  // rubrics.md: inspectable files are counted among the open ones.
  if (kind.inspectable && !kind.open) row.fail("an inspectable format must be open");
  if (row.text("match") === "media" && bits > 1) row.fail("a stated format can only be open or not");
  return bits;
}

function kindOf(bits: number): FileKind {
  return {
    open: (bits & 1) !== 0,
    inspectable: (bits & 2) !== 0,
    documentation: (bits & 4) !== 0,
    code: (bits & 8) !== 0,
    manifest: (bits & 16) !== 0,
  };
}

/** `Prot_SAP_000` and `codebook_final_v2` are compared as `prot_sap` and `codebook`. */
function withoutCounters(words: readonly string[], isGeneric: (word: string) => boolean): readonly string[] {
  return words.slice(0, words.findLastIndex((word) => !isGeneric(word)) + 1);
}

function phrasesOf(words: readonly string[], longest: number): string[] {
  return words.flatMap((_, start) =>
    words.slice(start, start + longest).map((_, more) => words.slice(start, start + more + 1).join("_")),
  );
}
