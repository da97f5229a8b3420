/** Dryad's related works: until about 2020 by DataCite's relation, since then by what the other work is. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { asText, at, type Reader } from "../../reading/reader.ts";
import { countRelations, RELATION_COLUMNS, type StatedRelation } from "../../reading/relations.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** Dryad's kinds of work, which stand where the relation stood. */
const WORK_TYPES = new Set([
  "article",
  "primary_article",
  "preprint",
  "dataset",
  "software",
  "supplemental_information",
  "data_management_plan",
  "undefined",
]);

export function workEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const works = reader.list("relatedWorks", RELATION_COLUMNS);
  const version = asText(reader.raw("versionNumber")) !== null;
  // Dryad numbers every version: an answer without the number says nothing of it.
  if (works === null) return { version_stated: version || null };
  const relations = works.flatMap(statedRelation);
  const { version: relation, ...counts } = countRelations(relations, vocabularies);
  // "article" says what a work is, not whether the dataset cites it or is its source.
  const told = !relations.some(({ relatedType }) => relatedType !== null);
  const ifTold = (count: number) => (told ? count : count || null);
  return {
    ...counts,
    reference_count: ifTold(counts.reference_count),
    reference_pid_count: ifTold(counts.reference_pid_count),
    derivative_count: ifTold(counts.derivative_count),
    version_stated: version || relation || (reader.has("versionNumber") ? false : null),
  };
}

function statedRelation(entry: unknown): StatedRelation[] {
  const identifier = asText(at(entry, "identifier"));
  const relationship = asText(at(entry, "relationship"));
  if (identifier === null || relationship === null) return [];
  const relatedType = WORK_TYPES.has(relationship.toLowerCase()) ? relationship : null;
  // An unnamed relation counts by the type of the work alone.
  const type = relatedType === null ? relationship : "";
  return [{ type, relatedType, identifier, identifierType: asText(at(entry, "identifierType")) }];
}
