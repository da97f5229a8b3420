// Which types of related identifier are persistent identifiers or addresses for reference_pid_count, and of which scheme.
import { wordKey } from "./keys.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

const SCHEMES = ["doi", "pmid", "arxiv", "handle", "url"] as const;

/** A scheme of identifiers that counts (rubrics: reference_pid_count); how its identifiers look is known to reading/identifiers.ts. */
export type IdentifierScheme = (typeof SCHEMES)[number];

/** Judges types of related identifiers, as DataCite and Zenodo name them. */
export interface IdentifierTypes {
  /** The scheme a type names, where identifiers of it count; that one is of it, is to be seen from the identifier. */
  schemeOf(type: string): IdentifierScheme | null;
}

/** Reads identifier-types.csv. */
export function readIdentifierTypes(table: VocabularyTable): IdentifierTypes {
  const rows = indexRows(table.rows, (row) => wordKey(row.filled("type")));
  const schemes = new Map(
    [...rows].flatMap(([key, row]) => (row.text("scheme") === "" ? [] : [[key, row.word("scheme", SCHEMES)]])),
  );
  return { schemeOf: memoise((type) => schemes.get(wordKey(type)) ?? null) };
}
