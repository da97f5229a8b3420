/**
 * Dryad's dataset (`/api/v2/datasets/{doi}`, alone or with the files of its version) as a record and its evidence.
 * The stored payload is the bare answer, or `{"dataset": …, "files": …}`; a list has its datasets in
 * `_embedded["stash:datasets"]`. The source id is the DOI of `identifier` ("doi:10.5061/…"), lower case.
 */

import type { Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, instantOf } from "../../reading/dates.ts";
import { countDistinct } from "../../reading/distinct.ts";
import { doiOf } from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, failed, ownFamily, settled, tombstone } from "../../reading/normalised.ts";
import { asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { shownText } from "../../reading/shown-text.ts";
import { displayText } from "../../reading/text.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { accessEvidence, licenceEvidence } from "./access.ts";
import { type DryadAnswer, dryadAnswer } from "./answer.ts";
import { readCreators } from "./creators.ts";
import { fileEvidence } from "./files.ts";
import { textEvidence } from "./texts.ts";
import { workEvidence } from "./works.ts";

export function normaliseDryad(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("Dryad answers that the dataset does not exist", null);
  const answer = dryadAnswer(payload);
  const { dataset } = answer;
  const updated = firstText(at(dataset, "lastModificationDate"), at(dataset, "publicationDate"));
  if (dataset === null) return failed("the answer is no dataset", updated, knownFields(sourceId));
  const hidden = hiddenBecause(dataset);
  if (hidden !== null) return tombstone(hidden, updated);
  if (!Object.hasOwn(dataset, "title") && !Object.hasOwn(dataset, "authors")) {
    return failed("a sparse answer: it carries neither title nor authors", updated, knownFields(sourceId));
  }
  return readDataset(answer, dataset, sourceId, updated, context);
}

/** Taken back by its authors or by Dryad. */
const GONE = new Set(["withdrawn", "retracted"]);
/** The two states in which everybody sees a dataset. */
const PUBLIC = new Set(["published", "embargoed"]);

/** A dataset nobody may see answers 200, with a message in place of its metadata. */
function hiddenBecause(dataset: Json): string | null {
  const message = asText(dataset.message);
  if (message !== null && !Object.hasOwn(dataset, "title")) return "Dryad answers that the dataset cannot be viewed";
  const status = asText(dataset.curationStatus);
  if (status === null || PUBLIC.has(status.toLowerCase())) return null;
  const seen = asText(dataset.visibility)?.toLowerCase() === "public" && !GONE.has(status.toLowerCase());
  return seen ? null : `curation status is ${displayText(status, 40)}`;
}

function readDataset(
  answer: DryadAnswer,
  dataset: Json,
  sourceId: string,
  updated: string | null,
  context: NormaliseContext,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(dataset, errors, "none");
  const authors = readCreators(reader, vocabularies);
  const licence = licenceEvidence(reader, answer, context);
  const access = accessEvidence(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, answer, vocabularies),
    ...authors.evidence,
    ...access,
    ...licence,
    ...fileEvidence(answer, access, errors, context),
    ...fundingEvidence(reader, context),
    ...workEvidence(reader, vocabularies),
    ...useEvidence(reader),
    venue_stated: venue(reader, answer),
  };
  return {
    outcome: "record",
    updated: instantOf(updated),
    fields: describe(dataset, licence, sourceId, context),
    evidence: settled(evidence, errors),
    errors,
    creators: authors.creators,
    facets: [],
  };
}

function fundingEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const funders = reader.list("funders", ["funder_count", "award_count"]);
  if (funders === null) return {};
  const distinct = (key: string) =>
    countDistinct(
      funders.map((entry) => asText(at(entry, key))),
      vocabularies,
    );
  return { funder_count: distinct("organization"), award_count: distinct("awardNumber") };
}

/** Counts of use since about 2023; Dryad counts itself, so that none is none. */
function useEvidence(outer: Reader): Partial<Evidence> {
  const metrics = outer.has("metrics") ? outer.object("metrics", USE_COLUMNS) : null;
  if (metrics === null) return {};
  const reader = new Reader(metrics, outer.errors);
  return {
    view_count: reader.count("views", "view_count"),
    download_count: reader.count("downloads", "download_count"),
    citation_count: reader.count("citations", "citation_count"),
  };
}

const USE_COLUMNS = ["view_count", "download_count", "citation_count"] as const;

/** The journal of the article the data belong to, by its ISSN or name. */
function venue(reader: Reader, { hasRights }: DryadAnswer): boolean | null {
  const stated = firstText(reader.raw("relatedPublicationISSN"), reader.raw("relatedPublicationName"));
  return stated !== null || (hasRights ? false : null);
}

function describe(
  dataset: Json,
  licence: Pick<Evidence, "license_spdx" | "license_text">,
  sourceId: string,
  { vocabularies }: NormaliseContext,
): RecordFields {
  const title = asText(dataset.title);
  const status = asText(dataset.curationStatus);
  const embargoed = status?.toLowerCase() === "embargoed";
  return {
    ...knownFields(sourceId),
    title: shownText(title, vocabularies),
    pubDate: dateOf(asText(dataset.publicationDate)),
    accessStatus: embargoed ? status : (asText(dataset.visibility) ?? status),
    license: firstText(licence.license_spdx, licence.license_text),
    version: asText(dataset.versionNumber),
  };
}

/** All versions of a dataset share its DOI. */
function knownFields(sourceId: string): RecordFields {
  const doi = doiOf(sourceId);
  return bareFields({
    doi,
    repository: "Dryad",
    url: doi === null ? null : `https://datadryad.org/dataset/doi:${doi}`,
    recordKind: "dataset",
    versionFamily: ownFamily(doi, `dryad/${sourceId}`),
  });
}
