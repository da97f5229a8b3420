/** Relations to other works, counted by what they say (vocabularies/relations.csv; method: rubrics.md, "Relations"). */

import type { EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { doiOf, isIdentifier } from "./identifiers.ts";

export interface StatedRelation {
  readonly type: string;
  /** resourceTypeGeneral of the other work, or null (the usual case). */
  readonly relatedType: string | null;
  readonly identifier: string;
  readonly identifierType: string | null;
}

export interface RelationCounts {
  reference_count: number;
  reference_pid_count: number;
  publication_link_count: number;
  data_link_count: number;
  linked_code_count: number;
  derivative_count: number;
  related_identifier_count: number;
  /** A relation that says there are versions. */
  version: boolean;
}

/** The columns a list of relations feeds. */
export const RELATION_COLUMNS = [
  "reference_count",
  "reference_pid_count",
  "publication_link_count",
  "data_link_count",
  "linked_code_count",
  "derivative_count",
  "related_identifier_count",
  "version_stated",
] as const satisfies readonly EvidenceName[];

/** Counts distinct works a column; the same work under the same relation counts once. */
export function countRelations(relations: readonly StatedRelation[], vocabularies: Vocabularies): RelationCounts {
  const counts: RelationCounts = {
    reference_count: 0,
    reference_pid_count: 0,
    publication_link_count: 0,
    data_link_count: 0,
    linked_code_count: 0,
    derivative_count: 0,
    related_identifier_count: 0,
    version: false,
  };
  const seen = new Set<string>();
  for (const relation of relations) {
    const bare = BARE_DOI.test(relation.identifier);
    if (!bare && vocabularies.placeholders.isPlaceholder(relation.identifier, "any")) continue;
    const work = bare ? relation.identifier.toLowerCase() : workKey(relation.identifier);
    const key = `${relation.type.toLowerCase()} ${work}`;
    if (seen.has(key)) continue;
    seen.add(key);
    addRelation(counts, relation, vocabularies);
  }
  return counts;
}

/** How most relations name a work: no placeholder, no address, nothing to make canonical but the case. */
const BARE_DOI = /^10\.\d{4,9}\/[!-$&-~]+$/;

function addRelation(counts: RelationCounts, relation: StatedRelation, vocabularies: Vocabularies): void {
  const onCodeHost = !BARE_DOI.test(relation.identifier) && vocabularies.codeHosts.isCodeHost(relation.identifier);
  // An address on a source-code host says what the other work is, where the record does not.
  const relatedType = relation.relatedType ?? (onCodeHost ? "Software" : null);
  const says = vocabularies.relations.countsAs(relation.type, relatedType);
  if (says.has("reference")) {
    counts.reference_count += 1;
    if (hasPid(relation, vocabularies)) counts.reference_pid_count += 1;
    else vocabularies.noteUnidentified?.(relation.identifier);
  }
  if (says.has("publication")) counts.publication_link_count += 1;
  if (says.has("data")) counts.data_link_count += 1;
  if (says.has("code") || onCodeHost) counts.linked_code_count += 1;
  if (says.has("derivative")) counts.derivative_count += 1;
  if (says.has("related")) counts.related_identifier_count += 1;
  if (says.has("version")) counts.version = true;
}

/** A stated type says how to read an identifier, not that it is one. */
function hasPid(relation: StatedRelation, vocabularies: Vocabularies): boolean {
  const { identifier, identifierType } = relation;
  if (isIdentifier(identifier, "doi") || isIdentifier(identifier, "url")) return true;
  const scheme = identifierType === null ? null : vocabularies.identifierTypes.schemeOf(identifierType);
  return scheme !== null && isIdentifier(identifier, scheme);
}

function workKey(identifier: string): string {
  return doiOf(identifier) ?? identifier.trim().toLowerCase();
}
