/**
 * A research product of the OpenAIRE Graph (`results[]` of /graph/v2/researchProducts) as a record and its evidence.
 *
 * OpenAIRE merges what several sources say of one product. Titles, authors, descriptions, subjects, instances and
 * access rights come with every mapping: null there is none. The other keys come with some only: null there is unknown.
 */

import { createHash } from "node:crypto";
import type { Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, instantOf } from "../../reading/dates.ts";
import { countDistinct } from "../../reading/distinct.ts";
import { doiOf } from "../../reading/identifiers.ts";
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
import { modernised, partlyMapped } from "./answer.ts";
import { creatorEvidence, organisationEvidence, readCreators } from "./creators.ts";
import { textEvidence } from "./texts.ts";

export function normaliseOpenaire(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("OpenAIRE answers that the product does not exist", null);
  const stated = asObject(payload);
  if (stated === null) return failed("the product is no object", null, knownFields(sourceId));
  const product = modernised(stated);
  const updated = updatedOf(product);
  if (at(product, "dataInfo", "deletedbyinference") === true) {
    return tombstone("OpenAIRE has merged the product into another", updated);
  }
  const type = asText(product.type);
  if (type === null) return failed("a sparse answer: it carries no type", updated, knownFields(sourceId));
  if (type.toLowerCase() !== "dataset") return notDataset(`product type ${displayText(type, 80)}`, updated);
  return readRecord(product, sourceId, updated, context);
}

/** Milliseconds since 1970, or when OpenAIRE collected the product. */
function updatedOf(product: Json): string | null {
  const stamp = product.lastUpdateTimeStamp;
  // The largest time a date can hold (ECMAScript, TimeClip).
  if (typeof stamp === "number" && stamp > 0 && stamp <= 8.64e15) return new Date(stamp).toISOString();
  return instantOf(asText(product.dateOfCollection));
}

function readRecord(product: Json, sourceId: string, updated: string | null, context: NormaliseContext): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(product, errors);
  const creators = readCreators(reader, vocabularies);
  const doi = doiOfProduct(product, sourceId);
  const access = accessOf(reader, doi, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, creators?.list ?? [], vocabularies),
    ...creatorEvidence(creators),
    ...organisationEvidence(reader),
    ...access.evidence,
    ...formatEvidence(reader, context),
    ...useEvidence(reader, errors),
    ...fundingEvidence(reader, context),
  };
  const fields: RecordFields = {
    ...describe(product, doi, sourceId, context),
    accessStatus: access.statement,
    license: firstText(evidence.license_spdx, displayText(evidence.license_text ?? "", 300)),
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

/**
 * A merged product has the DOIs of all its versions; the one it is named by is the one whose MD5 stands in its id
 * (documentation of the Graph, "PIDs and identifiers").
 */
function doiOfProduct(product: Json, sourceId: string): string | null {
  const stated = asList(product.pids).filter((pid) => asText(at(pid, "scheme"))?.toLowerCase() === "doi");
  const dois = stated.map((pid) => doiOf(asText(at(pid, "value")))).filter((doi) => doi !== null);
  const named = dois.find((doi) => sourceId.endsWith(`::${createHash("md5").update(doi).digest("hex")}`));
  return named ?? dois[0] ?? null;
}

function formatEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const formats = partlyMapped(reader, "formats", ["open_format_file_count"]);
  if (formats === null) return {};
  const open = formats.filter((format) => vocabularies.fileKinds.isOpenMedia(asText(format) ?? ""));
  return { open_format_file_count: open.length };
}

/** Views and downloads of the repositories that report them: 0 says nothing. Citations are counted over the whole graph. */
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

/** What OpenAIRE calls a project nobody could name. */
const UNIDENTIFIED = "unidentified";

function fundingEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const projects = partlyMapped(reader, "projects", ["funder_count", "award_count"]);
  if (projects === null) return {};
  const codes = projects.map((project) => asText(at(project, "code")));
  return {
    funder_count: countDistinct(projects.flatMap(fundersOf), vocabularies),
    award_count: countDistinct(
      codes.filter((code) => code?.toLowerCase() !== UNIDENTIFIED),
      vocabularies,
    ),
  };
}

/** One funder as an object or as text, or a list of fundings. */
function fundersOf(project: unknown): (string | null)[] {
  const stated = [at(project, "funder"), at(project, "funding"), ...asList(at(project, "fundings"))];
  return stated.map((funder) => firstText(at(funder, "shortName"), at(funder, "name"), funder));
}

function describe(
  product: Json,
  doi: string | null,
  sourceId: string,
  { vocabularies }: NormaliseContext,
): RecordFields {
  const shown = (text: string | null) =>
    text === null || vocabularies.placeholders.isPlaceholder(text, "any") ? null : displayText(text) || null;
  return {
    ...knownFields(sourceId),
    doi,
    title: shown(asText(product.mainTitle)),
    pubDate: dateOf(asText(product.publicationDate)),
    recordKind: "research product",
    version: shown(asText(product.version)),
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
