/** The references of a CMR collection: publications, associated DOIs, other collections, addresses, and its own versions. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { doiOf, webUrlOf } from "../../reading/identifiers.ts";
import { counted } from "../../reading/normalised.ts";
import { asText, at, firstText, type Reader } from "../../reading/reader.ts";
import { countRelations, type StatedRelation } from "../../reading/relations.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

export function relationEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const publications = reader.list("PublicationReferences", [
    "reference_count",
    "reference_pid_count",
    "publication_link_count",
    "related_identifier_count",
  ]);
  const associated = reader.list("AssociatedDOIs", ["data_link_count", "related_identifier_count"]);
  const collections = reader.list("MetadataAssociations", ["data_link_count", "related_identifier_count"]);
  const addresses = reader.list("RelatedUrls", [
    "publication_link_count",
    "data_link_count",
    "linked_code_count",
    "related_identifier_count",
  ]);
  const works = (publications ?? []).map((entry) => ({ entry, identifier: identifierOf(entry) }));
  const relations = [
    ...works.flatMap(({ entry, identifier }) => publication(entry, identifier)),
    ...(associated ?? []).flatMap(associatedDoi),
    ...(collections ?? []).flatMap(otherCollection),
    ...(addresses ?? []).flatMap((entry) => address(entry, vocabularies)),
  ];
  const { version, derivative_count: _, ...counts } = countRelations(relations, vocabularies);
  // A reference in words alone is a work referenced, but no related identifier.
  const words = works.filter(({ entry, identifier }) => identifier === null && asText(at(entry, "Title")) !== null);
  for (const { entry } of words) vocabularies.noteUnidentified?.(asText(at(entry, "Title")) ?? "");
  const articles = words.filter(({ entry }) => isArticle(entry)).length;
  const stated = version || versionStated(reader, vocabularies);
  return {
    reference_count: counted(counts.reference_count + words.length, [publications]),
    reference_pid_count: counted(counts.reference_pid_count, [publications]),
    publication_link_count: counted(counts.publication_link_count + articles, [publications, addresses]),
    data_link_count: counted(counts.data_link_count, [associated, collections, addresses]),
    linked_code_count: counted(counts.linked_code_count, [addresses]),
    related_identifier_count: counted(counts.related_identifier_count, [
      publications,
      associated,
      collections,
      addresses,
    ]),
    version_stated: stated,
  };
}

function identifierOf(publication: unknown): string | null {
  return doiOf(asText(at(publication, "DOI", "DOI"))) ?? webUrlOf(asText(at(publication, "OnlineResource", "Linkage")));
}

/** A volume, an issue or pages are those of a journal; UMM has no type of publication. */
function isArticle(publication: unknown): boolean {
  return firstText(...["Volume", "Issue", "Pages"].map((key) => at(publication, key))) !== null;
}

function publication(entry: unknown, identifier: string | null): StatedRelation[] {
  if (identifier === null) return [];
  const relatedType = isArticle(entry) ? "JournalArticle" : null;
  return [{ type: "References", relatedType, identifier, identifierType: null }];
}

/** UMM's types of associated DOIs as relation and related type; any other is a related dataset. */
const ASSOCIATIONS = new Map<string, readonly [type: string, relatedType: string | null]>([
  ["child dataset", ["HasPart", "Dataset"]],
  ["parent dataset", ["IsPartOf", "Dataset"]],
  ["previous version", ["IsNewVersionOf", "Dataset"]],
  ["field campaign", ["", "Event"]],
  ["other", ["", null]],
]);

function associatedDoi(entry: unknown): StatedRelation[] {
  const identifier = doiOf(asText(at(entry, "DOI")));
  if (identifier === null) return [];
  const stated = asText(at(entry, "Type"))?.toLowerCase() ?? "";
  const [type, relatedType] = ASSOCIATIONS.get(stated) ?? ["", "Dataset"];
  return [{ type, relatedType, identifier, identifierType: "DOI" }];
}

/** Other collections of CMR by their short names: parents and children are parts of one work. */
const COLLECTION_RELATIONS = new Map([
  ["PARENT", "IsPartOf"],
  ["CHILD", "HasPart"],
  ["INPUT", "IsDerivedFrom"],
]);

function otherCollection(entry: unknown): StatedRelation[] {
  const id = asText(at(entry, "EntryId"));
  if (id === null) return [];
  const type = COLLECTION_RELATIONS.get(asText(at(entry, "Type"))?.toUpperCase() ?? "") ?? "";
  const identifier = [id, asText(at(entry, "Version"))].filter((part) => part !== null).join(" ");
  return [{ type, relatedType: "Dataset", identifier, identifierType: null }];
}

/**
 * Of the many addresses of a collection, those of publications and of software. Addresses for getting the data are
 * the repository's own means, the same for all its collections, even where they are on a source-code host.
 */
function address(entry: unknown, vocabularies: Vocabularies): StatedRelation[] {
  const identifier = webUrlOf(asText(at(entry, "URL")));
  if (identifier === null) return [];
  const relation = { identifier, identifierType: "URL" };
  if (at(entry, "Type") === "DOWNLOAD SOFTWARE") return [{ ...relation, type: "", relatedType: "Software" }];
  if (at(entry, "URLContentType") === "DistributionURL") return [];
  if (at(entry, "Subtype") === "PUBLICATIONS") return [{ ...relation, type: "IsDocumentedBy", relatedType: null }];
  if (!vocabularies.codeHosts.isCodeHost(identifier)) return [];
  return [{ ...relation, type: "", relatedType: "Software" }];
}

/** The version, which every collection must state and some state as "Not provided"; or a version before it. */
function versionStated(reader: Reader, vocabularies: Vocabularies): boolean | null {
  const version = reader.text("Version", ["version_stated"]);
  const doi = reader.object("DOI", []);
  if (firstText(at(doi, "PreviousVersion", "DOI"), at(doi, "PreviousVersion", "Version")) !== null) return true;
  return version === null ? null : version !== "" && !vocabularies.placeholders.isPlaceholder(version, "any");
}
