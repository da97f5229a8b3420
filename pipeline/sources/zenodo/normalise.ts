/**
 * Reads a record of Zenodo as a record and its evidence: from `/api/records/{id}` in the three formats since 2018, or from
 * Zenodo's dump.
 */

import type { Affiliation, Creator, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import {
  countRelations,
  FILE_COLUMNS,
  type LicenceStatement,
  RELATION_COLUMNS,
  readFiles,
  readLicence,
  type StatedRelation,
} from "../../reading/evidence.ts";
import { type FundingRead, NO_FUNDING, readFunding, type StatedFunding } from "../../reading/funding.ts";
import {
  affiliationIds,
  identifiedIn,
  readDoi,
  readOrcid,
  readOrganisationId,
  readWebUrl,
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
import { contributorCounts, creatorCounts, readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { displayText, firstDay, readDate, readInstant, textLength } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

export function normaliseZenodo(stated: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (stated === null) return tombstone("Zenodo answers that the record is gone", null);
  const payload = withoutRdm(stated);
  const record = asObject(payload);
  const metadata = asObject(at(payload, "metadata"));
  const updated = firstText(at(payload, "updated"), at(payload, "modified"), at(payload, "created"));
  if (record === null || metadata === null)
    return failed(
      "the response is incomplete: the object metadata is missing; fetch the complete record from Zenodo",
      updated,
      knownFields(sourceId),
    );
  if (at(payload, "state") === "deleted" || at(payload, "status") === "deleted") {
    return tombstone("Zenodo marks the record as deleted", updated);
  }
  const type = firstText(at(metadata, "resource_type", "type"), metadata.upload_type);
  if (type === null && !Object.hasOwn(metadata, "resource_type")) {
    return failed(
      "the response is incomplete: metadata.resource_type is missing; fetch the complete record from Zenodo",
      updated,
      knownFields(sourceId),
    );
  }
  if (type !== "dataset") return notDataset(`upload type ${displayText(type ?? "not stated", 80)}`, updated);
  return readRecord(record, metadata, type, sourceId, updated, context);
}

function readRecord(
  record: Json,
  metadata: Json,
  type: string,
  sourceId: string,
  updated: string | null,
  context: NormaliseOptions,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(metadata, errors, "none");
  const creators = readCreators(reader, vocabularies);
  const funding = readStatedFunding(reader, context);
  const licence = readLicence(readLicenceStatements(reader), vocabularies);
  const accessRight = asText(metadata.access_right)?.toLowerCase() ?? null;
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, creators ?? [], hasStats(record), vocabularies),
    ...creatorEvidence(creators),
    ...licence,
    ...accessEvidence(reader, accessRight, context),
    ...readFiles(fileNames(record, accessRight, errors), vocabularies),
    ...useEvidence(record, errors),
    ...funding.evidence,
    ...relationEvidence(reader, context),
  };
  const doi = readDoi(firstText(record.doi, metadata.doi));
  const fields: RecordFields = {
    doi,
    repository: "Zenodo",
    title: readTitle(firstText(metadata.title, record.title), context),
    pubDate: readDate(asText(metadata.publication_date)),
    url: `https://zenodo.org/records/${sourceId}`,
    recordKind: type,
    accessStatus: accessRight,
    license: firstText(licence.license_spdx, licence.license_text),
    version: asText(metadata.version),
    versionFamily: readVersionFamily(record, doi, sourceId),
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields,
    evidence: settled(evidence, errors),
    errors,
    creators: creators ?? [],
    facets: [],
    funding: funding.funding,
  };
}

/** True for the formats since 2019, which have `stats`. Earlier responses have no places, dates or counts. */
function hasStats(record: Json): boolean {
  return Object.hasOwn(record, "stats");
}

function readTitle(title: string | null, { vocabularies }: NormaliseOptions): string | null {
  if (title === null || vocabularies.placeholders.isPlaceholder(title, "any")) return null;
  return displayText(title) || null;
}

/** Reads `license`: an id, as text or inside an object. The oldest formats have ids in capitals. */
function readLicenceStatements(reader: Reader): LicenceStatement[] {
  const stated = reader.raw("license");
  const text = firstText(at(stated, "id"), stated);
  // Blank text, an object without an id and null state no licence. A list or a boolean cannot be read.
  if (typeof stated === "boolean" || Array.isArray(stated)) reader.fail(LICENCE_COLUMNS);
  return text === null ? [] : [{ text, spellings: [text] }];
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

const LEVEL_COLUMNS = ["access_declared", "access_open"] as const;
const LEVELS = new Set(["open", "embargoed", "restricted", "closed", "metadata-only"]);

function accessEvidence(reader: Reader, level: string | null, { asOf }: NormaliseOptions): Partial<Evidence> {
  if (level === null && reader.text("access_right", LEVEL_COLUMNS) !== null) {
    return { access_declared: reader.has("access_right") ? false : null };
  }
  if (level === null || !LEVELS.has(level)) {
    reader.fail(LEVEL_COLUMNS);
    return {};
  }
  return { access_declared: true, access_open: level === "open", embargo_active: embargo(reader, level, asOf) };
}

function embargo(reader: Reader, level: string, asOf: string): boolean | null {
  const stated = reader.text("embargo_date", ["embargo_active"]);
  // Only an embargoed record may omit the end of its embargo.
  if (stated === "") return level === "embargoed" ? null : false;
  const date = readDate(stated);
  return date === null ? reader.fail(["embargo_active"]) : firstDay(date) > asOf;
}

/**
 * Returns the names of files in any of the three formats. Returns null (unknown) if access hides the files, or if the
 * response is too old to list them. An empty list means that an open or metadata-only record has no files.
 */
function fileNames(record: Json, accessRight: string | null, errors: Set<EvidenceName>): string[] | null {
  const files = new Reader(record, errors).list("files", FILE_COLUMNS);
  const isHidden = accessRight !== "open" && accessRight !== "metadata-only";
  if (files === null || (files.length === 0 && isHidden)) return null;
  return files.map((file) => firstText(at(file, "key"), at(file, "filename"))).filter((name) => name !== null);
}

/**
 * Reads the counts of this version; if they are missing, those of all versions. Until October 2023, `views` counted this
 * version and `version_views` all versions. Since then it is the reverse. The smaller count is therefore that of this
 * version.
 */
function useEvidence(record: Json, errors: Set<EvidenceName>): Partial<Evidence> {
  const stats = new Reader(record, errors).object("stats", ["view_count", "download_count"]);
  if (stats === null) return {};
  const reader = new Reader(stats, errors);
  const count = (column: "view_count" | "download_count", name: string) => {
    const counts = [name, `version_${name}`].map((key) => reader.count(key, column)).filter((found) => found !== null);
    return counts.length === 0 ? null : Math.min(...counts);
  };
  return { view_count: count("view_count", "views"), download_count: count("download_count", "downloads") };
}

/** DOI of the funder that is meant if a deposit contains only the number of a grant. */
const EUROPEAN_COMMISSION = "10.13039/501100000780";

function funderAndAward(grant: unknown): readonly (string | undefined)[] {
  const id = asText(at(grant, "id")) ?? "";
  if (/^\d+$/.test(id)) return [EUROPEAN_COMMISSION, id];
  return id.includes("::") ? id.split("::") : [];
}

/** Reads funding. A grant contains its funder; the newer list `funding` has separate funders and awards. */
function readStatedFunding(reader: Reader, { vocabularies }: NormaliseOptions): FundingRead {
  const grants = reader.list("grants", ["funder_count", "award_count"]);
  const funding = reader.list("funding", []);
  return grants === null ? NO_FUNDING : readFunding([...grants, ...(funding ?? [])].map(statedFunding), vocabularies);
}

function statedFunding(entry: unknown): StatedFunding {
  const [funder, award] = funderAndAward(entry);
  const funderId = firstText(at(entry, "funder", "doi"), at(entry, "funder", "id"), funder);
  const urls = asList(at(entry, "award", "identifiers")).map((each) => at(each, "identifier"));
  return {
    // An identifier of an unknown scheme still names the funder.
    funder: firstText(at(entry, "funder", "name")) ?? (readOrganisationId(funderId, null) === null ? funderId : null),
    funderId,
    awardNumber: firstText(at(entry, "code"), at(entry, "award", "number"), at(entry, "award", "id"), award),
    awardTitle: firstText(at(entry, "title"), at(entry, "award", "title", "en"), at(entry, "award", "title")),
    awardUrl: urls.map(asText).find((url) => readWebUrl(url) !== null) ?? asText(at(entry, "url")),
  };
}

function relationEvidence(reader: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const related = reader.list("related_identifiers", RELATION_COLUMNS);
  const references = reader.list("references", ["reference_count", "reference_pid_count"]);
  const version = asText(reader.raw("version")) !== null;
  const stated = [...(related ?? []).flatMap(statedRelation), ...codeRepository(reader)];
  const { version: relation, ...counts } = countRelations(stated, vocabularies);
  if (related === null) return { version_stated: version, linked_code_count: counts.linked_code_count };
  const cited = (references ?? [])
    .map((entry) => asText(entry) ?? asText(at(entry, "reference")))
    .filter((text) => text !== null);
  return {
    ...counts,
    reference_count: counts.reference_count + cited.length,
    reference_pid_count: counts.reference_pid_count + identifiedIn(cited, vocabularies),
    version_stated: version || relation,
  };
}

function codeRepository(reader: Reader): StatedRelation[] {
  const identifier = asText(at(reader.raw("custom"), "code:codeRepository"));
  if (identifier === null || (readDoi(identifier) ?? readWebUrl(identifier)) === null) return [];
  return [{ type: "Other", relatedType: "Software", identifier, identifierType: null }];
}

function statedRelation(entry: unknown): StatedRelation[] {
  const identifier = asText(at(entry, "identifier"));
  const type = asText(at(entry, "relation"));
  if (identifier === null || type === null) return [];
  const relatedType = asText(at(entry, "resource_type"));
  return [
    {
      type,
      relatedType: RELATED_TYPES.get(relatedType?.split("-")[0] ?? "") ?? relatedType,
      identifier,
      identifierType: asText(at(entry, "scheme")),
    },
  ];
}

/** DataCite's names for Zenodo's upload types. */
const RELATED_TYPES = new Map([
  ["dataset", "Dataset"],
  ["software", "Software"],
  ["publication", "Text"],
  ["image", "Image"],
  ["video", "Audiovisual"],
  ["poster", "Text"],
  ["presentation", "Text"],
]);

/** Returns the id that all versions of a deposit share (the concept record). Very old responses only have its number. */
function readVersionFamily(record: Json, doi: string | null, sourceId: string): string {
  const concept = asText(record.conceptrecid);
  const stated = readDoi(asText(record.conceptdoi));
  return stated ?? (concept === null ? ownFamily(doi, `zenodo/${sourceId}`) : `10.5281/zenodo.${concept}`);
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "Zenodo",
    url: `https://zenodo.org/records/${sourceId}`,
    versionFamily: `zenodo/${sourceId}`,
  });
}

function readCreators(reader: Reader, vocabularies: Vocabularies): Creator[] | null {
  const stated = reader.list("creators", ["creator_count", "person_creator_count", "creator_pid_count"]);
  return (
    stated?.flatMap((entry) => {
      const affiliation = at(entry, "affiliation");
      const creator = readCreator(
        {
          name: asText(at(entry, "name")),
          given: null,
          family: null,
          type: readType(at(entry, "type")),
          orcid: readOrcid(asText(at(entry, "orcid"))),
          affiliations: (Array.isArray(affiliation) ? affiliation : [affiliation]).flatMap(readAffiliations),
        },
        vocabularies,
      );
      return creator === null ? [] : [creator];
    }) ?? null
  );
}

function readAffiliations(stated: unknown): Affiliation[] {
  const others = asList(at(stated, "identifiers")).map((each) => ({
    text: asText(at(each, "identifier")),
    scheme: asText(at(each, "scheme")),
  }));
  const ids = affiliationIds({ text: asText(at(stated, "id")), scheme: null }, ...others);
  const text = typeof stated === "string" ? stated : (at(stated, "name") ?? (ids.ror && `https://ror.org/${ids.ror}`));
  return typeof text === "string" && text.trim() !== "" ? [{ text, ...ids }] : [];
}

function readType(type: unknown): "person" | "organisation" | null {
  const text = asText(type)?.toLowerCase();
  return text === "personal" ? "person" : text === "organizational" ? "organisation" : null;
}

function creatorEvidence(creators: readonly Creator[] | null): Partial<Evidence> {
  return creators === null ? {} : creatorCounts(creators);
}

function textEvidence(
  reader: Reader,
  creators: readonly Creator[],
  recent: boolean,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  return {
    ...terms(reader, vocabularies),
    ...contributors(reader, creators, vocabularies),
    place_count: recent || reader.has("locations") ? places(reader) : null,
    coverage_date_count: recent || reader.has("dates") ? coverage(reader, vocabularies) : null,
    description_length: textLength(reader.text("description", ["description_length"]), vocabularies),
    methods_length: textLength(reader.text("method", ["methods_length"]), vocabularies),
    venue_stated: venue(reader),
  };
}

function terms(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const keywords = reader.list("keywords", ["keyword_count"]);
  const subjects = reader.list("subjects", ["keyword_count", "subject_count"]);
  const schemed = (subjects ?? []).map((subject) =>
    firstText(at(subject, "term"), at(subject, "subject"), at(subject, "identifier")),
  );
  const free = (keywords ?? []).map(asText);
  return {
    keyword_count:
      keywords === null && subjects === null ? null : countTerms("keyword_count", [...free, ...schemed], vocabularies),
    subject_count: subjects === null ? null : countTerms("subject_count", schemed, vocabularies),
  };
}

function contributors(reader: Reader, creators: readonly Creator[], vocabularies: Vocabularies): Partial<Evidence> {
  const stated = reader
    .list("contributors", ["contributor_count", "contributor_role_count"])
    ?.map((entry) => ({ name: asText(at(entry, "name")), role: asText(at(entry, "type")) }));
  return stated === undefined ? {} : contributorCounts(stated, creators, vocabularies);
}

function places(reader: Reader): number | null {
  const list = reader.list("locations", ["place_count"]);
  return (
    list?.filter((entry) => firstText(at(entry, "place"), at(entry, "lat"), at(entry, "lon")) !== null).length ?? null
  );
}

function coverage(reader: Reader, vocabularies: Vocabularies): number | null {
  const list = reader.list("dates", ["coverage_date_count"]);
  if (list === null) return null;
  const stated = list.filter((entry) => vocabularies.dateTypes.isCoverage(asText(at(entry, "type")) ?? ""));
  const read = stated.filter(
    (entry) => readDate(firstText(at(entry, "start"), at(entry, "end"), at(entry, "date"))) !== null,
  );
  if (read.length < stated.length) reader.fail(["coverage_date_count"]);
  return read.length;
}

const TITLES_OF_DEPOSITS = ["journal_title", "conference_title", "imprint_publisher", "partof_title"];

function venue(reader: Reader): boolean {
  const titles = [
    ["journal", "title"],
    ["meeting", "title"],
    ["imprint", "publisher"],
    ["part_of", "title"],
  ] as const;
  const stated = [
    ...titles.map(([key, title]) => at(reader.raw(key), title)),
    ...TITLES_OF_DEPOSITS.map((key) => reader.raw(key)),
  ];
  return firstText(...stated) !== null;
}

/** Converts a record of InvenioRDM to the form of Zenodo's API. Returns other payloads unchanged. */
function withoutRdm(payload: unknown): unknown {
  const record = asObject(payload);
  const metadata = asObject(at(record, "metadata"));
  const type = asText(at(metadata, "resource_type", "id"));
  if (record === null || metadata === null || type === null || at(metadata, "resource_type", "type") !== undefined) {
    return payload;
  }
  return {
    id: record.id,
    created: record.created,
    updated: record.updated,
    doi: at(record, "pids", "doi", "identifier"),
    conceptrecid: at(record, "parent", "id"),
    conceptdoi: at(record, "parent", "pids", "doi", "identifier"),
    state: at(record, "deletion_status", "is_deleted") === true ? "deleted" : "done",
    metadata: { ...readMetadata(metadata, record), resource_type: { type: type.split("-")[0] } },
    ...readFileList(record),
    ...readStats(record),
  };
}

function readMetadata(metadata: Json, record: Json): Json {
  const subjects = asList(metadata.subjects);
  const isSchemed = (subject: unknown) => firstText(at(subject, "scheme"), at(subject, "id")) !== null;
  return {
    title: metadata.title,
    publication_date: metadata.publication_date,
    version: metadata.version,
    description: metadata.description,
    method: methodIn(metadata),
    ...readAccess(record),
    license: readOwnLicence(metadata),
    keywords: subjects.filter((subject) => !isSchemed(subject)).map((subject) => at(subject, "subject")),
    subjects: subjects
      .filter(isSchemed)
      .map((subject) => ({ term: at(subject, "subject"), identifier: at(subject, "id") })),
    creators: asList(metadata.creators).map(readCreatorEntry),
    contributors: asList(metadata.contributors).map((entry) => ({
      name: at(entry, "person_or_org", "name"),
      type: at(entry, "role", "id"),
    })),
    dates: asList(metadata.dates).map((entry) => ({ type: at(entry, "type", "id"), date: at(entry, "date") })),
    locations: asList(at(metadata, "locations", "features")).map(readPlace),
    related_identifiers: asList(metadata.related_identifiers).map((entry) => ({
      identifier: at(entry, "identifier"),
      scheme: at(entry, "scheme"),
      relation: at(entry, "relation_type", "id"),
      resource_type: at(entry, "resource_type", "id"),
    })),
    references: metadata.references,
    funding: metadata.funding,
    custom: record.custom_fields,
    ...readVenue(at(record, "custom_fields")),
  };
}

function methodIn(metadata: Json): unknown {
  const methods = asList(metadata.additional_descriptions).find((entry) => at(entry, "type", "id") === "methods");
  return at(methods, "description");
}

const STATUSES = ["open", "embargoed", "restricted", "metadata-only"];

function readAccess(record: Json): Json {
  const level = accessStatus(record);
  if (level === null) return {};
  const until = level === "embargoed" ? at(record, "access", "embargo", "until") : undefined;
  return { access_right: level, embargo_date: until };
}

/**
 * Returns the access status. If the record lacks the status, it follows from the access to files, where public access
 * without files means `metadata-only`.
 */
function accessStatus(record: Json): string | null {
  const status = asText(at(record, "access", "status"));
  if (status !== null && STATUSES.includes(status)) return status;
  const files = asText(at(record, "access", "files"));
  if (files === null) return null;
  if (files === "public") return at(record, "files", "enabled") === false ? "metadata-only" : "open";
  return at(record, "access", "embargo", "active") === true ? "embargoed" : "restricted";
}

/** Returns the licence. A licence that the depositor wrote has a text but no id. */
function readOwnLicence(metadata: Json): Json | undefined {
  const first = asList(metadata.rights)[0];
  const id = firstText(at(first, "id"), at(first, "props", "url"), at(first, "link"), at(first, "title", "en"));
  return id === null ? undefined : { id };
}

function readCreatorEntry(entry: unknown): Json {
  const who = at(entry, "person_or_org");
  const orcid = asList(at(who, "identifiers")).find((identifier) => at(identifier, "scheme") === "orcid");
  return {
    name: at(who, "name"),
    type: at(who, "type"),
    orcid: at(orcid, "identifier"),
    affiliation: at(entry, "affiliations"),
  };
}

/**
 * Returns a place. A line or polygon is represented by its first corner. Coordinates are pairs, in up to three levels of
 * lists (RFC 7946).
 */
function readPlace(feature: unknown): Json {
  const [longitude, latitude] = asList(at(feature, "geometry", "coordinates")).flat(3);
  return { place: at(feature, "place"), lat: latitude, lon: longitude };
}

function readVenue(fields: unknown): Json {
  return {
    journal: at(fields, "journal:journal"),
    meeting: at(fields, "meeting:meeting"),
    part_of: at(fields, "imprint:imprint"),
  };
}

/** Returns the files, which are a list or an object by name. If there is neither, the dump does not contain files. */
function readFileList(record: Json): Json {
  if (at(record, "files", "enabled") === false) return { files: [] };
  const entries = at(record, "files", "entries");
  const files = Array.isArray(entries) ? entries : Object.values(asObject(entries) ?? {});
  return entries === undefined ? {} : { files };
}

function readStats(record: Json): Json {
  const [version, all] = ["this_version", "all_versions"].map((name) => at(record, "stats", name));
  if (version === undefined && all === undefined) return {};
  return {
    stats: {
      ...(version === undefined
        ? {}
        : { version_views: at(version, "views"), version_downloads: at(version, "downloads") }),
      ...(all === undefined ? {} : { views: at(all, "views"), downloads: at(all, "downloads") }),
    },
  };
}
