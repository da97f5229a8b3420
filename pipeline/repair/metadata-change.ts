/** Describes a change of a repair. The npm package exports the same type. */

import type { EvidenceName } from "../../schemas/public/evidence.ts";

/**
 * A change of one field, with the actions of DataCite's enrichment records: `insert` adds an entry to a list, `updateChild`
 * replaces the entry `original` of a list, and `update` replaces the whole field.
 */
export interface MetadataChange {
  readonly field: string;
  readonly action: "insert" | "updateChild" | "update";
  /** The value before the change; undefined for an insert. */
  readonly original?: unknown;
  readonly repaired: unknown;
  readonly evidence: EvidenceName;
  /** The path of the text that contains the fact. */
  readonly foundIn: string;
}
