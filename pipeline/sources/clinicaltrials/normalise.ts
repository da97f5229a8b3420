/** A ClinicalTrials.gov v2 study as a record and its evidence. */

import type { Facet, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, instantOf } from "../../reading/dates.ts";
import { bareFields, blankEvidence, counted, failed, settled, tombstone } from "../../reading/normalised.ts";
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/terms.ts";
import { cleanLength, displayText } from "../../reading/text.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { readCreators } from "./creators.ts";
import { referenceEvidence } from "./references.ts";

export function normaliseClinicaltrials(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("ClinicalTrials.gov answers that the study does not exist", null);
  const protocol = asObject(at(payload, "protocolSection"));
  const status = at(protocol, "statusModule");
  const updated = firstText(at(status, "lastUpdatePostDateStruct", "date"), at(status, "lastUpdateSubmitDate"));
  if (protocol === null) return failed("the study has no protocolSection", updated, knownFields(sourceId));
  if (at(status, "overallStatus") === "WITHHELD") return tombstone("the study is withheld by its sponsor", updated);
  const study = new Study(asObject(payload) ?? {}, isWhole(payload) ? "none" : "unknown");
  const people = readCreators(study, context.vocabularies);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...termEvidence(study, context),
    ...people.evidence,
    ...placeAndTime(study),
    ...textEvidence(study),
    ...accessEvidence(study),
    ...documentEvidence(study),
    ...grantEvidence(study),
    ...referenceEvidence(study, context.vocabularies),
  };
  return {
    outcome: "record",
    updated: instantOf(updated),
    fields: describe(protocol, sourceId),
    evidence: settled(evidence, study.errors),
    errors: study.errors,
    creators: people.creators,
    facets: facetsOf(protocol),
  };
}

/**
 * The registry leaves empty modules out of a whole study. An answer of selected fields (`?fields=`) also leaves out
 * the modules that were not requested. Every whole study has these two parts, whatever its sponsor entered.
 */
function isWhole(payload: unknown): boolean {
  return at(payload, "hasResults") !== undefined && at(payload, "derivedSection", "miscInfoModule") !== undefined;
}

/** The study's modules as readers, in the three sections that hold evidence. */
export class Study {
  readonly errors = new Set<EvidenceName>();
  readonly #payload: Json;
  readonly #omitted: "none" | "unknown";

  constructor(payload: Json, omitted: "none" | "unknown") {
    this.#payload = payload;
    this.#omitted = omitted;
  }

  module(section: "protocolSection" | "derivedSection" | "documentSection", name: string): Reader {
    const module = at(this.#payload, section, name) ?? {};
    // A module that is no object has keys nobody can know.
    const omitted = asObject(module) === null ? "unknown" : this.#omitted;
    return new Reader(asObject(module) ?? {}, this.errors, omitted);
  }
}

/**
 * Keywords are the sponsor's own words, for conditions and beside them. The MeSH terms are NLM's, derived from those
 * words: the record's subject terms from a scheme, and nobody's keywords.
 */
function termEvidence(study: Study, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const module = study.module("protocolSection", "conditionsModule");
  const words = ["conditions", "keywords"].map((key) => module.list(key, ["keyword_count"]));
  const subjects = ["conditionBrowseModule", "interventionBrowseModule"].map((name) =>
    study.module("derivedSection", name).list("meshes", ["subject_count"]),
  );
  const meshes = subjects.flatMap((list) => list ?? []).map((mesh) => asText(at(mesh, "term")));
  return {
    keyword_count: counted(countTerms(words.flatMap((list) => list ?? []).map(asText), vocabularies), words),
    subject_count: counted(countTerms(meshes, vocabularies), subjects),
  };
}

function placeAndTime(study: Study): Partial<Evidence> {
  const locations = study.module("protocolSection", "contactsLocationsModule").list("locations", ["place_count"]);
  const countries = new Set(locations?.map((site) => asText(at(site, "country"))).filter((name) => name !== null));
  const status = study.module("protocolSection", "statusModule");
  const dates = ["startDateStruct", "completionDateStruct"].map((key) => {
    const stated = asText(at(status.object(key, ["coverage_date_count"]), "date"));
    if (stated !== null && dateOf(stated) === null) status.fail(["coverage_date_count"]);
    return dateOf(stated);
  });
  const carried = status.has("startDateStruct") || status.has("completionDateStruct") || status.list("-", []) !== null;
  return {
    place_count: locations === null ? null : countries.size,
    coverage_date_count: carried ? dates.filter((date) => date !== null).length : null,
  };
}

function textEvidence(study: Study): Partial<Evidence> {
  const description = study.module("protocolSection", "descriptionModule");
  const length = (text: string | null) => (text === null ? null : cleanLength(text));
  return {
    description_length: length(description.text("briefSummary", ["description_length"])),
    methods_length: length(description.text("detailedDescription", ["methods_length"])),
  };
}

/** The plan for sharing participant data is the registry's access statement; "undecided" states nothing. */
function accessEvidence(study: Study): Partial<Evidence> {
  const sharing = study.module("protocolSection", "ipdSharingStatementModule").text("ipdSharing", ["access_declared"]);
  return { access_declared: sharing === null ? null : sharing === "YES" || sharing === "NO" };
}

/** Protocol, analysis plan and consent form posted with the study. */
function documentEvidence(study: Study): Partial<Evidence> {
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

function grantEvidence(study: Study): Partial<Evidence> {
  const ids = study.module("protocolSection", "identificationModule").list("secondaryIdInfos", ["award_count"]);
  return {
    award_count:
      ids?.filter((id) => GRANT_TYPES.has(asText(at(id, "type")) ?? "") && asText(at(id, "id")) !== null).length ??
      null,
  };
}

/** The source's own words for conditions, standard ages and study type. */
function facetsOf(protocol: Json): Facet[] {
  const facet = (kind: Facet["kind"], values: readonly unknown[]) =>
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
    pubDate: dateOf(firstText(at(status, "studyFirstPostDateStruct", "date"), at(status, "studyFirstSubmitDate"))),
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
