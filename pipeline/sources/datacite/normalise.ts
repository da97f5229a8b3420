/**
 * Reads a DOI record of DataCite as a record and its evidence. The payload is an item of `data` in the REST API
 * (/dois), or XML.
 */

import type { Affiliation, Creator, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import {
  countRelations,
  type LicenceStatement,
  RELATION_COLUMNS,
  readLicence,
  type StatedRelation,
} from "../../reading/evidence.ts";
import { type FundingRead, NO_FUNDING, readFunding } from "../../reading/funding.ts";
import {
  affiliationIds,
  readDoi,
  readIsni,
  readOrcid,
  readOrganisationPid,
  readWebUrl,
  type StatedIdentifier,
} from "../../reading/identifiers.ts";
import {
  bareFields,
  blankEvidence,
  failed,
  notDataset,
  ownFamily,
  settled,
  tombstone,
} from "../../reading/normalised.ts";
import { contributorCounts, readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, firstText, type Json, oneOrMany, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import {
  displayText,
  firstDay,
  readDate,
  readInstant,
  readXmlText,
  textLength,
  textOfBase64,
} from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { isDeleted } from "../adapter/oai-pmh.ts";
import type { NormaliseOptions } from "../adapter/source.ts";
import { cannotState } from "./schema-org.ts";

const DATASET_TYPES = new Set(["dataset", "collection"]);

export function normaliseDatacite(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("DataCite answers that the DOI does not exist", null);
  const item = at(payload, "data") ?? withoutXml(payload);
  const stated = asObject(at(item, "attributes"));
  if (stated === null)
    return failed(
      "the response is incomplete: the object attributes is missing; fetch the complete DOI from DataCite",
      null,
      knownFields(sourceId),
    );
  const attributes = modernised(stated, item);
  const updated = asText(attributes.updated);
  const hidden = hiddenBecause(attributes);
  if (hidden !== null) return tombstone(hidden, updated);
  if (!Object.hasOwn(attributes, "types")) {
    return failed(
      "the response is incomplete: attributes.types is missing; fetch the complete DOI from DataCite",
      updated,
      knownFields(sourceId),
    );
  }
  const type = firstText(at(attributes, "types", "resourceTypeGeneral"));
  if (type === null || !DATASET_TYPES.has(type.toLowerCase())) {
    return notDataset(type === null ? "no resource type stated" : `resource type ${displayText(type, 80)}`, updated);
  }
  return readRecord(attributes, type, sourceId, updated, context);
}

/**
 * Explains why a DOI is not public; null if it is. DOIs that are registered, draft or inactive were withdrawn or never
 * public.
 */
function hiddenBecause(attributes: Json): string | null {
  const state = asText(attributes.state);
  if (state !== null && state !== "findable") return `DOI state is ${displayText(state, 40)}`;
  return attributes.isActive === false ? "DOI is not active" : null;
}

function readRecord(
  attributes: Json,
  type: string,
  sourceId: string,
  updated: string | null,
  context: NormaliseOptions,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(attributes, errors);
  const creators = readCreators(reader, vocabularies);
  const relations = readRelations(reader, sourceId);
  const access = readAccess(reader, context);
  const funding = readStatedFunding(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, creators?.list ?? [], vocabularies),
    ...creatorEvidence(reader, creators),
    ...access.evidence,
    ...formatEvidence(reader, context),
    ...useEvidence(reader),
    ...funding.evidence,
    ...relationEvidence(reader, relations, vocabularies),
  };
  const fields: RecordFields = {
    ...describe(attributes, sourceId, context),
    recordKind: type,
    accessStatus: access.statement,
    license: firstText(evidence.license_spdx, evidence.license_text),
    versionFamily: readVersionFamily(sourceId, relations),
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields,
    evidence: settled(evidence, errors),
    errors,
    creators: creators?.list ?? [],
    facets: [],
    funding: funding.funding,
  };
}

/** Counts the open formats that the depositor listed. DataCite has no list of files. */
function formatEvidence(reader: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const formats = reader.list("formats", ["open_format_file_count"]);
  if (formats === null) return {};
  const open = formats.filter((format) => vocabularies.fileKinds.isOpenMedia(asText(format) ?? ""));
  return { open_format_file_count: open.length };
}

/** Reads counts of use. Most repositories do not report usage to DataCite, so 0 views or downloads mean unknown. */
function useEvidence(reader: Reader): Partial<Evidence> {
  return {
    view_count: reader.count("viewCount", "view_count") || null,
    download_count: reader.count("downloadCount", "download_count") || null,
    citation_count: reader.count("citationCount", "citation_count"),
  };
}

function readStatedFunding(reader: Reader, { vocabularies }: NormaliseOptions): FundingRead {
  const stated = reader.list("fundingReferences", ["funder_count", "award_count"]);
  if (stated === null) return NO_FUNDING;
  const textAt = (entry: unknown, key: string) => asText(at(entry, key));
  return readFunding(
    stated.map((entry) => ({
      funder: textAt(entry, "funderName"),
      funderId: textAt(entry, "funderIdentifier"),
      funderScheme: textAt(entry, "funderIdentifierType") ?? textAt(entry, "schemeUri"),
      awardNumber: textAt(entry, "awardNumber"),
      awardTitle: textAt(entry, "awardTitle"),
      awardUrl: textAt(entry, "awardUri"),
    })),
    vocabularies,
  );
}

function describe(attributes: Json, sourceId: string, { vocabularies }: NormaliseOptions) {
  const doi = readDoi(sourceId);
  const publisher = firstText(at(attributes, "publisher", "name"), attributes.publisher);
  const safe = (text: string | null) =>
    text === null || vocabularies.placeholders.isPlaceholder(text, "any") ? null : displayText(text) || null;
  return {
    doi,
    repository: safe(publisher),
    title: safe(firstText(...asList(attributes.titles).map((title) => at(title, "title") ?? title))),
    pubDate: issued(attributes),
    url: readWebUrl(asText(attributes.url)) ?? (doi === null ? null : `https://doi.org/${doi}`),
    version: safe(asText(attributes.version)),
  };
}

function issued(attributes: Json): string | null {
  const dates = asList(attributes.dates).filter((entry) => at(entry, "dateType") === "Issued");
  const year = readDate(firstText(attributes.publicationYear, attributes.published));
  return readDate(firstText(...dates.map((entry) => at(entry, "date")))) ?? year;
}

/** Returns the id that all versions of a record share: the DOI in IsVersionOf, or the record's own DOI without `.vN`. */
function readVersionFamily(sourceId: string, relations: ReturnType<typeof readRelations>): string {
  const parent = relations?.find((relation) => relation.type.toLowerCase() === "isversionof");
  return (parent && readDoi(parent.identifier)) ?? ownFamily(readDoi(sourceId), `datacite/${sourceId}`);
}

function knownFields(sourceId: string): RecordFields {
  const doi = readDoi(sourceId);
  return bareFields({
    doi,
    url: doi === null ? null : `https://doi.org/${doi}`,
    versionFamily: ownFamily(doi, `datacite/${sourceId}`),
  });
}

interface DataciteAccess {
  readonly evidence: Partial<Evidence>;
  readonly statement: string | null;
}

const RIGHTS_COLUMNS = [
  "access_declared",
  "access_open",
  "license_text",
  "license_spdx",
  "license_permissive",
  "license_open",
] as const;

/** Reads the rights, which contain licences and access levels, and whether an embargo is active. */
function readAccess(reader: Reader, context: NormaliseOptions): DataciteAccess {
  const { vocabularies } = context;
  const rights = reader.list("rightsList", RIGHTS_COLUMNS);
  if (rights === null) return { evidence: { embargo_active: embargo(reader, null, context) }, statement: null };
  const licences: LicenceStatement[] = [];
  const levels: string[] = [];
  let statement: string | null = null;
  for (const entry of rights) {
    const texts = rightsTexts(entry).filter((text) => !vocabularies.placeholders.isPlaceholder(text, "any"));
    const access = texts.filter((text) => vocabularies.accessLevels.findLevel(text) !== null);
    for (const text of access) levels.push(vocabularies.accessLevels.findLevel(text) ?? "");
    statement ??= access[0] ?? null;
    // An entry that only states an access level is not a licence.
    const spellings = texts.filter((text) => !access.includes(text));
    const text = asText(at(entry, "rights"));
    const words = text !== null && spellings.includes(text) ? text : spellings[0];
    if (words !== undefined) licences.push({ text: words, spellings });
  }
  // The most restrictive of several levels applies.
  const level = levels.find((stated) => stated !== "open") ?? levels[0] ?? null;
  const evidence = {
    ...readLicence(licences, vocabularies),
    // The shape before 2018 only had a licence.
    access_declared: level !== null ? true : reader.has("legacy") || cannotState(reader, "access") ? null : false,
    access_open: level === null ? null : level === "open",
    embargo_active: embargo(reader, level, context),
  };
  return { evidence, statement: statement === null ? null : displayText(statement, 80) };
}

function rightsTexts(entry: unknown): string[] {
  const texts = ["rightsIdentifier", "rightsUri", "rights"].map((key) => asText(at(entry, key)));
  return [...texts, asText(entry)].filter((text) => text !== null);
}

/**
 * Returns whether an embargo is active at the as-of date. Without a date of availability, false is only certain if the
 * access level is open; otherwise returns null.
 */
function embargo(reader: Reader, level: string | null, { asOf }: NormaliseOptions): boolean | null {
  const stated = (reader.list("dates", []) ?? [])
    .filter((entry) => at(entry, "dateType") === "Available")
    .map((entry) => asText(at(entry, "date")))
    .filter((text) => text !== null);
  const available = stated.map(readDate).filter((date) => date !== null);
  // With an unreadable date, the last date is unknown. A date in the future still means an active embargo.
  if (available.length < stated.length) reader.fail(["embargo_active"]);
  if (available.some((date) => firstDay(date) > asOf)) return true;
  if (available.length > 0 || level === "open") return false;
  return null;
}

/** Returns all relations that have an identifier. Returns null if the payload has no list of relations. */
function readRelations(reader: Reader, sourceId: string): StatedRelation[] | null {
  const stated = statedRelations(reader);
  return stated !== null && isKernel3(reader) ? withConcept(stated, readDoi(sourceId)) : stated;
}

function isKernel3(reader: Reader): boolean {
  return /kernel-3/.test(asText(reader.raw("schemaVersion")) ?? "");
}

const ZENODO = /^10\.5281\/zenodo\.([1-9]\d{0,17})$/;

/**
 * Adds the version relation to records of Zenodo in kernel 3, which has no IsVersionOf. In these records, the DOI of
 * all versions is an IsPartOf after the depositor's relations, and its number is smaller than that of the record:
 * 10.5281/zenodo.1000 for the record 10.5281/zenodo.1001.
 */
function withConcept(relations: readonly StatedRelation[], doi: string | null): StatedRelation[] {
  const recordNumber = Number(ZENODO.exec(doi ?? "")?.[1] ?? 0);
  const concept = relations.findLastIndex(({ type, identifier }) => {
    const number = ZENODO.exec(readDoi(identifier) ?? "")?.[1];
    return type === "IsPartOf" && number !== undefined && Number(number) < recordNumber;
  });
  return relations.map((relation, i) => (i === concept ? { ...relation, type: "IsVersionOf" } : relation));
}

function statedRelations(reader: Reader): StatedRelation[] | null {
  const identifiers = reader.list("relatedIdentifiers", RELATION_COLUMNS);
  const items = reader.list("relatedItems", []);
  if (identifiers === null && items === null) return null;
  return [...(identifiers ?? []).flatMap(relatedIdentifier), ...(items ?? []).flatMap(relatedItem)];
}

function relatedIdentifier(entry: unknown): StatedRelation[] {
  const identifier = asText(at(entry, "relatedIdentifier"));
  const type = asText(at(entry, "relationType"));
  if (identifier === null || type === null) return [];
  const relatedType = asText(at(entry, "resourceTypeGeneral"));
  return [{ type, relatedType, identifier, identifierType: asText(at(entry, "relatedIdentifierType")) }];
}

function relatedItem(entry: unknown): StatedRelation[] {
  const stated = at(entry, "relatedItemIdentifier");
  const identifier = asText(at(stated, "relatedItemIdentifier"));
  const type = asText(at(entry, "relationType"));
  if (identifier === null || type === null) return [];
  const relatedType = asText(at(entry, "relatedItemType"));
  return [{ type, relatedType, identifier, identifierType: asText(at(stated, "relatedItemIdentifierType")) }];
}

function relationEvidence(
  reader: Reader,
  relations: readonly StatedRelation[] | null,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const version = reader.text("version", ["version_stated"]);
  const versioned = version !== null && version !== "" && !vocabularies.placeholders.isPlaceholder(version, "any");
  if (relations === null) return { version_stated: version === null ? null : versioned };
  const { version: related, ...counts } = countRelations(relations, vocabularies);
  // If the payload may omit the version, a missing version means unknown, unless a relation states it.
  const stated = versioned || related;
  return { ...counts, version_stated: !stated && version === null ? null : stated };
}

/**
 * Converts attributes in the form before 2018. Facts that the old form could not contain are missing in the result, and
 * count as unknown. The old `version` is left out, because it counts revisions of metadata. The key `legacy` marks the
 * result.
 */
function modernised(attributes: Json, item: unknown): Json {
  if (Object.hasOwn(attributes, "creators") || !Object.hasOwn(attributes, "author")) return attributes;
  return {
    legacy: true,
    doi: attributes.doi,
    url: attributes.url,
    state: attributes.state,
    isActive: attributes["is-active"],
    updated: attributes.updated,
    published: attributes.published,
    publisher: attributes.publisher ?? attributes["container-title"],
    creators: authors(attributes.author),
    titles: toList(attributes.title).map((title) => ({ title: asText(title) ?? asText(at(title, "text")) })),
    descriptions: toList(attributes.description).map((entry) => ({
      descriptionType: asText(at(entry, "type")) ?? "Abstract",
      description: asText(entry) ?? asText(at(entry, "text")),
    })),
    rightsList: toList(attributes.license).map((license) => ({ rightsUri: license })),
    relatedIdentifiers: toList(attributes["related-identifier"]).map((entry) => ({
      relationType: at(entry, "relation-type"),
      relatedIdentifier: at(entry, "id"),
    })),
    types: { resourceTypeGeneral: resourceType(attributes, item) },
  };
}

function toList(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * Returns the authors in the form before 2018: one object, a list of objects, or a list of pairs of an author and an
 * affiliation.
 */
function authors(value: unknown): unknown[] {
  return toList(value)
    .flatMap((entry) => (Array.isArray(entry) ? entry.slice(0, 1) : [entry]))
    .map((author) => ({
      name: at(author, "name"),
      givenName: at(author, "given-name") ?? at(author, "given"),
      familyName: at(author, "family-name") ?? at(author, "family"),
      nameType: null,
      affiliation: [],
      nameIdentifiers: [...asList(at(author, "identifier")), at(author, "id")]
        .filter((id) => asText(id) !== null)
        .map((id) => ({ nameIdentifier: id })),
    }));
}

/**
 * Returns the general resource type: from the relationship, otherwise from the deposited XML, otherwise from the text of
 * the subtype.
 */
function resourceType(attributes: Json, item: unknown): string | null {
  const related = asText(at(asObject(item), "relationships", "resource-type", "data", "id"));
  if (related !== null) return related;
  const xml = asText(attributes.xml);
  const stated = xml === null ? null : /resourceTypeGeneral\s*=\s*["'](\w+)["']/.exec(textOfBase64(xml));
  return stated?.[1] ?? asText(attributes["resource-type-subtype"]);
}

/** Returns the root element of DataCite's XML in any response; null if there is none. */
export function resourceIn(document: unknown): Json | null {
  const record = at(document, "record") ?? document;
  const metadata = at(record, "metadata") ?? record;
  return asObject(at(metadata, "oai_datacite", "payload", "resource") ?? at(metadata, "resource"));
}

/** Returns the DOI of an XML record. If the record was deleted, only its OAI identifier contains the DOI. */
export function kernelDoi(document: unknown): string | null {
  const resource = resourceIn(document);
  if (resource === null) return doiInOai(asText(at(document, "record", "header", "identifier")));
  const stated = oneOrMany(resource.identifier).find((entry) => attribute(entry, "identifierType") === "DOI");
  return readDoi(readText(stated)) ?? readDoi(readText(oneOrMany(resource.identifier)[0]));
}

/** Returns the DOI in an OAI identifier: `doi:10…`, `oai:<host>:10…`, or `oai:zenodo.org:<number>`. */
function doiInOai(identifier: string | null): string | null {
  const number = /^oai:zenodo\.org:([1-9]\d{0,17})$/.exec(identifier ?? "")?.[1];
  if (number !== undefined) return `10.5281/zenodo.${number}`;
  return readDoi(/(?:^|[:/])(10\.\d{4,9}\/\S.*)/s.exec(identifier ?? "")?.[1] ?? null);
}

/** Converts an XML payload to the form of the REST API. Returns other payloads unchanged. */
export function withoutXml(payload: unknown): unknown {
  const updated = asText(at(payload, "record", "header", "datestamp"));
  if (isDeleted(at(payload, "record"))) return { attributes: { state: "deleted", updated } };
  const resource = resourceIn(payload);
  return resource === null ? payload : { attributes: readAttributes(resource, readKernel(payload, resource), updated) };
}

function readAttributes(resource: Json, kernel: number, changed: string | null): Json {
  const many = (list: string, element: string) => oneOrMany(at(resource, list, element));
  const dates = many("dates", "date").map((entry) => ({ date: readText(entry), ...pick(entry, "dateType") }));
  const items = many("relatedItems", "relatedItem");
  return {
    schemaVersion: `http://datacite.org/schema/kernel-${kernel}`,
    updated: changed ?? dates.find(({ dateType }) => dateType === "Updated")?.date ?? null,
    publisher: readText(resource.publisher),
    publicationYear: readText(resource.publicationYear),
    titles: many("titles", "title").map((entry) => ({ title: readText(entry) })),
    types: { resourceTypeGeneral: attribute(resource.resourceType, "resourceTypeGeneral") },
    creators: many("creators", "creator").map((entry) => readCreatorEntry(entry, kernel)),
    contributors: many("contributors", "contributor").map((entry) => ({
      name: readText(at(entry, "contributorName")),
      ...pick(entry, "contributorType"),
    })),
    subjects: many("subjects", "subject").map((entry) => ({
      subject: readText(entry),
      schemeUri: attribute(entry, "schemeURI"),
      valueUri: attribute(entry, "valueURI"),
      ...pick(entry, "subjectScheme", "classificationCode"),
    })),
    dates,
    formats: many("formats", "format").map(readText),
    version: readText(resource.version),
    rightsList: readRights(resource).map((entry) => ({
      rights: readText(entry),
      rightsUri: attribute(entry, "rightsURI"),
      ...pick(entry, "rightsIdentifier"),
    })),
    descriptions: many("descriptions", "description").map((entry) => ({
      description: readXmlText(entry),
      ...pick(entry, "descriptionType"),
    })),
    relatedIdentifiers: many("relatedIdentifiers", "relatedIdentifier").map((entry) => ({
      relatedIdentifier: readText(entry),
      ...pick(entry, "relatedIdentifierType", "relationType", "resourceTypeGeneral"),
    })),
    relatedItems: items.map(readItem),
    container: readContainer(items),
    // If the kernel has no element for a fact, the absence of the fact means unknown.
    ...(kernel < 3 ? {} : { geoLocations: many("geoLocations", "geoLocation") }),
    ...(kernel < 4
      ? {}
      : { fundingReferences: many("fundingReferences", "fundingReference").map(readFundingReference) }),
  };
}

/**
 * Returns the version of DataCite's kernel. It is in the URL of the schema, or in OAI's `schemaVersion`. If both are
 * missing, a top-level `rights` means version 2, and the default is 4.
 */
function readKernel(payload: unknown, resource: Json): number {
  const address = asText(resource["@schemaLocation"]) ?? asText(resource["@noNamespaceSchemaLocation"]) ?? "";
  const record = at(payload, "record", "metadata") ?? payload;
  const stated = /kernel-(\d)/.exec(address)?.[1] ?? asText(at(record, "oai_datacite", "schemaVersion"))?.[0];
  return Number(stated ?? (resource.rights === undefined ? 4 : 2)) || 4;
}

function readCreatorEntry(entry: unknown, kernel: number): Json {
  return {
    name: readText(at(entry, "creatorName")),
    nameType: attribute(at(entry, "creatorName"), "nameType"),
    givenName: readText(at(entry, "givenName")),
    familyName: readText(at(entry, "familyName")),
    nameIdentifiers: oneOrMany(at(entry, "nameIdentifier")).map((identifier) => ({
      nameIdentifier: readText(identifier),
      schemeUri: attribute(identifier, "schemeURI"),
      ...pick(identifier, "nameIdentifierScheme"),
    })),
    affiliation: oneOrMany(at(entry, "affiliation")).map((affiliation) => readAffiliation(affiliation, kernel)),
  };
}

/** Reads an affiliation. Before kernel 4, it is only text. */
function readAffiliation(entry: unknown, kernel: number): string | Json {
  const name = readText(entry) ?? "";
  if (kernel < 4) return name;
  const identifier = pick(entry, "affiliationIdentifier", "affiliationIdentifierScheme");
  return { name, schemeUri: attribute(entry, "schemeURI"), ...identifier };
}

/** Returns the rights: a list since kernel 3, one element before. */
function readRights(resource: Json): readonly unknown[] {
  const list = oneOrMany(at(resource, "rightsList", "rights"));
  return list.length > 0 ? list : oneOrMany(resource.rights);
}

function readItem(entry: unknown): Json {
  const identifier = at(entry, "relatedItemIdentifier");
  return {
    ...pick(entry, "relationType", "relatedItemType"),
    relatedItemIdentifier: {
      relatedItemIdentifier: readText(identifier),
      ...pick(identifier, "relatedItemIdentifierType"),
    },
  };
}

/**
 * Returns the work in which a record is published. If the XML contains no such work, the record is not part of one,
 * because XML of any kernel can contain it since DataCite 4.4.
 */
function readContainer(items: readonly unknown[]): Json {
  const within = items.find((item) => attribute(item, "relationType") === "IsPublishedIn");
  return { title: readText(oneOrMany(at(within, "titles", "title"))[0]) };
}

function readFundingReference(entry: unknown): Json {
  const identifier = at(entry, "funderIdentifier");
  const number = at(entry, "awardNumber");
  return {
    funderName: readText(at(entry, "funderName")),
    funderIdentifier: readText(identifier),
    ...pick(identifier, "funderIdentifierType"),
    schemeUri: attribute(identifier, "schemeURI"),
    awardNumber: readText(number),
    awardTitle: readText(at(entry, "awardTitle")),
    awardUri: attribute(number, "awardURI"),
  };
}

/** Returns the XML attributes with these names, which are the same in the REST API. */
function pick<K extends string>(entry: unknown, ...names: readonly K[]): { readonly [key in K]?: string | null } {
  const found: { [key in K]?: string | null } = {};
  for (const name of names) found[name] = attribute(entry, name);
  return found;
}

function attribute(entry: unknown, name: string): string | null {
  return asText(at(entry, `@${name}`));
}

function readText(entry: unknown): string | null {
  return firstText(entry, at(entry, "#text"));
}

function textEvidence(reader: Reader, creators: readonly Creator[], vocabularies: Vocabularies): Partial<Evidence> {
  return {
    ...subjects(reader, vocabularies),
    ...contributors(reader, creators, vocabularies),
    place_count: places(reader),
    coverage_date_count: coverage(reader, vocabularies),
    ...descriptions(reader, vocabularies),
    venue_stated: venue(reader, vocabularies),
  };
}

const SCHEME_KEYS = ["subjectScheme", "schemeUri", "valueUri", "classificationCode"] as const;

function isSchemed(subject: unknown): boolean {
  return SCHEME_KEYS.some((key) => asText(at(subject, key)) !== null);
}

function subjects(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const list = reader.list("subjects", ["keyword_count", "subject_count"]);
  if (list === null) return {};
  const term = (subject: unknown) => asText(at(subject, "subject")) ?? asText(subject);
  return {
    keyword_count: countTerms("keyword_count", list.map(term), vocabularies),
    subject_count: cannotState(reader, "subjects")
      ? null
      : countTerms("subject_count", list.filter(isSchemed).map(term), vocabularies),
  };
}

function contributors(reader: Reader, creators: readonly Creator[], vocabularies: Vocabularies): Partial<Evidence> {
  const stated = reader.list("contributors", ["contributor_count", "contributor_role_count"])?.map((entry) => ({
    name: firstText(at(entry, "name"), at(entry, "familyName")),
    role: asText(at(entry, "contributorType")),
  }));
  return stated === undefined ? {} : contributorCounts(stated, creators, vocabularies);
}

const PLACES = ["geoLocationPlace", "geoLocationPoint", "geoLocationBox", "geoLocationPolygon"];

/** Counts places: each point, box, polygon and place name is one. An empty object counts as none. */
function places(reader: Reader): number | null {
  const list = reader.list("geoLocations", ["place_count"]);
  if (list === null) return null;
  return list.flatMap((location) => PLACES.filter((key) => !isBlank(at(location, key)))).length;
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isBlank);
  const object = asObject(value);
  return object === null ? asText(value) === null : Object.values(object).every(isBlank);
}

/** Counts dates of collection or coverage. A date that cannot be read marks the column as unreadable. */
function coverage(reader: Reader, vocabularies: Vocabularies): number | null {
  const list = reader.list("dates", ["coverage_date_count", "embargo_active"]);
  if (list === null) return null;
  const stated = list
    .filter((entry) => vocabularies.dateTypes.isCoverage(asText(at(entry, "dateType")) ?? ""))
    .map((entry) => asText(at(entry, "date")))
    .filter((date) => date !== null && !vocabularies.placeholders.isPlaceholder(date, "any"));
  const read = stated.filter((date) => readDate(date?.replace(/^\//, "") ?? null) !== null);
  if (read.length < stated.length) reader.fail(["coverage_date_count"]);
  return read.length === 0 && cannotState(reader, "coverage") ? null : read.length;
}

const DESCRIPTION_TYPES = new Set(["abstract", "other", ""]);
const METHODS_TYPES = new Set(["methods", "technicalinfo"]);

function descriptions(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const list = reader.list("descriptions", ["description_length", "methods_length"]);
  if (list === null) return {};
  const longest = (types: ReadonlySet<string>) => {
    const texts = list
      .filter((entry) => types.has((asText(at(entry, "descriptionType")) ?? "").toLowerCase()))
      .flatMap((entry) => readTexts(at(entry, "description") ?? entry));
    return Math.max(0, ...texts.map((text) => textLength(text, vocabularies) ?? 0));
  };
  const methods = longest(METHODS_TYPES);
  const isUnknown = methods === 0 && cannotState(reader, "methods");
  return { description_length: longest(DESCRIPTION_TYPES), methods_length: isUnknown ? null : methods };
}

function readTexts(value: unknown): string[] {
  const texts = Array.isArray(value) ? asList(value).map(asText) : [asText(value)];
  return texts.filter((text) => text !== null);
}

/**
 * Returns whether the record names a journal, series or book. DataCite also writes the repository to this field, which does
 * not count.
 */
function venue(reader: Reader, vocabularies: Vocabularies): boolean | null {
  const container = reader.object("container", ["venue_stated"]);
  if (container === null) return null;
  const title = asText(container.title);
  if (title === null || vocabularies.placeholders.isPlaceholder(title, "any")) return false;
  return asText(container.type) !== "DataRepository";
}

interface Creators {
  readonly list: readonly Creator[];
  /** Distinct ORCID and ISNI identifiers of creators who are people. */
  readonly personPids: ReadonlySet<string>;
  readonly organisationPids: ReadonlySet<string>;
  /** True if an affiliation is plain text, which has no place for an identifier. */
  readonly plainAffiliations: boolean;
}

const CREATOR_COLUMNS = [
  "creator_count",
  "person_creator_count",
  "creator_pid_count",
  "organization_pid_count",
] as const;

/** Returns the creators. Returns null if the payload has no list of creators, or a value that is not a list. */
function readCreators(reader: Reader, vocabularies: Vocabularies): Creators | null {
  const stated = reader.list("creators", CREATOR_COLUMNS);
  if (stated === null) return null;
  const list: Creator[] = [];
  const personPids = new Set<string>();
  const organisationPids = new Set<string>();
  let plainAffiliations = false;
  for (const entry of stated) {
    const orcid = readPersonPid(entry, "orcid");
    const creator = readCreator(
      {
        name: asText(at(entry, "name")),
        given: asText(at(entry, "givenName")),
        family: asText(at(entry, "familyName")),
        type: readType(entry),
        orcid,
        affiliations: readAffiliations(entry),
      },
      vocabularies,
    );
    if (creator === null) continue;
    list.push(creator);
    const pid = creator.person ? (orcid ?? readPersonPid(entry, "isni")) : null;
    if (pid !== null) personPids.add(pid);
    for (const id of readOrganisationPids(entry, creator)) organisationPids.add(id);
    plainAffiliations ||= asList(at(entry, "affiliation")).some((affiliation) => typeof affiliation === "string");
  }
  return { list, personPids, organisationPids, plainAffiliations };
}

/**
 * Counts creators and their identifiers. Without `?affiliation=true` in the request, affiliations are plain text, so a
 * missing identifier of an institution is unknown.
 */
function creatorEvidence(reader: Reader, creators: Creators | null): Partial<Evidence> {
  if (creators === null) return {};
  const organisations = creators.organisationPids.size;
  const carriesOrganisations = organisations > 0 || !(creators.plainAffiliations || reader.has("legacy"));
  return {
    creator_count: creators.list.length,
    person_creator_count: creators.list.filter((creator) => creator.person).length,
    creator_pid_count: creators.personPids.size,
    organization_pid_count: carriesOrganisations ? organisations : null,
  };
}

function readType(entry: unknown): "person" | "organisation" | null {
  const type = asText(at(entry, "nameType"))?.toLowerCase();
  return type === "personal" ? "person" : type === "organizational" ? "organisation" : null;
}

function readPersonPid(entry: unknown, kind: "orcid" | "isni"): string | null {
  for (const identifier of asList(at(entry, "nameIdentifiers"))) {
    const text = asText(at(identifier, "nameIdentifier"));
    const scheme = `${asText(at(identifier, "nameIdentifierScheme")) ?? ""} ${asText(at(identifier, "schemeUri")) ?? ""} ${text ?? ""}`;
    if (!scheme.toLowerCase().includes(kind)) continue;
    const pid = kind === "orcid" ? readOrcid(text) : readIsni(text);
    if (pid !== null) return pid;
  }
  return null;
}

/** Yields the identifiers of a creator's affiliations. If the creator is an organisation, also yields its own. */
function* readOrganisationPids(entry: unknown, creator: Creator): Generator<string> {
  for (const affiliation of asList(at(entry, "affiliation"))) {
    const { text, scheme } = readIdentifier(affiliation);
    const pid = readOrganisationPid(text, scheme);
    if (pid !== null) yield pid;
  }
  if (creator.person) return;
  for (const identifier of asList(at(entry, "nameIdentifiers"))) {
    const scheme = asText(at(identifier, "nameIdentifierScheme"));
    const pid = readOrganisationPid(asText(at(identifier, "nameIdentifier")), scheme);
    if (pid !== null) yield pid;
  }
}

function readIdentifier(affiliation: unknown): StatedIdentifier {
  const scheme = asText(at(affiliation, "affiliationIdentifierScheme")) ?? asText(at(affiliation, "schemeUri"));
  return { text: asText(at(affiliation, "affiliationIdentifier")), scheme };
}

function readAffiliations(entry: unknown): Affiliation[] {
  const stated = at(entry, "affiliation");
  const list = Array.isArray(stated) ? asList(stated) : stated === undefined || stated === null ? [] : [stated];
  return list.flatMap((affiliation) => {
    const text = typeof affiliation === "string" ? affiliation : at(affiliation, "name");
    if (typeof text !== "string" || text.trim() === "") return [];
    return [{ text, ...affiliationIds(readIdentifier(affiliation)) }];
  });
}
