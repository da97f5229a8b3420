/**
 * Reads a research product of the OpenAIRE Graph (`results[]` of /graph/v2/researchProducts) as a record and its evidence.
 * OpenAIRE merges what several sources say about one product. Null means "none" for titles, authors, descriptions,
 * subjects, instances and access rights, which all sources fill. For other keys, null means unknown, because only some
 * sources fill them.
 */

import type { Creator, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { type LicenceStatement, readLicence } from "../../reading/evidence.ts";
import { type FundingRead, NO_FUNDING, readFunding, type StatedFunding } from "../../reading/funding.ts";
import { readDoi, readIsni, readOrcid, readOrganisationPid } from "../../reading/identifiers.ts";
import { md5 } from "../../reading/md5.ts";
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
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { displayText, firstDay, readDate, readInstant, textLength } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

export function normaliseOpenaire(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("OpenAIRE answers that the product does not exist", null);
  const stated = asObject(payload);
  if (stated === null)
    return failed(
      "the response is not a research product of OpenAIRE; fetch the complete product",
      null,
      knownFields(sourceId),
    );
  const product = modernised(stated);
  const updated = readUpdated(product);
  if (at(product, "dataInfo", "deletedbyinference") === true) {
    return tombstone("OpenAIRE has merged the product into another", updated);
  }
  const type = asText(product.type);
  if (type === null)
    return failed(
      "the response is incomplete: type is missing; fetch the complete product from OpenAIRE",
      updated,
      knownFields(sourceId),
    );
  if (type.toLowerCase() !== "dataset") return notDataset(`product type ${displayText(type, 80)}`, updated);
  return readRecord(product, sourceId, updated, context);
}

/**
 * Returns the time of the last update (given in milliseconds since 1970), or the time at which OpenAIRE collected the
 * record.
 */
function readUpdated(product: Json): string | null {
  const stamp = product.lastUpdateTimeStamp;
  // The largest time of a date (ECMAScript, TimeClip).
  if (typeof stamp === "number" && stamp > 0 && stamp <= 8.64e15) return new Date(stamp).toISOString();
  return readInstant(asText(product.dateOfCollection));
}

function readRecord(product: Json, sourceId: string, updated: string | null, context: NormaliseOptions): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(product, errors);
  const creators = readCreators(reader, vocabularies);
  const doi = doiOfProduct(product, sourceId);
  const access = readAccess(reader, doi, context);
  const funding = readStatedFunding(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, creators?.list ?? [], vocabularies),
    ...creatorEvidence(creators),
    ...organisationEvidence(reader),
    ...access.evidence,
    ...formatEvidence(reader, context),
    ...useEvidence(reader, errors),
    ...funding.evidence,
  };
  const fields: RecordFields = {
    ...describe(product, doi, sourceId, context),
    accessStatus: access.statement,
    license: firstText(evidence.license_spdx, displayText(evidence.license_text ?? "", 300)),
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

/**
 * Returns the DOI of a product. A merged product lists the DOIs of all its versions; the id contains the MD5 of the right
 * one (documentation of the Graph, "PIDs and identifiers").
 */
function doiOfProduct(product: Json, sourceId: string): string | null {
  const stated = asList(product.pids).filter((pid) => asText(at(pid, "scheme"))?.toLowerCase() === "doi");
  const dois = stated.map((pid) => readDoi(asText(at(pid, "value")))).filter((doi) => doi !== null);
  const named = dois.find((doi) => sourceId.endsWith(`::${md5(doi)}`));
  return named ?? dois[0] ?? null;
}

function formatEvidence(reader: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const formats = partlyMapped(reader, "formats", ["open_format_file_count"]);
  if (formats === null) return {};
  const open = formats.filter((format) => vocabularies.fileKinds.isOpenMedia(asText(format) ?? ""));
  return { open_format_file_count: open.length };
}

/**
 * Reads counts of use. Only some repositories report views and downloads, so 0 means unknown. Citations are counted in the
 * whole graph, so 0 means none.
 */
function useEvidence(reader: Reader, errors: Set<EvidenceName>): Partial<Evidence> {
  const indicators = reader.object("indicators", ["view_count", "download_count", "citation_count"]);
  const use = new Reader(asObject(indicators?.usageCounts) ?? {}, errors);
  const impact = new Reader(asObject(indicators?.citationImpact) ?? {}, errors);
  return {
    view_count: use.count("views", "view_count") || null,
    download_count: use.count("downloads", "download_count") || null,
    citation_count: impact.count("citationCount", "citation_count"),
  };
}

/** The name that OpenAIRE gives to an unknown project. */
const UNIDENTIFIED = "unidentified";

function readStatedFunding(reader: Reader, { vocabularies }: NormaliseOptions): FundingRead {
  const projects = partlyMapped(reader, "projects", ["funder_count", "award_count"]);
  return projects === null ? NO_FUNDING : readFunding(projects.flatMap(statedFunding), vocabularies);
}

/** Returns one entry for each funder of a project. OpenAIRE writes funders as an object, a text, or a list. */
function statedFunding(project: unknown): StatedFunding[] {
  const funders = [at(project, "funder"), at(project, "funding"), ...asList(at(project, "fundings"))]
    .map((funder) => firstText(at(funder, "shortName"), at(funder, "name"), funder))
    .filter((funder) => funder !== null);
  const known = (text: string | null) => (text?.toLowerCase() === UNIDENTIFIED ? null : text);
  const award = {
    awardNumber: known(asText(at(project, "code"))),
    awardTitle: known(firstText(at(project, "title"), at(project, "acronym"))),
    awardUrl: asText(at(project, "websiteUrl")),
  };
  return funders.length === 0 ? [award] : [...new Set(funders)].map((funder) => ({ ...award, funder }));
}

function describe(
  product: Json,
  doi: string | null,
  sourceId: string,
  { vocabularies }: NormaliseOptions,
): RecordFields {
  const safe = (text: string | null) =>
    text === null || vocabularies.placeholders.isPlaceholder(text, "any") ? null : displayText(text) || null;
  return {
    ...knownFields(sourceId),
    doi,
    title: safe(asText(product.mainTitle)),
    pubDate: readDate(asText(product.publicationDate)),
    recordKind: "research product",
    version: safe(asText(product.version)),
    versionFamily: ownFamily(doi, `openaire/${sourceId}`),
  };
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "OpenAIRE",
    url: `https://explore.openaire.eu/search/dataset?datasetId=${encodeURIComponent(sourceId)}`,
    versionFamily: `openaire/${sourceId}`,
  });
}

interface OpenaireAccess {
  readonly evidence: Partial<Evidence>;
  readonly statement: string | null;
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

/** Reads licence and access. `doi` is the DOI of the record; instances with this DOI come first. */
function readAccess(reader: Reader, doi: string | null, { asOf, vocabularies }: NormaliseOptions): OpenaireAccess {
  const instances = reader.list("instances", LICENCE_COLUMNS);
  const right = reader.object("bestAccessRight", ["access_declared", "access_open"]);
  const label = asText(right?.label);
  const findLevel = (text: string | null) => (text === null ? null : vocabularies.accessLevels.findLevel(text));
  const level = findLevel(label) ?? findLevel(coarAddress(asText(right?.code)));
  return {
    evidence: {
      ...(instances === null ? {} : readLicence(readLicenceStatements(instances, doi, vocabularies), vocabularies)),
      access_declared: right === null ? null : level !== null,
      access_open: level === null ? null : level === "open",
      embargo_active: embargo(reader, level, asOf),
    },
    statement: level === null || label === null ? null : displayText(label, 80),
  };
}

/** Returns the COAR URL of an access code, such as c_abf2 for open access. */
function coarAddress(code: string | null): string | null {
  return code === null ? null : `http://purl.org/coar/access_right/${code}`;
}

function embargo(reader: Reader, level: string | null, asOf: string): boolean | null {
  const stated = reader.text("embargoEndDate", ["embargo_active"]);
  if (stated !== null && stated !== "") {
    const date = readDate(stated);
    return date === null ? reader.fail(["embargo_active"]) : firstDay(date) > asOf;
  }
  return level === "open" ? false : null;
}

function readLicenceStatements(
  instances: readonly unknown[],
  doi: string | null,
  vocabularies: Vocabularies,
): LicenceStatement[] {
  const stated = instances.map((instance) => modernised(asObject(instance) ?? {}));
  const ofThisDoi = stated.filter((instance) =>
    asList(instance.pids).some((pid) => readDoi(asText(at(pid, "value"))) === doi),
  );
  // Old responses state an access level in place of the licence.
  const isLicence = (text: string) =>
    !vocabularies.placeholders.isPlaceholder(text, "any") && vocabularies.accessLevels.findLevel(text) === null;
  const readTexts = (some: readonly Json[]) =>
    some
      .map((instance) => firstText(instance.license, at(instance.license, "value")))
      .filter((text) => text !== null)
      .filter(isLicence);
  const textsOfThisDoi = readTexts(ofThisDoi);
  return (textsOfThisDoi.length > 0 ? textsOfThisDoi : readTexts(stated)).map((text) => ({ text, spellings: [text] }));
}

interface Creators {
  readonly list: readonly Creator[];
  readonly personPids: ReadonlySet<string>;
}

const CREATOR_COLUMNS = ["creator_count", "person_creator_count", "creator_pid_count"] as const;

/** Returns the authors in their order; null if they cannot be read. */
function readCreators(reader: Reader, vocabularies: Vocabularies): Creators | null {
  const stated = reader.list("authors", CREATOR_COLUMNS);
  if (stated === null) return null;
  const list: Creator[] = [];
  const personPids = new Set<string>();
  for (const entry of stated) {
    const author = modernised(asObject(entry) ?? {});
    const { orcid, isni } = readPids(author);
    const creator = readCreator(
      {
        name: asText(author.fullName),
        given: asText(author.name),
        family: asText(author.surname),
        type: null,
        orcid,
        affiliations: [],
      },
      vocabularies,
    );
    if (creator === null) continue;
    list.push(creator);
    const pid = creator.person ? (orcid ?? isni) : null;
    if (pid !== null) personPids.add(pid);
  }
  return { list, personPids };
}

/** Returns the identifiers of an author. An `orcid_pending` is not confirmed, but counts as an iD. */
function readPids(author: unknown): { readonly orcid: string | null; readonly isni: string | null } {
  const stated = at(author, "pid") ?? at(author, "pids");
  const ids = (Array.isArray(stated) ? asList(stated) : [stated]).map((pid) => at(pid, "id") ?? pid);
  const idUnder = (scheme: string) =>
    asText(
      at(
        ids.find((id) => asText(at(id, "scheme"))?.toLowerCase().startsWith(scheme)),
        "value",
      ),
    );
  return { orcid: readOrcid(idUnder("orcid")), isni: readIsni(idUnder("isni")) };
}

function creatorEvidence(creators: Creators | null): Partial<Evidence> {
  if (creators === null) return {};
  return {
    creator_count: creators.list.length,
    person_creator_count: creators.list.filter((creator) => creator.person).length,
    creator_pid_count: creators.personPids.size,
  };
}

/** Counts organisations with an identifier. If the response lacks identifiers, the number is unknown. */
function organisationEvidence(reader: Reader): Partial<Evidence> {
  const organisations = partlyMapped(reader, "organizations", ["organization_pid_count"]);
  if (organisations === null) return {};
  const identified = organisations.filter((organisation) => asList(at(organisation, "pids")).some(isOrganisationPid));
  const carried = organisations.every((organisation) => Array.isArray(at(organisation, "pids")));
  return { organization_pid_count: identified.length > 0 || carried ? identified.length : null };
}

function isOrganisationPid(pid: unknown): boolean {
  return readOrganisationPid(asText(at(pid, "value")), asText(at(pid, "scheme"))) !== null;
}

function textEvidence(reader: Reader, creators: readonly Creator[], vocabularies: Vocabularies): Partial<Evidence> {
  return {
    ...terms(reader, vocabularies),
    contributor_count: contributors(reader, creators, vocabularies),
    place_count: places(reader),
    description_length: description(reader, vocabularies),
    version_stated: version(reader, vocabularies),
    venue_stated: venue(reader, vocabularies),
  };
}

/** Kinds of subjects that OpenAIRE assigns itself: fields of science and development goals. */
const CLASSIFIED = new Set(["fos", "sdg"]);

function terms(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const list = reader.list("subjects", ["keyword_count", "subject_count"]);
  if (list === null) return {};
  const stated = list.filter((entry) => !CLASSIFIED.has(readScheme(entry)) && !isInferred(entry));
  const term = (entry: unknown) => firstText(at(entry, "subject", "value"), at(entry, "value"), entry);
  const schemed = stated.filter((entry) => !["", "keyword", "unknown"].includes(readScheme(entry)));
  return {
    keyword_count: countTerms("keyword_count", stated.map(term), vocabularies),
    subject_count: countTerms("subject_count", schemed.map(term), vocabularies),
  };
}

function readScheme(entry: unknown): string {
  return firstText(at(entry, "subject", "scheme"), at(entry, "scheme"))?.toLowerCase() ?? "";
}

function isInferred(entry: unknown): boolean {
  return /^inferred/i.test(firstText(at(entry, "provenance", "provenance"), at(entry, "provenance")) ?? "");
}

/** Counts contributors. OpenAIRE does not preserve their roles. */
function contributors(reader: Reader, creators: readonly Creator[], vocabularies: Vocabularies): number | null {
  const stated = partlyMapped(reader, "contributors", ["contributor_count"])?.map((entry) => ({
    name: firstText(entry, at(entry, "fullName"), at(entry, "name")),
    role: null,
  }));
  return stated === undefined ? null : contributorCounts(stated, creators, vocabularies).contributor_count;
}

const PLACES = ["place", "point", "box"];

function places(reader: Reader): number | null {
  const list = partlyMapped(reader, "geoLocations", ["place_count"]);
  return list?.flatMap((entry) => PLACES.filter((key) => asText(at(entry, key)) !== null)).length ?? null;
}

function description(reader: Reader, vocabularies: Vocabularies): number | null {
  const list = reader.list("descriptions", ["description_length"]);
  if (list === null) return null;
  const lengths = list.map((entry) => textLength(firstText(entry, at(entry, "value")) ?? "", vocabularies) ?? 0);
  return Math.max(0, ...lengths);
}

/** Returns whether a product has a version. OpenAIRE writes "None" if there is no version. */
function version(reader: Reader, vocabularies: Vocabularies): boolean | null {
  const stated = reader.text("version", ["version_stated"]);
  return stated === null || stated === "" ? null : !vocabularies.placeholders.isPlaceholder(stated, "any");
}

function venue(reader: Reader, vocabularies: Vocabularies): boolean | null {
  const container = reader.object("container", ["venue_stated"]);
  if (container === null || Object.keys(container).length === 0) return null;
  const name = asText(container.name);
  return name !== null && !vocabularies.placeholders.isPlaceholder(name, "any");
}

/** Old names of keys, with the present names. */
const RENAMED = new Map([
  ["author", "authors"],
  ["contributor", "contributors"],
  ["description", "descriptions"],
  ["format", "formats"],
  ["instance", "instances"],
  ["pid", "pids"],
  ["subject", "subjects"],
  ["maintitle", "mainTitle"],
  ["bestaccessright", "bestAccessRight"],
  ["publicationdate", "publicationDate"],
  ["embargoenddate", "embargoEndDate"],
  ["geolocation", "geoLocations"],
  ["geoLocation", "geoLocations"],
  ["lastupdatetimestamp", "lastUpdateTimeStamp"],
  ["dateofcollection", "dateOfCollection"],
  ["accessright", "accessRight"],
  ["fullname", "fullName"],
]);

/** Returns the product with present names of keys. If a key exists under both names, the present one counts. */
function modernised(product: Json): Json {
  const entries = Object.entries(product).filter(([key]) => {
    const today = RENAMED.get(key);
    return today === undefined || !Object.hasOwn(product, today);
  });
  return Object.fromEntries(entries.map(([key, value]) => [RENAMED.get(key) ?? key, value]));
}

/**
 * Reads a list that only some sources of OpenAIRE fill. Null or [] can mean that the depositor left it empty, or that
 * OpenAIRE dropped it, so both mean unknown.
 */
function partlyMapped(reader: Reader, key: string, columns: readonly EvidenceName[]): readonly unknown[] | null {
  const list = reader.list(key, columns);
  return list === null || list.length === 0 ? null : list;
}
