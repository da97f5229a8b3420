// Academic and professional degrees and titles around a personal name.
import { indexRows, type VocabularyTable } from "./read-table.ts";

const POSITIONS = ["after", "comma", "before", "generation"] as const;

/** Takes degrees off names. */
export interface Degrees {
  /** The name without degrees and titles; a name that is nothing else stays as it is. */
  dropDegrees(text: string): string;
  /** Whether a segment is a generational suffix (Jr., III): part of the name, but never a given name. */
  isGenerational(segment: string): boolean;
}

type Words = Readonly<Record<(typeof POSITIONS)[number], ReadonlySet<string>>>;

/**
 * Reads degrees.csv. `position`: a title stands `before` a name, a degree `after` it; one that is also a name (MA, MD,
 * DO) counts after a `comma` only, and only where the text before it is a full name: "Li, Ma" keeps its given name.
 */
export function readDegrees(table: VocabularyTable): Degrees {
  const rows = [...indexRows(table.rows, (row) => degreeKey(row.filled("text")))];
  const of = (position: (typeof POSITIONS)[number]): ReadonlySet<string> =>
    new Set(rows.filter(([, row]) => row.word("position", POSITIONS) === position).map(([key]) => key));
  const words: Words = { after: of("after"), comma: of("comma"), before: of("before"), generation: of("generation") };

  return {
    dropDegrees: (text) => dropAll(text, words) || text.trim(),
    isGenerational: (segment) => words.generation.has(degreeKey(segment)),
  };
}

function dropAll(text: string, words: Words): string {
  const [first = "", ...rest] = text.split(",").map((segment) => segment.trim());
  const name = stripEnds(first, words);
  const kept = name === "" ? [] : [name];
  for (const segment of rest) {
    const isFullName = kept.length > 1 || /\s/.test(name);
    if (segment === "" || isDegrees(segment, words, isFullName)) continue;
    kept.push(stripEnds(segment, words) || segment);
  }
  return kept.join(", ");
}

/** Without titles at the start and sure degrees at the end, as long as a word remains. */
function stripEnds(segment: string, { before, after }: Words): string {
  const tokens = segment.split(/\s+/).filter(Boolean);
  while (tokens.length > 1 && before.has(degreeKey(tokens[0] ?? ""))) tokens.shift();
  while (tokens.length > 1 && after.has(degreeKey(tokens.at(-1) ?? ""))) tokens.pop();
  return tokens.join(" ");
}

/** Whether the segment after a comma is degrees and titles alone: "PhD", "M.D Ph.D", "Prof. dr.", "Ph. D.". */
function isDegrees(segment: string, { after, before, comma }: Words, isFullName: boolean): boolean {
  const isDegree = (key: string): boolean => after.has(key) || before.has(key) || (isFullName && comma.has(key));
  return isDegree(degreeKey(segment)) || segment.split(/[\s/&]+/).every((token) => isDegree(degreeKey(token)));
}

/** `Ph.D.`, `PhD` and `ph. d` are one word. */
function degreeKey(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
