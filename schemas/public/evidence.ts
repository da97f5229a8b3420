/**
 * The evidence of a record, which is the only input of scoring (rubrics.md, "Evidence"). There is one column for each fact.
 */

import { z } from "zod";
import { named } from "./named.ts";
import type { RowOf } from "./record-columns.ts";

export type EvidenceType = "int" | "bool" | "text";

/**
 * One evidence column. Its position in {@link EVIDENCE} is its bit in `evidence_errors`, so add new columns at the end and
 * never reorder them.
 */
export interface EvidenceColumn {
  readonly name: string;
  readonly type: EvidenceType;
  /**
   * The fact in a phrase. The phrase does not explain null, which always means that the payload does not contain the fact.
   */
  readonly fact: string;
}

export const EVIDENCE = [
  { name: "keyword_count", type: "int", fact: "distinct subject terms or keywords, free or from a scheme" },
  { name: "subject_count", type: "int", fact: "subject terms from a named scheme" },
  { name: "contributor_count", type: "int", fact: "contributors other than the creators" },
  {
    name: "contributor_role_count",
    type: "int",
    fact: "contributors whose role is a DataCite or CRediT role, Other excluded",
  },
  { name: "place_count", type: "int", fact: "points, boxes, polygons, place names, trial or sampling countries" },
  { name: "coverage_date_count", type: "int", fact: "dates of collection or coverage" },
  {
    name: "ethics_length",
    type: "int",
    fact: "characters of an ethics, IRB or consent statement; a true flag counts 1",
  },
  { name: "description_length", type: "int", fact: "characters of the longest description, without markup" },
  { name: "methods_length", type: "int", fact: "characters of the methods or technical information, without markup" },
  { name: "reference_count", type: "int", fact: "works referenced" },
  { name: "reference_pid_count", type: "int", fact: "works referenced by DOI, PMID, arXiv, handle or URL" },
  { name: "creator_count", type: "int", fact: "creators" },
  { name: "person_creator_count", type: "int", fact: "creators who are people" },
  { name: "creator_pid_count", type: "int", fact: "distinct valid ORCID or ISNI of the people among the creators" },
  {
    name: "organization_pid_count",
    type: "int",
    fact: "affiliations or creator organisations with a ROR, ISNI, GRID or Wikidata id",
  },
  { name: "access_declared", type: "bool", fact: "the source states an access level" },
  { name: "access_open", type: "bool", fact: "the stated access level is open" },
  { name: "embargo_active", type: "bool", fact: "an embargo ends after the as-of date" },
  { name: "license_text", type: "text", fact: "the licence as given" },
  { name: "license_spdx", type: "text", fact: "its canonical SPDX id, or '' if it has none" },
  { name: "license_permissive", type: "bool", fact: "the licence has no NC, ND or SA clause" },
  { name: "license_open", type: "bool", fact: "the licence is Open-Definition conformant or OSI-approved" },
  { name: "file_count", type: "int", fact: "files listed" },
  { name: "open_format_file_count", type: "int", fact: "files in an open format" },
  { name: "inspectable_file_count", type: "int", fact: "open files readable without unpacking or special software" },
  { name: "documentation_file_count", type: "int", fact: "README, codebook, data dictionary files" },
  { name: "code_file_count", type: "int", fact: "source or notebook files" },
  { name: "manifest_file_count", type: "int", fact: "machine-readable manifests" },
  { name: "descriptive_filename_count", type: "int", fact: "files with a descriptive name" },
  { name: "linked_code_count", type: "int", fact: "relations to software or a source-code host" },
  { name: "view_count", type: "int", fact: "views observed" },
  { name: "download_count", type: "int", fact: "downloads observed" },
  { name: "citation_count", type: "int", fact: "citations observed" },
  { name: "derivative_count", type: "int", fact: "works derived from it" },
  { name: "mention_count", type: "int", fact: "mentions observed" },
  { name: "funder_count", type: "int", fact: "funders" },
  { name: "award_count", type: "int", fact: "award or grant numbers" },
  { name: "publication_link_count", type: "int", fact: "relations to articles or preprints" },
  { name: "data_link_count", type: "int", fact: "relations to datasets or software" },
  { name: "related_identifier_count", type: "int", fact: "relations to any other work with an identifier" },
  { name: "version_stated", type: "bool", fact: "a version string or a version relation" },
  { name: "venue_stated", type: "bool", fact: "a journal, conference or imprint" },
] as const satisfies readonly EvidenceColumn[];

export type EvidenceName = (typeof EVIDENCE)[number]["name"];

export type EvidenceColumns = { readonly [C in (typeof EVIDENCE)[number] as C["name"]]: C["type"] };

/**
 * The evidence of a record. Null means that the payload does not contain the fact. 0, false or '' means that the payload
 * contains the fact, but empty.
 */
export type Evidence = { -readonly [Name in EvidenceName]: RowOf<EvidenceColumns>[Name] };

export const EVIDENCE_NAMES: readonly EvidenceName[] = EVIDENCE.map((column) => column.name);
export const evidenceName = named("EvidenceName", z.enum(EVIDENCE_NAMES));

const INDEX = new Map<EvidenceName, number>(EVIDENCE_NAMES.map((name, index) => [name, index]));

/** Returns the bit of a column in `evidence_errors` (a 64-bit integer). */
export function evidenceBit(name: EvidenceName): bigint {
  return 1n << BigInt(INDEX.get(name) ?? 0);
}

/** Returns the columns whose bits are set in `evidence_errors`. */
export function evidenceErrors(mask: bigint): EvidenceName[] {
  return EVIDENCE_NAMES.filter((name) => (mask & evidenceBit(name)) !== 0n);
}
