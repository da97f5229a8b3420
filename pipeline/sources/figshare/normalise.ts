/**
 * Reads a figshare article (`/v2/articles/{id}`, alone or with its totals of views and downloads) as a record and its
 * evidence.
 */

import type { Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import {
  countRelations,
  FILE_COLUMNS,
  type LicenceStatement,
  RELATION_COLUMNS,
  readLicence,
  readPartialFiles,
  type StatedRelation,
} from "../../reading/evidence.ts";
import { type FundingRead, NO_FUNDING, readFunding, type StatedFunding } from "../../reading/funding.ts";
import { readDoi, readOrcid, readWebUrl } from "../../reading/identifiers.ts";
import {
  bareFields,
  blankEvidence,
  counted,
  failed,
  notDataset,
  ownFamily,
  settled,
  tombstone,
} from "../../reading/normalised.ts";
import { type CreatorsRead, creatorCounts, readCreator } from "../../reading/people.ts";
import { asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { displayText, firstDay, readDate, readInstant, shownText, textLength } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

/** Types of articles that are datasets, by name and number. Until 2018, a dataset of several files was a "fileset". */
const DATASET_TYPES = new Set(["dataset", "fileset", "3", "4"]);

export function normaliseFigshare(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("Figshare answers that the article does not exist", null);
  const article = asObject(at(payload, "article")) ?? asObject(payload);
  const updated = firstText(at(article, "modified_date"), at(article, "published_date"), at(article, "created_date"));
  if (article === null)
    return failed(
      "the response is not an article of Figshare; fetch the complete article",
      updated,
      knownFields(sourceId),
    );
  const hidden = hiddenBecause(article, context);
  if (hidden !== null) return tombstone(hidden, updated);
  const type = firstText(article.defined_type_name, article.defined_type);
  if (type === null)
    return failed(
      "the response is incomplete: defined_type is missing; fetch the complete article from Figshare",
      updated,
      knownFields(sourceId),
    );
  if (!DATASET_TYPES.has(type.toLowerCase())) return notDataset(`defined type ${displayText(type, 80)}`, updated);
  return readArticle(payload, article, type, sourceId, updated, context);
}

/**
 * Explains why an article is not public; null if it is. Drafts and private articles, which only their owner receives,
 * have null as their publication date in a list.
 */
function hiddenBecause(article: Json, { isDraft }: NormaliseOptions): string | null {
  if (isDraft) return null;
  const status = asText(article.status)?.toLowerCase() ?? "public";
  if (status !== "public") return `article status is ${displayText(status, 40)}`;
  if (article.is_public === false) return "the article is not public";
  return article.published_date === null ? "the article has not been published" : null;
}

function readArticle(
  payload: unknown,
  article: Json,
  type: string,
  sourceId: string,
  updated: string | null,
  context: NormaliseOptions,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  // The response to an article has all keys. A missing key, as in items of a list, means unknown.
  const reader = new Reader(article, errors);
  const authors = readCreators(reader, vocabularies);
  const licence = licenceEvidence(reader, context);
  const access = accessEvidence(reader, context);
  const funding = readStatedFunding(reader, vocabularies);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...termEvidence(reader, context),
    description_length: textLength(reader.text("description", ["description_length"]), vocabularies),
    ...authors.evidence,
    ...access,
    ...licence,
    ...fileEvidence(payload, reader, access.access_open ?? null, errors, vocabularies),
    ...useEvidence(payload, errors),
    ...funding.evidence,
    ...linkEvidence(reader, vocabularies),
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields: describe(article, type, licence, sourceId, context),
    evidence: settled(evidence, errors),
    errors,
    creators: authors.creators,
    facets: [],
    funding: funding.funding,
  };
}

/**
 * Counts keywords and subject terms. `tags` and `keywords` are two names of one list. Categories are ANZSRC fields of
 * research.
 */
function termEvidence(reader: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const free = ["keywords", "tags"].map((key) => reader.list(key, ["keyword_count"]));
  const categories = reader.list("categories", ["keyword_count", "subject_count"]);
  const subjects = (categories ?? []).map((category) => asText(at(category, "title")));
  const words = free.flatMap((list) => list ?? []).map(asText);
  const carried = categories !== null || free.some((list) => list !== null);
  return {
    keyword_count: carried ? countTerms("keyword_count", [...words, ...subjects], vocabularies) : null,
    subject_count: categories === null ? null : countTerms("subject_count", subjects, vocabularies),
  };
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

function licenceEvidence(reader: Reader, { vocabularies }: NormaliseOptions) {
  const stated = reader.object("license", LICENCE_COLUMNS);
  if (stated === null) {
    return { license_text: null, license_spdx: null, license_permissive: null, license_open: null };
  }
  const spellings = [asText(stated.url), asText(stated.name)].filter((text) => text !== null);
  const text = firstText(stated.name, stated.url);
  const statements: LicenceStatement[] =
    text === null || vocabularies.placeholders.isPlaceholder(text, "any") ? [] : [{ text, spellings }];
  return readLicence(statements, vocabularies);
}

/** Reads counts of use from the statistics service, over all versions. An error instead of a count means unknown. */
function useEvidence(payload: unknown, errors: Set<EvidenceName>): Partial<Evidence> {
  const total = (part: "views" | "downloads", column: EvidenceName) => {
    const response = asObject(at(payload, "article")) === null ? null : asObject(at(payload, part));
    return response === null ? null : new Reader(response, errors).count("totals", column);
  };
  return { view_count: total("views", "view_count"), download_count: total("downloads", "download_count") };
}

function describe(
  article: Json,
  type: string,
  licence: Pick<Evidence, "license_spdx" | "license_text">,
  sourceId: string,
  { vocabularies }: NormaliseOptions,
): RecordFields {
  const doi = readDoi(asText(article.doi));
  const title = asText(article.title);
  const published = firstText(
    article.published_date,
    at(article.timeline, "firstOnline"),
    at(article.timeline, "posted"),
  );
  return {
    ...knownFields(sourceId),
    doi,
    title: shownText(title, vocabularies),
    pubDate: readDate(published),
    url:
      readWebUrl(firstText(article.url_public_html)) ??
      readWebUrl(firstText(article.figshare_url)) ??
      knownFields(sourceId).url,
    recordKind: type,
    accessStatus: accessWords(article),
    license: firstText(licence.license_spdx, licence.license_text),
    version: readVersion(article),
    versionFamily: ownFamily(doi, `figshare/${sourceId}`),
  };
}

/** Returns the version; null for 0, which is a draft. Published versions count from 1. */
function readVersion(article: Json): string | null {
  const version = asText(article.version);
  return version === "0" ? null : version;
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "Figshare",
    url: `https://figshare.com/articles/dataset/_/${sourceId}`,
    versionFamily: `figshare/${sourceId}`,
  });
}

/** Reads funding: a list since 2018, and one line of text before. */
function readStatedFunding(reader: Reader, vocabularies: Vocabularies): FundingRead {
  const list = reader.list("funding_list", ["funder_count", "award_count"]);
  if (list === null || list.length === 0) {
    const line = readFunding([{ funder: asText(reader.raw("funding")) }], vocabularies);
    // The line may name a funder, a grant or both, so the number of awards is unknown.
    if (line.funding.length > 0) return { ...line, evidence: { ...line.evidence, award_count: null } };
    return list === null ? NO_FUNDING : line;
  }
  return readFunding(list.map(statedFunding), vocabularies);
}

/** Reads one entry on funding. If it was entered by hand, the title is the name of the funder. */
function statedFunding(entry: unknown): StatedFunding {
  const funder = asText(at(entry, "funder_name"));
  const title = asText(at(entry, "title"));
  return {
    funder: funder ?? title,
    awardNumber: asText(at(entry, "grant_code")),
    awardTitle: funder === null ? null : title,
    awardUrl: asText(at(entry, "url")),
  };
}

/** Largest number of files that the response to an article lists. Only /articles/{id}/files lists more. */
const MAX_LISTED = 10;

/**
 * Reads the files: from their separate list if it was requested, otherwise from the article. The list of a closed article
 * is empty, because its files are hidden.
 */
function fileEvidence(
  payload: unknown,
  article: Reader,
  accessOpen: boolean | null,
  errors: Set<EvidenceName>,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const separateList = at(payload, "article") === undefined ? undefined : at(payload, "files");
  const isComplete = Array.isArray(separateList);
  const files = isComplete
    ? new Reader({ files: separateList.flat() }, errors).list("files", FILE_COLUMNS)
    : article.list("files", FILE_COLUMNS);
  if (files === null || (files.length === 0 && accessOpen === false)) return {};
  // A link is not a file. Its name is that of the linked page.
  const uploaded = files.filter((file) => at(file, "is_link_only") !== true);
  const names = uploaded.map((file) => asText(at(file, "name"))).filter((name) => name !== null);
  return readPartialFiles(names, isComplete || files.length < MAX_LISTED, vocabularies);
}

const COLUMNS = ["creator_count", "person_creator_count", "creator_pid_count"] as const;

/** Reads authors: a full name, given and family name since 2023, and an ORCID iD. Figshare has no affiliations. */
function readCreators(reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const stated = reader.list("authors", COLUMNS);
  if (stated === null) return { creators: [], evidence: {} };
  const creators = stated
    .map((entry) =>
      readCreator(
        {
          name: asText(at(entry, "full_name")),
          given: asText(at(entry, "first_name")),
          family: asText(at(entry, "last_name")),
          // All authors of figshare are people.
          type: "person",
          orcid: readOrcid(asText(at(entry, "orcid_id"))),
          affiliations: [],
        },
        vocabularies,
      ),
    )
    .filter((creator) => creator !== null);
  return { creators, evidence: creatorCounts(creators) };
}

const LEVEL_COLUMNS = ["access_declared", "access_open"] as const;

/** Fields that close a public article if one of them is true. */
const CLOSED_BY = ["is_embargoed", "is_confidential", "is_metadata_record", "download_disabled"] as const;

function accessEvidence(reader: Reader, { asOf }: NormaliseOptions): Partial<Evidence> {
  const embargoed = flag(reader, "is_embargoed", [...LEVEL_COLUMNS, "embargo_active"]);
  const closed = CLOSED_BY.map((key) => (key === "is_embargoed" ? embargoed : flag(reader, key, LEVEL_COLUMNS)));
  if (closed.every((value) => value === null)) return {};
  const isClosed = closed.includes(true);
  return {
    access_declared: embargoed === null && !isClosed ? null : true,
    access_open: isClosed ? false : embargoed === null ? null : true,
    embargo_active: embargoed === null ? null : embargoed && isEmbargoActive(reader, asOf),
  };
}

/** Returns a boolean field; null if it is missing or cannot be read. */
function flag(reader: Reader, key: string, columns: Parameters<Reader["fail"]>[0]): boolean | null {
  const value = reader.raw(key);
  if (value === undefined || value === null) return null;
  return typeof value === "boolean" ? value : reader.fail(columns);
}

/** Returns whether an embargo is active at the as-of date. An embargo without an end never ends. */
function isEmbargoActive(reader: Reader, asOf: string): boolean | null {
  const ends = reader.text("embargo_date", ["embargo_active"]);
  if (ends === "") return true;
  const date = readDate(ends);
  return date !== null ? firstDay(date) > asOf : ends === null ? null : reader.fail(["embargo_active"]);
}

/** Returns the access level in figshare's own terms. */
function accessWords(article: Json): string | null {
  const title = asText(article.embargo_title);
  if (article.is_embargoed === true) return title === null ? "embargoed" : displayText(title, 80) || "embargoed";
  if (article.is_confidential === true) return "confidential";
  if (article.is_metadata_record === true) return "metadata record";
  return asText(article.status);
}

function linkEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const references = reader.list("references", ["reference_count", "reference_pid_count"]);
  const materials = reader.list("related_materials", RELATION_COLUMNS);
  const versioned = versionStated(reader);
  if (references === null && materials === null) {
    const article = countRelations(publisherArticle(reader), vocabularies);
    const found = article.publication_link_count || null;
    return { publication_link_count: found, related_identifier_count: found, version_stated: versioned };
  }
  const related = (materials ?? []).flatMap(relatedMaterial);
  // A related material may be repeated among the references, without its relation.
  const known = new Set(related.map(({ identifier }) => makeKey(identifier)));
  const bare = (references ?? []).flatMap(reference).filter(({ identifier }) => !known.has(makeKey(identifier)));
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

function makeKey(identifier: string): string {
  return readDoi(identifier) ?? identifier.toLowerCase();
}

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

/** Returns the relation to the article of a journal, if the dataset is in a publisher's portal and supplements it. */
function publisherArticle(reader: Reader): StatedRelation[] {
  const identifier = readDoi(asText(reader.raw("resource_doi")));
  return identifier === null
    ? []
    : [{ type: "IsSupplementTo", relatedType: "JournalArticle", identifier, identifierType: "DOI" }];
}

function versionStated(reader: Reader): boolean | null {
  const version = reader.text("version", ["version_stated"]);
  return version === null ? null : version !== "" && version !== "0";
}
