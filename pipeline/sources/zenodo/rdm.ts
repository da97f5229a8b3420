/** Zenodo's records as its software keeps them (InvenioRDM, the form of the JSON dump), turned into the form of its API. */

import { asList, asObject, asText, at, firstText, type Json } from "../../reading/reader.ts";

/** The record in the API's form; any other payload as it is. */
export function withoutRdm(payload: unknown): unknown {
  const record = asObject(payload);
  const metadata = asObject(at(record, "metadata"));
  const type = asText(at(metadata, "resource_type", "id"));
  if (record === null || metadata === null || type === null || at(metadata, "resource_type", "type") !== undefined) {
    return payload;
  }
  return {
    id: record.id,
    created: record.created,
    updated: record.updated,
    doi: at(record, "pids", "doi", "identifier"),
    conceptrecid: at(record, "parent", "id"),
    conceptdoi: at(record, "parent", "pids", "doi", "identifier"),
    state: at(record, "deletion_status", "is_deleted") === true ? "deleted" : "done",
    metadata: { ...metadataOf(metadata, record), resource_type: { type: type.split("-")[0] } },
    ...filesOf(record),
    ...statsOf(record),
  };
}

function metadataOf(metadata: Json, record: Json): Json {
  const subjects = asList(metadata.subjects);
  const isSchemed = (subject: unknown) => firstText(at(subject, "scheme"), at(subject, "id")) !== null;
  return {
    title: metadata.title,
    publication_date: metadata.publication_date,
    version: metadata.version,
    description: metadata.description,
    method: methodIn(metadata),
    ...accessOf(record),
    license: licenceOf(metadata),
    keywords: subjects.filter((subject) => !isSchemed(subject)).map((subject) => at(subject, "subject")),
    subjects: subjects
      .filter(isSchemed)
      .map((subject) => ({ term: at(subject, "subject"), identifier: at(subject, "id") })),
    creators: asList(metadata.creators).map(creatorOf),
    contributors: asList(metadata.contributors).map((entry) => ({
      name: at(entry, "person_or_org", "name"),
      type: at(entry, "role", "id"),
    })),
    dates: asList(metadata.dates).map((entry) => ({ type: at(entry, "type", "id"), date: at(entry, "date") })),
    locations: asList(at(metadata, "locations", "features")).map(placeOf),
    related_identifiers: asList(metadata.related_identifiers).map((entry) => ({
      identifier: at(entry, "identifier"),
      scheme: at(entry, "scheme"),
      relation: at(entry, "relation_type", "id"),
      resource_type: at(entry, "resource_type", "id"),
    })),
    references: metadata.references,
    funding: metadata.funding,
    custom: record.custom_fields,
    ...venueOf(at(record, "custom_fields")),
  };
}

function methodIn(metadata: Json): unknown {
  const methods = asList(metadata.additional_descriptions).find((entry) => at(entry, "type", "id") === "methods");
  return at(methods, "description");
}

const STATUSES = ["open", "embargoed", "restricted", "metadata-only"];

/** Who may have the files is what the API calls the access right. */
function accessOf(record: Json): Json {
  const level = accessStatus(record);
  if (level === null) return {};
  const until = level === "embargoed" ? at(record, "access", "embargo", "until") : undefined;
  return { access_right: level, embargo_date: until };
}

/** The status that InvenioRDM states, or derives from the access to files: public access to no files opens nothing. */
function accessStatus(record: Json): string | null {
  const status = asText(at(record, "access", "status"));
  if (status !== null && STATUSES.includes(status)) return status;
  const files = asText(at(record, "access", "files"));
  if (files === null) return null;
  if (files === "public") return at(record, "files", "enabled") === false ? "metadata-only" : "open";
  return at(record, "access", "embargo", "active") === true ? "embargoed" : "restricted";
}

/** Licences of the depositor's own have words and no id. */
function licenceOf(metadata: Json): Json | undefined {
  const first = asList(metadata.rights)[0];
  const id = firstText(at(first, "id"), at(first, "props", "url"), at(first, "link"), at(first, "title", "en"));
  return id === null ? undefined : { id };
}

function creatorOf(entry: unknown): Json {
  const who = at(entry, "person_or_org");
  const orcid = asList(at(who, "identifiers")).find((identifier) => at(identifier, "scheme") === "orcid");
  return {
    name: at(who, "name"),
    type: at(who, "type"),
    orcid: at(orcid, "identifier"),
    affiliation: at(entry, "affiliations"),
  };
}

/** The first corner stands for a line or a polygon, whose coordinates are lists of pairs, up to three deep (RFC 7946). */
function placeOf(feature: unknown): Json {
  const [longitude, latitude] = asList(at(feature, "geometry", "coordinates")).flat(3);
  return { place: at(feature, "place"), lat: latitude, lon: longitude };
}

/** What the API has as parts of the metadata stands apart here. */
function venueOf(fields: unknown): Json {
  return {
    journal: at(fields, "journal:journal"),
    meeting: at(fields, "meeting:meeting"),
    part_of: at(fields, "imprint:imprint"),
  };
}

/** A list, or an object by name; without either the dump does not say which files there are. */
function filesOf(record: Json): Json {
  if (at(record, "files", "enabled") === false) return { files: [] };
  const entries = at(record, "files", "entries");
  const files = Array.isArray(entries) ? entries : Object.values(asObject(entries) ?? {});
  return entries === undefined ? {} : { files };
}

function statsOf(record: Json): Json {
  const [version, all] = ["this_version", "all_versions"].map((name) => at(record, "stats", name));
  if (version === undefined && all === undefined) return {};
  return {
    stats: {
      ...(version === undefined
        ? {}
        : { version_views: at(version, "views"), version_downloads: at(version, "downloads") }),
      ...(all === undefined ? {} : { views: at(all, "views"), downloads: at(all, "downloads") }),
    },
  };
}
