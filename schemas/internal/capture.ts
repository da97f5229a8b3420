/** The result of normalising one payload: a record with evidence, or the reason why there is none. */

import type { Evidence, EvidenceName } from "../public/evidence.ts";
import type { FieldColumn } from "../public/record-columns.ts";

type FieldsOf<Column extends FieldColumn> = { readonly [C in Column as C["field"]]: string | null };
type RareColumn = Extract<FieldColumn, { readonly rare: true }>;

/**
 * The descriptive fields of a record (record-columns.ts). Null means that the payload does not contain the field. Dates are
 * ISO 8601 (year, year-month or day).
 */
export type RecordFields = Omit<FieldsOf<Exclude<FieldColumn, RareColumn>>, "versionFamily"> &
  Partial<FieldsOf<RareColumn>> & {
    /** A key that is the same for all versions of one dataset. */
    readonly versionFamily: string;
  };

/** One creator of a record. Lists of creators have the order of the payload. */
export interface Creator {
  readonly name: string;
  readonly person: boolean;
  /** True if the given name is written in full, not only as initials. */
  readonly fullName: boolean;
  readonly orcid: string | null;
  readonly affiliations: readonly Affiliation[];
}

/** One affiliation of a creator: its exact text, and its identifiers and country if the source has them. */
export interface Affiliation {
  readonly text: string;
  readonly ror: string | null;
  /** Other identifiers as `<scheme>:<id>` (reading/identifiers.ts). */
  readonly otherIds?: readonly string[];
  readonly country?: string | null;
}

/**
 * One funding entry of a record, with values that are safe to show. If all fields are null, the funder is a person, whose
 * name is not published.
 */
export interface Funding {
  readonly funder: string | null;
  /** Identifier of the funder as `<scheme>:<id>` (reading/identifiers.ts). */
  readonly funderId: string | null;
  readonly awardNumber: string | null;
  readonly awardTitle: string | null;
  readonly awardUrl: string | null;
}

/** A value that an evidence column counts, or a similar value that it does not count, such as a placeholder. */
export interface StatedValue {
  readonly evidence: EvidenceName;
  readonly value: string;
  readonly counts: boolean;
  /**
   * The path of another field, such as the description, whose text contains the value. Such a value does not count. Null if
   * the value is in the field that is meant for it.
   */
  readonly foundIn: string | null;
}

export const FACETS = ["disease", "ageGroup", "dataType"] as const;
export type FacetKind = (typeof FACETS)[number];
export interface CapturedFacet {
  readonly kind: FacetKind;
  readonly value: string;
}

/**
 * The outcome of normalising a payload. `updated` is the time at which the source last modified the record. If there are
 * two payloads of one record, the one with the later time is used.
 */
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
