/** OpenNeuro's references and the paper of a dataset as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { doiOf, webUrlOf } from "../../reading/identifiers.ts";
import { counted } from "../../reading/normalised.ts";
import { oneOrMany } from "../../reading/one-or-many.ts";
import { asObject, asText, at, type Reader } from "../../reading/reader.ts";
import { countRelations, type StatedRelation } from "../../reading/relations.ts";
import { cleanText } from "../../reading/text.ts";
import { withoutEnd } from "../../vocabularies/ends.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

const REFERENCE_COLUMNS = [
  "reference_count",
  "reference_pid_count",
  "data_link_count",
  "linked_code_count",
  "related_identifier_count",
] as const;

/** `openneuroPaperDOI` is a paper written with the data: an inbound citation, which counts for nothing. */
export function workEvidence(description: Reader, metadata: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const stated = description.list("ReferencesAndLinks", REFERENCE_COLUMNS);
  const paper = metadata.text("associatedPaperDOI", ["publication_link_count", "related_identifier_count"]);
  const references = (stated ?? []).map(asText).filter((text) => isStated(text, vocabularies));
  const links = references.flatMap((text) => referenceIn(text));
  const articles = articleOf(paper, metadata, vocabularies);
  const others = [...codeOf(description), ...sourcesOf(description), ...linkedDatasetsOf(description)];
  const found = countRelations([...articles, ...links, ...others], vocabularies);
  const words = new Set(references.filter((text) => referenceIn(text).length === 0));
  for (const text of words) vocabularies.noteUnidentified?.(text);
  const parts = [stated, paper === null ? null : articles];
  return {
    reference_count: counted(found.reference_count + words.size, [stated]),
    reference_pid_count: counted(found.reference_pid_count, [stated]),
    publication_link_count: counted(found.publication_link_count, [paper === null ? null : articles]),
    // Only of an address on a source-code host can be told what it leads to.
    data_link_count: counted(found.data_link_count, [links.length > 0 ? null : stated]),
    linked_code_count: counted(found.linked_code_count, [stated]),
    related_identifier_count: counted(found.related_identifier_count, parts),
  };
}

/** The code that made the data (BIDS 1.4 and later). */
function codeOf(description: Reader): StatedRelation[] {
  return oneOrMany(description.raw("GeneratedBy")).flatMap((step) =>
    relatedTo([at(step, "CodeURL")], "Other", "Software"),
  );
}

/** The datasets that the data were made from (BIDS 1.4 and later). */
function sourcesOf(description: Reader): StatedRelation[] {
  return oneOrMany(description.raw("SourceDatasets")).flatMap((source) =>
    relatedTo([at(source, "DOI"), at(source, "URL")], "IsDerivedFrom", "Dataset"),
  );
}

/** Names of other datasets with their addresses (BIDS 1.8 and later); a path in the dataset itself is none. */
function linkedDatasetsOf(description: Reader): StatedRelation[] {
  return Object.values(asObject(description.raw("DatasetLinks")) ?? {}).flatMap((link) =>
    relatedTo([link], "Other", "Dataset"),
  );
}

/** The work at the first DOI or address; none if there is neither. */
function relatedTo(identifiers: readonly unknown[], type: string, relatedType: string): StatedRelation[] {
  const identifier = identifiers.map(asText).find((text) => text !== null && (doiOf(text) ?? webUrlOf(text)) !== null);
  return identifier === undefined || identifier === null
    ? []
    : [{ type, relatedType, identifier, identifierType: null }];
}

function isStated(text: string | null, { placeholders }: Vocabularies): text is string {
  return text !== null && !placeholders.isPlaceholder(text, "any");
}

/** A reference by the first DOI or address inside its words; none where it has only words. */
function referenceIn(text: string): StatedRelation[] {
  const found = /\b10\.\d{4,9}\/[^\s"<>]+|\b(?:https?|ftp):\/\/[^\s"<>]+/i.exec(cleanText(text))?.[0];
  const identifier = found === undefined ? undefined : withoutEnd(found, ".,;:)]");
  return identifier === undefined ? [] : [{ type: "References", relatedType: null, identifier, identifierType: null }];
}

/** The paper of those who made the dataset; what stands there and is no DOI cannot be read. */
function articleOf(paper: string | null, metadata: Reader, vocabularies: Vocabularies): StatedRelation[] {
  if (paper === null || paper === "" || !isStated(paper, vocabularies)) return [];
  const identifier = doiOf(paper);
  if (identifier === null) {
    metadata.fail(["publication_link_count", "related_identifier_count"]);
    return [];
  }
  return [{ type: "IsSupplementTo", relatedType: "JournalArticle", identifier, identifierType: "DOI" }];
}
