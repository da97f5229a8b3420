/**
 * Converts a CITATION.cff that describes a dataset (Citation File Format 1.2.0, parsed from YAML) to DataCite's attributes.
 */

import { readDoi, readWebUrl } from "../../reading/identifiers.ts";
import { asList, asText, at, firstText, type Json, oneOrMany } from "../../reading/reader.ts";
import { readDate } from "../../reading/text.ts";
import type { Fact } from "./schema-org.ts";

/**
 * Facts for which a CITATION.cff has no field, so their absence means unknown. Lists of such facts are missing from the
 * result.
 */
const CANNOT_STATE: readonly Fact[] = ["access", "methods", "coverage", "subjects"];

export function isCitationFile(document: unknown): boolean {
  return at(document, "cff-version") !== undefined;
}

/**
 * Returns the attributes of a dataset. Returns null if the file describes software, which is the default type of the
 * format.
 */
export function citedDataset(document: unknown): Json | null {
  if (asText(at(document, "type"))?.toLowerCase() !== "dataset") return null;
  const text = (key: string) => asText(at(document, key));
  const published = text("date-released");
  const dois = [text("doi"), ...readIdentifiers(document, "doi")].map((each) => (each === null ? null : readDoi(each)));
  const own = dois.find((doi) => doi !== null) ?? null;
  const abstract = text("abstract");
  return {
    cannotState: CANNOT_STATE,
    doi: own,
    url: [text("url"), text("repository"), ...readIdentifiers(document, "url")].find(isWebUrl) ?? null,
    types: { resourceTypeGeneral: "Dataset" },
    titles: [text("title")].flatMap((title) => (title === null ? [] : [{ title }])),
    publicationYear: readDate(published)?.slice(0, 4) ?? null,
    creators: asList(at(document, "authors")).flatMap(readAgent),
    subjects: asList(at(document, "keywords")).map(asText),
    dates: published === null ? [] : [{ date: published, dateType: "Issued" }],
    version: text("version"),
    rightsList: readRights(document),
    descriptions: abstract === null ? [] : [{ description: abstract, descriptionType: "Abstract" }],
    relatedIdentifiers: [
      ...asList(at(document, "references")).flatMap((work) => readRelated(work, "References")),
      ...readRelated(at(document, "preferred-citation"), "IsDocumentedBy").filter(
        ({ relatedIdentifier }) => readDoi(relatedIdentifier) === null || readDoi(relatedIdentifier) !== own,
      ),
      ...readRelated({ type: "software-code", url: text("repository-code") }, "Other"),
    ],
  };
}

const isWebUrl = (text: string | null): text is string => text !== null && readWebUrl(text) !== null;

function readIdentifiers(node: unknown, type: string): string[] {
  return asList(at(node, "identifiers"))
    .filter((each) => asText(at(each, "type")) === type)
    .map((each) => asText(at(each, "value")))
    .filter((value) => value !== null);
}

/** Reads an author, which is a person or an entity. Only entities have the field `name`. */
function readAgent(agent: unknown): Json[] {
  const text = (key: string) => asText(at(agent, key));
  const [name, family, given, orcid] = [text("name"), text("family-names"), text("given-names"), text("orcid")];
  const familyName = [text("name-particle"), family, text("name-suffix")].filter((part) => part !== null).join(" ");
  const known = name ?? firstText([familyName, given ?? ""].filter((part) => part !== "").join(", "), text("alias"));
  if (known === null) return [];
  return [
    {
      name: known,
      nameType: name === null ? "Personal" : "Organizational",
      givenName: given,
      familyName: familyName === "" ? null : familyName,
      nameIdentifiers: orcid === null ? [] : [{ nameIdentifier: orcid, nameIdentifierScheme: "ORCID" }],
      affiliation: [text("affiliation")].filter((each) => each !== null),
    },
  ];
}

/** Reads the licence. `license` is one SPDX id or a list of alternatives; `license-url` is the URL of another licence. */
function readRights(document: unknown): Json[] {
  const rightsUri = asText(at(document, "license-url"));
  const stated = oneOrMany(at(document, "license"))
    .map(asText)
    .filter((id) => id !== null)
    .map((id): Json => ({ rights: id, rightsIdentifier: id }));
  return rightsUri === null ? stated : [...stated, { rightsUri }];
}

/** DataCite's names for the types of references. A reference of a type that is not listed has no type in the result. */
const WORK_TYPES = new Map([
  ["article", "JournalArticle"],
  ["book", "Book"],
  ["conference-paper", "ConferencePaper"],
  ["data", "Dataset"],
  ["database", "Dataset"],
  ["dataset", "Dataset"],
  ["report", "Report"],
  ["software", "Software"],
  ["software-code", "Software"],
  ["software-container", "Software"],
  ["software-executable", "Software"],
  ["thesis", "Dissertation"],
]);

/** Returns a related work in a list of one. The list is empty if the work has neither a DOI nor a URL. */
function readRelated(work: unknown, relationType: string): (Json & { readonly relatedIdentifier: string })[] {
  const text = (key: string) => asText(at(work, key));
  const doi = [text("doi"), ...readIdentifiers(work, "doi")].find((each) => each !== null && readDoi(each) !== null);
  const url = [text("url"), text("repository-code"), ...readIdentifiers(work, "url")].find(isWebUrl);
  const relatedIdentifier = doi ?? url;
  if (relatedIdentifier === undefined || relatedIdentifier === null) return [];
  const resourceTypeGeneral = WORK_TYPES.get(text("type") ?? "") ?? null;
  const relatedIdentifierType = doi === undefined ? "URL" : "DOI";
  return [{ relationType, relatedIdentifier, relatedIdentifierType, resourceTypeGeneral }];
}
