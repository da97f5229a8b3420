/** Compares licences, states of access and kinds of records, which sources spell in several ways. */

/** A term of info:eu-repo, such as `info:eu-repo/semantics/openAccess`. The pattern is also valid in SQL. */
const EU_REPO = /^info:eu-repo\/semantics\/([a-z]+)access$/;

/**
 * Returns the text by which filters and facets compare a licence, access state or kind: in lower case, and with a term of
 * info:eu-repo reduced to its word, so that `info:eu-repo/semantics/openAccess` of one repository equals `open` of another.
 */
export function foldLabel(label: string): string {
  return label.toLowerCase().replace(EU_REPO, "$1");
}

/** Returns SQL for `foldLabel`. It applies the pattern only to the few labels that need it, because the pattern is slow. */
export function foldLabelSql(label: string): string {
  return `case when ${label} ilike 'info:eu-repo/%' then regexp_replace(lower(${label}), '${EU_REPO.source}', '\\1') else lower(${label}) end`;
}
