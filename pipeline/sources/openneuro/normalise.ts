/** Reads an OpenNeuro dataset with its latest snapshot (GraphQL, `dataset`) as a record and its evidence. */

import type { CapturedFacet, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import {
  countRelations,
  FILE_COLUMNS,
  readLicence,
  readPartialFiles,
  type StatedRelation,
} from "../../reading/evidence.ts";
import { type FundingRead, readFunding } from "../../reading/funding.ts";
import { readDoi, readWebUrl } from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, counted, failed, settled, tombstone } from "../../reading/normalised.ts";
import { type CreatorsRead, readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, firstText, type Json, oneOrMany, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { cleanText, displayText, readDate, readInstant, textLength } from "../../reading/text.ts";
import { withoutEnd } from "../../vocabularies/ends.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { foldSpace } from "../../vocabularies/read-table.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

export function normaliseOpenneuro(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("OpenNeuro answers that the dataset does not exist", null);
  const dataset = asObject(at(payload, "data", "dataset")) ?? asObject(payload);
  const snapshot = asObject(at(dataset, "latestSnapshot"));
  const updated = firstText(
    at(snapshot, "created"),
    at(dataset, "metadata", "latestSnapshotCreatedAt"),
    at(dataset, "created"),
  );
  if (dataset === null)
    return failed(
      "the response is not a dataset of OpenNeuro; fetch the complete dataset",
      updated,
      knownFields(sourceId),
    );
  if (dataset.public === false) return tombstone("the dataset is not public", updated);
  if (dataset.latestSnapshot === null) return tombstone("no snapshot of the dataset has been published", updated);
  if (snapshot === null)
    return failed(
      "the response is incomplete: latestSnapshot is missing; fetch the complete dataset from OpenNeuro",
      updated,
      knownFields(sourceId),
    );
  return readDataset(dataset, snapshot, sourceId, updated, context);
}

function readDataset(
  dataset: Json,
  snapshot: Json,
  sourceId: string,
  updated: string | null,
  context: NormaliseOptions,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const parts = {
    description: makeReader(snapshot, "description", errors),
    metadata: makeReader(dataset, "metadata", errors),
    snapshot: new Reader(snapshot, errors),
    summary: makeReader(snapshot, "summary", errors),
  };
  const authors = readCreators(parts.description, vocabularies);
  const funding = readStatedFunding(parts, vocabularies);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(parts, vocabularies),
    ...funding.evidence,
    ...authors.evidence,
    ...accessEvidence(new Reader(dataset, errors)),
    ...fileEvidence(parts.snapshot, context),
    ...useEvidence(dataset, errors),
    ...workEvidence(parts.description, parts.metadata, vocabularies),
    version_stated: Object.hasOwn(snapshot, "tag") ? asText(snapshot.tag) !== null : null,
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields: {
      ...describe(dataset, snapshot, sourceId, context),
      license: firstText(evidence.license_spdx, evidence.license_text),
    },
    evidence: settled(evidence, errors),
    errors,
    creators: authors.creators,
    facets: readFacets(dataset, snapshot),
    funding: funding.funding,
  };
}

/**
 * Returns a reader for GraphQL responses. They contain null for a missing value, and lack fields that were not requested.
 */
function makeReader(parent: Json, key: string, errors: Set<EvidenceName>): Reader {
  return new Reader(asObject(parent[key]) ?? {}, errors, parent[key] === null ? "none" : "unknown");
}

/** Reads access. A dataset is either public or not; there are no embargoes. */
function accessEvidence(reader: Reader): Partial<Evidence> {
  const isPublic = reader.raw("public");
  if (isPublic === undefined || isPublic === null) return {};
  if (typeof isPublic !== "boolean") {
    reader.fail(["access_declared", "access_open", "embargo_active"]);
    return {};
  }
  return { access_declared: true, access_open: isPublic, embargo_active: false };
}

/** Reads the files of the top folder. The response does not list the files in other folders. */
function fileEvidence(snapshot: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  // A dataset without files has an empty list. Null means that the server could not list the files.
  const entries = snapshot.raw("files") === null ? null : snapshot.list("files", FILE_COLUMNS);
  if (entries === null) return {};
  const folders = entries.some((entry) => at(entry, "directory") === true);
  const names = entries
    .filter((entry) => at(entry, "directory") !== true)
    .map((entry) => asText(at(entry, "filename")))
    .filter((name) => name !== null);
  return readPartialFiles(names, !folders, vocabularies);
}

function useEvidence(dataset: Json, errors: Set<EvidenceName>): Partial<Evidence> {
  const analytics = new Reader(dataset, errors).object("analytics", ["view_count", "download_count"]);
  if (analytics === null) return {};
  const reader = new Reader(analytics, errors);
  return {
    view_count: reader.count("views", "view_count"),
    download_count: reader.count("downloads", "download_count"),
  };
}

/** Returns facets: modalities in OpenNeuro's terms, and age groups in those of ClinicalTrials.gov. */
function readFacets(dataset: Json, snapshot: Json): CapturedFacet[] {
  const modalities = [
    ...asList(at(snapshot, "summary", "modalities")),
    ...asList(at(dataset, "metadata", "modalities")),
  ].map((value) => displayText(asText(value) ?? "", 256));
  const ages = [
    ...asList(at(dataset, "metadata", "ages")),
    ...asList(at(snapshot, "summary", "subjectMetadata")).map((subject) => at(subject, "age")),
  ].filter((age) => typeof age === "number");
  const groups = ages.filter((age) => age >= 0).map((age) => (age < 18 ? "CHILD" : age < 65 ? "ADULT" : "OLDER_ADULT"));
  const distinct = (kind: CapturedFacet["kind"], values: readonly string[]): CapturedFacet[] =>
    [...new Set(values)].filter((value) => value !== "").map((value) => ({ kind, value }));
  return [...distinct("dataType", modalities), ...distinct("ageGroup", groups.toSorted())];
}

function describe(dataset: Json, snapshot: Json, sourceId: string, { vocabularies }: NormaliseOptions): RecordFields {
  const name = [at(snapshot, "description", "Name"), dataset.name, at(dataset, "metadata", "datasetName")]
    .map(asText)
    .find((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any"));
  const published = [dataset.publishDate, at(dataset, "metadata", "firstSnapshotCreatedAt"), dataset.created];
  return {
    ...knownFields(sourceId),
    doi: readDoi(asText(at(snapshot, "description", "DatasetDOI"))),
    title: displayText(name ?? "") || null,
    pubDate: readDate(firstText(...published)),
    accessStatus: dataset.public === true ? "public" : null,
    version: asText(snapshot.tag),
  };
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "OpenNeuro",
    url: `https://openneuro.org/datasets/${sourceId}`,
    recordKind: "dataset",
    versionFamily: `10.18112/openneuro.${sourceId}`,
  });
}

/** Reads authors from the description of the dataset. Only their names are known. */
function readCreators(description: Reader, vocabularies: Vocabularies): CreatorsRead {
  const stated = description.list("Authors", ["creator_count", "person_creator_count"]);
  if (stated === null) return { creators: [], evidence: {} };
  const creators = stated
    .map((entry) =>
      readCreator(
        { name: asText(entry), given: null, family: null, type: null, orcid: null, affiliations: [] },
        vocabularies,
      ),
    )
    .filter((creator) => creator !== null);
  const people = creators.filter(({ person }) => person).length;
  return { creators, evidence: { creator_count: creators.length, person_creator_count: people } };
}

/** The parts of a response that contain texts about the dataset. */
interface Parts {
  readonly description: Reader;
  readonly metadata: Reader;
  readonly snapshot: Reader;
  readonly summary: Reader;
}

function textEvidence(parts: Parts, vocabularies: Vocabularies): Partial<Evidence> {
  return {
    keyword_count: terms(parts, vocabularies),
    ethics_length: ethics(parts, vocabularies),
    description_length: textLength(parts.snapshot.text("readme", ["description_length"]), vocabularies),
    ...licence(parts.description, vocabularies),
  };
}

function terms({ description, metadata, summary }: Parts, vocabularies: Vocabularies): number | null {
  const lists = [
    description.list("Keywords", ["keyword_count"]),
    summary.list("modalities", ["keyword_count"]),
    summary.list("tasks", ["keyword_count"]),
    metadata.list("modalities", ["keyword_count"]),
    metadata.list("tasksCompleted", ["keyword_count"]),
  ];
  const texts = ["species", "studyDomain"].map((key) => metadata.text(key, ["keyword_count"]));
  if ([...lists, ...texts].every((part) => part === null)) return null;
  return countTerms("keyword_count", [...lists.flatMap((list) => list ?? []).map(asText), ...texts], vocabularies);
}

/** Returns the length of the text on ethics approvals. If there is none but the uploader affirmed consent, returns 1. */
function ethics({ description, metadata }: Parts, vocabularies: Vocabularies): number | null {
  const approvals = description.list("EthicsApprovals", ["ethics_length"]);
  const lengths = (approvals ?? []).map((text) => textLength(asText(text), vocabularies) ?? 0);
  const consent = metadata.raw("affirmedConsent");
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total > 0) return total;
  return consent === true ? 1 : approvals === null ? null : 0;
}

function licence(description: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const columns = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;
  const stated = description.text("License", columns);
  if (stated === null) return {};
  // Line ends are escaped twice.
  const text = foldSpace(cleanText(stated.replaceAll("\\n", " ")));
  if (text === "" || vocabularies.placeholders.isPlaceholder(text, "any")) return readLicence([], vocabularies);
  return readLicence([{ text, spellings: [text] }], vocabularies);
}

/** Reads funding: funders in lines of text, and one funder with a grant from the upload form. */
function readStatedFunding({ description, metadata }: Parts, vocabularies: Vocabularies): FundingRead {
  const lines = description.list("Funding", ["funder_count"]);
  const funder = metadata.text("grantFunderName", ["funder_count"]);
  const grant = metadata.text("grantIdentifier", ["award_count"]);
  const read = readFunding(
    [...(lines ?? []).map((line) => ({ funder: asText(line) })), { funder, awardNumber: grant }],
    vocabularies,
  );
  return {
    ...read,
    evidence: {
      funder_count: lines === null && funder === null ? null : read.evidence.funder_count,
      award_count: grant === null ? null : read.evidence.award_count,
    },
  };
}

const REFERENCE_COLUMNS = [
  "reference_count",
  "reference_pid_count",
  "data_link_count",
  "linked_code_count",
  "related_identifier_count",
] as const;

/**
 * Counts related works. `openneuroPaperDOI`, a paper written with the data, does not count. Neither does the text on how to
 * cite the dataset.
 */
function workEvidence(description: Reader, metadata: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const stated = description.list("ReferencesAndLinks", REFERENCE_COLUMNS);
  const paper = metadata.text("associatedPaperDOI", ["publication_link_count", "related_identifier_count"]);
  const references = (stated ?? []).map(asText).filter((text) => isStated(text, vocabularies));
  const links = references.flatMap((text) => referenceIn(text));
  const articles = readArticle(paper, metadata, vocabularies);
  const others = [...readSourceDatasets(description), ...readLinkedDatasets(description)];
  const found = countRelations([...articles, ...links, ...others], vocabularies);
  const tools = readTools(description);
  const words = new Set(references.filter((text) => referenceIn(text).length === 0));
  for (const text of words) vocabularies.note?.("reference_pid_count", text, false);
  const parts = [stated, paper === null ? null : articles, tools];
  return {
    reference_count: counted(found.reference_count + words.size, [stated]),
    reference_pid_count: counted(found.reference_pid_count, [stated]),
    publication_link_count: counted(found.publication_link_count, [paper === null ? null : articles]),
    // Only URLs on source-code hosts show the type of the linked work.
    data_link_count: counted(found.data_link_count, [links.length > 0 ? null : stated, tools]),
    linked_code_count: counted(found.linked_code_count, [stated, tools]),
    related_identifier_count: counted(found.related_identifier_count, parts),
  };
}

/**
 * Returns null (unknown) if the dataset contains the URL of the code that made it (BIDS 1.4 and later); otherwise an empty
 * list. Converters and pipelines write their own repository into every dataset, so this URL does not count (method.md,
 * "Relations"). But it may be a script of this dataset, so a missing link is not certain.
 */
function readTools(description: Reader): StatedRelation[] | null {
  const steps = oneOrMany(description.raw("GeneratedBy"));
  return steps.some((step) => relatedTo([at(step, "CodeURL")], "Other", "Software").length > 0) ? null : [];
}

/** Returns relations to the datasets from which the data were made (BIDS 1.4 and later). */
function readSourceDatasets(description: Reader): StatedRelation[] {
  return oneOrMany(description.raw("SourceDatasets")).flatMap((source) =>
    relatedTo([at(source, "DOI"), at(source, "URL")], "IsDerivedFrom", "Dataset"),
  );
}

/** Returns relations to linked datasets that have a URL (BIDS 1.8 and later). Paths within the dataset do not count. */
function readLinkedDatasets(description: Reader): StatedRelation[] {
  return Object.values(asObject(description.raw("DatasetLinks")) ?? {}).flatMap((link) =>
    relatedTo([link], "Other", "Dataset"),
  );
}

function relatedTo(identifiers: readonly unknown[], type: string, relatedType: string): StatedRelation[] {
  const identifier = identifiers
    .map(asText)
    .find((text) => text !== null && (readDoi(text) ?? readWebUrl(text)) !== null);
  return identifier === undefined || identifier === null
    ? []
    : [{ type, relatedType, identifier, identifierType: null }];
}

function isStated(text: string | null, { placeholders }: Vocabularies): text is string {
  return text !== null && !placeholders.isPlaceholder(text, "any");
}

function referenceIn(text: string): StatedRelation[] {
  const found = /\b10\.\d{4,9}\/[^\s"<>]+|\b(?:https?|ftp):\/\/[^\s"<>]+/i.exec(cleanText(text))?.[0];
  const identifier = found === undefined ? undefined : withoutEnd(found, ".,;:)]");
  return identifier === undefined ? [] : [{ type: "References", relatedType: null, identifier, identifierType: null }];
}

/** Returns the relation to the authors' paper on the dataset. A value that is not a DOI marks the columns as unreadable. */
function readArticle(paper: string | null, metadata: Reader, vocabularies: Vocabularies): StatedRelation[] {
  if (paper === null || paper === "" || !isStated(paper, vocabularies)) return [];
  const identifier = readDoi(paper);
  if (identifier === null) {
    metadata.fail(["publication_link_count", "related_identifier_count"]);
    return [];
  }
  return [{ type: "IsSupplementTo", relatedType: "JournalArticle", identifier, identifierType: "DOI" }];
}
