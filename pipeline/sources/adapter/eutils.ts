/**
 * Sends requests to NCBI's E-utilities for several sources: a search whose result NCBI stores, then pages of summaries of
 * this result.
 */

import { asList, asText, at, firstText } from "../../reading/reader.ts";
import { readNumber, urlWith } from "./requests.ts";
import {
  type Credential,
  type SourceOptions,
  type SourceRequest,
  type Step,
  type Walk,
  WalkFault,
  type WalkOptions,
} from "./source.ts";

export const EUTILS = "https://eutils.ncbi.nlm.nih.gov";

/** NCBI allows three requests a second without a key (NBK25497). */
export const EUTILS_RATE = { requests: 3, seconds: 1 };

/** Largest number of summaries in one JSON response. */
export const SUMMARIES = 500;

/** NCBI's API key, which is sent as a URL parameter. With a key, NCBI allows ten requests a second (NBK25497). */
export const EUTILS_KEY: Credential = {
  variable: "SHARE_NCBI_API_KEY",
  form: { parameter: "api_key" },
  rate: { requests: 10, seconds: 1 },
};

const ACCEPT = { accept: "application/json" };

/**
 * Returns a request to one of the E-utilities, with the name of this program and the contact, as NCBI requires
 * (NBK25497).
 */
export function eutil(
  options: SourceOptions,
  tool: "esearch" | "esummary",
  parameters: Readonly<Record<string, string | number | null>>,
): SourceRequest {
  const contact = { tool: "share-release", email: options.contact };
  const path = `/entrez/eutils/${tool}.fcgi`;
  return { url: urlWith(options, path, { ...parameters, retmode: "json", ...contact }), headers: ACCEPT };
}

export function buildSearch(options: SourceOptions, db: string, term: string): SourceRequest {
  return eutil(options, "esearch", { db, term, usehistory: "y", retmax: 0 });
}

export interface History {
  readonly env: string;
  readonly key: string;
  readonly count: number;
}

export function readHistory(document: unknown): History | null {
  const result = at(document, "esearchresult");
  const [env, key] = [asText(at(result, "webenv")), asText(at(result, "querykey"))];
  const count = readNumber(at(result, "count"));
  return env === null || key === null || count === null ? null : { env, key, count };
}

export function buildSummaryRequest(
  options: SourceOptions,
  db: string,
  { env, key }: Pick<History, "env" | "key">,
  start: number,
): SourceRequest {
  return eutil(options, "esummary", { db, query_key: key, WebEnv: env, retstart: start, retmax: SUMMARIES });
}

export function historyWalk(db: string, since: boolean, makeTerm: (options: WalkOptions) => string): Walk {
  return {
    base: EUTILS,
    since,
    start: () => ({ env: null, key: null, count: 0, start: 0 }),
    request(state, options) {
      const { env, key, start } = state;
      if (env === null) return buildSearch(options, db, makeTerm(options));
      return buildSummaryRequest(options, db, { env: String(env), key: String(key) }, Number(start));
    },
    read: (state, { document }) =>
      state.env === null ? afterSearch(document, Number(state.start)) : afterSummaries(document, state),
    // NCBI deletes the result of a search after some hours. The same search finds the same records in the same order.
    recover: ({ start }) => ({ env: null, key: null, count: 0, start: start ?? 0 }),
  };
}

function afterSearch(document: unknown, start: number): Step {
  const unknown = asList(at(document, "esearchresult", "errorlist", "fieldsnotfound")).map(String);
  // NCBI ignores an unknown field, and the search then finds other records.
  if (unknown.length > 0)
    throw new WalkFault(
      `NCBI no longer knows the search field ${unknown.join(", ")} that this program uses, so the search would find other records. Update the program, or report this`,
    );
  const history = readHistory(document);
  if (history === null)
    throw new WalkFault(
      "NCBI's response to the search lacks webenv, querykey or count, so its results cannot be requested",
    );
  const { env, key, count } = history;
  return { next: count > start ? { env, key, count, start } : null, total: count, fetch: [] };
}

function afterSummaries(document: unknown, state: Readonly<Record<string, unknown>>): Step {
  const [start, count] = [Number(state.start), Number(state.count)];
  const received = asList(at(document, "result", "uids")).length;
  if (received === 0)
    throw new WalkFault(`NCBI returned only the first ${start} of ${count} summaries that its search found`);
  const next = start + received;
  const { env, key } = state;
  return { next: next < count ? { env: String(env), key: String(key), count, start: next } : null };
}

/** Returns the message of a temporary error, which NCBI sends with status 200; null if there is none. */
export function eutilsFault(document: unknown): string | null {
  const summary = at(document, "esummaryresult");
  const message = firstText(
    at(document, "esearchresult", "ERROR"),
    at(document, "error"),
    Array.isArray(summary) ? summary[0] : null,
  );
  return message !== null && /rate limit|backend|temporar|timed? ?out|try again/i.test(message) ? message : null;
}
