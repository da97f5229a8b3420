/**
 * Reads a collection of NASA's Common Metadata Repository (`items[]` of /search/collections.umm_json) as a record and
 * its evidence.
 */

import type { CapturedFacet, Creator, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { countRelations, type LicenceStatement, readLicence, type StatedRelation } from "../../reading/evidence.ts";
import { readDoi, readWebUrl } from "../../reading/identifiers.ts";
import {
  bareFields,
  blankEvidence,
  counted,
  failed,
  notDataset,
  settled,
  tombstone,
} from "../../reading/normalised.ts";
import { type CreatorsRead, readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { displayText, readDate, readInstant, textLength } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

export function normaliseNasaCmr(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("CMR answers that the concept does not exist", null);
  const meta = at(payload, "meta");
  const updated = asText(at(meta, "revision-date"));
  if (at(meta, "deleted") === true) return tombstone("CMR marks the collection as deleted", updated);
  // A granule is one file of a collection. Its concept id begins with G.
  const type = asText(at(meta, "concept-type")) ?? (/^G\d/.test(sourceId) ? "granule" : "collection");
  if (type !== "collection") return notDataset(`concept type ${displayText(type, 40)}`, updated);
  const umm = modernised(asObject(at(payload, "umm")));
  if (umm === null)
    return failed(
      "the response is incomplete: the object umm is missing; fetch the collection as umm_json from CMR",
      updated,
      knownFields(sourceId),
    );
  if (asText(umm.ShortName) === null && asText(umm.EntryTitle) === null) {
    return failed(
      "the response is incomplete: umm.ShortName and umm.EntryTitle are missing; fetch the complete collection from CMR",
      updated,
      knownFields(sourceId),
    );
  }
  return readRecord(umm, sourceId, updated, context);
}

function readRecord(umm: Json, sourceId: string, updated: string | null, context: NormaliseOptions): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  // UMM omits empty keys. Every collection has an abstract, so a response without one is incomplete.
  const reader = new Reader(umm, errors, Object.hasOwn(umm, "Abstract") ? "none" : "unknown");
  const people = readCreators(reader, vocabularies);
  const access = readAccess(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, vocabularies),
    ...people.evidence,
    ...access.evidence,
    ...formatEvidence(reader, context),
    ...relationEvidence(reader, vocabularies),
  };
  const fields: RecordFields = {
    ...describe(umm, sourceId, context),
    accessStatus: access.statement,
    license: firstText(evidence.license_spdx, displayText(evidence.license_text ?? "", 300)),
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields,
    evidence: settled(evidence, errors),
    errors,
    creators: people.creators,
    facets: readFacets(umm, context),
    funding: [],
  };
}

const FORMAT_LISTS = ["FileDistributionInformation", "FileArchiveInformation"];

/**
 * Counts the formats in which a collection is stored or distributed. A collection does not list its files (granules).
 */
function formatEvidence(reader: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const information = reader.object("ArchiveAndDistributionInformation", ["open_format_file_count"]);
  // Up to UMM-C 1.10, each distribution named its format.
  const distributions = reader.list("Distributions", ["open_format_file_count"]);
  if (information === null && distributions === null) return {};
  const inner = new Reader(information ?? {}, new Set(), "none");
  const lists = FORMAT_LISTS.map((key) => inner.list(key, []));
  if (lists.includes(null)) reader.fail(["open_format_file_count"]);
  const formats = [
    ...lists.flatMap((list) => list ?? []).map((entry) => at(entry, "Format")),
    ...(distributions ?? []).map((entry) => at(entry, "DistributionFormat")),
  ].map((format) => asText(format) ?? "");
  const open = formats.filter((format) => vocabularies.fileKinds.isOpenMedia(format));
  return { open_format_file_count: new Set(open.map((format) => format.toLowerCase())).size };
}

function readFacets(umm: Json, { vocabularies }: NormaliseOptions): CapturedFacet[] {
  const topics = asList(umm.ScienceKeywords)
    .map((keyword) => asText(at(keyword, "Topic")))
    .filter((topic) => topic !== null && !vocabularies.placeholders.isPlaceholder(topic, "any"));
  const topicNames = new Set(topics.map((topic) => displayText(topic ?? "", 256)).filter((topic) => topic !== ""));
  return [...topicNames].map((value) => ({ kind: "dataType", value }));
}

function describe(umm: Json, sourceId: string, { vocabularies }: NormaliseOptions): RecordFields {
  const doi = readDoi(asText(at(umm, "DOI", "DOI")));
  const safe = (text: string | null) =>
    text === null || vocabularies.placeholders.isPlaceholder(text, "any") ? null : displayText(text) || null;
  const shortName = asText(umm.ShortName);
  return {
    ...knownFields(sourceId),
    doi,
    title: safe(asText(umm.EntryTitle)) ?? safe(shortName),
    pubDate: issued(umm),
    url: landingPage(umm) ?? (doi === null ? makePageUrl(sourceId) : `https://doi.org/${doi}`),
    version: safe(asText(umm.Version)),
    // A collection has a short name and a version. All its versions have the same short name, also across providers.
    versionFamily: shortName === null ? `nasa_cmr/${sourceId}` : `nasa_cmr/${shortName}`,
  };
}

/** The date that CMR shows if a provider has none. */
const NOT_PROVIDED = "1970-01-01";

/** Returns the release date in the citation; otherwise the date on which the data were produced. */
function issued(umm: Json): string | null {
  const released = asList(umm.CollectionCitations).map((citation) => at(citation, "ReleaseDate"));
  const created = asList(umm.DataDates)
    .filter((entry) => at(entry, "Type") === "CREATE")
    .map((entry) => at(entry, "Date"));
  const dates = [...released, ...created].map((date) => readDate(asText(date)));
  return dates.find((date) => date !== null && date !== NOT_PROVIDED) ?? null;
}

function landingPage(umm: Json): string | null {
  const page = asList(umm.RelatedUrls).find((entry) => at(entry, "Type") === "DATA SET LANDING PAGE");
  return readWebUrl(asText(at(page, "URL")));
}

function makePageUrl(sourceId: string): string {
  return `https://cmr.earthdata.nasa.gov/search/concepts/${encodeURIComponent(sourceId)}.html`;
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "NASA Earthdata",
    url: makePageUrl(sourceId),
    recordKind: "collection",
    versionFamily: `nasa_cmr/${sourceId}`,
  });
}

/** Keys of UMM in 2015, with their present names. */
const RENAMED = new Map([
  ["entry-id", "EntryId"],
  ["entry-title", "EntryTitle"],
  ["short-name", "ShortName"],
  ["long-name", "LongName"],
  ["version-id", "Version"],
]);

/** Returns the object with present names of keys. If a key exists under both names, the present one counts. */
function modernised(umm: Json | null): Json | null {
  if (umm === null || !Object.keys(umm).some((key) => RENAMED.has(key))) return umm;
  const renamed = Object.entries(umm).map(([key, value]): [string, unknown] => [RENAMED.get(key) ?? key, value]);
  return { ...Object.fromEntries(renamed), ...umm };
}

interface CmrAccess {
  readonly evidence: Partial<Evidence>;
  readonly statement: string | null;
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;
const ACCESS_COLUMNS = ["access_declared", "access_open", "embargo_active"] as const;

/**
 * Reads licence and access. Since UMM-C 1.17, there is a flag `FreeAndOpenData`; before, there was only a text on access.
 */
function readAccess(reader: Reader, { vocabularies }: NormaliseOptions): CmrAccess {
  const use = readUse(reader);
  const words = readAccessText(reader);
  const level = words === null ? null : vocabularies.accessLevels.levelOfConstraints(words);
  const isNone = words !== null && vocabularies.placeholders.isPlaceholder(words, "any");
  const open = use?.open ?? (level === null ? null : level === "open");
  // The more restrictive of two statements applies.
  const isOpen = open === true && level !== null && level !== "open" ? false : open;
  const carried = use !== null || words !== null;
  return {
    evidence: {
      ...(use === null ? {} : readLicence(readTerms(use.stated, vocabularies), vocabularies)),
      access_declared: isOpen !== null ? true : carried ? false : null,
      access_open: isOpen,
      // UMM has no field for an embargo. Only free and open data state that there is none.
      embargo_active: isOpen === true ? false : null,
    },
    // The text "None" alone is not clear. If the flag is stated too, the text of the flag is shown instead.
    statement: readStatement(level === null || (isNone && use?.open === true) ? null : words, use?.open ?? null),
  };
}

function readStatement(words: string | null, flag: boolean | null): string | null {
  if (words !== null) return displayText(words, 80);
  return flag === null ? null : flag ? "free and open data" : "not free and open data";
}

interface Use {
  readonly stated: unknown;
  readonly open: boolean | null;
}

/**
 * Reads the terms of use: an object since UMM-C 1.9, and plain text before. If a complete response lacks this key, the
 * dataset has no terms of use.
 */
function readUse(reader: Reader): Use | null {
  const stated = reader.raw("UseConstraints");
  if (typeof stated === "string") return { stated: { Description: stated }, open: null };
  const object = reader.object("UseConstraints", [...LICENCE_COLUMNS, ...ACCESS_COLUMNS]);
  if (object === null) return null;
  const flag = object.FreeAndOpenData ?? null;
  if (flag !== null && typeof flag !== "boolean") reader.fail(ACCESS_COLUMNS);
  return { stated: object, open: typeof flag === "boolean" ? flag : null };
}

/** Returns the terms as one statement on the licence: the URL if there is one, otherwise the text or the description. */
function readTerms(use: unknown, vocabularies: Vocabularies): LicenceStatement[] {
  // The description was nested in UMM-C 1.10 to 1.15.
  const texts = [
    at(use, "LicenseURL", "Linkage"),
    at(use, "LicenseURL", "Name"),
    at(use, "LicenseText"),
    firstText(at(use, "Description"), at(use, "Description", "Description")),
    at(use, "LicenseURL", "Description"),
  ].map(asText);
  const spellings = texts.filter((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any"));
  const stated = spellings.filter((text) => text !== null);
  return stated[0] === undefined ? [] : [{ text: stated[0], spellings: stated }];
}

/** Returns the text on access: null if the response lacks the key, "" if there is no text. */
function readAccessText(reader: Reader): string | null {
  const stated = reader.raw("AccessConstraints");
  if (typeof stated === "string") return stated.trim();
  const object = reader.object("AccessConstraints", ["access_declared", "access_open"]);
  return object === null ? null : (asText(asObject(object)?.Description) ?? "");
}

function textEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  return {
    ...terms(reader, vocabularies),
    place_count: places(reader, vocabularies),
    coverage_date_count: coverage(reader),
    description_length: description(reader, vocabularies),
  };
}

/** Levels of a science keyword, below the category. The category is nearly always the same. */
const STEPS = ["Topic", "Term", "VariableLevel1", "VariableLevel2", "VariableLevel3", "DetailedVariable"];

/** Counts keywords and subject terms. A science keyword is a path in the GCMD scheme, and counts as one term. */
function terms(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const science = reader.list("ScienceKeywords", ["keyword_count", "subject_count"]);
  const topics = reader.list("ISOTopicCategories", ["keyword_count", "subject_count"]);
  const free = reader.list("AncillaryKeywords", ["keyword_count"]);
  const path = (keyword: unknown) =>
    STEPS.map((step) => asText(at(keyword, step)))
      .filter((step) => step !== null && !vocabularies.placeholders.isPlaceholder(step, "any"))
      .join(" > ");
  const schemed = [...(science ?? []).map(path), ...(topics ?? []).map(asText)].filter((term) => term !== "");
  const keywords = countTerms("keyword_count", [...schemed, ...(free ?? []).map(asText)], vocabularies);
  return {
    keyword_count: counted(keywords, [science, topics, free]),
    subject_count: counted(countTerms("subject_count", schemed, vocabularies), [science, topics]),
  };
}

const SHAPES = ["Points", "BoundingRectangles", "GPolygons", "Lines"];
const NAMES = ["Type", "Subregion1", "Subregion2", "Subregion3", "DetailedLocation"];

/** Counts places: shapes of the spatial extent, and place names in GCMD's location keywords. */
function places(reader: Reader, vocabularies: Vocabularies): number | null {
  const extent = reader.object("SpatialExtent", ["place_count"]);
  const locations = reader.list("LocationKeywords", ["place_count"]);
  const geometry = at(extent, "HorizontalSpatialDomain", "Geometry");
  const shapes = SHAPES.flatMap((key) => asList(at(geometry, key))).filter(isFilled).length;
  const names = (locations ?? []).map((place) => NAMES.map((key) => asText(at(place, key)) ?? "").join(" "));
  return counted(shapes + countTerms("place_count", names, vocabularies), [extent, locations]);
}

function isFilled(shape: unknown): boolean {
  return Object.keys(asObject(shape) ?? {}).length > 0;
}

/** Matches the time that CMR shows if a provider has none. */
const NO_INSTANT = /^1970-01-01T00:00:00(?:\.0+)?Z$/;

/** Counts dates: ranges and repeating periods by their start, single dates, and geological ages. */
function coverage(reader: Reader): number | null {
  const extents = reader.list("TemporalExtents", ["coverage_date_count"]);
  const ages = reader.list("PaleoTemporalCoverages", []);
  if (extents === null) return null;
  const dates = extents.flatMap((extent) => readDates(extent, reader));
  const read = dates.filter((date) => readDate(date) !== null);
  if (read.length < dates.length) reader.fail(["coverage_date_count"]);
  return read.length + (ages ?? []).filter(isFilled).length;
}

function readDates(extent: unknown, outer: Reader): string[] {
  const stated = asObject(extent);
  if (stated === null) {
    outer.fail(["coverage_date_count"]);
    return [];
  }
  const reader = new Reader(stated, new Set(), "none");
  const lists = ["RangeDateTimes", "SingleDateTimes", "PeriodicDateTimes"].map((key) => reader.list(key, []));
  if (lists.includes(null)) outer.fail(["coverage_date_count"]);
  return lists
    .flatMap((list) => list ?? [])
    .map((entry) => asText(entry) ?? asText(at(entry, "BeginningDateTime")) ?? asText(at(entry, "StartDate")))
    .filter((date) => date !== null && !NO_INSTANT.test(date))
    .map((date) => date ?? "");
}

function description(reader: Reader, vocabularies: Vocabularies): number | null {
  const texts = ["Abstract", "Purpose"].map((key) => reader.text(key, ["description_length"]));
  const lengths = texts.map((text) => textLength(text, vocabularies)).filter((length) => length !== null);
  return lengths.length === 0 ? null : Math.max(...lengths);
}

function relationEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
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
  const works = (publications ?? []).map((entry) => ({ entry, identifier: readIdentifier(entry) }));
  const relations = [
    ...works.flatMap(({ entry, identifier }) => publication(entry, identifier)),
    ...(associated ?? []).flatMap(associatedDoi),
    ...(collections ?? []).flatMap(otherCollection),
    ...(addresses ?? []).flatMap((entry) => address(entry, vocabularies)),
  ];
  const { version, derivative_count: _, ...counts } = countRelations(relations, vocabularies);
  // A reference without an identifier counts as a reference, not as a related identifier.
  const words = works.filter(({ entry, identifier }) => identifier === null && asText(at(entry, "Title")) !== null);
  for (const { entry } of words) vocabularies.note?.("reference_pid_count", asText(at(entry, "Title")) ?? "", false);
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

function readIdentifier(publication: unknown): string | null {
  return (
    readDoi(asText(at(publication, "DOI", "DOI"))) ?? readWebUrl(asText(at(publication, "OnlineResource", "Linkage")))
  );
}

/** Returns whether a publication is an article: it has a volume, an issue or pages. UMM has no type of publication. */
function isArticle(publication: unknown): boolean {
  return firstText(...["Volume", "Issue", "Pages"].map((key) => at(publication, key))) !== null;
}

function publication(entry: unknown, identifier: string | null): StatedRelation[] {
  if (identifier === null) return [];
  const relatedType = isArticle(entry) ? "JournalArticle" : null;
  return [{ type: "References", relatedType, identifier, identifierType: null }];
}

/**
 * UMM's types of associated DOIs, with the relation and type of work that each stands for. Any other type is a related
 * dataset.
 */
const ASSOCIATIONS = new Map<string, readonly [type: string, relatedType: string | null]>([
  ["child dataset", ["HasPart", "Dataset"]],
  ["parent dataset", ["IsPartOf", "Dataset"]],
  ["previous version", ["IsNewVersionOf", "Dataset"]],
  ["field campaign", ["", "Event"]],
  ["other", ["", null]],
]);

function associatedDoi(entry: unknown): StatedRelation[] {
  const identifier = readDoi(asText(at(entry, "DOI")));
  if (identifier === null) return [];
  const stated = asText(at(entry, "Type"))?.toLowerCase() ?? "";
  const [type, relatedType] = ASSOCIATIONS.get(stated) ?? ["", "Dataset"];
  return [{ type, relatedType, identifier, identifierType: "DOI" }];
}

/**
 * DataCite's relations for CMR's relations between collections. A collection refers to another one by its short name.
 * Parents and children are parts of one work.
 */
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
 * Reads URLs of publications and software. URLs of the data do not count, even on a code host: they belong to the
 * repository and are the same for all collections.
 */
function address(entry: unknown, vocabularies: Vocabularies): StatedRelation[] {
  const identifier = readWebUrl(asText(at(entry, "URL")));
  if (identifier === null) return [];
  const relation = { identifier, identifierType: "URL" };
  if (at(entry, "Type") === "DOWNLOAD SOFTWARE") return [{ ...relation, type: "", relatedType: "Software" }];
  if (at(entry, "URLContentType") === "DistributionURL") return [];
  if (at(entry, "Subtype") === "PUBLICATIONS") return [{ ...relation, type: "IsDocumentedBy", relatedType: null }];
  if (!vocabularies.codeHosts.isCodeHost(identifier)) return [];
  return [{ ...relation, type: "", relatedType: "Software" }];
}

/**
 * Returns whether the collection has a version or a previous version. Every collection must contain one, but some contain
 * "Not provided".
 */
function versionStated(reader: Reader, vocabularies: Vocabularies): boolean | null {
  const version = reader.text("Version", ["version_stated"]);
  const doi = reader.object("DOI", []);
  if (firstText(at(doi, "PreviousVersion", "DOI"), at(doi, "PreviousVersion", "Version")) !== null) return true;
  return version === null ? null : version !== "" && !vocabularies.placeholders.isPlaceholder(version, "any");
}

/** DataCite's names for UMM's roles. ARCHIVER and DISTRIBUTOR are missing, because they are the repository itself. */
const ROLES = new Map([
  ["ORIGINATOR", "Producer"],
  ["PROCESSOR", "Producer"],
  ["INVESTIGATOR", "Researcher"],
  ["SCIENCE CONTACT", "ContactPerson"],
  ["TECHNICAL CONTACT", "ContactPerson"],
  ["DATA CENTER CONTACT", "ContactPerson"],
  ["SCIENCE SOFTWARE DEVELOPMENT", "ResearchGroup"],
  ["METADATA AUTHOR", "DataCurator"],
]);

const CREATOR_COLUMNS = ["creator_count", "person_creator_count"] as const;
const CONTRIBUTOR_COLUMNS = ["contributor_count", "contributor_role_count"] as const;

/** Reads the creators: the investigators; if there are none, the creators in the citation. */
function readCreators(reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const persons = reader.list("ContactPersons", [...CREATOR_COLUMNS, ...CONTRIBUTOR_COLUMNS]);
  const citations = reader.list("CollectionCitations", CREATOR_COLUMNS);
  const named = (persons ?? []).flatMap((entry) => {
    const creator = person(entry, vocabularies);
    return creator === null ? [] : [{ creator, roles: readRoles(entry) }];
  });
  const investigators = named.filter(({ roles }) => roles.includes("INVESTIGATOR")).map(({ creator }) => creator);
  const cited = (citations ?? []).flatMap((entry) => asCited(at(entry, "Creator"), vocabularies));
  const creators = investigators.length > 0 ? investigators : cited;
  const people = creators.filter((creator) => creator.person).length;
  const contacts = named.filter(({ roles }) => !roles.includes("INVESTIGATOR")).map(({ roles }) => roles);
  return {
    creators,
    evidence: {
      creator_count: counted(creators.length, [persons, citations]),
      person_creator_count: counted(people, [persons, citations]),
      ...contributors(reader, contacts, persons, vocabularies),
    },
  };
}

function contributors(
  reader: Reader,
  contacts: readonly (readonly string[])[],
  persons: readonly unknown[] | null,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const centres = reader.list("DataCenters", CONTRIBUTOR_COLUMNS);
  const groups = reader.list("ContactGroups", CONTRIBUTOR_COLUMNS);
  const isNamed = (entry: unknown, key: string) => {
    const name = asText(at(entry, key));
    return name !== null && !vocabularies.placeholders.isPlaceholder(name, "name");
  };
  const makers = (centres ?? [])
    .filter((entry) => isNamed(entry, "ShortName"))
    .map(readRoles)
    .filter((roles) => roles.some((role) => role === "ORIGINATOR" || role === "PROCESSOR"));
  const others = (groups ?? []).filter((entry) => isNamed(entry, "GroupName")).map(readRoles);
  const all = [...contacts, ...makers, ...others];
  const inRole = all.filter((roles) => roles.some((role) => vocabularies.roles.counts(ROLES.get(role) ?? "")));
  const parts = [persons, centres, groups];
  return {
    contributor_count: counted(all.length, parts),
    contributor_role_count: counted(inRole.length, parts),
  };
}

function readRoles(entry: unknown): string[] {
  const roles = at(entry, "Roles");
  return (Array.isArray(roles) ? asList(roles) : [roles])
    .map((role) => asText(role)?.toUpperCase() ?? "")
    .filter((role) => role !== "");
}

function person(entry: unknown, vocabularies: Vocabularies): Creator | null {
  const [first, middle, last] = ["FirstName", "MiddleName", "LastName"].map((key) => asText(at(entry, key)));
  const givenName = [first, middle].filter((part) => typeof part === "string").join(" ");
  const affiliation = firstText(at(entry, "NonDataCenterAffiliation"), at(entry, "Affiliation"));
  return readCreator(
    {
      name: null,
      given: givenName === "" ? null : givenName,
      family: last ?? null,
      type: "person",
      orcid: null,
      affiliations: affiliation === null ? [] : [{ text: affiliation, ror: null, country: readCountry(entry) }],
    },
    vocabularies,
  );
}

/** Returns the country of a person's first address, as it is written there. */
function readCountry(entry: unknown): string | null {
  return asText(at(asList(at(entry, "ContactInformation", "Addresses"))[0], "Country"));
}

/**
 * Reads the creators in a citation. This text can be a project, a team, or people in any style. It counts as one
 * organisation, because single people cannot be told apart.
 */
function asCited(creator: unknown, vocabularies: Vocabularies): Creator[] {
  const stated = { name: asText(creator), given: null, family: null, orcid: null, affiliations: [] };
  const cited = readCreator({ ...stated, type: "organisation" }, vocabularies);
  return cited === null ? [] : [cited];
}
