/** DataCite related identifiers and related items as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { doiOf } from "../../reading/identifiers.ts";
import { asText, at, type Reader } from "../../reading/reader.ts";
import { countRelations, RELATION_COLUMNS, type StatedRelation } from "../../reading/relations.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** All relations with an identifier; null where the payload carries no list of them. */
export function relationsOf(reader: Reader, sourceId: string): StatedRelation[] | null {
  const stated = statedRelations(reader);
  return stated !== null && isKernel3(reader) ? withConcept(stated, doiOf(sourceId)) : stated;
}

function isKernel3(reader: Reader): boolean {
  return /kernel-3/.test(asText(reader.raw("schemaVersion")) ?? "");
}

const ZENODO = /^10\.5281\/zenodo\.([1-9]\d{0,17})$/;

/**
 * Kernel 3 has no IsVersionOf: for it Zenodo writes the DOI of all versions as what a version is part of, behind the
 * relations the depositor gave. Its number is below that of every version.
 */
function withConcept(relations: readonly StatedRelation[], doi: string | null): StatedRelation[] {
  const recordNumber = Number(ZENODO.exec(doi ?? "")?.[1] ?? 0);
  const concept = relations.findLastIndex(({ type, identifier }) => {
    const number = ZENODO.exec(doiOf(identifier) ?? "")?.[1];
    return type === "IsPartOf" && number !== undefined && Number(number) < recordNumber;
  });
  return relations.map((relation, i) => (i === concept ? { ...relation, type: "IsVersionOf" } : relation));
}

function statedRelations(reader: Reader): StatedRelation[] | null {
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
