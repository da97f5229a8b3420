// Which types of related identifier are persistent identifiers or addresses for reference_pid_count.
import { wordKey } from "./keys.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

/** Judges types of related identifiers, as DataCite and Zenodo name them. */
export interface IdentifierTypes {
  /** Whether an identifier of this type counts: DOI, PMID, arXiv, handle or URL (rubrics: reference_pid_count). */
  isPid(type: string): boolean;
}

/** Reads identifier-types.csv. */
export function readIdentifierTypes(table: VocabularyTable): IdentifierTypes {
  const rows = indexRows(table.rows, (row) => wordKey(row.filled("type")));
  const pids = new Set([...rows].filter(([, row]) => row.flag("is_pid")).map(([key]) => key));
  return { isPid: (type) => pids.has(wordKey(type)) };
}
