/** The researchers that the end of a slug can mean: an ORCID iD names one id, hex digits begin one. */

import { hash } from "node:crypto";

/** All ids from one text to another, both included. */
export interface IdRange {
  /** The end of the slug that says so. */
  readonly suffix: string;
  readonly from: string;
  readonly to: string;
}

const ORCID_SUFFIX = /(?:^|-)(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/;
const HEX_SUFFIX = /(?:^|-)([0-9a-f]{24}|[0-9a-f]{10})$/;

/**
 * Researcher ids that the end of a slug can mean (decisions.md, "Identity of researchers"): an ORCID iD names one id,
 * ten or twenty-four hex digits name a range. Tables of researchers are ordered by id, so that a range reads one part of
 * them; there is no index by slug. Null where the slug ends in neither.
 */
export function idRangeOf(slug: string): IdRange | null {
  const orcid = ORCID_SUFFIX.exec(slug)?.[1];
  if (orcid !== undefined) {
    const id = idOfOrcid(orcid);
    return { suffix: orcid, from: id, to: id };
  }
  const digits = HEX_SUFFIX.exec(slug)?.[1];
  return digits === undefined ? null : { suffix: digits, from: `a${digits}`, to: `a${digits}g` };
}

/** The id of whoever has this ORCID iD, in every release: as `researcher_id` has it (pipeline/engine/duckdb-macros.sql), which a test compares. */
export function idOfOrcid(orcid: string): string {
  return `a${hash("sha256", `orcid:${orcid}`, "hex").slice(0, 24)}`;
}
