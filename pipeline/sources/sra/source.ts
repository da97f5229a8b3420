/**
 * NCBI SRA: E-utilities, one record for each study (sources.md, 6). Stored payload: `{"project": …, "experiments": …}`.
 * `project` is the study's field of esummary's `result` in the database bioproject. `experiments` is the complete
 * esummary response of the database sra (`{"result": {"uids": […], "<uid>": {"expxml": …, "runs": …}}}`), or a list of
 * several pages. Either of the two may be missing. A single field of either `result` is a payload too, and so are the
 * elements of recorded XML responses of efetch, as `{STUDY: …}` and `{EXPERIMENT_PACKAGE: …}`. The source id is the
 * PRJ… accession if it is known, otherwise the SRP… accession.
 */

import { asList, asObject, asText, at, oneOrMany } from "../../reading/reader.ts";
import {
  buildSearch,
  buildSummaryRequest,
  EUTILS_KEY,
  EUTILS_RATE,
  eutil,
  eutilsFault,
  historyWalk,
  readHistory,
  SUMMARIES,
} from "../adapter/eutils.ts";
import { matchFirst, readParameter } from "../adapter/requests.ts";
import type { FetchPart, PartResponses, ResponseShape, Source, SourceRequest } from "../adapter/source.ts";
import { normaliseSra, openStudyReader } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };
import { findPieceName, packagesIn, projectIn, studyElementIn, summariesIn } from "./study.ts";

/** Lists projects that have reads. A list of experiments would make a record of each experiment. */
const walk = historyWalk("bioproject", false, () => '"bioproject sra"[Filter]');

const PROJECT = /^PRJ(?:NA|EB|DB)\d{1,9}$/;

const STUDY = /^[SED]RP\d{6,9}$/;

function planFetch(id: string): readonly FetchPart[] {
  const field = PROJECT.test(id) ? "BioProject" : "Accession";
  const reads: readonly FetchPart[] = [
    {
      name: "search",
      take: "nothing",
      buildRequest: (_found, options) => buildSearch(options, "sra", `${id}[${field}]`),
    },
    {
      name: "experiments",
      take: "answer",
      ...(PROJECT.test(id) ? { optional: true } : {}),
      buildRequest({ search }, options) {
        const history = readHistory(search);
        return history === null || history.count === 0 ? null : buildSummaryRequest(options, "sra", history, 0);
      },
      next: nextSummaries,
    },
  ];
  return PROJECT.test(id) ? [...planProject(id), ...reads] : reads;
}

/**
 * Returns the requests for a project. The first one finds its uid, because only accessions that NCBI assigned contain the
 * uid.
 */
function planProject(id: string): readonly FetchPart[] {
  return [
    {
      name: "uid",
      take: "nothing",
      buildRequest: (_found, options) =>
        eutil(options, "esearch", { db: "bioproject", term: `${id}[Project Accession]` }),
    },
    {
      name: "project",
      take: "record",
      buildRequest: ({ uid }, options) =>
        eutil(options, "esummary", {
          db: "bioproject",
          id: asText(asList(at(uid, "esearchresult", "idlist"))[0]) ?? "0",
        }),
    },
  ];
}

function nextSummaries(document: unknown, request: SourceRequest, { search }: PartResponses): SourceRequest | null {
  const got = asList(at(document, "result", "uids")).length;
  const url = new URL(request.url);
  const next = Number(url.searchParams.get("retstart")) + got;
  if (got === 0 || got > SUMMARIES || next >= (readHistory(search)?.count ?? 0)) return null;
  url.searchParams.set("retstart", String(next));
  return { ...request, url: url.href };
}

function readShape(document: unknown): ResponseShape {
  const uids = at(document, "result", "uids");
  if (Array.isArray(uids)) {
    const result = asObject(at(document, "result")) ?? {};
    const keys = uids.map(String);
    return { kind: "members", path: ["result"], keys: keys.filter((key) => Object.hasOwn(result, key)) };
  }
  if (at(document, "STUDY_SET", "STUDY") !== undefined) return { kind: "list", path: ["STUDY_SET", "STUDY"] };
  if (at(document, "EXPERIMENT_PACKAGE_SET", "EXPERIMENT_PACKAGE") !== undefined) {
    return { kind: "list", path: ["EXPERIMENT_PACKAGE_SET", "EXPERIMENT_PACKAGE"] };
  }
  const recordKeys = ["experiments", "project", "expxml", "project_acc", "STUDY", "EXPERIMENT_PACKAGE"];
  if (recordKeys.some((key) => at(document, key) !== undefined)) return { kind: "record", path: [] };
  const root = Object.keys(asObject(document) ?? {})[0] ?? "nothing";
  return {
    kind: "rejected",
    reason: "unknown-shape",
    detail: `not a study, project or experiment of SRA, because the first element or field is ${root.slice(0, 60)}`,
  };
}

/** Returns the accession of a payload in any form. If the payload has several pieces, returns that of the first one. */
function identify(payload: unknown): string | null {
  const [summary] = summariesIn(payload) ?? [];
  const study = studyElementIn(payload) ?? at(packagesIn(payload)[0], "EXPERIMENT", "STUDY_REF");
  return (
    readAccession(asText(projectIn(payload)?.project_acc)) ??
    ofExperiment(asText(at(summary, "expxml"))) ??
    ofStudy(study)
  );
}

/** Returns the accession of the project or study in the XML text of a summary, which has no root element. */
function ofExperiment(expxml: string | null): string | null {
  if (expxml === null) return null;
  const project = /<Bioproject>\s*(PRJ[A-Z]{2}\d{1,9})\s*</.exec(expxml)?.[1] ?? null;
  return readAccession(project) ?? readAccession(/<Study\s[^<>]*?\bacc="([^"<>]{1,40})"/.exec(expxml)?.[1] ?? null);
}

function ofStudy(study: unknown): string | null {
  const ids = oneOrMany(at(study, "IDENTIFIERS", "EXTERNAL_ID"));
  const project = ids.find((id) => asText(at(id, "@namespace"))?.toLowerCase() === "bioproject");
  return readAccession(asText(at(project, "#text"))) ?? readAccession(asText(at(study, "@accession")));
}

/** Reads a deposit: a complete response whose pieces all belong to one study. */
function readDraft(document: unknown): unknown {
  const shape = readShape(document);
  if (shape.kind !== "list" && shape.kind !== "members") return null;
  const pieces = [
    ...(summariesIn(document) ?? []),
    ...packagesIn(document).map((entry) => ({ EXPERIMENT_PACKAGE: entry })),
    ...oneOrMany(at(document, "STUDY_SET", "STUDY")).map((study) => ({ STUDY: study })),
  ];
  const projects = shape.kind === "members" ? shape.keys.length - pieces.length : 0;
  const studies = new Set([...pieces, ...(projects > 0 ? [projectIn(document)] : [])].map(identify));
  return projects < 2 && studies.size === 1 && !studies.has(null) ? document : null;
}

function readAccession(text: string | null): string | null {
  const id = text?.toUpperCase() ?? null;
  return id !== null && (PROJECT.test(id) || STUDY.test(id)) ? id : null;
}

export const sra: Source = {
  name: "sra",
  pledge,
  reader: 2,
  example: "PRJNA171168",
  hosts: ["eutils.ncbi.nlm.nih.gov"],
  rate: EUTILS_RATE,
  credential: EUTILS_KEY,
  concurrency: 2,
  walk,
  planFetch,
  buildUrl: (id) =>
    PROJECT.test(id) ? `https://www.ncbi.nlm.nih.gov/bioproject/${id}` : `https://www.ncbi.nlm.nih.gov/sra/${id}`,
  readSourceId: (text) =>
    readAccession(
      matchFirst(
        text,
        /^((?:PRJ(?:NA|EB|DB)|[SED]RP)\d{1,9})$/i,
        /^https?:\/\/(?:www\.)?ncbi\.nlm\.nih\.gov\/(?:bioproject|sra)\/(?:\?term=)?((?:PRJ(?:NA|EB|DB)|[SED]RP)\d{1,9})(?:[/?#&].*)?$/i,
      ) ??
        readParameter(
          text,
          /^https?:\/\/trace\.ncbi\.nlm\.nih\.gov\/Traces\/(?:sra\/|study\/)?$/i,
          ["study", "acc"],
          /^((?:PRJ(?:NA|EB|DB)|[SED]RP)\d{1,9})$/i,
        ),
    ),
  findFault: eutilsFault,
  readsXml: true,
  readDraft,
  readShape,
  identify,
  pieces: { findPieceName: findPieceName, openReader: openStudyReader },
  normalise: normaliseSra,
};
