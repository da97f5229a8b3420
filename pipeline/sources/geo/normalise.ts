/**
 * Reads a series of GEO as a record and its evidence. A series is one field of `result` in a response of esummary for the
 * database gds.
 */

import type { CapturedFacet, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { countRelations, type StatedRelation } from "../../reading/evidence.ts";
import {
  bareFields,
  blankEvidence,
  counted,
  failed,
  notDataset,
  settled,
  tombstone,
} from "../../reading/normalised.ts";
import { asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { displayText, readDate, textLength } from "../../reading/text.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

export function normaliseGeo(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("NCBI answers that the series does not exist", null);
  const summary = asObject(payload);
  if (summary === null)
    return failed(
      "the response is not a summary of GEO; fetch the complete summary from NCBI",
      null,
      knownFields(sourceId),
    );
  // NCBI returns status 200 with an error for a record that it no longer shows.
  const error = asText(summary.error);
  if (error !== null) return tombstone(`NCBI answers: ${displayText(error, 200)}`, null);
  const type = asText(summary.entrytype) ?? sourceId.slice(0, 3);
  if (type.toUpperCase() !== "GSE") return notDataset(`entry type ${displayText(type, 40)}`, null);
  return readRecord(summary, sourceId, context);
}

function readRecord(summary: Json, sourceId: string, context: NormaliseOptions): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(summary, errors);
  const evidence: Evidence = {
    ...blankEvidence(),
    description_length: textLength(reader.text("summary", ["description_length"]), vocabularies),
    ...formatEvidence(reader, context),
    ...relationEvidence(reader, context),
  };
  return {
    outcome: "record",
    updated: null,
    fields: describe(summary, sourceId, context),
    evidence: settled(evidence, errors),
    errors,
    creators: [],
    facets: readFacets(summary),
    funding: [],
  };
}

const FORMAT_COLUMNS = ["open_format_file_count", "inspectable_file_count", "code_file_count"] as const;

/** Counts formats. GEO only lists the types of supplementary files ("TAR, CEL, TXT"), so each type counts once. */
function formatEvidence(reader: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const stated = reader.text("suppfile", FORMAT_COLUMNS);
  if (stated === null) return {};
  const endings = stated.split(/[,;\s]+/).filter((ending) => /^\w{1,12}$/.test(ending));
  const formats = [...new Map(endings.map((ending) => [ending.toLowerCase(), ending]))].map(([key, ending]) => {
    return { ending, kinds: vocabularies.fileKinds.readKinds(`x.${key}`) };
  });
  for (const { ending, kinds } of formats) {
    vocabularies.note?.("open_format_file_count", ending, kinds.open);
    if (kinds.code) vocabularies.note?.("code_file_count", ending, true);
  }
  return {
    open_format_file_count: formats.filter(({ kinds }) => kinds.open).length,
    inspectable_file_count: formats.filter(({ kinds }) => kinds.open && kinds.inspectable).length,
    code_file_count: formats.filter(({ kinds }) => kinds.code).length,
  };
}

const SERIES_RELATIONS = new Map([
  ["superseries of", "HasPart"],
  ["subseries of", "IsPartOf"],
  ["reanalysis of", "IsDerivedFrom"],
]);

/** Counts related works: articles by PubMed id, and data in SRA and other series by accession. */
function relationEvidence(reader: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const articles = reader.list("pubmedids", ["publication_link_count", "related_identifier_count"]);
  const outside = reader.list("extrelations", ["data_link_count", "related_identifier_count"]);
  const inside = reader.list("relations", ["data_link_count", "related_identifier_count"]);
  const relations = [
    ...(articles ?? []).flatMap(article),
    ...[...(outside ?? []), ...(inside ?? [])].flatMap(relationTo),
  ];
  const counts = countRelations(relations, vocabularies);
  return {
    publication_link_count: counted(counts.publication_link_count, [articles]),
    data_link_count: counted(counts.data_link_count, [outside, inside]),
    related_identifier_count: counted(counts.related_identifier_count, [articles, outside, inside]),
  };
}

function article(id: unknown): StatedRelation[] {
  const identifier = asText(id);
  if (identifier === null || !/^[1-9]\d{0,9}$/.test(identifier)) return [];
  return [{ type: "IsDocumentedBy", relatedType: "JournalArticle", identifier, identifierType: "PMID" }];
}

function relationTo(entry: unknown): StatedRelation[] {
  const identifier = asText(at(entry, "targetobject"));
  if (identifier === null) return [];
  const stated = asText(at(entry, "relationtype"))?.toLowerCase() ?? "";
  // The series was made from its reads in SRA.
  const type = SERIES_RELATIONS.get(stated) ?? (stated === "sra" ? "IsDerivedFrom" : "");
  return [{ type, relatedType: "Dataset", identifier, identifierType: null }];
}

function readFacets(summary: Json): CapturedFacet[] {
  const types = (asText(summary.gdstype) ?? "").split(";").map((type) => displayText(type, 256));
  return [...new Set(types)].filter((type) => type !== "").map((value) => ({ kind: "dataType", value }));
}

function describe(summary: Json, sourceId: string, { vocabularies }: NormaliseOptions): RecordFields {
  const title = firstText(summary.title, summary.seriestitle);
  const known = title === null || vocabularies.placeholders.isPlaceholder(title, "any") ? null : displayText(title);
  return {
    ...knownFields(sourceId),
    title: known || null,
    // For example 2012/09/13.
    pubDate: readDate(asText(summary.pdat)?.replaceAll("/", "-") ?? null),
  };
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "GEO",
    url: `https://www.ncbi.nlm.nih.gov/geo/query/acc.cgi?acc=${encodeURIComponent(sourceId)}`,
    recordKind: "series",
    versionFamily: `geo/${sourceId}`,
  });
}
