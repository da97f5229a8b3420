/** Zenodo's record (`/api/records/{id}`, all three shapes since 2018, or its dump's) as a record and its evidence. */

import type { Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, firstDay, instantOf } from "../../reading/dates.ts";
import { readFiles } from "../../reading/files.ts";
import { doiOf } from "../../reading/identifiers.ts";
import { type LicenceStatement, readLicence } from "../../reading/licence.ts";
import {
  bareFields,
  blankEvidence,
  failed,
  notDataset,
  ownFamily,
  settled,
  tombstone,
} from "../../reading/normalised.ts";
import { FILE_COLUMNS } from "../../reading/partial-files.ts";
import { identifiedIn } from "../../reading/pid-in-text.ts";
import { asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countRelations, RELATION_COLUMNS, type StatedRelation } from "../../reading/relations.ts";
import { displayText } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { creatorEvidence, readCreators } from "./creators.ts";
import { withoutRdm } from "./rdm.ts";
import { textEvidence } from "./texts.ts";

export function normaliseZenodo(stated: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (stated === null) return tombstone("Zenodo answers that the record is gone", null);
  const payload = withoutRdm(stated);
  const record = asObject(payload);
  const metadata = asObject(at(payload, "metadata"));
  const updated = firstText(at(payload, "updated"), at(payload, "modified"), at(payload, "created"));
  if (record === null || metadata === null)
    return failed("the record has no metadata object", updated, knownFields(sourceId));
  if (at(payload, "state") === "deleted" || at(payload, "status") === "deleted") {
    return tombstone("Zenodo marks the record as deleted", updated);
  }
  const type = firstText(at(metadata, "resource_type", "type"), metadata.upload_type);
  if (type === null && !Object.hasOwn(metadata, "resource_type")) {
    return failed("a sparse answer: it carries no resource type", updated, knownFields(sourceId));
  }
  if (type !== "dataset") return notDataset(`upload type ${displayText(type ?? "not stated", 80)}`, updated);
  return readRecord(record, metadata, type, sourceId, updated, context);
}

function readRecord(
  record: Json,
  metadata: Json,
  type: string,
  sourceId: string,
  updated: string | null,
  context: NormaliseContext,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(metadata, errors, "none");
  const creators = readCreators(reader, vocabularies);
  const licence = readLicence(licencesOf(reader), vocabularies);
  const accessRight = asText(metadata.access_right)?.toLowerCase() ?? null;
  const evidence: Evidence = {
    ...blankEvidence(),
    ...textEvidence(reader, creators ?? [], hasStats(record), vocabularies),
    ...creatorEvidence(creators),
    ...licence,
    ...accessEvidence(reader, accessRight, context),
    ...readFiles(fileNames(record, accessRight, errors), vocabularies),
    ...useEvidence(record, errors),
    ...fundingEvidence(reader, context),
    ...relationEvidence(reader, context),
  };
  const doi = doiOf(firstText(record.doi, metadata.doi));
  const fields: RecordFields = {
    doi,
    repository: "Zenodo",
    title: titleOf(firstText(metadata.title, record.title), context),
    pubDate: dateOf(asText(metadata.publication_date)),
    url: `https://zenodo.org/records/${sourceId}`,
    recordKind: type,
    accessStatus: accessRight,
    license: firstText(licence.license_spdx, licence.license_text),
    version: asText(metadata.version),
    versionFamily: familyOf(record, doi, sourceId),
  };
  return {
    outcome: "record",
    updated: instantOf(updated),
    fields,
    evidence: settled(evidence, errors),
    errors,
    creators: creators ?? [],
    facets: [],
  };
}

/** Shapes with `stats` date from 2019 on; the one before them had no places, dates or counts. */
function hasStats(record: Json): boolean {
  return Object.hasOwn(record, "stats");
}

function titleOf(title: string | null, { vocabularies }: NormaliseContext): string | null {
  if (title === null || vocabularies.placeholders.isPlaceholder(title, "any")) return null;
  return displayText(title) || null;
}

/** `license` was an id in capitals, then in lower case, as text or inside an object. */
function licencesOf(reader: Reader): LicenceStatement[] {
  const stated = reader.raw("license");
  const text = firstText(at(stated, "id"), stated);
  // Blank text, an object without an id and null state none; a list or a truth value cannot be read.
  if (typeof stated === "boolean" || Array.isArray(stated)) reader.fail(LICENCE_COLUMNS);
  return text === null ? [] : [{ text, spellings: [text] }];
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

const LEVEL_COLUMNS = ["access_declared", "access_open"] as const;
const LEVELS = new Set(["open", "embargoed", "restricted", "closed", "metadata-only"]);

function accessEvidence(reader: Reader, level: string | null, { asOf }: NormaliseContext): Partial<Evidence> {
  if (level === null && reader.text("access_right", LEVEL_COLUMNS) !== null) {
    return { access_declared: reader.has("access_right") ? false : null };
  }
  if (level === null || !LEVELS.has(level)) {
    reader.fail(LEVEL_COLUMNS);
    return {};
  }
  return { access_declared: true, access_open: level === "open", embargo_active: embargo(reader, level, asOf) };
}

function embargo(reader: Reader, level: string, asOf: string): boolean | null {
  const stated = reader.text("embargo_date", ["embargo_active"]);
  // Only an embargoed record leaves the end of its embargo open.
  if (stated === "") return level === "embargoed" ? null : false;
  const date = dateOf(stated);
  return date === null ? reader.fail(["embargo_active"]) : firstDay(date) > asOf;
}

/**
 * File names of the three `files[]` shapes; null where the record lists none because access hides them or the answer
 * is too old to say. An empty list of an open record, or of one of metadata alone, is none.
 */
function fileNames(record: Json, accessRight: string | null, errors: Set<EvidenceName>): string[] | null {
  const files = new Reader(record, errors).list("files", FILE_COLUMNS);
  const isHidden = accessRight !== "open" && accessRight !== "metadata-only";
  if (files === null || (files.length === 0 && isHidden)) return null;
  return files.map((file) => firstText(at(file, "key"), at(file, "filename"))).filter((name) => name !== null);
}

/**
 * This version's counts where given, else those of all versions. Which is which has changed: until October 2023 `views`
 * were of this version and `version_views` of all, since then it is the other way round. One version has never been
 * looked at more often than all of them, so the smaller count is this version's.
 */
function useEvidence(record: Json, errors: Set<EvidenceName>): Partial<Evidence> {
  const stats = new Reader(record, errors).object("stats", ["view_count", "download_count"]);
  if (stats === null) return {};
  const reader = new Reader(stats, errors);
  const count = (column: "view_count" | "download_count", name: string) => {
    const counts = [name, `version_${name}`].map((key) => reader.count(key, column)).filter((found) => found !== null);
    return counts.length === 0 ? null : Math.min(...counts);
  };
  return { view_count: count("view_count", "views"), download_count: count("download_count", "downloads") };
}

/** The funder of a grant that the form of a deposit names by a number alone. */
const EUROPEAN_COMMISSION = "10.13039/501100000780";

/** The form of a deposit names a grant by one id: the funder's DOI, `::`, the award's number. */
function funderAndAward(grant: unknown): readonly (string | undefined)[] {
  const id = asText(at(grant, "id")) ?? "";
  if (/^\d+$/.test(id)) return [EUROPEAN_COMMISSION, id];
  return id.includes("::") ? id.split("::") : [];
}

/** Grants name their funder; the newer `funding` list has funders and awards apart. */
function fundingEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const grants = reader.list("grants", ["funder_count", "award_count"]);
  const funding = reader.list("funding", []);
  if (grants === null) return {};
  const distinct = (texts: (string | null)[]) =>
    new Set(texts.filter((text) => text !== null && !vocabularies.placeholders.isPlaceholder(text, "any"))).size;
  const all = [...grants, ...(funding ?? [])];
  return {
    funder_count: distinct(
      all.map((entry) =>
        firstText(
          at(entry, "funder", "name"),
          at(entry, "funder", "doi"),
          at(entry, "funder", "id"),
          funderAndAward(entry)[0],
        ),
      ),
    ),
    award_count: distinct(
      all.map((entry) =>
        firstText(at(entry, "code"), at(entry, "award", "number"), at(entry, "award", "id"), funderAndAward(entry)[1]),
      ),
    ),
  };
}

function relationEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const related = reader.list("related_identifiers", RELATION_COLUMNS);
  const references = reader.list("references", ["reference_count", "reference_pid_count"]);
  const version = asText(reader.raw("version")) !== null;
  const repositories = codeRepositories(reader, vocabularies);
  if (related === null) return { version_stated: version, linked_code_count: repositories };
  const { version: relation, ...counts } = countRelations(related.flatMap(statedRelation), vocabularies);
  const cited = (references ?? [])
    .map((entry) => asText(entry) ?? asText(at(entry, "reference")))
    .filter((text) => text !== null);
  return {
    ...counts,
    linked_code_count: counts.linked_code_count + repositories,
    reference_count: counts.reference_count + cited.length,
    reference_pid_count: counts.reference_pid_count + identifiedIn(cited, vocabularies),
    version_stated: version || relation,
  };
}

/** How many repositories of code the record names in a field of its own. */
function codeRepositories(reader: Reader, { placeholders }: Vocabularies): number {
  const stated = asText(at(reader.raw("custom"), "code:codeRepository"));
  return stated === null || placeholders.isPlaceholder(stated, "any") ? 0 : 1;
}

function statedRelation(entry: unknown): StatedRelation[] {
  const identifier = asText(at(entry, "identifier"));
  const type = asText(at(entry, "relation"));
  if (identifier === null || type === null) return [];
  const relatedType = asText(at(entry, "resource_type"));
  return [
    {
      type,
      relatedType: RELATED_TYPES.get(relatedType?.split("-")[0] ?? "") ?? relatedType,
      identifier,
      identifierType: asText(at(entry, "scheme")),
    },
  ];
}

/** Zenodo's upload types in DataCite's words. */
const RELATED_TYPES = new Map([
  ["dataset", "Dataset"],
  ["software", "Software"],
  ["publication", "Text"],
  ["image", "Image"],
  ["video", "Audiovisual"],
  ["poster", "Text"],
  ["presentation", "Text"],
]);

/** The concept record joins the versions of a deposit; very old answers name only its number. */
function familyOf(record: Json, doi: string | null, sourceId: string): string {
  const concept = asText(record.conceptrecid);
  const stated = doiOf(asText(record.conceptdoi));
  return stated ?? (concept === null ? ownFamily(doi, `zenodo/${sourceId}`) : `10.5281/zenodo.${concept}`);
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "Zenodo",
    url: `https://zenodo.org/records/${sourceId}`,
    versionFamily: `zenodo/${sourceId}`,
  });
}
