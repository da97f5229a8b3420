/** Reads a ClinicalTrials.gov v2 study as a record and its evidence. */

import type { CapturedFacet, Creator, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { type FundingRead, PRIVATE_FUNDER, readFunding } from "../../reading/funding.ts";
import { isIdentifier } from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, counted, failed, settled, tombstone } from "../../reading/normalised.ts";
import { type CreatorsRead, readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { cleanLength, displayText, readDate, readInstant } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

export function normaliseClinicaltrials(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("ClinicalTrials.gov answers that the study does not exist", null);
  const protocol = asObject(at(payload, "protocolSection"));
  const status = at(protocol, "statusModule");
  const updated = firstText(at(status, "lastUpdatePostDateStruct", "date"), at(status, "lastUpdateSubmitDate"));
  if (protocol === null)
    return failed(
      "the response is incomplete: protocolSection is missing; fetch the complete study from ClinicalTrials.gov",
      updated,
      knownFields(sourceId),
    );
  if (at(status, "overallStatus") === "WITHHELD") return tombstone("the study is withheld by its sponsor", updated);
  const study = new TrialStudy(asObject(payload) ?? {}, isCompleteStudy(payload) ? "none" : "unknown");
  const people = readCreators(study, context.vocabularies);
  const funding = readStatedFunding(study, context.vocabularies);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...termEvidence(study, context),
    ...people.evidence,
    ...placeAndTime(study),
    ...textEvidence(study),
    ...accessEvidence(study),
    ...documentEvidence(study),
    ...funding.evidence,
    ...referenceEvidence(study, context.vocabularies),
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields: describe(protocol, sourceId),
    evidence: settled(evidence, study.errors),
    errors: study.errors,
    creators: people.creators,
    facets: readFacets(protocol),
    funding: funding.funding,
  };
}

/**
 * True if the response contains the complete study. The registry leaves out empty modules, but a request with selected
 * fields (`?fields=`) also leaves out others. Every complete study has `hasResults` and `miscInfoModule`.
 */
function isCompleteStudy(payload: unknown): boolean {
  return at(payload, "hasResults") !== undefined && at(payload, "derivedSection", "miscInfoModule") !== undefined;
}

/** Gives access to the modules of a study, which are in three sections. */
export class TrialStudy {
  readonly errors = new Set<EvidenceName>();
  readonly #payload: Json;
  readonly #omitted: "none" | "unknown";

  constructor(payload: Json, omitted: "none" | "unknown") {
    this.#payload = payload;
    this.#omitted = omitted;
  }

  module(section: "protocolSection" | "derivedSection" | "documentSection", name: string): Reader {
    const module = at(this.#payload, section, name) ?? {};
    // The keys of a module that is not an object are unknown.
    const omitted = asObject(module) === null ? "unknown" : this.#omitted;
    return new Reader(asObject(module) ?? {}, this.errors, omitted);
  }
}

/**
 * Counts keywords and subject terms. The sponsor's conditions and keywords are keywords. MeSH terms, which NLM derives from
 * them, are subject terms of a scheme.
 */
function termEvidence(study: TrialStudy, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const module = study.module("protocolSection", "conditionsModule");
  const words = ["conditions", "keywords"].map((key) => module.list(key, ["keyword_count"]));
  const subjects = ["conditionBrowseModule", "interventionBrowseModule"].map((name) =>
    study.module("derivedSection", name).list("meshes", ["subject_count"]),
  );
  const meshes = subjects.flatMap((list) => list ?? []).map((mesh) => asText(at(mesh, "term")));
  return {
    keyword_count: counted(
      countTerms("keyword_count", words.flatMap((list) => list ?? []).map(asText), vocabularies),
      words,
    ),
    subject_count: counted(countTerms("subject_count", meshes, vocabularies), subjects),
  };
}

function placeAndTime(study: TrialStudy): Partial<Evidence> {
  const locations = study.module("protocolSection", "contactsLocationsModule").list("locations", ["place_count"]);
  const countries = new Set(locations?.map((site) => asText(at(site, "country"))).filter((name) => name !== null));
  const status = study.module("protocolSection", "statusModule");
  const dates = ["startDateStruct", "completionDateStruct"].map((key) => {
    const stated = asText(at(status.object(key, ["coverage_date_count"]), "date"));
    if (stated !== null && readDate(stated) === null) status.fail(["coverage_date_count"]);
    return readDate(stated);
  });
  const carried = status.has("startDateStruct") || status.has("completionDateStruct") || status.list("-", []) !== null;
  return {
    place_count: locations === null ? null : countries.size,
    coverage_date_count: carried ? dates.filter((date) => date !== null).length : null,
  };
}

function textEvidence(study: TrialStudy): Partial<Evidence> {
  const description = study.module("protocolSection", "descriptionModule");
  const length = (text: string | null) => (text === null ? null : cleanLength(text));
  return {
    description_length: length(description.text("briefSummary", ["description_length"])),
    methods_length: length(description.text("detailedDescription", ["methods_length"])),
  };
}

/** Reads access from the plan for sharing participant data. "Undecided" does not say anything about access. */
function accessEvidence(study: TrialStudy): Partial<Evidence> {
  const sharing = study.module("protocolSection", "ipdSharingStatementModule").text("ipdSharing", ["access_declared"]);
  return { access_declared: sharing === null ? null : sharing === "YES" || sharing === "NO" };
}

/** Reads the documents that are posted with the study: protocol, analysis plan and consent form. */
function documentEvidence(study: TrialStudy): Partial<Evidence> {
  const documents = study
    .module("documentSection", "largeDocumentModule")
    .list("largeDocs", ["file_count", "documentation_file_count", "ethics_length"]);
  if (documents === null) return {};
  const has = (key: string) => documents.filter((document) => at(document, key) === true).length;
  const described = documents.filter(
    (document) => at(document, "hasProtocol") === true || at(document, "hasSap") === true,
  );
  return { file_count: documents.length, documentation_file_count: described.length, ethics_length: has("hasIcf") };
}

const GRANT_TYPES = new Set(["NIH", "FDA", "SAMHSA", "AHRQ", "OTHER_GRANT"]);

/** Reads the sponsor and collaborators as funders, and the secondary ids of grants as awards. */
function readStatedFunding(study: TrialStudy, vocabularies: Vocabularies): FundingRead {
  const ids = study.module("protocolSection", "identificationModule").list("secondaryIdInfos", ["award_count"]);
  const { sponsor, collaborators } = statedPeople(study);
  const sponsors = [sponsor, ...(collaborators ?? [])]
    .map((each) => organisation(each, vocabularies))
    .filter((each) => each !== null);
  const awards = (ids ?? [])
    .filter((id) => GRANT_TYPES.has(asText(at(id, "type")) ?? ""))
    .map((id) => ({ awardNumber: asText(at(id, "id")), awardUrl: asText(at(id, "link")) }));
  const funders = sponsors.filter(({ person }) => !person).map(({ name }) => ({ funder: name }));
  const read = readFunding([...funders, ...awards.filter(({ awardNumber }) => awardNumber !== null)], vocabularies);
  const people = sponsors.filter(({ person }) => person).map(() => PRIVATE_FUNDER);
  return {
    funding: [...read.funding, ...people],
    evidence: {
      funder_count: counted((read.evidence.funder_count ?? 0) + people.length, [sponsor, collaborators]),
      award_count: ids === null ? null : read.evidence.award_count,
    },
  };
}

/** Returns the facets of a study in the registry's own terms: conditions, standard ages and study type. */
function readFacets(protocol: Json): CapturedFacet[] {
  const facet = (kind: CapturedFacet["kind"], values: readonly unknown[]) =>
    values.flatMap((value) => {
      const text = asText(value);
      return text === null ? [] : [{ kind, value: displayText(text, 256) }];
    });
  return [
    ...facet("disease", asList(at(protocol, "conditionsModule", "conditions"))),
    ...facet("ageGroup", asList(at(protocol, "eligibilityModule", "stdAges"))),
    ...facet("dataType", [at(protocol, "designModule", "studyType")]),
  ];
}

function describe(protocol: Json, sourceId: string): RecordFields {
  const identification = at(protocol, "identificationModule");
  const status = at(protocol, "statusModule");
  const title = firstText(at(identification, "briefTitle"), at(identification, "officialTitle"));
  return {
    ...knownFields(sourceId),
    title: title === null ? null : displayText(title),
    pubDate: readDate(firstText(at(status, "studyFirstPostDateStruct", "date"), at(status, "studyFirstSubmitDate"))),
    recordKind: "trial",
    accessStatus: asText(at(protocol, "ipdSharingStatementModule", "ipdSharing")),
  };
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "ClinicalTrials.gov",
    url: `https://clinicaltrials.gov/study/${sourceId}`,
    versionFamily: `clinicaltrials/${sourceId}`,
  });
}

const CREATOR_COLUMNS = ["creator_count", "person_creator_count"] as const;
const CONTRIBUTOR_COLUMNS = ["contributor_count", "contributor_role_count"] as const;

/** The two modules of a study that contain people. Each is null if the response does not have it. */
interface StatedPeople {
  readonly responsible: Json | null;
  readonly sponsor: Json | null;
  readonly collaborators: readonly unknown[] | null;
  readonly officials: readonly unknown[] | null;
}

/**
 * Reads creators: the responsible and the principal investigators, or the lead sponsor if there are none. Other sponsors,
 * collaborators, chairs and directors are contributors.
 */
function readCreators(study: TrialStudy, vocabularies: Vocabularies): CreatorsRead {
  const stated = statedPeople(study);
  const { responsible, officials } = stated;
  const principal = (officials ?? []).filter((official) => at(official, "role") === "PRINCIPAL_INVESTIGATOR");
  const investigators = distinct(
    [
      person(at(responsible, "investigatorFullName"), at(responsible, "investigatorAffiliation"), vocabularies),
      ...principal.map((official) => person(at(official, "name"), at(official, "affiliation"), vocabularies)),
    ].filter((creator) => creator !== null),
    vocabularies,
  );
  const sponsor = organisation(stated.sponsor, vocabularies);
  const creators = investigators.length > 0 ? investigators : sponsor === null ? [] : [sponsor];
  return { creators, evidence: readPeopleEvidence(stated, creators, sponsor, vocabularies) };
}

function statedPeople(study: TrialStudy): StatedPeople {
  const sponsors = study.module("protocolSection", "sponsorCollaboratorsModule");
  const contacts = study.module("protocolSection", "contactsLocationsModule");
  return {
    responsible: sponsors.object("responsibleParty", CREATOR_COLUMNS),
    sponsor: sponsors.object("leadSponsor", [...CREATOR_COLUMNS, ...CONTRIBUTOR_COLUMNS, "funder_count"]),
    collaborators: sponsors.list("collaborators", [...CONTRIBUTOR_COLUMNS, "funder_count"]),
    officials: contacts.list("overallOfficials", [...CREATOR_COLUMNS, ...CONTRIBUTOR_COLUMNS]),
  };
}

function readPeopleEvidence(
  stated: StatedPeople,
  creators: readonly Creator[],
  sponsor: Creator | null,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const collaborators = (stated.collaborators ?? [])
    .map((collaborator) => organisation(collaborator, vocabularies))
    .filter((collaborator) => collaborator !== null);
  const others = (stated.officials ?? []).filter(
    (official) =>
      at(official, "role") !== "PRINCIPAL_INVESTIGATOR" && person(at(official, "name"), null, vocabularies) !== null,
  );
  const sponsorApart = sponsor !== null && !creators.includes(sponsor) ? 1 : 0;
  const inRole = others.filter((official) => vocabularies.roles.counts(asText(at(official, "role")) ?? ""));
  const creatorsFrom = [stated.responsible, stated.sponsor, stated.officials];
  const contributorsFrom = [stated.sponsor, stated.collaborators, stated.officials];
  return {
    creator_count: counted(creators.length, creatorsFrom),
    person_creator_count: counted(creators.filter((creator) => creator.person).length, creatorsFrom),
    contributor_count: counted(sponsorApart + collaborators.length + others.length, contributorsFrom),
    contributor_role_count: counted(sponsorApart + collaborators.length + inRole.length, contributorsFrom),
  };
}

function person(name: unknown, affiliation: unknown, vocabularies: Vocabularies): Creator | null {
  const text = typeof affiliation === "string" && affiliation.trim() !== "" ? affiliation : null;
  return readCreator(
    {
      name: asText(name),
      given: null,
      family: null,
      type: "person",
      orcid: null,
      affiliations: text === null ? [] : [{ text, ror: null }],
    },
    vocabularies,
  );
}

/** Returns a sponsor as a creator: an organisation, or one person if its class is INDIV. */
function organisation(sponsor: unknown, vocabularies: Vocabularies): Creator | null {
  const type = at(sponsor, "class") === "INDIV" ? "person" : "organisation";
  return readCreator(
    { name: asText(at(sponsor, "name")), given: null, family: null, type, orcid: null, affiliations: [] },
    vocabularies,
  );
}

/** Removes repeated creators, because the responsible party is usually also among the officials. */
function distinct(creators: readonly Creator[], vocabularies: Vocabularies): Creator[] {
  const byName = new Map<string, Creator>();
  for (const creator of creators) {
    const key = vocabularies.names.foldName(creator.name);
    if (!byName.has(key)) byName.set(key, creator);
  }
  return [...byName.values()];
}

/** Types of references to articles from the trial. References of type BACKGROUND are works that the trial cites. */
const PUBLICATION_TYPES = new Set(["RESULT", "DERIVED"]);

function referenceEvidence(study: TrialStudy, vocabularies: Vocabularies): Partial<Evidence> {
  const module = study.module("protocolSection", "referencesModule");
  const references = module.list("references", [
    "reference_count",
    "reference_pid_count",
    "publication_link_count",
    "related_identifier_count",
  ]);
  const shared = module.list("availIpds", ["data_link_count", "related_identifier_count"]);
  const stated = (references ?? []).filter((entry) => firstText(at(entry, "pmid"), at(entry, "citation")) !== null);
  const withPid = stated.filter((entry) => isIdentifier(asText(at(entry, "pmid")), "pmid"));
  for (const entry of stated)
    vocabularies.note?.(
      "reference_pid_count",
      firstText(at(entry, "citation"), at(entry, "pmid")) ?? "",
      withPid.includes(entry),
    );
  const articles = stated.filter((entry) => PUBLICATION_TYPES.has(asText(at(entry, "type")) ?? ""));
  const data = (shared ?? []).filter((entry) => {
    const id = firstText(at(entry, "id"), at(entry, "url"));
    return id !== null && !vocabularies.placeholders.isPlaceholder(id, "any");
  });
  return {
    ...(references === null
      ? {}
      : {
          reference_count: stated.length,
          reference_pid_count: withPid.length,
          publication_link_count: articles.length,
        }),
    data_link_count: shared === null ? null : data.length,
    related_identifier_count: counted(withPid.length + data.length, [references, shared]),
  };
}
