/**
 * Reads a study of SRA as a record and its evidence. The payload contains its BioProject and the experiments that were
 * requested.
 */

import type { CapturedFacet, Creator, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { countRelations, type StatedRelation } from "../../reading/evidence.ts";
import { readWebUrl } from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, failed, notDataset, settled, tombstone } from "../../reading/normalised.ts";
import { readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, firstText, type Json, oneOrMany, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { displayText, readDate, readInstant, readXmlText, textLength } from "../../reading/text.ts";
import { before } from "../../vocabularies/ends.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions, PieceReader } from "../adapter/source.ts";
import { type SraStudy, StudyCollector, sampleEvidence } from "./study.ts";

export function normaliseSra(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("NCBI answers that the study does not exist", null);
  const error = asText(at(payload, "error")) ?? asText(at(payload, "project", "error"));
  if (error !== null) return tombstone(`NCBI answers: ${displayText(error, 200)}`, null);
  const gathering = openStudyReader(sourceId, context);
  gathering.add(payload);
  return gathering.normalise();
}

/** Returns a reader for the pieces of one study. Add the pieces in the order of their names. */
export function openStudyReader(sourceId: string, context: NormaliseOptions): PieceReader {
  const pieces = new StudyCollector((protocol) => textLength(protocol, context.vocabularies) ?? 0);
  return {
    add: (payload) => pieces.add(payload),
    normalise: () => normaliseStudy(pieces.study(), sourceId, context),
  };
}

function normaliseStudy(study: SraStudy, sourceId: string, context: NormaliseOptions): Normalised {
  const updated = toIsoDate(study.dates.last ?? attribute(study, "ENA-LAST-UPDATE"));
  if (study.project === null && study.element === null && study.experiments === null) {
    return failed(
      "the response is neither a project, a study nor an experiment of SRA; fetch one of them completely",
      updated,
      knownFields(sourceId),
    );
  }
  const other = otherKind(study);
  return other === null ? readRecord(study, sourceId, updated, context) : notDataset(other, updated);
}

/**
 * Explains why a project is not a dataset; null if it is one. A project counts as a dataset if it has reads and is not
 * a group of other projects.
 */
function otherKind({ project, experiments }: SraStudy): string | null {
  if (project === null || (experiments !== null && (experiments.count > 0 || experiments.isBroken))) return null;
  const type = asText(project.project_type);
  if (type !== null && type !== "Primary submission") return `project type ${displayText(type, 80)}`;
  return asText(project.project_methodtype) === "Array" ? "a project of arrays, without reads" : null;
}

function readRecord(study: SraStudy, sourceId: string, updated: string | null, context: NormaliseOptions): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(study.project ?? {}, errors);
  const creators = readCentres(study, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    keyword_count: keywords(reader, context),
    ...sampleEvidence(study.sampling, vocabularies),
    description_length: description(study, reader, context),
    ...experimentEvidence(study, errors),
    creator_count: creators.length,
    person_creator_count: 0,
    ...linkEvidence(study.element, vocabularies),
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields: { ...describe(study, sourceId, context), accessStatus: accessStatus(study) },
    evidence: settled(evidence, errors),
    errors,
    creators,
    facets: readFacets(study),
    funding: [],
  };
}

/** Counts the keywords in a text, which are separated by commas or semicolons. */
function keywords(reader: Reader, { vocabularies }: NormaliseOptions): number | null {
  const stated = reader.text("keyword", ["keyword_count"]);
  return stated === null ? null : countTerms("keyword_count", stated.split(/[,;]/), vocabularies);
}

function description({ element }: SraStudy, reader: Reader, { vocabularies }: NormaliseOptions): number | null {
  const texts = [
    reader.text("project_description", ["description_length"]),
    ...(element === null
      ? []
      : ["STUDY_ABSTRACT", "STUDY_DESCRIPTION"].map((name) => readXmlText(at(element, "DESCRIPTOR", name)) ?? "")),
  ];
  const lengths = texts.map((text) => textLength(text, vocabularies)).filter((length) => length !== null);
  return lengths.length === 0 ? null : Math.max(...lengths);
}

const EXPERIMENT_COLUMNS = [
  "methods_length",
  "access_declared",
  "access_open",
  "embargo_active",
  "file_count",
] as const;

function experimentEvidence({ experiments }: SraStudy, errors: Set<EvidenceName>): Partial<Evidence> {
  if (experiments === null) return {};
  const { allPublic, isControlled, isBroken } = experiments;
  if (isBroken) for (const column of EXPERIMENT_COLUMNS) errors.add(column);
  const declared = allPublic !== null || isControlled;
  const open = declared ? !isControlled && allPublic === true : null;
  return {
    methods_length: experiments.protocolLength,
    access_declared: declared,
    // With an unreadable experiment, open access is unknown.
    access_open: isBroken && open === true ? null : open,
    embargo_active: open === true && !isBroken ? false : null,
    file_count: experiments.runs,
  };
}

function accessStatus({ experiments }: SraStudy): string | null {
  if (experiments === null) return null;
  if (experiments.isControlled) return "controlled access";
  return experiments.allPublic === null ? null : experiments.allPublic ? "public" : "not public";
}

/** Names, in lower case, of centres that submit data of others. */
const BROKERS = new Set(["geo", "ncbi", "bioproject"]);

/**
 * Returns the organisations that submitted the study: those of the project or its packages, otherwise the centre of the
 * submission, otherwise the centre of the study. The contact of a submission only sent the files, and is not a creator.
 */
function readCentres(
  { project, element, experiments, organisations }: SraStudy,
  { vocabularies }: NormaliseOptions,
): Creator[] {
  const listed = asList(project?.submitter_organization_list);
  const stated = [
    listed.length > 0 ? listed : [project?.submitter_organization],
    [...organisations],
    [...(experiments?.centres ?? [])],
    [element?.["@center_name"]],
  ];
  const names = stated.map((each) =>
    each.map(asText).filter((name) => name !== null && !BROKERS.has(name.toLowerCase())),
  );
  const nobody = { given: null, family: null, orcid: null, affiliations: [] };
  return [...new Set(names.find((each) => each.length > 0) ?? [])]
    .map((name) => readCreator({ ...nobody, name, type: "organisation" }, vocabularies))
    .filter((creator) => creator !== null);
}

/** Returns facets: the strategies of the libraries; without experiments, the type of the study. */
function readFacets({ experiments, element }: SraStudy): CapturedFacet[] {
  const strategies = [...(experiments?.strategies ?? [])];
  const type = asText(at(element, "DESCRIPTOR", "STUDY_TYPE", "@existing_study_type"));
  const stated = (strategies.length > 0 ? strategies : [type]).map((text) => displayText(text ?? "", 256));
  return [...new Set(stated)].filter((value) => value !== "").map((value) => ({ kind: "dataType", value }));
}

function describe(study: SraStudy, sourceId: string, { vocabularies }: NormaliseOptions): RecordFields {
  const { project, element, experiments } = study;
  const title = firstText(
    project?.project_title,
    readXmlText(at(element, "DESCRIPTOR", "STUDY_TITLE")),
    project?.project_name,
    experiments?.studyName,
  );
  const known = title === null || vocabularies.placeholders.isPlaceholder(title, "any") ? null : displayText(title);
  // Runs state their publication; projects their registration; summaries their creation.
  const published = firstText(
    experiments?.published,
    attribute(study, "ENA-FIRST-PUBLIC"),
    project?.registration_date,
    study.dates.created,
  );
  return { ...knownFields(sourceId), title: known || null, pubDate: readDate(toIsoDate(published)) };
}

/** Returns the value of an attribute that ENA adds to the study. */
function attribute({ element }: SraStudy, tag: string): string | null {
  const attributes = oneOrMany(at(element, "STUDY_ATTRIBUTES", "STUDY_ATTRIBUTE"));
  const found = attributes.find((entry) => readXmlText(at(entry, "TAG")) === tag);
  return readXmlText(asObject(found)?.VALUE);
}

/** Converts a date such as `2012/07/23 00:00` to `2012-07-23`. */
function toIsoDate(date: string | null): string | null {
  return date === null ? null : before(date.replaceAll("/", "-"), " ");
}

function knownFields(sourceId: string): RecordFields {
  const folder = sourceId.startsWith("PRJ") ? "bioproject" : "sra";
  return bareFields({
    repository: "SRA",
    url: `https://www.ncbi.nlm.nih.gov/${folder}/${encodeURIComponent(sourceId)}`,
    recordKind: "study",
    versionFamily: `sra/${sourceId}`,
  });
}

/** Counts links to other works. Without a STUDY element, the counts are unknown, because summaries have no links. */
function linkEvidence(study: Json | null, vocabularies: Vocabularies): Partial<Evidence> {
  if (study === null) return {};
  const links = oneOrMany(at(study, "STUDY_LINKS", "STUDY_LINK"));
  const counts = countRelations(links.flatMap(readRelation), vocabularies);
  return {
    publication_link_count: counts.publication_link_count,
    data_link_count: counts.data_link_count,
    linked_code_count: counts.linked_code_count,
    related_identifier_count: counts.related_identifier_count,
  };
}

/** Databases whose entries are separate data. Links to samples and runs of ENA and NCBI are parts of the study. */
const DATA = new Set(["gds", "geo", "dbgap", "arrayexpress"]);

function readRelation(link: unknown): StatedRelation[] {
  const url = readWebUrl(readXmlText(at(link, "URL_LINK", "URL")));
  if (url !== null) return [{ type: "", relatedType: null, identifier: url, identifierType: "URL" }];
  const database = readXmlText(at(link, "XREF_LINK", "DB"))?.toLowerCase() ?? "";
  const id = readXmlText(at(link, "XREF_LINK", "ID"));
  if (id === null) return [];
  if (database === "pubmed" && /^[1-9]\d{0,9}$/.test(id)) {
    return [{ type: "IsDocumentedBy", relatedType: "JournalArticle", identifier: id, identifierType: "PMID" }];
  }
  const identifier = `${database} ${id}`;
  return DATA.has(database) ? [{ type: "", relatedType: "Dataset", identifier, identifierType: null }] : [];
}
