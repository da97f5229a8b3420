/** Figshare's references, related materials and the article a dataset belongs to, as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { doiOf } from "../../reading/identifiers.ts";
import { counted } from "../../reading/normalised.ts";
import { asText, at, type Reader } from "../../reading/reader.ts";
import { countRelations, RELATION_COLUMNS, type StatedRelation } from "../../reading/relations.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

export function linkEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const references = reader.list("references", ["reference_count", "reference_pid_count"]);
  const materials = reader.list("related_materials", RELATION_COLUMNS);
  const versioned = versionStated(reader);
  if (references === null && materials === null) {
    const article = countRelations(publisherArticle(reader), vocabularies);
    const found = article.publication_link_count || null;
    return { publication_link_count: found, related_identifier_count: found, version_stated: versioned };
  }
  const related = (materials ?? []).flatMap(relatedMaterial);
  // A related material may stand among the references once more, without its relation.
  const known = new Set(related.map(({ identifier }) => keyOf(identifier)));
  const bare = (references ?? []).flatMap(reference).filter(({ identifier }) => !known.has(keyOf(identifier)));
  const { version, ...found } = countRelations([...related, ...bare, ...publisherArticle(reader)], vocabularies);
  const typed = (count: number) => counted(count, [materials]);
  return {
    reference_count: counted(found.reference_count, [references]),
    reference_pid_count: counted(found.reference_pid_count, [references]),
    publication_link_count: typed(found.publication_link_count),
    data_link_count: typed(found.data_link_count),
    linked_code_count: counted(found.linked_code_count, [references]),
    derivative_count: typed(found.derivative_count),
    related_identifier_count: counted(found.related_identifier_count, [references]),
    version_stated: version || versioned,
  };
}

function keyOf(identifier: string): string {
  return doiOf(identifier) ?? identifier.toLowerCase();
}

/** Links the depositor lists as references. */
function reference(entry: unknown): StatedRelation[] {
  const identifier = asText(entry);
  return identifier === null ? [] : [{ type: "References", relatedType: null, identifier, identifierType: null }];
}

function relatedMaterial(entry: unknown): StatedRelation[] {
  const identifier = asText(at(entry, "identifier"));
  const type = asText(at(entry, "relation"));
  if (identifier === null || type === null) return [];
  return [{ type, relatedType: null, identifier, identifierType: asText(at(entry, "identifier_type")) }];
}

/** In a publisher's portal the dataset names the article it is the supplement of. */
function publisherArticle(reader: Reader): StatedRelation[] {
  const identifier = doiOf(asText(reader.raw("resource_doi")));
  return identifier === null
    ? []
    : [{ type: "IsSupplementTo", relatedType: "JournalArticle", identifier, identifierType: "DOI" }];
}

/** Versions count from 1. */
function versionStated(reader: Reader): boolean | null {
  const version = reader.text("version", ["version_stated"]);
  return version === null ? null : version !== "" && version !== "0";
}
