/** Links of a STUDY element to articles, data of other databases, and addresses. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { webUrlOf } from "../../reading/identifiers.ts";
import { oneOrMany } from "../../reading/one-or-many.ts";
import { at, type Json } from "../../reading/reader.ts";
import { countRelations, type StatedRelation } from "../../reading/relations.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** Null where the payload has no STUDY element: a summary carries no links. */
export function linkEvidence(study: Json | null, vocabularies: Vocabularies): Partial<Evidence> {
  if (study === null) return {};
  const links = oneOrMany(at(study, "STUDY_LINKS", "STUDY_LINK"));
  const counts = countRelations(links.flatMap(relationOf), vocabularies);
  return {
    publication_link_count: counts.publication_link_count,
    data_link_count: counts.data_link_count,
    linked_code_count: counts.linked_code_count,
    related_identifier_count: counts.related_identifier_count,
  };
}

/** Databases whose entries are data of their own; ENA's and NCBI's lists of samples and runs are parts of the study. */
const DATA = new Set(["gds", "geo", "dbgap", "arrayexpress"]);

function relationOf(link: unknown): StatedRelation[] {
  const url = webUrlOf(xmlTextOf(at(link, "URL_LINK", "URL")));
  if (url !== null) return [{ type: "", relatedType: null, identifier: url, identifierType: "URL" }];
  const database = xmlTextOf(at(link, "XREF_LINK", "DB"))?.toLowerCase() ?? "";
  const id = xmlTextOf(at(link, "XREF_LINK", "ID"));
  if (id === null) return [];
  if (database === "pubmed" && /^[1-9]\d{0,9}$/.test(id)) {
    return [{ type: "IsDocumentedBy", relatedType: "JournalArticle", identifier: id, identifierType: "PMID" }];
  }
  const identifier = `${database} ${id}`;
  return DATA.has(database) ? [{ type: "", relatedType: "Dataset", identifier, identifierType: null }] : [];
}
