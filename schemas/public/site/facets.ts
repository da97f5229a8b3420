/** The facets of the list of datasets: filters with counts. */

/** Values of a facet. The site shows some of them at once, and the others on request. */
export const MOST_VALUES = 40;

/** Facets whose values can be combined: a dataset can miss several signals. */
export const COMBINED: readonly FacetName[] = ["signals", "passed"];

/** The parameters of `/records` that each facet sets. */
export const FACET_FILTERS = {
  signals: ["signals"],
  passed: ["signals"],
  year: ["publishedFrom", "publishedUntil"],
  repository: ["repository"],
  license: ["license"],
  accessStatus: ["accessStatus"],
  countryCode: ["countryCode"],
  ror: ["ror"],
  funder: ["funder"],
  recordKind: ["recordKind"],
} as const;
export type FacetName = keyof typeof FACET_FILTERS;

export interface Facet {
  /** The most frequent first. */
  readonly values: readonly { readonly value: string; readonly label: string; readonly records: number }[];
  /** Number of all values, with those that are left out. */
  readonly total: number;
  /** Records whose source does not state a value. */
  readonly unknown: number;
}
