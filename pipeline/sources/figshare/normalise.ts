/** A figshare article (`/v2/articles/{id}`, alone or with its totals of views and downloads) as a record and its evidence. */

import type { Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { dateOf, instantOf } from "../../reading/dates.ts";
import { doiOf, webUrlOf } from "../../reading/identifiers.ts";
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
import { asObject, asText, at, firstText, type Json, Reader } from "../../reading/reader.ts";
import { shownText } from "../../reading/shown-text.ts";
import { countTerms } from "../../reading/terms.ts";
import { displayText } from "../../reading/text.ts";
import { textLength } from "../../reading/text-length.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { accessEvidence, accessWords } from "./access.ts";
import { readCreators } from "./creators.ts";
import { fileEvidence } from "./files.ts";
import { fundingEvidence } from "./funding.ts";
import { linkEvidence } from "./links.ts";

/** A fileset was figshare's word for a dataset of several files until 2018. */
const DATASET_TYPES = new Set(["dataset", "fileset", "3", "4"]);

export function normaliseFigshare(payload: unknown, sourceId: string, context: NormaliseContext): Normalised {
  if (payload === null) return tombstone("Figshare answers that the article does not exist", null);
  const article = asObject(at(payload, "article")) ?? asObject(payload);
  const updated = firstText(at(article, "modified_date"), at(article, "published_date"), at(article, "created_date"));
  if (article === null) return failed("the answer is no article", updated, knownFields(sourceId));
  const hidden = hiddenBecause(article, context);
  if (hidden !== null) return tombstone(hidden, updated);
  const type = firstText(article.defined_type_name, article.defined_type);
  if (type === null) return failed("a sparse answer: it carries no type", updated, knownFields(sourceId));
  if (!DATASET_TYPES.has(type.toLowerCase())) return notDataset(`defined type ${displayText(type, 80)}`, updated);
  return readArticle(payload, article, type, sourceId, updated, context);
}

/** Drafts and private articles are answered to their owner alone; list items say it by having no date of publication. */
function hiddenBecause(article: Json, { isDraft }: NormaliseContext): string | null {
  if (isDraft) return null;
  const status = asText(article.status)?.toLowerCase() ?? "public";
  if (status !== "public") return `article status is ${displayText(status, 40)}`;
  if (article.is_public === false) return "the article is not public";
  return article.published_date === null ? "the article has not been published" : null;
}

function readArticle(
  payload: unknown,
  article: Json,
  type: string,
  sourceId: string,
  updated: string | null,
  context: NormaliseContext,
): Normalised {
  const { vocabularies } = context;
  const errors = new Set<EvidenceName>();
  // Figshare leaves no key out: what is missing, as in items of a list, was not carried.
  const reader = new Reader(article, errors);
  const authors = readCreators(reader, vocabularies);
  const licence = licenceEvidence(reader, context);
  const access = accessEvidence(reader, context);
  const evidence: Evidence = {
    ...blankEvidence(),
    ...termEvidence(reader, context),
    description_length: textLength(reader.text("description", ["description_length"]), vocabularies),
    ...authors.evidence,
    ...access,
    ...licence,
    ...fileEvidence(payload, reader, access.access_open ?? null, errors, vocabularies),
    ...useEvidence(payload, errors),
    ...fundingEvidence(reader, vocabularies),
    ...linkEvidence(reader, vocabularies),
  };
  return {
    outcome: "record",
    updated: instantOf(updated),
    fields: describe(article, type, licence, sourceId, context),
    evidence: settled(evidence, errors),
    errors,
    creators: authors.creators,
    facets: [],
  };
}

/** Tags and keywords are one list under two names; categories are terms of the ANZSRC fields of research. */
function termEvidence(reader: Reader, { vocabularies }: NormaliseContext): Partial<Evidence> {
  const free = ["keywords", "tags"].map((key) => reader.list(key, ["keyword_count"]));
  const categories = reader.list("categories", ["keyword_count", "subject_count"]);
  const subjects = (categories ?? []).map((category) => asText(at(category, "title")));
  const words = free.flatMap((list) => list ?? []).map(asText);
  const carried = categories !== null || free.some((list) => list !== null);
  return {
    keyword_count: carried ? countTerms([...words, ...subjects], vocabularies) : null,
    subject_count: categories === null ? null : countTerms(subjects, vocabularies),
  };
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

function licenceEvidence(reader: Reader, { vocabularies }: NormaliseContext) {
  const stated = reader.object("license", LICENCE_COLUMNS);
  if (stated === null) {
    return { license_text: null, license_spdx: null, license_permissive: null, license_open: null };
  }
  const spellings = [asText(stated.url), asText(stated.name)].filter((text) => text !== null);
  const text = firstText(stated.name, stated.url);
  const statements: LicenceStatement[] =
    text === null || vocabularies.placeholders.isPlaceholder(text, "any") ? [] : [{ text, spellings }];
  return readLicence(statements, vocabularies);
}

/** Totals of the statistics service, over all versions; an error in their place carries nothing. */
function useEvidence(payload: unknown, errors: Set<EvidenceName>): Partial<Evidence> {
  const total = (part: "views" | "downloads", column: EvidenceName) => {
    const answer = asObject(at(payload, "article")) === null ? null : asObject(at(payload, part));
    return answer === null ? null : new Reader(answer, errors).count("totals", column);
  };
  return { view_count: total("views", "view_count"), download_count: total("downloads", "download_count") };
}

function describe(
  article: Json,
  type: string,
  licence: Pick<Evidence, "license_spdx" | "license_text">,
  sourceId: string,
  { vocabularies }: NormaliseContext,
): RecordFields {
  const doi = doiOf(asText(article.doi));
  const title = asText(article.title);
  const published = firstText(
    article.published_date,
    at(article.timeline, "firstOnline"),
    at(article.timeline, "posted"),
  );
  return {
    ...knownFields(sourceId),
    doi,
    title: shownText(title, vocabularies),
    pubDate: dateOf(published),
    url:
      webUrlOf(firstText(article.url_public_html)) ??
      webUrlOf(firstText(article.figshare_url)) ??
      knownFields(sourceId).url,
    recordKind: type,
    accessStatus: accessWords(article),
    license: firstText(licence.license_spdx, licence.license_text),
    version: versionOf(article),
    versionFamily: ownFamily(doi, `figshare/${sourceId}`),
  };
}

/** Versions count from 1; 0 is a draft. */
function versionOf(article: Json): string | null {
  const version = asText(article.version);
  return version === "0" ? null : version;
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    repository: "Figshare",
    url: `https://figshare.com/articles/dataset/_/${sourceId}`,
    versionFamily: `figshare/${sourceId}`,
  });
}
