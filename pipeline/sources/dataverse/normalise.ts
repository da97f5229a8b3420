/** A Dataverse dataset with its latest version (native API, export or deposit) as a record and its evidence. */

import type { Facet, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
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
import { asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { shownText } from "../../reading/shown-text.ts";
import { displayText } from "../../reading/text.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { fileEvidence, licenceEvidence } from "./access.ts";
import { readCreators } from "./creators.ts";
import { Fields } from "./fields.ts";
import { textEvidence } from "./texts.ts";
import { versionsIn } from "./versions.ts";
import { workEvidence } from "./works.ts";

export function normaliseDataverse(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("the installation answers that the dataset does not exist", null);
  const versions = versionsIn(payload);
  // A dataset is shown by its newest version that is neither a draft nor deaccessioned.
  const held = versions.find(({ version }) => hiddenBecause(version, context) === null) ?? versions[0];
  if (held === undefined) {
    const dataset = asObject(at(payload, "data")) ?? asObject(payload);
    return failed("the answer has no version of a dataset", null, knownFields(dataset, null, sourceId));
  }
  const { dataset, version } = held;
  const updated = firstText(version.lastUpdateTime, version.releaseTime, version.createTime);
  const known = knownFields(dataset, version, sourceId);
  const hidden = hiddenBecause(version, context);
  if (hidden !== null) return tombstone(hidden, updated);
  const type = firstText(dataset.datasetType, version.datasetType) ?? "dataset";
  if (type.toLowerCase() !== "dataset") return notDataset(`dataset type ${displayText(type, 80)}`, updated);
  if (asObject(version.metadataBlocks) === null) {
    return failed("a sparse answer: it carries no metadata blocks", updated, known);
  }
  return readVersion(version, known, updated, context);
}

function hiddenBecause(version: Json, { isDraft }: NormaliseContext): string | null {
  const state = asText(version.versionState)?.toUpperCase() ?? "RELEASED";
  if (state === "RELEASED" || (isDraft && state === "DRAFT")) return null;
  return `version state is ${displayText(state, 40)}`;
}

function readVersion(
  version: Json,
  known: RecordFields,
  updated: string | null,
  context: NormaliseContext,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(version, errors);
  const fields = new Fields(version, errors);
  const people = readCreators(fields, vocabularies);
  const files = fileEvidence(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(fields, vocabularies),
    ...people.evidence,
    ...licenceEvidence(reader, vocabularies),
    ...files.evidence,
    ...workEvidence(fields, vocabularies),
    version_stated: asText(version.versionNumber) === null ? (reader.has("versionNumber") ? false : null) : true,
  };
  const [title = null] = fields.texts("title", []) ?? [];
  return {
    outcome: "record",
    updated: instantOf(updated),
    fields: {
      ...known,
      title: shownText(title, vocabularies),
      accessStatus: files.words,
      license: firstText(evidence.license_spdx, evidence.license_text),
      version: versionOf(version),
    },
    evidence: settled(evidence, errors),
    errors,
    creators: people.creators,
    facets: facetsOf(fields),
  };
}

/** Major and minor number; a change of metadata alone counts in the second. */
function versionOf(version: Json): string | null {
  const [major, minor] = [asText(version.versionNumber), asText(version.versionMinorNumber)];
  return major === null || minor === null ? major : `${major}.${minor}`;
}

/** The broad subjects of the citation block. */
function facetsOf(fields: Fields): Facet[] {
  return (fields.texts("subject", []) ?? []).map((value) => ({ kind: "dataType", value: displayText(value, 256) }));
}

/** A DOI or a handle, and the installation's name as the dataset states it. */
function knownFields(dataset: Json | null, version: Json | null, sourceId: string): RecordFields {
  const doi = doiOf(sourceId);
  const publisher = asText(at(dataset, "publisher"));
  return bareFields({
    doi,
    repository: publisher === null ? null : displayText(publisher) || null,
    pubDate: dateOf(firstText(at(dataset, "publicationDate"), version?.releaseTime)),
    url: webUrlOf(asText(at(dataset, "persistentUrl"))) ?? (doi === null ? null : `https://doi.org/${doi}`),
    recordKind: "dataset",
    versionFamily: ownFamily(doi, `dataverse/${sourceId}`),
  });
}
