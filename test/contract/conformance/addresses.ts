/** Paths of datasets and researchers for statements. They follow only from decisions.md and the identifiers of the corpus. */

import { hash } from "node:crypto";

/** Returns the id of a record: `r` and 24 hex digits of the sha256 of its identifier. */
export function makeRecordId(identifier: string): string {
  return `r${hash("sha256", identifier).slice(0, 24)}`;
}

export const IDENTIFIERS = {
  /** A dataset that both Zenodo and DataCite have, under the same DOI. */
  winner: "zenodo/99000001",
  loser: "datacite/10.5281/zenodo.99000001",
  complete: "datacite/10.5072/complete-modern",
  failed: "datacite/10.5072/sparse.1",
  trial: "clinicaltrials/NCT99000001",
  tombstone: "zenodo/99000099",
  software: "zenodo/99000097",
} as const;

export const RECORD = `/records/${makeRecordId(IDENTIFIERS.winner)}`;
export const ALIAS = `/records/${makeRecordId(IDENTIFIERS.loser)}`;
export const COMPLETE = `/records/${makeRecordId(IDENTIFIERS.complete)}`;
export const FAILED = `/records/${makeRecordId(IDENTIFIERS.failed)}`;
export const TRIAL = `/records/${makeRecordId(IDENTIFIERS.trial)}`;
export const UNKNOWN = "/records/r000000000000000000000000";

/** The slugs of the example person of ORCID's documentation, and of a researcher with more than a hundred datasets. */
export const SLUG = "josiah-carberry-0000-0002-1825-0097";
export const PROLIFIC_SLUG = "prudence-abbott-0000-0005-1299-0002";
export const AUTHOR = `/authors/${SLUG}`;
export const PROLIFIC = `/authors/${PROLIFIC_SLUG}`;

export const DATASET_BADGE = `/widgets/datasets/${makeRecordId(IDENTIFIERS.winner)}/badge.svg`;
export const REPOSITORY_BADGE = "/widgets/repositories/Zenodo/badge.svg";
export const RESEARCHER_BADGE = `/widgets/researchers/${SLUG}/badge.svg`;
