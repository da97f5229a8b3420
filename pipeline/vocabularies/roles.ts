// Which contributor roles say what somebody did.
import { wordKey } from "./keys.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

/** Judges roles, in the words of DataCite, CRediT, Zenodo and ClinicalTrials.gov. */
export interface Roles {
  /** Whether the role counts as one; case, spaces and hyphens do not matter, and a CRediT address is read as its term. */
  counts(role: string): boolean;
}

/** Reads contributor-roles.csv. */
export function readRoles(table: VocabularyTable): Roles {
  const rows = indexRows(table.rows, (row) => wordKey(row.filled("role")));
  for (const row of rows.values()) row.word("scheme", ["datacite", "credit", "zenodo", "clinicaltrials"]);
  const counting = new Set([...rows].filter(([, row]) => row.flag("counts")).map(([key]) => key));
  return { counts: memoise((role) => counting.has(wordKey(role.replace(/^https?:.*\/(?=[^/])|\/$/g, "")))) };
}
