/** Dataverse's related publications, datasets, materials and references as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { counted } from "../../reading/normalised.ts";
import { asText } from "../../reading/reader.ts";
import { countRelations, type StatedRelation } from "../../reading/relations.ts";
import { cleanText } from "../../reading/text.ts";
import { withoutEnd } from "../../vocabularies/ends.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { type Fields, part } from "./fields.ts";

/** A work as a field names it: an identifier where there is one, words where there are only words. */
interface Work {
  readonly words: string | null;
  readonly relation: StatedRelation | null;
}

const RELATED = ["related_identifier_count", "linked_code_count"] as const;

/** Where the code is, in the blocks of software (codeMeta20) and of workflows. */
const CODE_FIELDS = ["codeRepository", "workflowCodeRepository"] as const;

export function workEvidence(fields: Fields, vocabularies: Vocabularies): Partial<Evidence> {
  const publications = fields.list("publication", [
    "publication_link_count",
    "reference_count",
    "reference_pid_count",
    ...RELATED,
  ]);
  const datasets = fields.list("relatedDatasets", ["data_link_count", ...RELATED]);
  const materials = fields.list("relatedMaterial", RELATED);
  const references = ["otherReferences", "dataSources"].map((name) =>
    fields.list(name, ["reference_count", "reference_pid_count", ...RELATED]),
  );
  const code = CODE_FIELDS.map((name) => fields.texts(name, ["linked_code_count"]));
  const parts = [publications, datasets, materials, ...references];
  const articles = (publications ?? []).map((entry) => publication(entry));
  const data = (datasets ?? []).map((entry) => inWords(entry, "", "Dataset"));
  const other = (materials ?? []).map((entry) => inWords(entry, "", null));
  const cited = references.flatMap((list) => list ?? []).map((entry) => inWords(entry, "References", null));
  const programs = code.flatMap((list) => list ?? []).map((entry) => inWords(entry, "", "Software"));
  const works = [...articles, ...data, ...other, ...cited, ...programs];
  const found = countRelations(
    works.flatMap(({ relation }) => relation ?? []),
    vocabularies,
  );
  for (const { words, relation } of cited)
    if (words !== null && relation === null) vocabularies.noteUnidentified?.(words);
  return {
    reference_count: counted(found.reference_count + unidentified(cited), [publications, ...references]),
    reference_pid_count: counted(found.reference_pid_count, [publications, ...references]),
    // An article cited in words is linked to, if not by an identifier.
    publication_link_count: counted(found.publication_link_count + unidentified(articles), [publications]),
    data_link_count: counted(found.data_link_count + unidentified(data), [datasets, materials]),
    linked_code_count: counted(found.linked_code_count, [...parts, ...code]),
    related_identifier_count: counted(found.related_identifier_count, parts),
  };
}

/** Works named in words alone, each text once. */
function unidentified(works: readonly Work[]): number {
  const texts = works.filter(({ relation }) => relation === null).map(({ words }) => words);
  return new Set(texts.filter((text) => text !== null)).size;
}

/** Identifiers that name a journal or a book, not the article. */
const NOT_THE_WORK = new Set(["issn", "eissn", "lissn", "isbn", "ean13", "upc"]);

function publication(entry: unknown): Work {
  const type = part(entry, "publicationIDType");
  const number = NOT_THE_WORK.has(type?.toLowerCase() ?? "") ? null : part(entry, "publicationIDNumber");
  const words = part(entry, "publicationCitation");
  const identifier = number ?? part(entry, "publicationURL") ?? identifierIn(words);
  if (identifier === null) return { words, relation: null };
  const relation = { type: part(entry, "publicationRelationType") ?? "", relatedType: "JournalArticle", identifier };
  return { words, relation: { ...relation, identifierType: number === null ? null : type } };
}

/** A text field, where an identifier stands inside the words. */
function inWords(entry: unknown, type: string, relatedType: string | null): Work {
  const words = asText(entry);
  const identifier = identifierIn(words);
  return { words, relation: identifier === null ? null : { type, relatedType, identifier, identifierType: null } };
}

/** The first DOI or address in a citation; punctuation behind it is the sentence's. */
function identifierIn(words: string | null): string | null {
  if (words === null) return null;
  const found = /\b10\.\d{4,9}\/[^\s"<>]+|\bhttps?:\/\/[^\s"<>]+/i.exec(cleanText(words))?.[0];
  return found === undefined ? null : withoutEnd(found, ".,;:)]");
}
