/**
 * Reads a data package of EDI as a record and its evidence: its EML document, with PASTA's resource metadata (DOI,
 * date) and audit counts if the harvest requested them. An absent element counts as none, except elements that EML
 * introduced in version 2.2: an older document cannot carry them.
 */

import type { CapturedFacet, Creator, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { countRelations, FILE_COLUMNS, readFiles, readLicence, type StatedRelation } from "../../reading/evidence.ts";
import { type FundingRead, readFunding, type StatedFunding } from "../../reading/funding.ts";
import {
  identifiedIn,
  readDoi,
  readIsni,
  readOrcid,
  readOrganisationPid,
  readWebUrl,
} from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, failed, notDataset, settled, tombstone } from "../../reading/normalised.ts";
import { type CreatorsRead, contributorCounts, readCreator } from "../../reading/people.ts";
import { asObject, asText, at, firstText, type Json, oneOrMany, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { cleanText, displayText, readDate, readInstant, readXmlText, textLength } from "../../reading/text.ts";
import { withoutEnd } from "../../vocabularies/ends.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

const OTHER_KINDS = ["software", "citation", "protocol"];

export function normaliseEdi(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("EDI answers that the data package does not exist", null);
  const document = findDocument(payload);
  const resource = at(payload, "rmd", "resourceMetadata");
  // PASTA separates the time of day by a space, and states no zone.
  const updated = asText(at(resource, "dateCreated"))?.replace(" ", "T") ?? null;
  const other = OTHER_KINDS.find((kind) => document !== null && Object.hasOwn(document, kind));
  if (other !== undefined) return notDataset(`EML of a ${other}`, updated);
  const dataset = asObject(document?.dataset);
  if (document === null || dataset === null) {
    return failed(
      "the element dataset of the EML document is missing or empty; fetch the complete document",
      updated,
      knownFields(sourceId),
    );
  }
  return readRecord(document, dataset, payload, sourceId, updated, context);
}

/** Returns the EML document: the field `eml` of a harvested payload, or the payload itself. */
function findDocument(payload: unknown): Json | null {
  const outer = at(payload, "eml");
  return asObject(at(outer, "eml")) ?? asObject(outer);
}

function readRecord(
  document: Json,
  dataset: Json,
  payload: unknown,
  sourceId: string,
  updated: string | null,
  context: NormaliseOptions,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(dataset, errors, "none");
  const recent = isRecent(document);
  const people = readCreators(reader, vocabularies);
  const licence = readLicenceElement(reader, vocabularies);
  const funding = readStatedFunding(reader, recent, vocabularies);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, vocabularies),
    ...people.evidence,
    ...accessEvidence(document),
    ...licence,
    ...readFiles(fileNames(reader), vocabularies),
    ...useEvidence(payload, sourceId, errors),
    ...funding.evidence,
    ...relationEvidence(reader, recent, vocabularies),
    version_stated: /\.\d+$/.test(firstText(document["@packageId"], sourceId) ?? ""),
  };
  const fields: RecordFields = {
    ...describe(dataset, payload, sourceId, context),
    accessStatus: evidence.access_open === null ? null : evidence.access_open ? "public" : "restricted",
    license: firstText(licence.license_spdx, displayText(licence.license_text ?? "", 300)),
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields,
    evidence: settled(evidence, errors),
    errors,
    creators: people.creators,
    facets: readFacets(reader),
    funding: funding.funding,
  };
}

/** Returns whether the document uses EML 2.2 or later. The URL of the schema contains the version. */
function isRecent(document: Json): boolean {
  const version = /eml-2\.(\d+)/.exec(asText(document["@schemaLocation"]) ?? "")?.[1];
  return version !== undefined && Number(version) >= 2;
}

function fileNames(reader: Reader): string[] {
  return ENTITIES.flatMap((kind) => readElements(reader, kind, FILE_COLUMNS)).flatMap((entity) => {
    const names = allAt(entity, "physical", "objectName")
      .map(readXmlText)
      .filter((name) => name !== null);
    const entityName = readXmlText(entity.entityName);
    return names.length > 0 || entityName === null ? names : [entityName];
  });
}

function readFacets(reader: Reader): CapturedFacet[] {
  const kinds = ENTITIES.filter((kind) => readElements(reader, kind, []).length > 0);
  return kinds.map((value) => ({ kind: "dataType", value }));
}

function describe(dataset: Json, payload: unknown, sourceId: string, { vocabularies }: NormaliseOptions): RecordFields {
  const title = readXmlText(allAt(dataset, "title")[0]);
  const resource = at(payload, "rmd", "resourceMetadata");
  const known = title === null || vocabularies.placeholders.isPlaceholder(title, "any") ? null : displayText(title);
  return {
    ...knownFields(sourceId),
    doi: readDoi(asText(at(resource, "doi"))) ?? alternateDoi(dataset),
    title: known || null,
    pubDate: readDate(readXmlText(dataset.pubDate)) ?? readDate(asText(at(resource, "dateCreated"))),
    version: /\.(\d+)$/.exec(sourceId)?.[1] ?? null,
  };
}

function alternateDoi(dataset: Json): string | null {
  const identifiers = allAt(dataset, "alternateIdentifier").map((identifier) => readDoi(readXmlText(identifier)));
  return identifiers.find((doi) => doi !== null) ?? null;
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "EDI",
    url: `https://portal.edirepository.org/nis/mapbrowse?packageid=${encodeURIComponent(sourceId)}`,
    recordKind: "data package",
    versionFamily: `edi/${sourceId.replace(/(\.\d+)\.\d+$/, "$1")}`,
  });
}

/**
 * Reads counts of use without robots: reads of metadata are views, and reads of data are downloads. The response
 * contains all revisions, but only this revision counts.
 */
function useEvidence(payload: unknown, sourceId: string, errors: Set<EvidenceName>): Partial<Evidence> {
  const reads = at(payload, "reads", "resourceReads");
  if (reads === undefined) return {};
  const revision = sourceId.split(".").at(-1);
  const ofRevision = allAt(reads, "resource").filter((resource) => asText(at(resource, "revision")) === revision);
  return {
    view_count: total(ofRevision, "metadata", "view_count", errors),
    download_count: total(ofRevision, "data", "download_count", errors),
  };
}

function total(
  resources: readonly unknown[],
  type: string,
  column: "view_count" | "download_count",
  errors: Set<EvidenceName>,
): number {
  const counts = resources
    .filter((resource) => at(resource, "resourceType") === type)
    .map((resource) => new Reader(asObject(resource) ?? {}, errors).count("nonRobotReads", column) ?? 0);
  return Math.min(
    counts.reduce((sum, count) => sum + count, 0),
    2_147_483_647,
  );
}

const COLUMNS = ["funder_count", "award_count"] as const;

/** Number of characters of a text on funding that are read. */
const MAX_FUNDING_LENGTH = 10_000;

/**
 * Matches a word that may be an award number: capitals and digits, with hyphens inside, such as DEB-0823293, 1637396 or
 * P14AC00749.
 */
const WORD = /(?<![\p{L}\p{N}])[A-Z0-9]+(?:-[A-Z0-9]+)*(?![\p{L}\p{N}])/gu;
/** Matches URLs and DOIs. The numbers in them are not award numbers. */
const ADDRESS = /\bhttps?:\/\/\S+|\b10\.\d{4,9}\/\S+/gi;

/**
 * Reads funders and awards. Since EML 2.2, awards are elements. In older documents, funding is a text about the funder
 * that may contain award numbers; if the text contains none, the number of awards is unknown.
 */
function readStatedFunding(reader: Reader, recent: boolean, vocabularies: Vocabularies): FundingRead {
  const projects = readElements(reader, "project", COLUMNS);
  const all = [...projects, ...projects.flatMap((project) => allAt(project, "relatedProject"))];
  const awards = all.flatMap((project) => allAt(project, "award"));
  const texts = all.flatMap((project) => allAt(project, "funding")).map(readXmlText);
  const statements = texts.filter((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any"));
  const stated = awards.flatMap(statedFunding);
  const written = statements.flatMap((text) => awardNumbersIn(text ?? "")).map((awardNumber) => ({ awardNumber }));
  const { funder_count: named } = readFunding(stated, vocabularies).evidence;
  // One text names the funder if no element does.
  const words = named === 0 ? statements.slice(0, 1).map((text) => ({ funder: text })) : [];
  const read = readFunding([...stated, ...words, ...written], vocabularies);
  return recent ? read : { ...read, evidence: { ...read.evidence, award_count: read.evidence.award_count || null } };
}

/** Returns one entry for each number of an award, with the first funder of the award. */
function statedFunding(award: unknown): StatedFunding[] {
  const first = (name: string) => readXmlText(allAt(award, name)[0]);
  const numbers = allAt(award, "awardNumber").map(readXmlText);
  return (numbers.length === 0 ? [null] : numbers).map((awardNumber) => ({
    funder: first("funderName"),
    funderId: first("funderIdentifier"),
    awardNumber,
    awardTitle: first("title"),
    awardUrl: first("awardUrl"),
  }));
}

function awardNumbersIn(text: string): string[] {
  return (text.slice(0, MAX_FUNDING_LENGTH).replace(ADDRESS, " ").match(WORD) ?? []).filter(isAwardNumber);
}

/**
 * True for a word with five consecutive digits, or a code of letters and digits like those of US agencies: P14AC00749,
 * NNX14AB12G.
 */
function isAwardNumber(word: string): boolean {
  if (/\d{5}/.test(word)) return true;
  return word.split("-").some((part) => part.length >= 9 && /[A-Z]/.test(part) && part.replace(/\D/g, "").length >= 4);
}

/** Permissions that allow reading. */
const READING = new Set(["read", "write", "changepermission", "all"]);

/**
 * Reads the access rules of the document and of its data tables and files; rules of a table or file replace those of
 * the document (EML 2.2, eml-access). If the public may not read the document, a table or a file, access is limited.
 * Without rules, the access level is unknown.
 */
function accessEvidence(document: Json): Partial<Evidence> {
  const entities = ENTITIES.flatMap((kind) => allAt(document, "dataset", kind));
  const ofEntities = entities.flatMap((entity) => [
    ...allAt(entity, "access"),
    ...allAt(entity, "physical", "distribution", "access"),
  ]);
  const groups = [allAt(document, "access"), ...ofEntities.map((rule) => [rule])].filter((rules) => rules.length > 0);
  if (groups.length === 0) return { access_declared: false };
  const open = groups.every(
    (rules) =>
      rules.some((rule) => appliesToPublic(rule, "allow")) && !rules.some((rule) => appliesToPublic(rule, "deny")),
  );
  // EML has no embargo. Embargoed data are not readable by the public.
  return { access_declared: true, access_open: open, embargo_active: open ? false : null };
}

function appliesToPublic(rule: unknown, kind: "allow" | "deny"): boolean {
  return allAt(rule, kind).some(
    (entry) =>
      allAt(entry, "principal").some((principal) => asText(principal)?.toLowerCase() === "public") &&
      allAt(entry, "permission").some((permission) => READING.has(asText(permission)?.toLowerCase() ?? "")),
  );
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

/** Reads the licence: the element of EML 2.2, then the text on rights and the URLs in it. */
function readLicenceElement(reader: Reader, vocabularies: Vocabularies): ReturnType<typeof readLicence> {
  const stated = readElements(reader, "licensed", LICENCE_COLUMNS).map((licence) =>
    ["identifier", "url", "licenseName"].map((key) => readXmlText(licence[key])),
  );
  const rights = reader.raw("intellectualRights");
  const words = readXmlText(rights);
  const statements = [...stated, words === null ? [] : [words, ...addressesIn(rights, words)]].map((texts) =>
    texts.filter((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any")),
  );
  return readLicence(
    statements.flatMap((texts) => {
      const spellings = texts.filter((text) => text !== null);
      return spellings[0] === undefined ? [] : [{ text: cleanText(spellings[0]), spellings }];
    }),
    vocabularies,
  );
}

/** Returns the URLs in a text on rights, and those in the attributes of its links. */
function addressesIn(rights: unknown, words: string): string[] {
  const written = words.match(/https?:\/\/[^\s<>()[\]"']+/g) ?? [];
  const addresses = [...written, ...linksIn(rights)].map((address) => readWebUrl(withoutEnd(address, ".,;:")));
  return addresses.filter((address) => address !== null);
}

function linksIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(linksIn);
  return Object.entries(asObject(value) ?? {}).flatMap(([name, member]) =>
    name === "@url" && typeof member === "string" ? [member] : linksIn(member),
  );
}

/** Counts related works. `recent` is true for EML 2.2, which introduced cited literature and reference publications. */
function relationEvidence(reader: Reader, recent: boolean, vocabularies: Vocabularies): Partial<Evidence> {
  const cited = citedWorks(reader);
  const articles = readElements(reader, "referencePublication", ["publication_link_count", "related_identifier_count"]);
  const usages = readElements(reader, "usageCitation", ["related_identifier_count"]);
  const steps = readElements(reader, "methods", [
    "data_link_count",
    "linked_code_count",
    "related_identifier_count",
  ]).flatMap((methods) => allAt(methods, "methodStep"));
  const sources = steps.flatMap((step) => allAt(step, "dataSource"));
  const software = steps.flatMap((step) => [...allAt(step, "software"), ...allAt(step, "subStep", "software")]);
  const {
    derivative_count: _,
    version: __,
    ...counts
  } = countRelations(
    [
      ...articles.flatMap((article) => related(article, "IsDocumentedBy", "JournalArticle")),
      // The work uses the data. EML does not state its type.
      ...usages.flatMap((usage) => related(usage, "Other", "Other")),
      ...sources.flatMap((source) => related(source, "IsDerivedFrom", "Dataset")),
      ...software.flatMap((program) => related(program, "", "Software")),
      ...codeAddresses(reader, vocabularies),
    ],
    vocabularies,
  );
  const identified = identifiedIn(cited, vocabularies);
  const known = (count: number) => (count > 0 || recent ? count : null);
  return {
    ...counts,
    // A source without a URL still counts as a dataset.
    data_link_count: Math.max(counts.data_link_count, sources.length),
    reference_count: known(cited.length),
    reference_pid_count: known(identified),
    publication_link_count: known(counts.publication_link_count),
    related_identifier_count: known(counts.related_identifier_count + identified),
  };
}

/** Returns one text for each cited work, from a citation element or an entry of BibTeX. */
function citedWorks(reader: Reader): string[] {
  const literature = readElements(reader, "literatureCited", [
    "reference_count",
    "reference_pid_count",
    "related_identifier_count",
  ]);
  const entries = literature.flatMap((list) => allAt(list, "bibtex")).flatMap((text) => splitBibtex(readXmlText(text)));
  const elements = literature
    .flatMap((list) => allAt(list, "citation"))
    .flatMap((citation) => {
      const nested = allAt(citation, "bibtex");
      return nested.length > 0
        ? nested.flatMap((text) => splitBibtex(readXmlText(text)))
        : [readXmlText(citation) ?? ""];
    });
  return [...entries, ...elements].filter((text) => text !== "");
}

function splitBibtex(bibtex: string | null): string[] {
  return (bibtex ?? "").split(/(?=@\w+\s*\{)/).filter((entry) => entry.startsWith("@"));
}

function related(element: unknown, type: string, relatedType: string): StatedRelation[] {
  const stated = [
    ...allAt(element, "DOI"),
    ...allAt(element, "alternateIdentifier"),
    ...allAt(element, "distribution", "online", "url"),
    ...allAt(element, "implementation", "distribution", "online", "url"),
    ...allAt(element, "bibtex").map((text) => /\b10\.\d{4,9}\/[^\s{},"]+/.exec(readXmlText(text) ?? "")?.[0]),
  ].map((identifier) => asText(identifier) ?? readXmlText(identifier));
  const identifier = stated.find((text) => readDoi(text) !== null || readWebUrl(text) !== null);
  return identifier === undefined || identifier === null
    ? []
    : [{ type, relatedType, identifier, identifierType: null }];
}

/** Returns the URLs on code hosts at which the package offers more information. */
function codeAddresses(reader: Reader, vocabularies: Vocabularies): StatedRelation[] {
  const addresses = allAt(reader.raw("distribution"), "online", "url").map(readXmlText);
  return addresses.flatMap((identifier) => {
    if (identifier === null || readWebUrl(identifier) === null) return [];
    if (!vocabularies.codeHosts.isCodeHost(identifier)) return [];
    return [{ type: "", relatedType: "Software", identifier, identifierType: "URL" }];
  });
}

const CREATOR_COLUMNS = [
  "creator_count",
  "person_creator_count",
  "creator_pid_count",
  "organization_pid_count",
] as const;
const CONTRIBUTOR_COLUMNS = ["contributor_count", "contributor_role_count"] as const;

const ROLES = new Map([
  ["author", "Researcher"],
  ["contentprovider", "DataCollector"],
  ["custodiansteward", "DataManager"],
  ["metadataprovider", "DataCurator"],
  ["originator", "Producer"],
  ["owner", "RightsHolder"],
  ["pointofcontact", "ContactPerson"],
  ["principalinvestigator", "ProjectLeader"],
  ["coprincipalinvestigator", "ProjectLeader"],
  ["pi", "ProjectLeader"],
  ["copi", "ProjectLeader"],
  ["processor", "DataCurator"],
  ["publisher", "Distributor"],
]);

/** Reads the creators in their order. Also counts contributors, and the identifiers of people and organisations. */
function readCreators(reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const parties = readParties(reader);
  const stated = distinct(parties("creator", CREATOR_COLUMNS));
  const read = stated.map((party) => ({ party, people: readPartyCreators(party, vocabularies) }));
  const creators = read.flatMap(({ people }) => people);
  const personPids = read.flatMap(({ party, people }) => {
    const [first] = people;
    return first?.person && people.length === 1 ? [first.orcid ?? isniIn(party)] : [];
  });
  const organisationPids = stated.flatMap(readOrganisationPids);
  return {
    creators,
    evidence: {
      creator_count: creators.length,
      person_creator_count: creators.filter((creator) => creator.person).length,
      creator_pid_count: new Set(personPids.filter((pid) => pid !== null)).size,
      organization_pid_count: new Set(organisationPids).size,
      ...contributors(parties, creators, vocabularies),
    },
  };
}

type Parties = (name: string, columns: readonly EvidenceName[]) => Json[];

const PARTIES = ["creator", "contact", "associatedParty", "metadataProvider", "publisher"];

/**
 * Returns the people and organisations of a document, by element name. An entry that only refers to another entry by
 * its id is replaced by the other entry, but keeps its own role.
 */
function readParties(reader: Reader): Parties {
  const personnel = allAt(reader.raw("project"), "personnel")
    .map(asObject)
    .filter((party) => party !== null);
  const all = [...PARTIES.flatMap((name) => readElements(reader, name, [])), ...personnel];
  const byId = new Map(all.filter((party) => party.references === undefined).map((party) => [party["@id"], party]));
  return (name, columns) => {
    const stated = name === "personnel" ? personnel : readElements(reader, name, columns);
    return stated.flatMap((party) => {
      const target = party.references === undefined ? party : byId.get(readXmlText(party.references));
      return target === undefined ? [] : [{ ...target, role: party.role }];
    });
  };
}

function distinct(parties: readonly Json[]): Json[] {
  const seen = new Set<string>();
  return parties.filter((party) => {
    const id = asText(party["@id"]);
    if (id === null) return true;
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}

/** Returns the people of a creator element; without people, its organisation or position. */
function readPartyCreators(party: Json, vocabularies: Vocabularies): Creator[] {
  const organisation = readXmlText(allAt(party, "organizationName")[0]);
  const people = allAt(party, "individualName");
  const orcid = people.length === 1 ? orcidIn(party) : null;
  const country = readXmlText(at(allAt(party, "address")[0], "country"));
  const affiliations = organisation === null ? [] : [{ text: organisation, ror: null, country }];
  const read = people.map((name) => {
    const givenName = allAt(name, "givenName")
      .map(readXmlText)
      .filter((part) => part !== null)
      .join(" ");
    const family = readXmlText(at(name, "surName"));
    const stated = { name: null, given: givenName === "" ? null : givenName, family, type: "person", orcid } as const;
    return readCreator({ ...stated, affiliations }, vocabularies);
  });
  const named = read.filter((creator) => creator !== null);
  if (named.length > 0) return named;
  const name = organisation ?? readXmlText(allAt(party, "positionName")[0]);
  const nobody = { given: null, family: null, orcid: null, affiliations: [] };
  const body = readCreator({ ...nobody, name, type: "organisation" }, vocabularies);
  return body === null ? [] : [body];
}

function readIds(party: Json): { readonly text: string | null; readonly directory: string }[] {
  return allAt(party, "userId").map((id) => ({
    text: readXmlText(id),
    directory: (asText(at(id, "@directory")) ?? "").toLowerCase(),
  }));
}

function orcidIn(party: Json): string | null {
  const ids = readIds(party).filter(({ text, directory }) => /orcid/i.test(`${directory} ${text}`));
  return ids.map(({ text }) => readOrcid(text)).find((orcid) => orcid !== null) ?? null;
}

function isniIn(party: Json): string | null {
  const ids = readIds(party).filter(({ text, directory }) => /isni/i.test(`${directory} ${text}`));
  return ids.map(({ text }) => readIsni(text)).find((isni) => isni !== null) ?? null;
}

/** Returns the identifiers of organisations. If a person has a name and an ISNI, the ISNI is that of the person. */
function readOrganisationPids(party: Json): string[] {
  const isPerson = allAt(party, "individualName").length > 0;
  return readIds(party)
    .filter(({ text, directory }) => !(isPerson && /isni|orcid/i.test(`${directory} ${text}`)))
    .map(({ text, directory }) => readOrganisationPid(text, directory === "" ? null : directory))
    .filter((pid) => pid !== null);
}

/**
 * Counts contributors: associated people, project staff and contacts with a name who are not creators. A contact has no
 * role in the work. Contacts who are only a position belong to the research site.
 */
function contributors(parties: Parties, creators: readonly Creator[], vocabularies: Vocabularies): Partial<Evidence> {
  const contacts = parties("contact", CONTRIBUTOR_COLUMNS)
    .filter((party) => allAt(party, "individualName").length > 0)
    .map((party) => ({ ...party, role: null }));
  const stated = [...parties("associatedParty", CONTRIBUTOR_COLUMNS), ...parties("personnel", []), ...contacts];
  return contributorCounts(
    stated.flatMap((party) => {
      const role = readXmlText(party.role) ?? "";
      const word = ROLES.get(role.toLowerCase().replace(/[^a-z]/g, "")) ?? role;
      return readPartyCreators(party, vocabularies).map(({ name }) => ({ name, role: word }));
    }),
    creators,
    vocabularies,
  );
}

function textEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const coverages = readElements(reader, "coverage", ["place_count", "coverage_date_count"]);
  return {
    ...terms(reader, vocabularies),
    place_count: places(coverages, vocabularies),
    coverage_date_count: times(coverages, reader),
    description_length: description(reader, vocabularies),
    methods_length: methods(reader, vocabularies),
  };
}

/**
 * Counts keywords and subject terms. Keywords of a set with a thesaurus are subject terms, and so are semantic annotations
 * (EML 2.2).
 */
function terms(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const sets = readElements(reader, "keywordSet", ["keyword_count", "subject_count"]);
  const keywords = (set: Json) => allAt(set, "keyword").map(readXmlText);
  const schemed = sets.filter((set) => {
    const thesaurus = readXmlText(set.keywordThesaurus);
    return thesaurus !== null && !vocabularies.placeholders.isPlaceholder(thesaurus, "any");
  });
  const annotations = readElements(reader, "annotation", []).map((entry) => {
    const label = asText(at(entry.valueURI, "@label"));
    return asText(at(entry.valueURI, "#text")) === null ? null : label;
  });
  return {
    keyword_count: countTerms("keyword_count", [...sets.flatMap(keywords), ...annotations], vocabularies),
    subject_count: countTerms("subject_count", [...schemed.flatMap(keywords), ...annotations], vocabularies),
  };
}

const SHAPES = ["boundingCoordinates", "datasetGPolygon"];

/** Counts places: each description, box and polygon is one. */
function places(coverages: readonly Json[], vocabularies: Vocabularies): number {
  return coverages
    .flatMap((coverage) => allAt(coverage, "geographicCoverage"))
    .reduce<number>((sum, place) => {
      const named = countTerms("place_count", allAt(place, "geographicDescription").map(readXmlText), vocabularies);
      return sum + named + SHAPES.flatMap((shape) => allAt(place, shape).filter(isFilled)).length;
    }, 0);
}

function isFilled(shape: unknown): boolean {
  return asObject(shape) !== null && readXmlText(shape) !== null;
}

/** Counts dates: ranges by their start, and single dates. Geological dates count without being parsed. */
function times(coverages: readonly Json[], reader: Reader): number {
  const stated = coverages.flatMap((coverage) => allAt(coverage, "temporalCoverage"));
  const dates = stated.flatMap((time) => [
    ...allAt(time, "rangeOfDates", "beginDate"),
    ...allAt(time, "singleDateTime"),
  ]);
  const other = dates.filter((date) => readXmlText(at(date, "alternativeTimeScale")) !== null).length;
  const calendar = dates.map((date) => readXmlText(at(date, "calendarDate"))).filter((date) => date !== null);
  const read = calendar.filter((date) => readDate(date) !== null).length;
  if (read < calendar.length) reader.fail(["coverage_date_count"]);
  return read + other;
}

function description(reader: Reader, vocabularies: Vocabularies): number {
  const texts = ["abstract", "purpose", "introduction", "additionalInfo"].flatMap((name) => allAt(reader.raw(name)));
  return Math.max(0, ...texts.map((text) => textLength(readXmlText(text), vocabularies) ?? 0));
}

/** Matches sentences that PASTA writes itself, in the step that lists the sources of a package. */
const GENERATED = /provenance(?:-based)? metadata/i;

/** Returns the length of the texts on methods: all steps and the sampling, without the works and datasets in them. */
function methods(reader: Reader, vocabularies: Vocabularies): number {
  const methods = readElements(reader, "methods", ["methods_length"]);
  const steps = methods.flatMap((element) => allAt(element, "methodStep")).map(textOfStep);
  const sampling = methods.flatMap((element) => allAt(element, "sampling")).map(readXmlText);
  const control = methods.flatMap((element) => allAt(element, "qualityControl", "description")).map(readXmlText);
  const statements = [...steps, ...sampling, ...control].filter(
    (text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any"),
  );
  return textLength(statements.join(" "), vocabularies) ?? 0;
}

function textOfStep(step: unknown): string | null {
  const parts = ["description", "instrumentation", "subStep"].flatMap((name) => allAt(step, name));
  const hasSource = allAt(step, "dataSource").length > 0;
  const paragraphs = hasSource
    ? parts.flatMap(readParagraphs).filter((text) => !GENERATED.test(text))
    : parts.map(readXmlText);
  const statements = paragraphs.filter((text) => text !== null);
  return statements.length === 0 ? null : statements.join(" ");
}

function readParagraphs(part: unknown): string[] {
  const paragraphs = allAt(part, "para");
  return (paragraphs.length > 0 ? paragraphs : [part]).map(readXmlText).filter((text) => text !== null);
}

const ENTITIES = ["dataTable", "spatialRaster", "spatialVector", "storedProcedure", "view", "otherEntity"];

/** Returns the elements with this name. A missing element counts as empty, because a document is always complete. */
function readElements(reader: Reader, name: string, columns: readonly EvidenceName[]): Json[] {
  return oneOrMany(reader.raw(name)).flatMap((element) => {
    const object = asObject(element);
    if (object === null) reader.fail(columns);
    return object === null ? [] : [object];
  });
}

function allAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  return path.reduce<readonly unknown[]>(
    (elements, name) => elements.flatMap((element) => oneOrMany(asObject(element)?.[name])),
    oneOrMany(value),
  );
}
