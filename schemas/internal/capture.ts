/** The outcome of normalising one payload: a record with evidence, or the reason why it has none. */

import type { Evidence, EvidenceName } from "../public/evidence.ts";
import type { FieldColumn } from "../public/record-columns.ts";

type FieldsOf<Column extends FieldColumn> = { readonly [C in Column as C["field"]]: string | null };
type RareColumn = Extract<FieldColumn, { readonly rare: true }>;

/**
 * The descriptive fields of a record (record-columns.ts). Null means not stated. Dates are ISO 8601 (year, year-month or
 * day).
 */
export type RecordFields = Omit<FieldsOf<Exclude<FieldColumn, RareColumn>>, "versionFamily"> &
  Partial<FieldsOf<RareColumn>> & {
    /** The key that all versions of one dataset share. */
    readonly versionFamily: string;
  };

/** One creator, in the order the payload lists them. */
export interface Creator {
  readonly name: string;
  readonly person: boolean;
  /** True if a full given name is stated, not only an initial. */
  readonly fullName: boolean;
  readonly orcid: string | null;
  readonly affiliations: readonly Affiliation[];
}

/** One reported affiliation: the exact text, and identifiers and country if the source states them. */
export interface Affiliation {
  readonly text: string;
  readonly ror: string | null;
  /** Other identifiers as `<scheme>:<id>` (reading/identifiers.ts). */
  readonly otherIds?: readonly string[];
  readonly country?: string | null;
}

/**
 * One statement of funding, safe to show. A row without a value stands for a funder who is a person, whose name is not
 * published.
 */
export interface Funding {
  readonly funder: string | null;
  /** An identifier as `<scheme>:<id>` (reading/identifiers.ts). */
  readonly funderId: string | null;
  readonly awardNumber: string | null;
  readonly awardTitle: string | null;
  readonly awardUrl: string | null;
}

/** A value that a column of evidence counts, or one of the same kind that it does not count. */
export interface StatedValue {
  readonly evidence: EvidenceName;
  readonly value: string;
  readonly counts: boolean;
  /** The path of the text that contains it, if it is not in the field of its column. Such a value does not count. */
  readonly foundIn: string | null;
}

export const FACETS = ["disease", "ageGroup", "dataType"] as const;
export type FacetKind = (typeof FACETS)[number];
export interface CapturedFacet {
  readonly kind: FacetKind;
  readonly value: string;
}

/** `updated` is the modification time at the source. It decides first between two captures of one record. */
export type Normalised =
  | {
      readonly outcome: "record";
      readonly updated: string | null;
      readonly fields: RecordFields;
      readonly evidence: Evidence;
      readonly errors: ReadonlySet<EvidenceName>;
      readonly creators: readonly Creator[];
      readonly facets: readonly CapturedFacet[];
      readonly funding: readonly Funding[];
    }
  | {
      readonly outcome: "failed";
      readonly updated: string | null;
      readonly reason: string;
      readonly fields: RecordFields;
    }
  | { readonly outcome: "tombstone" | "not_dataset"; readonly updated: string | null; readonly reason: string };
