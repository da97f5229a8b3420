// Texts that stand where a value should: "carried, and none" in the words of the rubrics.
import { plainKey } from "./keys.ts";
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
  /** What begins with one of the prefixes, or holds one of the parts; null where there are none. */
  readonly begun: RegExp | null;
  readonly holding: RegExp | null;
}

/** Reads placeholders.csv. */
export function readPlaceholders(table: VocabularyTable): Placeholders {
  const patterns = {
    any: patternsOf(table, ["any"]),
    name: patternsOf(table, ["any", "name"]),
    term: patternsOf(table, ["any", "term"]),
  };
  return { isPlaceholder: (text, scope) => matches(plainKey(text), patterns[scope]) };
}

function patternsOf(table: VocabularyTable, scopes: readonly PlaceholderScope[]): Patterns {
  const byMatch: Record<"exact" | "prefix" | "contains", string[]> = { exact: [], prefix: [], contains: [] };
  for (const row of indexRows(table.rows, rowKey).values()) {
    const match = row.word("match", ["exact", "prefix", "contains"]);
    if (scopes.includes(row.word("scope", ["any", "name", "term"]))) byMatch[match].push(plainKey(row.text("text")));
  }
  return { exact: new Set(byMatch.exact), begun: anyOf("^", byMatch.prefix), holding: anyOf("", byMatch.contains) };
}

/** Whether a text has one of the texts, at its start or anywhere: one pattern, which is quicker than remembering what was told. */
function anyOf(start: "" | "^", texts: readonly string[]): RegExp | null {
  const literals = texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return literals.length === 0 ? null : new RegExp(`${start}(?:${literals.join("|")})`);
}

/** A word may mean nobody as a name and nothing as a term: a row each. */
function rowKey(row: VocabularyRow): string {
  const scope = row.text("scope") === "term" ? "term " : "";
  return `${scope}${row.text("match")} ${plainKey(row.filled("text"))}`;
}

function matches(key: string, { exact, begun, holding }: Patterns): boolean {
  return key === "" || exact.has(key) || begun?.test(key) === true || holding?.test(key) === true;
}
