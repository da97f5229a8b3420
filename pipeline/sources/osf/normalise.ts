/** An OSF node or registration (API v2, alone or with its files) as a record and its evidence. */

import type { Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, instantOf } from "../../reading/dates.ts";
import { doiOf, webUrlOf } from "../../reading/identifiers.ts";
import { bareFields, blankEvidence, failed, notDataset, settled, tombstone } from "../../reading/normalised.ts";
import { asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { shownText } from "../../reading/shown-text.ts";
import { countTerms } from "../../reading/terms.ts";
import { cleanText } from "../../reading/text.ts";
import { textLength } from "../../reading/text-length.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { accessEvidence, accessWords, licenceEvidence } from "./access.ts";
import { institutionEvidence, readCreators } from "./creators.ts";
import { identifiersOf } from "./embeds.ts";
import { fileEvidence } from "./files.ts";

/** The kinds of resource that are records, in the singular. */
const KINDS = new Map([
  ["nodes", "node"],
  ["registrations", "registration"],
]);

export function normaliseOsf(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("OSF answers that the node is gone", null);
  const combined = asObject(at(payload, "node"));
  const node = combined ?? asObject(at(payload, "data")) ?? asObject(payload);
  const attributes = asObject(at(node, "attributes"));
  const updated = firstText(at(attributes, "date_modified"), at(attributes, "date_registered"));
  const kind = KINDS.get(asText(at(node, "type")) ?? "");
  if (node === null || attributes === null || kind === undefined) {
    return failed("the answer is neither a node nor a registration", updated, knownFields(sourceId));
  }
  const hidden = hiddenBecause(attributes, context);
  if (hidden !== null) return tombstone(hidden, updated);
  // A component says what it holds; only software is surely no data.
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

/** Withdrawn registrations keep a page that says so; private nodes are answered to their contributors alone. */
function hiddenBecause(attributes: Json, { isDraft }: NormaliseContext): string | null {
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
  context: NormaliseContext,
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
    updated: instantOf(updated),
    fields: {
      ...describe(node, attributes, kind, sourceId, context),
      license: firstText(evidence.license_spdx, evidence.license_text),
    },
    evidence: settled(evidence, errors),
    errors,
    creators: contributors.creators,
    facets: [],
  };
}

/** Tags are free and entity-encoded; subjects are paths through the bepress taxonomy, each step a term. */
function termEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const tags = reader.list("tags", ["keyword_count"]);
  const paths = reader.list("subjects", ["keyword_count", "subject_count"]);
  const text = (value: unknown) => {
    const stated = asText(value);
    return stated === null ? null : cleanText(stated);
  };
  const subjects = (paths ?? []).flat().map((subject) => text(at(subject, "text")));
  return {
    keyword_count:
      tags === null && paths === null ? null : countTerms([...(tags ?? []).map(text), ...subjects], vocabularies),
    subject_count: paths === null ? null : countTerms(subjects, vocabularies),
  };
}

const ARTICLE_COLUMNS = ["publication_link_count", "related_identifier_count"] as const;

/** The article a registration belongs to. */
function articleEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const stated = reader.text("article_doi", ARTICLE_COLUMNS);
  if (stated === null) return {};
  if (stated === "" || vocabularies.placeholders.isPlaceholder(stated, "any")) {
    return { publication_link_count: 0, related_identifier_count: 0 };
  }
  if (doiOf(stated) === null) reader.fail(ARTICLE_COLUMNS);
  const found = doiOf(stated) === null ? null : 1;
  return { publication_link_count: found, related_identifier_count: found };
}

function describe(
  node: Json,
  attributes: Json,
  kind: string,
  sourceId: string,
  { vocabularies }: NormaliseContext,
): RecordFields {
  const title = asText(attributes.title);
  const known = knownFields(sourceId);
  // A registration is a frozen copy of a node: all of them are versions of what the node holds.
  const original = asText(at(node, "relationships", "registered_from", "data", "id"));
  return {
    ...known,
    doi: doiOf(identifiersOf(node)[0] ?? null),
    title: shownText(title, vocabularies),
    pubDate: dateOf(firstText(attributes.date_registered, attributes.date_created)),
    url: webUrlOf(asText(at(node, "links", "html"))) ?? known.url,
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
