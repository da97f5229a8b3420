/** An OpenNeuro dataset with its latest snapshot (GraphQL, `dataset`) as a record and its evidence. */

import type { Facet, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, instantOf } from "../../reading/dates.ts";
import { doiOf } from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, failed, settled, tombstone } from "../../reading/normalised.ts";
import { FILE_COLUMNS, readPartialFiles } from "../../reading/partial-files.ts";
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { displayText } from "../../reading/text.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { readCreators } from "./creators.ts";
import { textEvidence } from "./texts.ts";
import { workEvidence } from "./works.ts";

export function normaliseOpenneuro(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("OpenNeuro answers that the dataset does not exist", null);
  const dataset = asObject(at(payload, "data", "dataset")) ?? asObject(payload);
  const snapshot = asObject(at(dataset, "latestSnapshot"));
  const updated = firstText(
    at(snapshot, "created"),
    at(dataset, "metadata", "latestSnapshotCreatedAt"),
    at(dataset, "created"),
  );
  if (dataset === null) return failed("the answer is no dataset", updated, knownFields(sourceId));
  if (dataset.public === false) return tombstone("the dataset is not public", updated);
  if (dataset.latestSnapshot === null) return tombstone("no snapshot of the dataset has been published", updated);
  if (snapshot === null) return failed("a sparse answer: it carries no snapshot", updated, knownFields(sourceId));
  return readDataset(dataset, snapshot, sourceId, updated, context);
}

function readDataset(
  dataset: Json,
  snapshot: Json,
  sourceId: string,
  updated: string | null,
  context: NormaliseContext,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const parts = {
    description: readerOf(snapshot, "description", errors),
    metadata: readerOf(dataset, "metadata", errors),
    snapshot: new Reader(snapshot, errors),
    summary: readerOf(snapshot, "summary", errors),
  };
  const authors = readCreators(parts.description, vocabularies);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(parts, vocabularies),
    ...authors.evidence,
    ...accessEvidence(new Reader(dataset, errors)),
    ...fileEvidence(parts.snapshot, context),
    ...useEvidence(dataset, errors),
    ...workEvidence(parts.description, parts.metadata, vocabularies),
    version_stated: Object.hasOwn(snapshot, "tag") ? asText(snapshot.tag) !== null : null,
  };
  return {
    outcome: "record",
    updated: instantOf(updated),
    fields: {
      ...describe(dataset, snapshot, sourceId, context),
      license: firstText(evidence.license_spdx, evidence.license_text),
    },
    evidence: settled(evidence, errors),
    errors,
    creators: authors.creators,
    facets: facetsOf(dataset, snapshot),
  };
}

/** GraphQL answers null where there is nothing, and leaves out what was not asked for. */
function readerOf(parent: Json, key: string, errors: Set<EvidenceName>): Reader {
  return new Reader(asObject(parent[key]) ?? {}, errors, parent[key] === null ? "none" : "unknown");
}

/** A dataset is public or it is not; there are no embargoes. */
function accessEvidence(reader: Reader): Partial<Evidence> {
  const shown = reader.raw("public");
  if (shown === undefined || shown === null) return {};
  if (typeof shown !== "boolean") {
    reader.fail(["access_declared", "access_open", "embargo_active"]);
    return {};
  }
  return { access_declared: true, access_open: shown, embargo_active: false };
}

/** The top folder's files; what the folders hold is not in the answer. */
function fileEvidence(snapshot: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  // A dataset without files would have an empty list: null is a listing the server could not make.
  const entries = snapshot.raw("files") === null ? null : snapshot.list("files", FILE_COLUMNS);
  if (entries === null) return {};
  const folders = entries.some((entry) => at(entry, "directory") === true);
  const names = entries
    .filter((entry) => at(entry, "directory") !== true)
    .map((entry) => asText(at(entry, "filename")))
    .filter((name) => name !== null);
  return readPartialFiles(names, !folders, vocabularies);
}

function useEvidence(dataset: Json, errors: Set<EvidenceName>): Partial<Evidence> {
  const analytics = new Reader(dataset, errors).object("analytics", ["view_count", "download_count"]);
  if (analytics === null) return {};
  const reader = new Reader(analytics, errors);
  return {
    view_count: reader.count("views", "view_count"),
    download_count: reader.count("downloads", "download_count"),
  };
}

/** Modalities in OpenNeuro's words; ages in years become the groups in which ClinicalTrials.gov counts them. */
function facetsOf(dataset: Json, snapshot: Json): Facet[] {
  const modalities = [
    ...asList(at(snapshot, "summary", "modalities")),
    ...asList(at(dataset, "metadata", "modalities")),
  ].map((value) => displayText(asText(value) ?? "", 256));
  const ages = [
    ...asList(at(dataset, "metadata", "ages")),
    ...asList(at(snapshot, "summary", "subjectMetadata")).map((subject) => at(subject, "age")),
  ].filter((age) => typeof age === "number");
  const groups = ages.filter((age) => age >= 0).map((age) => (age < 18 ? "CHILD" : age < 65 ? "ADULT" : "OLDER_ADULT"));
  const distinct = (kind: Facet["kind"], values: readonly string[]): Facet[] =>
    [...new Set(values)].filter((value) => value !== "").map((value) => ({ kind, value }));
  return [...distinct("dataType", modalities), ...distinct("ageGroup", groups.toSorted())];
}

function describe(dataset: Json, snapshot: Json, sourceId: string, { vocabularies }: NormaliseContext): RecordFields {
  const name = [at(snapshot, "description", "Name"), dataset.name, at(dataset, "metadata", "datasetName")]
    .map(asText)
    .find((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any"));
  const published = [dataset.publishDate, at(dataset, "metadata", "firstSnapshotCreatedAt"), dataset.created];
  return {
    ...knownFields(sourceId),
    doi: doiOf(asText(at(snapshot, "description", "DatasetDOI"))),
    title: displayText(name ?? "") || null,
    pubDate: dateOf(firstText(...published)),
    accessStatus: dataset.public === true ? "public" : null,
    version: asText(snapshot.tag),
  };
}

/** Each snapshot has a DOI of its own; the accession number joins them. */
function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "OpenNeuro",
    url: `https://openneuro.org/datasets/${sourceId}`,
    recordKind: "dataset",
    versionFamily: `10.18112/openneuro.${sourceId}`,
  });
}
