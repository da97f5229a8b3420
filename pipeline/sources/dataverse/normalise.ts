/**
 * Reads a dataset of Dataverse with its latest version as a record and its evidence. The payload comes from the native
 * API, an export or a deposit.
 */

import type {
  Affiliation,
  CapturedFacet,
  Creator,
  Normalised,
  RecordFields,
} from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import {
  countRelations,
  FILE_COLUMNS,
  type LicenceStatement,
  readFiles,
  readLicence,
  type StatedRelation,
} from "../../reading/evidence.ts";
import { type FundingRead, NO_FUNDING, readFunding } from "../../reading/funding.ts";
import { readDoi, readIsni, readOrcid, readOrganisationPid, readRor, readWebUrl } from "../../reading/identifiers.ts";
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
import { type CreatorsRead, contributorCounts, readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, countDistinct, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { cleanText, displayText, firstDay, readDate, readInstant, shownText, textLength } from "../../reading/text.ts";
import { withoutEnd } from "../../vocabularies/ends.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

export function normaliseDataverse(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("the installation answers that the dataset does not exist", null);
  const versions = versionsIn(payload);
  // A dataset is shown by its newest version that is neither a draft nor deaccessioned.
  const shownVersion = versions.find(({ version }) => hiddenBecause(version, context) === null) ?? versions[0];
  if (shownVersion === undefined) {
    const dataset = asObject(at(payload, "data")) ?? asObject(payload);
    return failed(
      "the response is incomplete: latestVersion and datasetVersion are missing; fetch the complete dataset from Dataverse",
      null,
      knownFields(dataset, null, sourceId),
    );
  }
  const { dataset, version } = shownVersion;
  const updated = firstText(version.lastUpdateTime, version.releaseTime, version.createTime);
  const known = knownFields(dataset, version, sourceId);
  const hidden = hiddenBecause(version, context);
  if (hidden !== null) return tombstone(hidden, updated);
  const type = firstText(dataset.datasetType, version.datasetType) ?? "dataset";
  if (type.toLowerCase() !== "dataset") return notDataset(`dataset type ${displayText(type, 80)}`, updated);
  if (asObject(version.metadataBlocks) === null) {
    return failed(
      "the response is incomplete: metadataBlocks is missing; fetch the complete dataset from Dataverse",
      updated,
      known,
    );
  }
  return readVersion(version, known, updated, context);
}

function hiddenBecause(version: Json, { isDraft }: NormaliseOptions): string | null {
  const state = asText(version.versionState)?.toUpperCase() ?? "RELEASED";
  if (state === "RELEASED" || (isDraft && state === "DRAFT")) return null;
  return `version state is ${displayText(state, 40)}`;
}

function readVersion(
  version: Json,
  known: RecordFields,
  updated: string | null,
  context: NormaliseOptions,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(version, errors);
  const fields = new DataverseFields(version, errors);
  const people = readCreators(fields, vocabularies);
  const files = fileEvidence(reader, context);
  const funding = readStatedFunding(fields, vocabularies);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(fields, vocabularies),
    ...funding.evidence,
    ...people.evidence,
    ...licenceEvidence(reader, vocabularies),
    ...files.evidence,
    ...workEvidence(fields, vocabularies),
    version_stated: asText(version.versionNumber) === null ? (reader.has("versionNumber") ? false : null) : true,
  };
  const [title = null] = fields.texts("title", []) ?? [];
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields: {
      ...known,
      title: shownText(title, vocabularies),
      accessStatus: files.words,
      license: firstText(evidence.license_spdx, evidence.license_text),
      version: readVersionNumber(version),
    },
    evidence: settled(evidence, errors),
    errors,
    creators: people.creators,
    facets: readFacets(fields),
    funding: funding.funding,
  };
}

/** Returns the version as major and minor number. A change of metadata alone increases the minor number. */
function readVersionNumber(version: Json): string | null {
  const [major, minor] = [asText(version.versionNumber), asText(version.versionMinorNumber)];
  return major === null || minor === null ? major : `${major}.${minor}`;
}

function readFacets(fields: DataverseFields): CapturedFacet[] {
  return (fields.texts("subject", []) ?? []).map((value) => ({ kind: "dataType", value: displayText(value, 256) }));
}

function knownFields(dataset: Json | null, version: Json | null, sourceId: string): RecordFields {
  const doi = readDoi(sourceId);
  const publisher = asText(at(dataset, "publisher"));
  return bareFields({
    doi,
    repository: publisher === null ? null : displayText(publisher) || null,
    pubDate: readDate(firstText(at(dataset, "publicationDate"), version?.releaseTime)),
    url: readWebUrl(asText(at(dataset, "persistentUrl"))) ?? (doi === null ? null : `https://doi.org/${doi}`),
    recordKind: "dataset",
    versionFamily: ownFamily(doi, `dataverse/${sourceId}`),
  });
}

/** A related work in a field: its identifier, or only the text of its citation. */
interface RelatedWork {
  readonly words: string | null;
  readonly relation: StatedRelation | null;
}

const RELATED = ["related_identifier_count", "linked_code_count"] as const;

/** Fields with code repositories. They are in the metadata blocks for software (codeMeta20) and for workflows. */
const CODE_FIELDS = ["codeRepository", "workflowCodeRepository"] as const;

function workEvidence(fields: DataverseFields, vocabularies: Vocabularies): Partial<Evidence> {
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
    if (words !== null && relation === null) vocabularies.note?.("reference_pid_count", words, false);
  return {
    reference_count: counted(found.reference_count + unidentified(cited), [publications, ...references]),
    reference_pid_count: counted(found.reference_pid_count, [publications, ...references]),
    // An article cited in words counts as a link without an identifier.
    publication_link_count: counted(found.publication_link_count + unidentified(articles), [publications]),
    data_link_count: counted(found.data_link_count + unidentified(data), [datasets, materials]),
    linked_code_count: counted(found.linked_code_count, [...parts, ...code]),
    related_identifier_count: counted(found.related_identifier_count, parts),
  };
}

/** Counts works that have no identifier, only text. Equal texts count once. */
function unidentified(works: readonly RelatedWork[]): number {
  const texts = works.filter(({ relation }) => relation === null).map(({ words }) => words);
  return new Set(texts.filter((text) => text !== null)).size;
}

/** Types of identifiers that belong to a journal or a book, and not to the article. */
const NOT_THE_WORK = new Set(["issn", "eissn", "lissn", "isbn", "ean13", "upc"]);

function publication(entry: unknown): RelatedWork {
  const type = part(entry, "publicationIDType");
  const number = NOT_THE_WORK.has(type?.toLowerCase() ?? "") ? null : part(entry, "publicationIDNumber");
  const words = part(entry, "publicationCitation");
  const identifier = number ?? part(entry, "publicationURL") ?? identifierIn(words);
  if (identifier === null) return { words, relation: null };
  const relation = { type: part(entry, "publicationRelationType") ?? "", relatedType: "JournalArticle", identifier };
  return { words, relation: { ...relation, identifierType: number === null ? null : type } };
}

/** Reads a related work from a text field, which may contain an identifier. */
function inWords(entry: unknown, type: string, relatedType: string | null): RelatedWork {
  const words = asText(entry);
  const identifier = identifierIn(words);
  return { words, relation: identifier === null ? null : { type, relatedType, identifier, identifierType: null } };
}

function identifierIn(words: string | null): string | null {
  if (words === null) return null;
  const found = /\b10\.\d{4,9}\/[^\s"<>]+|\bhttps?:\/\/[^\s"<>]+/i.exec(cleanText(words))?.[0];
  return found === undefined ? null : withoutEnd(found, ".,;:)]");
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

/** Reads the licence: name and URL since Dataverse 5.10, "CC0" or "NONE" before, or the depositor's own terms of use. */
function licenceEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const stated = reader.raw("license");
  const terms = asText(reader.raw("termsOfUse"));
  if (stated === undefined && terms === null && !reader.has("metadataBlocks")) return {};
  if (Array.isArray(stated) || typeof stated === "boolean" || typeof stated === "number") reader.fail(LICENCE_COLUMNS);
  const names =
    asObject(stated) === null ? [stated] : ["rightsIdentifier", "uri", "name"].map((key) => at(stated, key));
  const spellings = names.map(asText).filter((text) => text !== null && !/^(?:none|custom)\b/i.test(text));
  const name = firstText(at(stated, "name"), ...spellings);
  const statements: LicenceStatement[] = [];
  if (name !== null && spellings.length > 0) {
    statements.push({ text: name, spellings: spellings.filter((text) => text !== null) });
  }
  if (terms !== null && !vocabularies.placeholders.isPlaceholder(terms, "any")) {
    statements.push({ text: displayText(terms, 300), spellings: [terms] });
  }
  return readLicence(statements, vocabularies);
}

interface FilesAndAccess {
  readonly evidence: Partial<Evidence>;
  /** The access level in the terms of Dataverse's own facet; null if unknown. */
  readonly words: string | null;
}

/**
 * Reads files and access, which Dataverse has for each file. If one file is restricted, the dataset counts as closed,
 * although its file names are public.
 */
function fileEvidence(reader: Reader, { asOf, vocabularies }: NormaliseOptions): FilesAndAccess {
  const files = reader.list("files", [...FILE_COLUMNS, "access_declared", "access_open", "embargo_active"]);
  if (files === null) return { evidence: {}, words: null };
  const names = files.map((file) => firstText(at(file, "label"), at(file, "dataFile", "filename")));
  const levels = files.map((file) => at(file, "restricted")).filter((level) => typeof level === "boolean");
  // Before version 4.0 of 2015, files had no such flag.
  const hasFlag = files.length === 0 || files.some((file) => at(file, "restricted") !== undefined);
  const restricted = levels.includes(true);
  const retention = readRetention(files, reader, asOf);
  const embargo = readEmbargo(files, reader, asOf);
  const evidence = {
    ...readFiles(
      names.filter((name) => name !== null),
      vocabularies,
    ),
    access_declared: hasFlag ? levels.length > 0 : null,
    access_open: levels.length === 0 ? null : restricted || retention.isOver ? false : retention.isKnown ? true : null,
    embargo_active: levels.length === 0 ? null : embargo,
  };
  if (levels.length === 0) return { evidence, words: null };
  return { evidence, words: describeAccess(restricted, retention.isOver, embargo) };
}

function describeAccess(restricted: boolean, isOver: boolean, embargo: boolean | null): string {
  if (isOver) return "Retention Period Expired";
  if (restricted) return "Restricted";
  return embargo === true ? "Embargoed then Public" : "Public";
}

/**
 * Returns whether the retention period of a file is over. The file is then not available any more (Dataverse 6.2 and
 * later).
 */
function readRetention(
  files: readonly unknown[],
  reader: Reader,
  asOf: string,
): { readonly isOver: boolean; readonly isKnown: boolean } {
  const stated = files
    .map((file) => asText(at(file, "dataFile", "retention", "dateUnavailable")))
    .filter((date) => date !== null);
  const dates = stated.map(readDate).filter((date) => date !== null);
  const isKnown = dates.length === stated.length;
  if (!isKnown) reader.fail(["access_open"]);
  return { isOver: dates.some((date) => firstDay(date) <= asOf), isKnown };
}

function readEmbargo(files: readonly unknown[], reader: Reader, asOf: string): boolean | null {
  const stated = files
    .map((file) => asText(at(file, "dataFile", "embargo", "dateAvailable")))
    .filter((date) => date !== null);
  const dates = stated.map(readDate).filter((date) => date !== null);
  if (dates.length < stated.length) reader.fail(["embargo_active"]);
  if (dates.some((date) => firstDay(date) > asOf)) return true;
  return dates.length < stated.length ? null : false;
}

const AUTHOR_COLUMNS = [
  "creator_count",
  "person_creator_count",
  "creator_pid_count",
  "organization_pid_count",
] as const;

function readCreators(fields: DataverseFields, vocabularies: Vocabularies): CreatorsRead {
  const stated = fields.list("author", AUTHOR_COLUMNS);
  const creators: Creator[] = [];
  const people = new Set<string>();
  const organisations = new Set<string>();
  let plain = false;
  for (const entry of stated ?? []) {
    const creator = readAuthor(entry, vocabularies);
    if (creator === null) continue;
    creators.push(creator);
    const pid = creator.person ? (creator.orcid ?? isniIn(entry)) : null;
    if (pid !== null) people.add(pid);
    for (const id of organisationPids(entry, creator)) organisations.add(id);
    plain ||= creator.affiliations.some(({ ror }) => ror === null);
  }
  const authors: Partial<Evidence> = {
    creator_count: creators.length,
    person_creator_count: creators.filter(({ person }) => person).length,
    creator_pid_count: people.size,
    // Only installations that look up institutions store more than names, so a missing id is unknown elsewhere.
    organization_pid_count: organisations.size || (plain ? null : 0),
  };
  return {
    creators,
    evidence: { ...(stated === null ? {} : authors), ...contributors(fields, creators, vocabularies) },
  };
}

function readAuthor(entry: unknown, vocabularies: Vocabularies): Creator | null {
  return readCreator(
    {
      name: part(entry, "authorName"),
      given: null,
      family: null,
      type: null,
      orcid: readScheme(entry).includes("orcid") ? readOrcid(part(entry, "authorIdentifier")) : null,
      affiliations: readAffiliations(entry),
    },
    vocabularies,
  );
}

function readScheme(entry: unknown): string {
  const scheme = part(entry, "authorIdentifierScheme") ?? part(entry, "authorIdentifier") ?? "";
  return scheme.toLowerCase();
}

function isniIn(entry: unknown): string | null {
  return readScheme(entry).includes("isni") ? readIsni(part(entry, "authorIdentifier")) : null;
}

function readAffiliations(entry: unknown): Affiliation[] {
  const stated = at(entry, "authorAffiliation", "value");
  if (typeof stated !== "string" || stated.trim() === "") return [];
  const name = asText(at(entry, "authorAffiliation", "expandedvalue", "termName"));
  return [{ text: name ?? stated, ror: readRor(stated) ?? readRor(part(entry, "authorAffiliationIdentifier")) }];
}

function* organisationPids(entry: unknown, creator: Creator): Generator<string> {
  for (const { ror } of creator.affiliations) if (ror !== null) yield `ror:${ror}`;
  if (creator.person) return;
  const pid = readOrganisationPid(part(entry, "authorIdentifier"), readScheme(entry));
  if (pid !== null) yield pid;
}

const CONTRIBUTOR_COLUMNS = ["contributor_count", "contributor_role_count"] as const;

const TAKING_PART = [
  { field: "contributor", name: "contributorName", role: null },
  { field: "producer", name: "producerName", role: "Producer" },
  { field: "distributor", name: "distributorName", role: "Distributor" },
  { field: "datasetContact", name: "datasetContactName", role: "ContactPerson" },
] as const;

/** Counts contributors. Every dataset has a contact, who is usually one of its authors and does not count again. */
function contributors(
  fields: DataverseFields,
  creators: readonly Creator[],
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const lists = TAKING_PART.map(({ field, name, role }) =>
    fields
      .list(field, CONTRIBUTOR_COLUMNS)
      ?.map((entry) => ({ name: part(entry, name), role: role ?? part(entry, "contributorType") })),
  );
  const stated = lists.filter((list) => list !== undefined);
  return stated.length < lists.length ? {} : contributorCounts(stated.flat(), creators, vocabularies);
}

function textEvidence(fields: DataverseFields, vocabularies: Vocabularies): Partial<Evidence> {
  return {
    ...terms(fields, vocabularies),
    place_count: places(fields, vocabularies),
    coverage_date_count: coverage(fields),
    description_length: description(fields, vocabularies),
    methods_length: methods(fields, vocabularies),
    venue_stated: venue(fields, vocabularies),
  };
}

function terms(fields: DataverseFields, vocabularies: Vocabularies): Partial<Evidence> {
  const both = ["keyword_count", "subject_count"] as const;
  const keywords = fields.list("keyword", both);
  const classes = fields.list("topicClassification", both);
  const subjects = fields.texts("subject", ["keyword_count"]);
  const schemed = [
    ...(keywords ?? []).filter((entry) => isSchemed(entry, "keyword")).map(keyword),
    ...(classes ?? []).filter((entry) => isSchemed(entry, "topicClass")).map((entry) => part(entry, "topicClassValue")),
  ];
  const all = [
    ...(keywords ?? []).map(keyword),
    ...(classes ?? []).map((entry) => part(entry, "topicClassValue")),
    ...(subjects ?? []),
  ];
  if (keywords === null && classes === null && subjects === null) return {};
  return {
    keyword_count: countTerms("keyword_count", all, vocabularies),
    subject_count: countTerms("subject_count", schemed, vocabularies),
  };
}

/** Returns the term of a keyword; its URL if there is no term. */
function keyword(entry: unknown): string | null {
  return part(entry, "keywordValue") ?? part(entry, "keywordTermURI");
}

/** Returns whether a keyword has a scheme: its name, its URL, or the URL of the term. */
function isSchemed(entry: unknown, prefix: "keyword" | "topicClass"): boolean {
  return ["Vocab", "Vocabulary", "VocabURI", "VocabularyURI", "TermURI"].some(
    (name) => part(entry, `${prefix}${name}`) !== null,
  );
}

const PLACE_NAMES = ["country", "state", "city", "otherGeographicCoverage"];

/** Counts places: each coverage and each bounding box is one. */
function places(fields: DataverseFields, { placeholders }: Vocabularies): number | null {
  const named = fields.list("geographicCoverage", ["place_count"]);
  const boxes = fields.list("geographicBoundingBox", ["place_count"]);
  if (named === null && boxes === null) return null;
  const isNamed = (entry: unknown) =>
    PLACE_NAMES.map((name) => part(entry, name)).some(
      (text) => text !== null && !placeholders.isPlaceholder(text, "any"),
    );
  const isDrawn = (entry: unknown) => Object.values(Object(entry)).some((side) => asText(at(side, "value")) !== null);
  return (named ?? []).filter(isNamed).length + (boxes ?? []).filter(isDrawn).length;
}

function coverage(fields: DataverseFields): number | null {
  const columns: EvidenceName[] = ["coverage_date_count"];
  const lists = ["timePeriodCovered", "dateOfCollection"].map((name) => {
    const dates = fields.list(name, columns)?.map((entry) => part(entry, `${name}Start`) ?? part(entry, `${name}End`));
    return dates?.filter((date) => date !== null) ?? null;
  });
  if (lists.every((list) => list === null)) return null;
  const stated = lists.flatMap((list) => list ?? []);
  const read = stated.filter((date) => readDate(date) !== null);
  if (read.length < stated.length) fields.fail(columns);
  return read.length;
}

function description(fields: DataverseFields, vocabularies: Vocabularies): number | null {
  const list = fields.list("dsDescription", ["description_length"]);
  if (list === null) return null;
  return Math.max(0, ...list.map((entry) => textLength(part(entry, "dsDescriptionValue"), vocabularies) ?? 0));
}

/** Fields on methods in the block for social sciences, which follow DDI. */
const METHOD_FIELDS = [
  "timeMethod",
  "frequencyOfDataCollection",
  "samplingProcedure",
  "deviationsFromSampleDesign",
  "collectionMode",
  "researchInstrument",
  "dataCollectionSituation",
  "actionsToMinimizeLoss",
  "controlOperations",
  "weighting",
  "cleaningOperations",
];

function methods(fields: DataverseFields, vocabularies: Vocabularies): number | null {
  const texts = METHOD_FIELDS.map((name) => fields.texts(name, ["methods_length"]));
  if (texts.every((list) => list === null)) return null;
  const lengths = texts.flatMap((list) => list ?? []).map((text) => textLength(text, vocabularies) ?? 0);
  return lengths.reduce((sum, length) => sum + length, 0);
}

function readStatedFunding(fields: DataverseFields, vocabularies: Vocabularies): FundingRead {
  const grants = fields.list("grantNumber", ["funder_count", "award_count"]);
  const contributors = fields.list("contributor", ["funder_count"]);
  if (grants === null) return NO_FUNDING;
  const funders = (contributors ?? [])
    .filter((entry) => part(entry, "contributorType")?.toLowerCase() === "funder")
    .map((entry) => ({ funder: part(entry, "contributorName") }));
  const awards = grants.map((entry) => ({
    funder: part(entry, "grantNumberAgency"),
    awardNumber: part(entry, "grantNumberValue"),
  }));
  return readFunding([...awards, ...funders], vocabularies);
}

/** Returns whether a journal issue is named. A series contains similar datasets and does not count as a venue. */
function venue(fields: DataverseFields, vocabularies: Vocabularies): boolean | null {
  const issues = fields.list("journalVolumeIssue", ["venue_stated"]);
  if (issues === null) return null;
  return (
    countDistinct(
      issues.map((entry) => part(entry, "journalVolume") ?? part(entry, "journalIssue")),
      vocabularies,
    ) > 0
  );
}

/**
 * Reads the fields of a metadata block, whose values may have wrong types. Dataverse leaves out empty fields; null means
 * that the response has no fields at all.
 */
class DataverseFields {
  readonly errors: Set<EvidenceName>;
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #carried: boolean;

  constructor(version: Json, errors: Set<EvidenceName>) {
    const blocks = asObject(version.metadataBlocks);
    const fields = Object.values(blocks ?? {}).flatMap((block) => asList(at(block, "fields")));
    this.#values = new Map(fields.map((field) => [asText(at(field, "typeName")) ?? "", at(field, "value")]));
    this.#carried = blocks !== null;
    this.errors = errors;
  }

  /** Returns the values of a field that may occur several times. A single object counts as a list of one. */
  list(name: string, columns: readonly EvidenceName[]): readonly unknown[] | null {
    const value = this.#values.get(name);
    if (value === undefined || value === null) return this.#carried ? [] : null;
    if (Array.isArray(value)) return value;
    return asObject(value) === null ? this.fail(columns) : [value];
  }

  texts(name: string, columns: readonly EvidenceName[]): readonly string[] | null {
    const value = this.#values.get(name);
    if (typeof value === "string") return [value];
    return (
      this.list(name, columns)
        ?.map(asText)
        .filter((text) => text !== null) ?? null
    );
  }

  fail(columns: readonly EvidenceName[]): null {
    for (const column of columns) this.errors.add(column);
    return null;
  }
}

function part(entry: unknown, name: string): string | null {
  return asText(at(entry, name, "value"));
}

interface DatasetVersion {
  /** The object that contains the version; the version itself if it comes alone. */
  readonly dataset: Json;
  readonly version: Json;
}

/**
 * Returns the versions in a payload, newest first; none if it is something else. A dataset contains its version as
 * `latestVersion` (native API) or `datasetVersion` (the export `dataverse_json`, and the JSON of a deposit). A version can
 * also come alone (`/versions/:latest`), or in a list (`/versions`).
 */
export function versionsIn(payload: unknown): readonly DatasetVersion[] {
  const data = at(payload, "data") ?? payload;
  if (Array.isArray(data)) {
    const versions = data.filter(isVersion);
    return versions.length < data.length ? [] : versions.map((version) => ({ dataset: version, version }));
  }
  const dataset = asObject(data);
  if (dataset === null) return [];
  const version = asObject(dataset.latestVersion) ?? asObject(dataset.datasetVersion);
  if (version !== null) return [{ dataset, version }];
  return isVersion(dataset) ? [{ dataset, version: dataset }] : [];
}

/**
 * True for a version of a dataset. It has metadata blocks or, because a response may leave these out
 * (`excludeMetadataBlocks`), a state and the id of the dataset. A search result only has the state.
 */
function isVersion(value: unknown): value is Json {
  if (asObject(at(value, "metadataBlocks")) !== null) return true;
  return asText(at(value, "versionState")) !== null && asText(at(value, "datasetId")) !== null;
}
