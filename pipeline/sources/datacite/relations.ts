/** DataCite related identifiers and related items as evidence. */

import type { Evidence } from "../../../schemas/evidence.ts";
import { asText, at, type Reader } from "../../reading/reader.ts";
import { countRelations, RELATION_COLUMNS, type StatedRelation } from "../../reading/relations.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** All relations with an identifier; null where the payload carries no list of them. */
export function relationsOf(reader: Reader): StatedRelation[] | null {
  const identifiers = reader.list("relatedIdentifiers", RELATION_COLUMNS);
  const items = reader.list("relatedItems", []);
  if (identifiers === null && items === null) return null;
  return [...(identifiers ?? []).flatMap(relatedIdentifier), ...(items ?? []).flatMap(relatedItem)];
}

function relatedIdentifier(entry: unknown): StatedRelation[] {
  const identifier = asText(at(entry, "relatedIdentifier"));
  const type = asText(at(entry, "relationType"));
  if (identifier === null || type === null) return [];
  const relatedType = asText(at(entry, "resourceTypeGeneral"));
  return [{ type, relatedType, identifier, identifierType: asText(at(entry, "relatedIdentifierType")) }];
}

function relatedItem(entry: unknown): StatedRelation[] {
  const stated = at(entry, "relatedItemIdentifier");
  const identifier = asText(at(stated, "relatedItemIdentifier"));
  const type = asText(at(entry, "relationType"));
  if (identifier === null || type === null) return [];
  const relatedType = asText(at(entry, "relatedItemType"));
  return [{ type, relatedType, identifier, identifierType: asText(at(stated, "relatedItemIdentifierType")) }];
}

export function relationEvidence(
  reader: Reader,
  relations: readonly StatedRelation[] | null,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const version = reader.text("version", ["version_stated"]);
  const versioned = version !== null && version !== "" && !vocabularies.placeholders.isPlaceholder(version, "any");
  if (relations === null) return { version_stated: version === null ? null : versioned };
  const { version: related, ...counts } = countRelations(relations, vocabularies);
  // A version that may stand in a key the payload does not carry is unknown, unless a relation already says so.
  const stated = versioned || related;
  return { ...counts, version_stated: !stated && version === null ? null : stated };
}
