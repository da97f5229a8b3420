/** Reads an OSF node or registration (API v2, alone or with its files) as a record and its evidence. */

import type { Creator, Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { FILE_COLUMNS, type LicenceStatement, readLicence, readPartialFiles } from "../../reading/evidence.ts";
import { readDoi, readOrcid, readOrganisationPid, readWebUrl } from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, failed, notDataset, settled, tombstone } from "../../reading/normalised.ts";
import { type CreatorsRead, readCreator } from "../../reading/people.ts";
import { asList, asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { cleanText, firstDay, readDate, readInstant, shownText, textLength } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

const KINDS = new Map([
  ["nodes", "node"],
  ["registrations", "registration"],
]);

export function normaliseOsf(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("OSF answers that the node is gone", null);
  const combined = asObject(at(payload, "node"));
  const node = combined ?? asObject(at(payload, "data")) ?? asObject(payload);
  const attributes = asObject(at(node, "attributes"));
  const updated = firstText(at(attributes, "date_modified"), at(attributes, "date_registered"));
  const kind = KINDS.get(asText(at(node, "type")) ?? "");
  if (node === null || attributes === null || kind === undefined) {
    return failed(
      "the response is neither a node nor a registration of OSF; fetch one of them completely",
      updated,
      knownFields(sourceId),
    );
  }
  const hidden = hiddenBecause(attributes, context);
  if (hidden !== null) return tombstone(hidden, updated);
  // A component states its category. Only software is certainly not data.
  if (attributes.category === "software") return notDataset("category software", updated);
  return readNode(
    node,
    attributes,
    kind,
    combined === null ? undefined : at(payload, "files"),
    sourceId,
    updated,
    context,
  );
}

/**
 * Explains why a node is not public; null if it is. A withdrawn registration has been hidden although its page is still
 * public. A private node is only sent to its contributors.
 */
function hiddenBecause(attributes: Json, { isDraft }: NormaliseOptions): string | null {
  if (attributes.withdrawn === true) return "the registration has been withdrawn";
  return attributes.public === false && !isDraft ? "the node is not public" : null;
}

function readNode(
  node: Json,
  attributes: Json,
  kind: string,
  files: unknown,
  sourceId: string,
  updated: string | null,
  context: NormaliseOptions,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  const reader = new Reader(attributes, errors);
  const contributors = readCreators(node, reader, vocabularies);
  const access = accessEvidence(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...termEvidence(reader, context),
    description_length: textLength(reader.text("description", ["description_length"]), vocabularies),
    ...contributors.evidence,
    ...institutionEvidence(node, reader),
    ...access,
    ...licenceEvidence(node, reader, vocabularies),
    ...fileEvidence(files, access.access_open ?? null, errors, vocabularies),
    ...articleEvidence(reader, context),
  };
  return {
    outcome: "record",
    updated: readInstant(updated),
    fields: {
      ...describe(node, attributes, kind, sourceId, context),
      license: firstText(evidence.license_spdx, evidence.license_text),
    },
    evidence: settled(evidence, errors),
    errors,
    creators: contributors.creators,
    facets: [],
    funding: [],
  };
}

/**
 * Counts keywords and subject terms. Tags are free text with HTML entities. Subjects are paths in the bepress taxonomy, and
 * each step of a path is a term.
 */
function termEvidence(reader: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const tags = reader.list("tags", ["keyword_count"]);
  const paths = reader.list("subjects", ["keyword_count", "subject_count"]);
  const text = (value: unknown) => {
    const stated = asText(value);
    return stated === null ? null : cleanText(stated);
  };
  const subjects = (paths ?? []).flat().map((subject) => text(at(subject, "text")));
  return {
    keyword_count:
      tags === null && paths === null
        ? null
        : countTerms("keyword_count", [...(tags ?? []).map(text), ...subjects], vocabularies),
    subject_count: paths === null ? null : countTerms("subject_count", subjects, vocabularies),
  };
}

const ARTICLE_COLUMNS = ["publication_link_count", "related_identifier_count"] as const;

function articleEvidence(reader: Reader, { vocabularies }: NormaliseOptions): Partial<Evidence> {
  const stated = reader.text("article_doi", ARTICLE_COLUMNS);
  if (stated === null) return {};
  if (stated === "" || vocabularies.placeholders.isPlaceholder(stated, "any")) {
    return { publication_link_count: 0, related_identifier_count: 0 };
  }
  if (readDoi(stated) === null) reader.fail(ARTICLE_COLUMNS);
  const found = readDoi(stated) === null ? null : 1;
  return { publication_link_count: found, related_identifier_count: found };
}

function describe(
  node: Json,
  attributes: Json,
  kind: string,
  sourceId: string,
  { vocabularies }: NormaliseOptions,
): RecordFields {
  const title = asText(attributes.title);
  const known = knownFields(sourceId);
  // A registration is a frozen copy of a node. All copies are versions of one work.
  const original = asText(at(node, "relationships", "registered_from", "data", "id"));
  return {
    ...known,
    doi: readDoi(readIdentifiers(node)[0] ?? null),
    title: shownText(title, vocabularies),
    pubDate: readDate(firstText(attributes.date_registered, attributes.date_created)),
    url: readWebUrl(asText(at(node, "links", "html"))) ?? known.url,
    recordKind: kind,
    accessStatus: accessWords(attributes),
    versionFamily: original === null ? known.versionFamily : `osf/${original.toLowerCase()}`,
  };
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "OSF",
    url: `https://osf.io/${sourceId}/`,
    versionFamily: `osf/${sourceId}`,
  });
}

/**
 * Reads the files of the top level. The list does not contain the files in folders. The list of a closed node is empty,
 * because its files are hidden.
 */
function fileEvidence(
  response: unknown,
  accessOpen: boolean | null,
  errors: Set<EvidenceName>,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  if (response === undefined || response === null) return {};
  const pages = Array.isArray(response) ? asList(response) : [response];
  // An error in place of a page shows nothing about the files.
  if (pages.some((page) => at(page, "data") === undefined)) return {};
  const lists = pages.map((page) => new Reader({ data: at(page, "data") }, errors).list("data", FILE_COLUMNS));
  if (lists.includes(null)) return {};
  const entries = lists.flatMap((list) => list ?? []);
  if (entries.length === 0 && accessOpen === false) return {};
  const names = entries
    .filter((entry) => at(entry, "attributes", "kind") !== "folder")
    .map((entry) => asText(at(entry, "attributes", "name")))
    .filter((name) => name !== null)
    .map(cleanText);
  const total = at(pages[0], "links", "meta", "total");
  const folders = entries.some((entry) => at(entry, "attributes", "kind") === "folder");
  const isComplete = !folders && !(typeof total === "number" && total > entries.length);
  return readPartialFiles(names, isComplete, vocabularies);
}

const ACCESS_COLUMNS = ["access_declared", "access_open", "embargo_active"] as const;

/** Reads access. Registrations can have an embargo; nodes cannot. */
function accessEvidence(reader: Reader, { asOf }: NormaliseOptions): Partial<Evidence> {
  const isPublic = reader.raw("public");
  const embargoed = reader.raw("embargoed") ?? false;
  if (isPublic === undefined || isPublic === null) return {};
  if (typeof isPublic !== "boolean" || typeof embargoed !== "boolean") {
    reader.fail(ACCESS_COLUMNS);
    return {};
  }
  return {
    access_declared: true,
    access_open: isPublic && !embargoed,
    embargo_active: embargoed ? runs(reader, asOf) : false,
  };
}

function accessWords(attributes: Json): string | null {
  if (attributes.embargoed === true) return "embargoed";
  if (typeof attributes.public !== "boolean") return null;
  return attributes.public ? "public" : "private";
}

function runs(reader: Reader, asOf: string): boolean | null {
  const ends = reader.text("embargo_end_date", ["embargo_active"]);
  if (ends === null || ends === "") return null;
  const date = readDate(ends);
  return date === null ? reader.fail(["embargo_active"]) : firstDay(date) > asOf;
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

/** Reads the licence. `node_license` has the copyright holder and year; the embedded licence has the name and URL. */
function licenceEvidence(node: Json, reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const stated = reader.object("node_license", LICENCE_COLUMNS);
  const licence = embeddedAttributes(node, "license");
  const name = asText(licence?.name);
  if (name === null) {
    // Null means no licence. An object means a licence without further data.
    return stated !== null && reader.raw("node_license") === null ? readLicence([], vocabularies) : {};
  }
  const none = /^no licen[cs]e$/i.test(name);
  const spellings = [asText(licence?.url), name].filter((text) => text !== null);
  const statements: LicenceStatement[] = none ? [] : [{ text: name, spellings }];
  return readLicence(statements, vocabularies);
}

const CREATOR_COLUMNS = ["creator_count", "person_creator_count", "creator_pid_count"] as const;

function readCreators(node: Json, reader: Reader, vocabularies: Vocabularies): CreatorsRead {
  const list = embeddedList(node, "bibliographic_contributors");
  if (list === "unreadable") reader.fail(CREATOR_COLUMNS);
  if (list === null || list === "unreadable") return { creators: [], evidence: {} };
  const creators = list.map((entry) => readCreatorEntry(entry, vocabularies)).filter((creator) => creator !== null);
  const people = creators.filter((creator) => creator.person);
  const pids = new Set(people.map(({ orcid }) => orcid).filter((orcid) => orcid !== null)).size;
  // The first page does not show all people, so missing counts are unknown.
  const isComplete = hasAllEntries(node, "bibliographic_contributors", list.length);
  return {
    creators,
    evidence: {
      creator_count: isComplete ? creators.length : null,
      person_creator_count: isComplete ? people.length : null,
      creator_pid_count: isComplete ? pids : pids || null,
    },
  };
}

/**
 * Reads a creator: a user, a name without an account, or the error message of a closed account, which still contains the
 * name.
 */
function readCreatorEntry(entry: unknown, vocabularies: Vocabularies): Creator | null {
  const errors = at(entry, "embeds", "users", "errors");
  const closed = Array.isArray(errors) ? asObject(at(errors[0], "meta")) : null;
  const user = embeddedAttributes(entry, "users") ?? closed ?? {};
  const orcid = at(user, "social", "orcid");
  return readCreator(
    {
      name: firstText(at(entry, "attributes", "unregistered_contributor"), user.full_name),
      given: asText(user.given_name),
      family: asText(user.family_name),
      type: null,
      orcid: readOrcid(asText(Array.isArray(orcid) ? orcid[0] : orcid)),
      affiliations: [],
    },
    vocabularies,
  );
}

/** Counts the institutions of a node. Older responses lack ROR ids, so the number of identifiers is unknown. */
function institutionEvidence(node: Json, reader: Reader): Partial<Evidence> {
  const list = embeddedList(node, "affiliated_institutions");
  if (list === "unreadable") reader.fail(["organization_pid_count"]);
  if (list === null || list === "unreadable") return {};
  const pids = new Set<string>();
  let carried = true;
  for (const entry of list) {
    const attributes = asObject(at(entry, "attributes")) ?? {};
    carried &&= Object.hasOwn(attributes, "ror_iri") || Object.hasOwn(attributes, "ror_uri");
    const pid = readOrganisationPid(firstText(attributes.ror_iri, attributes.ror_uri), "ROR");
    if (pid !== null) pids.add(pid);
  }
  return { organization_pid_count: pids.size || (carried ? 0 : null) };
}

/** Returns an embedded list. Returns null if it was not requested or is an error, and `"unreadable"` for another value. */
function embeddedList(node: Json, name: string): readonly unknown[] | null | "unreadable" {
  const embed = at(node, "embeds", name);
  if (embed === undefined || embed === null || Array.isArray(at(embed, "errors"))) return null;
  const data = at(embed, "data");
  return Array.isArray(data) ? data : "unreadable";
}

/**
 * Returns whether an embedded list is complete. A response embeds at most ten entries; more entries are on further
 * pages.
 */
function hasAllEntries(node: Json, name: string, entryCount: number): boolean {
  const links = at(node, "embeds", name, "links");
  const total = at(links, "meta", "total") ?? at(node, "embeds", name, "meta", "total");
  if (typeof total === "number") return total <= entryCount;
  return asText(at(links, "next")) === null;
}

function embeddedAttributes(resource: unknown, name: string): Json | null {
  return asObject(at(resource, "embeds", name, "data", "attributes"));
}

function readIdentifiers(node: Json): readonly string[] {
  const list = asList(at(node, "embeds", "identifiers", "data"));
  return list
    .filter((entry) => asText(at(entry, "attributes", "category")) === "doi")
    .map((entry) => asText(at(entry, "attributes", "value")))
    .filter((value) => value !== null);
}
