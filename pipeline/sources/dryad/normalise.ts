/**
 * Reads Dryad's dataset (`/api/v2/datasets/{doi}`, alone or with the files of its version) as a record and its
 * evidence. The stored payload is the bare response, or `{"dataset": …, "files": …}`. A list has its datasets in
 * `_embedded["stash:datasets"]`. The source id is the DOI of `identifier` ("doi:10.5061/…") in lower case.
 */

import type { Creator, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import {
  countRelations,
  FILE_COLUMNS,
  RELATION_COLUMNS,
  readLicence,
  readPartialFiles,
  type StatedRelation,
} from "../../reading/evidence.ts";
import { type FundingRead, NO_FUNDING, readFunding } from "../../reading/funding.ts";
import {
  affiliationIds,
  readDoi,
  readOrcid,
  readOrganisationPid,
  type StatedIdentifier,
} from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, failed, ownFamily, settled, tombstone } from "../../reading/normalised.ts";
import { type CreatorsRead, creatorCounts, readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { displayText, firstDay, readDate, readInstant, shownText, textLength } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

export function normaliseDryad(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("Dryad answers that the dataset does not exist", null);
  const response = dryadResponse(payload);
  const { dataset } = response;
  const updated = firstText(at(dataset, "lastModificationDate"), at(dataset, "publicationDate"));
  if (dataset === null)
    return failed("the response is not a dataset of Dryad; fetch the complete dataset", updated, knownFields(sourceId));
  const hidden = hiddenBecause(dataset);
  if (hidden !== null) return tombstone(hidden, updated);
  if (!Object.hasOwn(dataset, "title") && !Object.hasOwn(dataset, "authors")) {
    return failed(
      "the response is incomplete: title and authors are missing; fetch the complete dataset from Dryad",
      updated,
      knownFields(sourceId),
    );
  }
  return readDataset(response, dataset, sourceId, updated, context);
}

/** States of datasets that the authors or Dryad withdrew. */
const GONE = new Set(["withdrawn", "retracted"]);
/** The states in which a dataset is public. */
const PUBLIC = new Set(["published", "embargoed"]);

/**
 * Explains why a dataset is not public; null if it is. For a hidden dataset, Dryad responds with status 200 and a
 * message.
 */
function hiddenBecause(dataset: Json): string | null {
  const message = asText(dataset.message);
  if (message !== null && !Object.hasOwn(dataset, "title")) return "Dryad answers that the dataset cannot be viewed";
  const status = asText(dataset.curationStatus);
  if (status === null || PUBLIC.has(status.toLowerCase())) return null;
  const isPublic = asText(dataset.visibility)?.toLowerCase() === "public" && !GONE.has(status.toLowerCase());
  return isPublic ? null : `curation status is ${displayText(status, 40)}`;
}

function readDataset(
  response: DryadResponse,
  dataset: Json,
  sourceId: string,
  updated: string | null,
  context: NormaliseOptions,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(dataset, errors, "none");
  const authors = readCreators(reader, vocabularies);
  const licence = licenceEvidence(reader, response, context);
  const access = accessEvidence(reader, context);
  const funding = readStatedFunding(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, response, vocabularies),
    ...authors.evidence,
    ...access,
    ...licence,
    ...fileEvidence(response, access, errors, context),
    ...funding.evidence,
    ...workEvidence(reader, vocabularies),
    ...useEvidence(reader),
    venue_stated: venue(reader, response),
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields: describe(dataset, licence, sourceId, context),
    evidence: settled(evidence, errors),
    errors,
    creators: authors.creators,
    facets: [],
    funding: funding.funding,
  };
}

function readStatedFunding(reader: Reader, { vocabularies }: NormaliseOptions): FundingRead {
  const funders = reader.list("funders", ["funder_count", "award_count"]);
  if (funders === null) return NO_FUNDING;
  return readFunding(
    funders.map((entry) => ({
      funder: asText(at(entry, "organization")),
      funderId: asText(at(entry, "identifier")),
      funderScheme: asText(at(entry, "identifierType")),
      awardNumber: asText(at(entry, "awardNumber")),
      awardTitle: asText(at(entry, "awardTitle")),
      awardUrl: firstText(at(entry, "awardURI"), at(entry, "awardURL")),
    })),
    vocabularies,
  );
}

/** Reads counts of use, which exist since about 2023. Dryad counts use itself, so zero means zero. */
function useEvidence(outer: Reader): Partial<Evidence> {
  const metrics = outer.has("metrics") ? outer.object("metrics", USE_COLUMNS) : null;
  if (metrics === null) return {};
  const reader = new Reader(metrics, outer.errors);
  return {
    view_count: reader.count("views", "view_count"),
    download_count: reader.count("downloads", "download_count"),
    citation_count: reader.count("citations", "citation_count"),
  };
}

const USE_COLUMNS = ["view_count", "download_count", "citation_count"] as const;

function venue(reader: Reader, { hasRights }: DryadResponse): boolean | null {
  const stated = firstText(reader.raw("relatedPublicationISSN"), reader.raw("relatedPublicationName"));
  return stated !== null || (hasRights ? false : null);
}

function describe(
  dataset: Json,
  licence: Pick<Evidence, "license_spdx" | "license_text">,
  sourceId: string,
  { vocabularies }: NormaliseOptions,
): RecordFields {
  const title = asText(dataset.title);
  const status = asText(dataset.curationStatus);
  const embargoed = status?.toLowerCase() === "embargoed";
  return {
    ...knownFields(sourceId),
    title: shownText(title, vocabularies),
    pubDate: readDate(asText(dataset.publicationDate)),
    accessStatus: embargoed ? status : (asText(dataset.visibility) ?? status),
    license: firstText(licence.license_spdx, licence.license_text),
    version: asText(dataset.versionNumber),
  };
}

function knownFields(sourceId: string): RecordFields {
  const doi = readDoi(sourceId);
  return bareFields({
    doi,
    repository: "Dryad",
    url: doi === null ? null : `https://datadryad.org/dataset/doi:${doi}`,
    recordKind: "dataset",
    versionFamily: ownFamily(doi, `dryad/${sourceId}`),
  });
}

/**
 * Reads the files of this version. Files that were removed are listed with the status "deleted", and do not count. An
 * embargoed dataset has an empty list, because its files are hidden.
 */
function fileEvidence(
  { files }: DryadResponse,
  { access_open }: Partial<Evidence>,
  errors: Set<EvidenceName>,
  { vocabularies }: NormaliseOptions,
): Partial<Evidence> {
  if (files === null) return {};
  const pages = files.map((page) => readPageFiles(page, errors));
  if (pages.includes(null)) return {};
  const listed = pages.flatMap((page) => page ?? []);
  const total = at(files[0], "total");
  const names = listed
    .filter((file) => asText(at(file, "status")) !== "deleted")
    .map((file) => asText(at(file, "path")))
    .filter((name) => name !== null);
  if (names.length === 0 && access_open === false) return {};
  return readPartialFiles(names, !(typeof total === "number" && total > listed.length), vocabularies);
}

/** Returns the files on a page. An empty page has no `_embedded`. An error instead of a page returns null. */
function readPageFiles(page: unknown, errors: Set<EvidenceName>): readonly unknown[] | null {
  const embedded = asObject(at(page, "_embedded"));
  if (embedded !== null) return new Reader(embedded, errors).list("stash:files", FILE_COLUMNS);
  return at(page, "total") === 0 ? [] : null;
}

const COLUMNS = ["creator_count", "person_creator_count", "creator_pid_count", "organization_pid_count"] as const;

/** Reads authors: given and family name, an ORCID iD, and an affiliation with the ROR id that Dryad found for it. */
function readCreators(reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const stated = reader.list("authors", COLUMNS);
  if (stated === null) return { creators: [], evidence: {} };
  const creators: Creator[] = [];
  const organisations = new Set<string>();
  for (const entry of stated) {
    const creator = readAuthor(entry, vocabularies);
    if (creator === null) continue;
    creators.push(creator);
    for (const { text, scheme } of ORGANISATION_KEYS.map(identifierIn(entry))) {
      const pid = readOrganisationPid(text, scheme);
      if (pid !== null) organisations.add(pid);
    }
  }
  return { creators, evidence: { ...creatorCounts(creators), organization_pid_count: organisations.size } };
}

/** Fields of an author that contain an identifier of the affiliation, and the scheme of each. */
const ORGANISATION_KEYS = [
  ["affiliationROR", "ROR"],
  ["affiliationISNI", "ISNI"],
] as const;

function identifierIn(entry: unknown) {
  return ([key, scheme]: (typeof ORGANISATION_KEYS)[number]): StatedIdentifier => ({
    text: asText(at(entry, key)),
    scheme,
  });
}

function readAuthor(entry: unknown, vocabularies: Vocabularies): Creator | null {
  const affiliation = at(entry, "affiliation");
  const text = typeof affiliation === "string" && affiliation.trim() !== "" ? affiliation : null;
  return readCreator(
    {
      name: null,
      given: asText(at(entry, "firstName")),
      family: asText(at(entry, "lastName")),
      type: null,
      orcid: readOrcid(asText(at(entry, "orcid"))),
      affiliations: text === null ? [] : [{ text, ...affiliationIds(...ORGANISATION_KEYS.map(identifierIn(entry))) }],
    },
    vocabularies,
  );
}

/**
 * Kinds of related works in Dryad. Since about 2020, a related work has a kind instead of a relation to the dataset.
 */
const WORK_TYPES = new Set([
  "article",
  "primary_article",
  "preprint",
  "dataset",
  "software",
  "supplemental_information",
  "data_management_plan",
  "undefined",
]);

/**
 * Counts related works. Until about 2020, Dryad had DataCite's relation for each work; since then it has the kind of work.
 */
function workEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const works = reader.list("relatedWorks", RELATION_COLUMNS);
  const version = asText(reader.raw("versionNumber")) !== null;
  // Dryad numbers every version, so a response without the number is incomplete.
  if (works === null) return { version_stated: version || null };
  const relations = works.flatMap(statedRelation);
  const { version: relation, ...counts } = countRelations(relations, vocabularies);
  // "article" does not state if the dataset cites the work or was made from it.
  const statesRelations = !relations.some(({ relatedType }) => relatedType !== null);
  const ifStated = (count: number) => (statesRelations ? count : count || null);
  return {
    ...counts,
    reference_count: ifStated(counts.reference_count),
    reference_pid_count: ifStated(counts.reference_pid_count),
    derivative_count: ifStated(counts.derivative_count),
    version_stated: version || relation || (reader.has("versionNumber") ? false : null),
  };
}

function statedRelation(entry: unknown): StatedRelation[] {
  const identifier = asText(at(entry, "identifier"));
  const relationship = asText(at(entry, "relationship"));
  if (identifier === null || relationship === null) return [];
  const relatedType = WORK_TYPES.has(relationship.toLowerCase()) ? relationship : null;
  // A work without a relation counts by its type.
  const type = relatedType === null ? relationship : "";
  return [{ type, relatedType, identifier, identifierType: asText(at(entry, "identifierType")) }];
}

const LEVEL_COLUMNS = ["access_declared", "access_open"] as const;

/**
 * Reads access: `status` distinguishes embargoed from published datasets, and `visibility` (since 2020) public from
 * restricted ones.
 */
function accessEvidence(reader: Reader, { asOf, vocabularies }: NormaliseOptions): Partial<Evidence> {
  const status = reader.text("curationStatus", [...LEVEL_COLUMNS, "embargo_active"])?.toLowerCase() ?? null;
  const visibility = reader.text("visibility", LEVEL_COLUMNS);
  if (status === null || visibility === null) return {};
  if (status === "embargoed") {
    const ends = firstText(reader.raw("embargoEndDate"), reader.raw("publicationDate"));
    return { access_declared: true, access_open: false, embargo_active: embargo(reader, ends, asOf, null) };
  }
  const level = visibility === "" ? (status === "published" ? "open" : null) : visibility;
  if (level === null) return { access_declared: reader.has("curationStatus") ? false : null };
  const read = level === "open" ? level : vocabularies.accessLevels.findLevel(level);
  if (read === null) {
    reader.fail(LEVEL_COLUMNS);
    return {};
  }
  const unstated = status === "" && read !== "open" ? null : false;
  const ends = asText(reader.raw("embargoEndDate"));
  return {
    access_declared: true,
    access_open: read === "open",
    embargo_active: embargo(reader, ends, asOf, unstated),
  };
}

function embargo(reader: Reader, ends: string | null, asOf: string, unstated: false | null): boolean | null {
  if (ends === null) return unstated;
  const date = readDate(ends);
  return date === null ? reader.fail(["embargo_active"]) : firstDay(date) > asOf;
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

function licenceEvidence(reader: Reader, { hasRights }: DryadResponse, { vocabularies }: NormaliseOptions) {
  const stated = reader.text("license", LICENCE_COLUMNS);
  const unknown = { license_text: null, license_spdx: null, license_permissive: null, license_open: null };
  if (stated === null || (stated === "" && !hasRights)) return unknown;
  return readLicence(stated === "" ? [] : [{ text: stated, spellings: [stated] }], vocabularies);
}

function textEvidence(reader: Reader, response: DryadResponse, vocabularies: Vocabularies): Partial<Evidence> {
  const methods = reader.text("methods", ["methods_length"]);
  return {
    ...terms(reader, response, vocabularies),
    place_count: places(reader, vocabularies),
    coverage_date_count: periods(reader, response, vocabularies),
    ethics_length: ethics(reader, response, vocabularies),
    description_length: description(reader, vocabularies),
    methods_length: textLength(methods, vocabularies),
  };
}

/** Counts keywords and subject terms. The field of science is a term of the OECD's classification. */
function terms(reader: Reader, { hasSubjects }: DryadResponse, vocabularies: Vocabularies): Partial<Evidence> {
  const keywords = reader.list("keywords", ["keyword_count"]);
  const field = reader.text("fieldOfScience", ["subject_count"]);
  const subjects = countTerms("subject_count", [field], vocabularies);
  const all = countTerms("keyword_count", [...(keywords ?? []).map(asText), field], vocabularies);
  return {
    keyword_count: keywords === null ? all || null : all,
    subject_count: field === null ? null : subjects || (hasSubjects ? 0 : null),
  };
}

/** Counts places: each name, point and box is one. */
function places(reader: Reader, { placeholders }: Vocabularies): number | null {
  const locations = reader.list("locations", ["place_count"]);
  if (locations === null) return null;
  return locations.flatMap((location) => {
    const name = asText(at(location, "place"));
    const point = firstText(at(location, "point", "latitude"), at(location, "point", "longitude"));
    const box = firstText(at(location, "box", "swLatitude"), at(location, "box", "neLatitude"));
    return [name !== null && placeholders.isPlaceholder(name, "any") ? null : name, point, box].filter(
      (stated) => stated !== null,
    );
  }).length;
}

/**
 * Counts time periods, which depositors describe in their own words. A period that looks like a date must be a valid
 * date.
 */
function periods(reader: Reader, { hasSubjects }: DryadResponse, { placeholders }: Vocabularies): number | null {
  const stated = reader.list("temporalCoverages", ["coverage_date_count"]);
  if (stated === null) return null;
  const words = stated.map(asText).filter((text) => text !== null && !placeholders.isPlaceholder(text, "any"));
  const read = words.filter((text) => !/^\d{4}-/.test(text ?? "") || readDate(text) !== null);
  if (read.length < words.length) reader.fail(["coverage_date_count"]);
  return read.length || (hasSubjects ? 0 : null);
}

/**
 * Returns the length of the statement on human subjects. For some time, Dryad returned the usage notes in this field, which
 * do not count.
 */
function ethics(reader: Reader, { hasSubjects }: DryadResponse, vocabularies: Vocabularies): number | null {
  if (reader.raw("hsiStatement") === true) return 1;
  if (reader.raw("hsiStatement") === false) return 0;
  const statement = reader.text("hsiStatement", ["ethics_length"]);
  if (statement === null || (statement === "" && !hasSubjects)) return null;
  if (statement !== "" && statement === asText(reader.raw("usageNotes"))) return null;
  return textLength(statement, vocabularies);
}

function description(reader: Reader, vocabularies: Vocabularies): number | null {
  const lengths = ["abstract", "usageNotes"].map((key) =>
    textLength(reader.text(key, ["description_length"]), vocabularies),
  );
  return lengths.includes(null)
    ? Math.max(...lengths.map((length) => length ?? 0)) || null
    : Math.max(...lengths.map(Number));
}

interface DryadResponse {
  /** The dataset: the response of `/datasets/{doi}`. Null if it is missing. */
  readonly dataset: Json | null;
  /** The pages of `/versions/{id}/files`; null if they were not requested. */
  readonly files: readonly unknown[] | null;
  /** False for responses of 2019, which had no licence, visibility, journal or date of modification. */
  readonly hasRights: boolean;
  /** True for responses since about 2022, which have the field of science and the statement on human subjects. */
  readonly hasSubjects: boolean;
}

function dryadResponse(payload: unknown): DryadResponse {
  const combined = asObject(at(payload, "dataset"));
  const dataset = combined ?? asObject(payload);
  const files = combined === null ? undefined : at(payload, "files");
  const has = (key: string) => dataset !== null && Object.hasOwn(dataset, key);
  return {
    dataset,
    files: files === undefined || files === null ? null : Array.isArray(files) ? asList(files) : [files],
    hasRights: has("storageSize") || has("license") || has("visibility"),
    hasSubjects: has("versionChanges") || has("fieldOfScience") || has("hsiStatement"),
  };
}
