// Texts that stand where a value should: "carried, and none" in the words of the rubrics.
import { plainKey } from "./keys.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";
import type { VocabularyRow } from "./vocabulary-row.ts";

/** `any` value; the `name` of a person or organisation, where more words mean nobody; a subject `term`, where more mean none. */
export type PlaceholderScope = "any" | "name" | "term";

/** Whether a text says that there is nothing to say; white space alone does. */
export interface Placeholders {
  isPlaceholder(text: string, scope: PlaceholderScope): boolean;
}

interface Patterns {
  readonly exact: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  readonly parts: readonly string[];
}

/** Texts up to this length come back often enough to be remembered: names, terms, types. */
const SHORT = 40;

/** Reads placeholders.csv. */
export function readPlaceholders(table: VocabularyTable): Placeholders {
  const patterns = {
    any: patternsOf(table, ["any"]),
    name: patternsOf(table, ["any", "name"]),
    term: patternsOf(table, ["any", "term"]),
  };
  const short = { any: memoise(of("any")), name: memoise(of("name")), term: memoise(of("term")) };
  return { isPlaceholder: (text, scope) => (text.length <= SHORT ? short[scope](text) : of(scope)(text)) };

  function of(scope: PlaceholderScope): (text: string) => boolean {
    return (text) => matches(plainKey(text), patterns[scope]);
  }
}

function patternsOf(table: VocabularyTable, scopes: readonly PlaceholderScope[]): Patterns {
  const byMatch: Record<"exact" | "prefix" | "contains", string[]> = { exact: [], prefix: [], contains: [] };
  for (const row of indexRows(table.rows, rowKey).values()) {
    const match = row.word("match", ["exact", "prefix", "contains"]);
    if (scopes.includes(row.word("scope", ["any", "name", "term"]))) byMatch[match].push(plainKey(row.text("text")));
  }
  return { exact: new Set(byMatch.exact), prefixes: byMatch.prefix, parts: byMatch.contains };
}

/** A word may mean nobody as a name and nothing as a term: a row each. */
function rowKey(row: VocabularyRow): string {
  const scope = row.text("scope") === "term" ? "term " : "";
  return `${scope}${row.text("match")} ${plainKey(row.filled("text"))}`;
}

function matches(key: string, { exact, prefixes, parts }: Patterns): boolean {
  if (key === "" || exact.has(key)) return true;
  return prefixes.some((prefix) => key.startsWith(prefix)) || parts.some((part) => key.includes(part));
}
