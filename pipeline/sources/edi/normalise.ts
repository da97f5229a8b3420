/**
 * A data package of EDI as a record and its evidence: its EML document, with PASTA's resource metadata (DOI, date) and
 * audit counts where the harvest asked for them. What a document does not hold is none, but for what came into EML with
 * version 2.2: an older document has no element for it.
 */

import type { Facet, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, instantOf } from "../../reading/dates.ts";
import { readFiles } from "../../reading/files.ts";
import { doiOf } from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, failed, notDataset, settled, tombstone } from "../../reading/normalised.ts";
import { FILE_COLUMNS } from "../../reading/partial-files.ts";
import { asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { displayText } from "../../reading/text.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { accessEvidence, licenceOf } from "./access.ts";
import { readCreators } from "./creators.ts";
import { allAt, ENTITIES, elementsOf } from "./elements.ts";
import { fundingEvidence } from "./funding.ts";
import { relationEvidence } from "./relations.ts";
import { textEvidence } from "./texts.ts";
import { useEvidence } from "./use.ts";

/** What EML describes besides datasets. */
const OTHER_KINDS = ["software", "citation", "protocol"];

export function normaliseEdi(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("EDI answers that the data package does not exist", null);
  const document = documentOf(payload);
  const resource = at(payload, "rmd", "resourceMetadata");
  // The time of day has a space before it, and no zone.
  const updated = asText(at(resource, "dateCreated"))?.replace(" ", "T") ?? null;
  const other = OTHER_KINDS.find((kind) => document !== null && Object.hasOwn(document, kind));
  if (other !== undefined) return notDataset(`EML of a ${other}`, updated);
  const dataset = asObject(document?.dataset);
  if (document === null || dataset === null) {
    return failed("the EML document has no dataset, or an empty one", updated, knownFields(sourceId));
  }
  return readRecord(document, dataset, payload, sourceId, updated, context);
}

/** The EML document: a member of the payload put together by the harvest, or the payload itself. */
function documentOf(payload: unknown): Json | null {
  const outer = at(payload, "eml");
  return asObject(at(outer, "eml")) ?? asObject(outer);
}

function readRecord(
  document: Json,
  dataset: Json,
  payload: unknown,
  sourceId: string,
  updated: string | null,
  context: NormaliseContext,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(dataset, errors, "none");
  const recent = isRecent(document);
  const people = readCreators(reader, vocabularies);
  const licence = licenceOf(reader, vocabularies);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, vocabularies),
    ...people.evidence,
    ...accessEvidence(document),
    ...licence,
    ...readFiles(fileNames(reader), vocabularies),
    ...useEvidence(payload, sourceId, errors),
    ...fundingEvidence(reader, recent, vocabularies),
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
    updated: instantOf(updated),
    fields,
    evidence: settled(evidence, errors),
    errors,
    creators: people.creators,
    facets: facetsOf(reader),
  };
}

/** EML 2.2 and later; the version stands in the location of the schema. */
function isRecent(document: Json): boolean {
  const version = /eml-2\.(\d+)/.exec(asText(document["@schemaLocation"]) ?? "")?.[1];
  return version !== undefined && Number(version) >= 2;
}

/** The object name of each physical file, or the name of an entity that has none. */
function fileNames(reader: Reader): string[] {
  return ENTITIES.flatMap((kind) => elementsOf(reader, kind, FILE_COLUMNS)).flatMap((entity) => {
    const names = allAt(entity, "physical", "objectName")
      .map(xmlTextOf)
      .filter((name) => name !== null);
    const entityName = xmlTextOf(entity.entityName);
    return names.length > 0 || entityName === null ? names : [entityName];
  });
}

/** The kinds of entity in the package, by EML's own words. */
function facetsOf(reader: Reader): Facet[] {
  const kinds = ENTITIES.filter((kind) => elementsOf(reader, kind, []).length > 0);
  return kinds.map((value) => ({ kind: "dataType", value }));
}

function describe(dataset: Json, payload: unknown, sourceId: string, { vocabularies }: NormaliseContext): RecordFields {
  const title = xmlTextOf(allAt(dataset, "title")[0]);
  const resource = at(payload, "rmd", "resourceMetadata");
  const known = title === null || vocabularies.placeholders.isPlaceholder(title, "any") ? null : displayText(title);
  return {
    ...knownFields(sourceId),
    doi: doiOf(asText(at(resource, "doi"))) ?? alternateDoi(dataset),
    title: known || null,
    pubDate: dateOf(xmlTextOf(dataset.pubDate)) ?? dateOf(asText(at(resource, "dateCreated"))),
    version: /\.(\d+)$/.exec(sourceId)?.[1] ?? null,
  };
}

/** A document outside PASTA carries its DOI as an alternate identifier. */
function alternateDoi(dataset: Json): string | null {
  const identifiers = allAt(dataset, "alternateIdentifier").map((identifier) => doiOf(xmlTextOf(identifier)));
  return identifiers.find((doi) => doi !== null) ?? null;
}

/** Revisions of a package are its versions: scope.id.rev. */
function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "EDI",
    url: `https://portal.edirepository.org/nis/mapbrowse?packageid=${encodeURIComponent(sourceId)}`,
    recordKind: "data package",
    versionFamily: `edi/${sourceId.replace(/(\.\d+)\.\d+$/, "$1")}`,
  });
}
