/** A collection of NASA's Common Metadata Repository (`items[]` of /search/collections.umm_json) as a record and its evidence. */

import type { Facet, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, instantOf } from "../../reading/dates.ts";
import { doiOf, webUrlOf } from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, failed, notDataset, settled, tombstone } from "../../reading/normalised.ts";
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { displayText } from "../../reading/text.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { accessOf } from "./access.ts";
import { readCreators } from "./creators.ts";
import { modernised } from "./legacy.ts";
import { relationEvidence } from "./relations.ts";
import { textEvidence } from "./texts.ts";

export function normaliseNasaCmr(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("CMR answers that the concept does not exist", null);
  const meta = at(payload, "meta");
  const updated = asText(at(meta, "revision-date"));
  if (at(meta, "deleted") === true) return tombstone("CMR marks the collection as deleted", updated);
  // A granule is one file of a collection; its concept id begins with G.
  const type = asText(at(meta, "concept-type")) ?? (/^G\d/.test(sourceId) ? "granule" : "collection");
  if (type !== "collection") return notDataset(`concept type ${displayText(type, 40)}`, updated);
  const umm = modernised(asObject(at(payload, "umm")));
  if (umm === null) return failed("the collection has no umm object", updated, knownFields(sourceId));
  if (asText(umm.ShortName) === null && asText(umm.EntryTitle) === null) {
    return failed("a sparse answer: neither short name nor title", updated, knownFields(sourceId));
  }
  return readRecord(umm, sourceId, updated, context);
}

function readRecord(umm: Json, sourceId: string, updated: string | null, context: NormaliseContext): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  // UMM leaves empty keys out; an answer without an abstract, which every collection has, is not a whole one.
  const reader = new Reader(umm, errors, Object.hasOwn(umm, "Abstract") ? "none" : "unknown");
  const people = readCreators(reader, vocabularies);
  const access = accessOf(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, vocabularies),
    ...people.evidence,
    ...access.evidence,
    ...formatEvidence(reader, context),
    ...relationEvidence(reader, vocabularies),
  };
  const fields: RecordFields = {
    ...describe(umm, sourceId, context),
    accessStatus: access.statement,
    license: firstText(evidence.license_spdx, displayText(evidence.license_text ?? "", 300)),
  };
  return {
    outcome: "record",
    updated: instantOf(updated),
    fields,
    evidence: settled(evidence, errors),
    errors,
    creators: people.creators,
    facets: facetsOf(umm, context),
  };
}

const FORMAT_LISTS = ["FileDistributionInformation", "FileArchiveInformation"];

/** Formats the files are kept and given out in; the files themselves are granules, which a collection does not list. */
function formatEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const information = reader.object("ArchiveAndDistributionInformation", ["open_format_file_count"]);
  // Up to UMM-C 1.10 each distribution named its format.
  const distributions = reader.list("Distributions", ["open_format_file_count"]);
  if (information === null && distributions === null) return {};
  const inner = new Reader(information ?? {}, new Set(), "none");
  const lists = FORMAT_LISTS.map((key) => inner.list(key, []));
  if (lists.includes(null)) reader.fail(["open_format_file_count"]);
  const formats = [
    ...lists.flatMap((list) => list ?? []).map((entry) => at(entry, "Format")),
    ...(distributions ?? []).map((entry) => at(entry, "DistributionFormat")),
  ].map((format) => asText(format) ?? "");
  const open = formats.filter((format) => vocabularies.fileKinds.isOpenMedia(format));
  return { open_format_file_count: new Set(open.map((format) => format.toLowerCase())).size };
}

/** GCMD topics, the second step of a science keyword. */
function facetsOf(umm: Json, { vocabularies }: NormaliseContext): Facet[] {
  const topics = asList(umm.ScienceKeywords)
    .map((keyword) => asText(at(keyword, "Topic")))
    .filter((topic) => topic !== null && !vocabularies.placeholders.isPlaceholder(topic, "any"));
  const shown = new Set(topics.map((topic) => displayText(topic ?? "", 256)).filter((topic) => topic !== ""));
  return [...shown].map((value) => ({ kind: "dataType", value }));
}

function describe(umm: Json, sourceId: string, { vocabularies }: NormaliseContext): RecordFields {
  const doi = doiOf(asText(at(umm, "DOI", "DOI")));
  const shown = (text: string | null) =>
    text === null || vocabularies.placeholders.isPlaceholder(text, "any") ? null : displayText(text) || null;
  const shortName = asText(umm.ShortName);
  return {
    ...knownFields(sourceId),
    doi,
    title: shown(asText(umm.EntryTitle)) ?? shown(shortName),
    pubDate: issued(umm),
    url: landingPage(umm) ?? (doi === null ? pageOf(sourceId) : `https://doi.org/${doi}`),
    version: shown(asText(umm.Version)),
    // A collection is a short name and a version: the short name joins the versions, also across providers.
    versionFamily: shortName === null ? `nasa_cmr/${sourceId}` : `nasa_cmr/${shortName}`,
  };
}

/** CMR's stand-in for a date it was not given. */
const NOT_PROVIDED = "1970-01-01";

/** When the collection is cited as released, else when its data were made. */
function issued(umm: Json): string | null {
  const released = asList(umm.CollectionCitations).map((citation) => at(citation, "ReleaseDate"));
  const created = asList(umm.DataDates)
    .filter((entry) => at(entry, "Type") === "CREATE")
    .map((entry) => at(entry, "Date"));
  const dates = [...released, ...created].map((date) => dateOf(asText(date)));
  return dates.find((date) => date !== null && date !== NOT_PROVIDED) ?? null;
}

function landingPage(umm: Json): string | null {
  const page = asList(umm.RelatedUrls).find((entry) => at(entry, "Type") === "DATA SET LANDING PAGE");
  return webUrlOf(asText(at(page, "URL")));
}

function pageOf(sourceId: string): string {
  return `https://cmr.earthdata.nasa.gov/search/concepts/${encodeURIComponent(sourceId)}.html`;
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "NASA Earthdata",
    url: pageOf(sourceId),
    recordKind: "collection",
    versionFamily: `nasa_cmr/${sourceId}`,
  });
}
