/** ClinicalTrials.gov: reads all studies from API v2, page by page with tokens (sources.md, 7). */

import { asObject, asText, at } from "../../reading/reader.ts";
import { matchFirst, onlyPart, readNumber } from "../adapter/requests.ts";
import { querySelector, selected, TEXT_VALUE } from "../adapter/selection.ts";
import type { ResponseShape, Source, Walk } from "../adapter/source.ts";
import { normaliseClinicaltrials } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const PAGE_SIZE = 1000;

const RETIRED = "of the API retired in June 2024; harvest the study again from API v2";

const ACCEPT = { accept: "application/json" };

/** Matches an accession, alone or in the URL of a study's page in its old or new form. */
const NAMES = [
  /^(NCT\d{8})$/i,
  /^https?:\/\/(?:www\.)?clinicaltrials\.gov\/(?:study|ct2\/show(?:\/results)?|show)\/(NCT\d{8})(?:[/?#].*)?$/i,
];

const walk: Walk = {
  base: "https://clinicaltrials.gov",
  since: true,
  // clinicaltrials.gov/data-api/api, "Studies".
  selectors: [
    {
      name: "sponsor",
      parameter: "query.spons",
      about: "Studies that name a lead sponsor or collaborator",
      pattern: TEXT_VALUE,
      example: "Karolinska Institutet",
    },
    querySelector("query.term", "AREA[Phase]PHASE3"),
  ],
  start: () => ({ token: null }),

  request(state, options) {
    const url = new URL("/api/v2/studies", options.base);
    url.searchParams.set("format", "json");
    url.searchParams.set("pageSize", String(PAGE_SIZE));
    // Later pages must repeat every parameter of the first, except the count.
    for (const [name, value] of Object.entries(selected(options))) url.searchParams.set(name, value);
    if (options.since !== null) {
      url.searchParams.set("filter.advanced", `AREA[LastUpdatePostDate]RANGE[${options.since},MAX]`);
    }
    if (state.token === null) url.searchParams.set("countTotal", "true");
    else url.searchParams.set("pageToken", String(state.token));
    return { url: url.href, headers: ACCEPT };
  },

  read(_state, page) {
    // An empty page can have a next page.
    const token = asText(at(page.document, "nextPageToken"));
    return { next: token === null ? null : { token }, total: readNumber(at(page.document, "totalCount")) };
  },
};

function readShape(document: unknown): ResponseShape {
  if (Array.isArray(document)) return { kind: "list", path: [] };
  const object = asObject(document);
  if (object === null)
    return { kind: "rejected", reason: "unknown-shape", detail: "JSON that is neither an object nor a list" };
  if (asObject(object.protocolSection) !== null) return { kind: "record", path: [] };
  if (Array.isArray(object.studies)) return { kind: "list", path: ["studies"] };
  for (const name of ["FullStudiesResponse", "StudyFieldsResponse"]) {
    if (Object.hasOwn(object, name))
      return { kind: "rejected", reason: "retired-format", detail: `${name} ${RETIRED}` };
  }
  return {
    kind: "rejected",
    reason: "unknown-shape",
    detail: "neither a study nor a list of studies of the ClinicalTrials.gov API v2",
  };
}

/**
 * Returns the id if it is NCT and digits, otherwise null. Real ids have eight digits; examples in documentation have fewer.
 */
function identify(payload: unknown): string | null {
  const id = asText(at(payload, "protocolSection", "identificationModule", "nctId"))?.toUpperCase() ?? null;
  return id !== null && /^NCT\d{1,12}$/.test(id) ? id : null;
}

/** Reads a study of API v2, or only its protocol section. */
function readDraft(document: unknown): unknown {
  if (asObject(at(document, "protocolSection")) !== null) return document;
  return at(document, "identificationModule") === undefined ? null : { protocolSection: document };
}

export const clinicaltrials: Source = {
  name: "clinicaltrials",
  pledge,
  reader: 2,
  example: "NCT00465816",
  hosts: ["clinicaltrials.gov", "www.clinicaltrials.gov"],
  rate: { requests: 50, seconds: 60 },
  walk,
  planFetch: (id) => onlyPart(({ base }) => ({ url: new URL(`/api/v2/studies/${id}`, base).href, headers: ACCEPT })),
  buildUrl: (id) => `https://clinicaltrials.gov/api/v2/studies/${id}`,
  readSourceId: (text) => matchFirst(text, ...NAMES)?.toUpperCase() ?? null,
  readDraft,
  retiredRoots: { clinical_study: `a <clinical_study> ${RETIRED}` },
  readShape,
  identify,
  normalise: normaliseClinicaltrials,
};
