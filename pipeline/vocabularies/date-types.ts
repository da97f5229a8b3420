// Which types of date say when the data were collected or what time they cover.
import { wordKey } from "./keys.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

/** Judges types of dates, as DataCite and Zenodo name them. */
export interface DateTypes {
  /** Whether a date of this type is one of collection or coverage, never one of publication. */
  isCoverage(type: string): boolean;
}

/** Reads date-types.csv. */
export function readDateTypes(table: VocabularyTable): DateTypes {
  const rows = indexRows(table.rows, (row) => wordKey(row.filled("date_type")));
  const coverage = new Set([...rows].filter(([, row]) => row.flag("coverage")).map(([key]) => key));
  return { isCoverage: memoise((type) => coverage.has(wordKey(type))) };
}
