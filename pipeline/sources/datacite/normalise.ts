/** DataCite's JSON:API record (`data` item of /dois), or its XML, as a record and its evidence. */

import type { Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, instantOf } from "../../reading/dates.ts";
import { doiOf, webUrlOf } from "../../reading/identifiers.ts";
import {
  bareFields,
  blankEvidence,
  failed,
  notDataset,
  ownFamily,
  settled,
  tombstone,
} from "../../reading/normalised.ts";
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { displayText } from "../../reading/text.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { accessOf } from "./access.ts";
import { creatorEvidence, readCreators } from "./creators.ts";
import { withoutXml } from "./kernel.ts";
import { modernised } from "./legacy.ts";
import { relationEvidence, relationsOf } from "./relations.ts";
import { textEvidence } from "./texts.ts";

/** The resource types that are datasets (rubrics.md). */
const DATASET_TYPES = new Set(["dataset", "collection"]);

export function normaliseDatacite(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("DataCite answers that the DOI does not exist", null);
  const item = at(payload, "data") ?? withoutXml(payload);
  const stated = asObject(at(item, "attributes"));
  if (stated === null) return failed("the record has no attributes object", null, knownFields(sourceId));
  const attributes = modernised(stated, item);
  const updated = asText(attributes.updated);
  const hidden = hiddenBecause(attributes);
  if (hidden !== null) return tombstone(hidden, updated);
  if (!Object.hasOwn(attributes, "types")) {
    return failed("a sparse answer: it carries no resource type", updated, knownFields(sourceId));
  }
  const type = firstText(at(attributes, "types", "resourceTypeGeneral"));
  if (type === null || !DATASET_TYPES.has(type.toLowerCase())) {
    return notDataset(type === null ? "no resource type stated" : `resource type ${displayText(type, 80)}`, updated);
  }
  return readRecord(attributes, type, sourceId, updated, context);
}

/** Only findable DOIs are public: registered, draft and inactive ones have been withdrawn or were never shown. */
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
  context: NormaliseContext,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(attributes, errors);
  const creators = readCreators(reader, vocabularies);
  const relations = relationsOf(reader, sourceId);
  const access = accessOf(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, creators?.list ?? [], vocabularies),
    ...creatorEvidence(reader, creators),
    ...access.evidence,
    ...formatEvidence(reader, context),
    ...useEvidence(reader),
    ...fundingEvidence(reader, context),
    ...relationEvidence(reader, relations, vocabularies),
  };
  const fields: RecordFields = {
    ...describe(attributes, sourceId, context),
    recordKind: type,
    accessStatus: access.statement,
    license: firstText(evidence.license_spdx, evidence.license_text),
    versionFamily: familyOf(sourceId, relations),
  };
  return {
    outcome: "record",
    updated: instantOf(updated),
    fields,
    evidence: settled(evidence, errors),
    errors,
    creators: creators?.list ?? [],
    facets: [],
  };
}

/** Open formats stated by the depositor; DataCite lists formats, never files. */
function formatEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const formats = reader.list("formats", ["open_format_file_count"]);
  if (formats === null) return {};
  const open = formats.filter((format) => vocabularies.fileKinds.isOpenMedia(asText(format) ?? ""));
  return { open_format_file_count: open.length };
}

/** Most repositories report no usage to DataCite: 0 views or downloads there says nothing. */
function useEvidence(reader: Reader): Partial<Evidence> {
  return {
    view_count: reader.count("viewCount", "view_count") || null,
    download_count: reader.count("downloadCount", "download_count") || null,
    citation_count: reader.count("citationCount", "citation_count"),
  };
}

function fundingEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const funding = reader.list("fundingReferences", ["funder_count", "award_count"]);
  if (funding === null) return {};
  const stated = (key: string) =>
    new Set(
      funding
        .map((entry) => asText(at(entry, key)))
        .filter((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any")),
    ).size;
  return { funder_count: stated("funderName"), award_count: stated("awardNumber") };
}

function describe(attributes: Json, sourceId: string, { vocabularies }: NormaliseContext) {
  const doi = doiOf(sourceId);
  const publisher = firstText(at(attributes, "publisher", "name"), attributes.publisher);
  const shown = (text: string | null) =>
    text === null || vocabularies.placeholders.isPlaceholder(text, "any") ? null : displayText(text) || null;
  return {
    doi,
    repository: shown(publisher),
    title: shown(firstText(...asList(attributes.titles).map((title) => at(title, "title") ?? title))),
    pubDate: issued(attributes),
    url: webUrlOf(asText(attributes.url)) ?? (doi === null ? null : `https://doi.org/${doi}`),
    version: shown(asText(attributes.version)),
  };
}

function issued(attributes: Json): string | null {
  const dates = asList(attributes.dates).filter((entry) => at(entry, "dateType") === "Issued");
  const year = dateOf(firstText(attributes.publicationYear, attributes.published));
  return dateOf(firstText(...dates.map((entry) => at(entry, "date")))) ?? year;
}

/** What a record's versions share: the DOI it is a version of, else its own without `.vN`. */
function familyOf(sourceId: string, relations: ReturnType<typeof relationsOf>): string {
  const parent = relations?.find((relation) => relation.type.toLowerCase() === "isversionof");
  return (parent && doiOf(parent.identifier)) ?? ownFamily(doiOf(sourceId), `datacite/${sourceId}`);
}

function knownFields(sourceId: string): RecordFields {
  const doi = doiOf(sourceId);
  return bareFields({
    doi,
    url: doi === null ? null : `https://doi.org/${doi}`,
    versionFamily: ownFamily(doi, `datacite/${sourceId}`),
  });
}
