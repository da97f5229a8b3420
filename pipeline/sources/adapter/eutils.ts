/** NCBI's E-utilities, which several sources speak: a search kept on their side, and summaries of what it found page by page. */

import { asList, asText, at, firstText } from "../../reading/reader.ts";
import { addressOf, numberOf } from "./requests.ts";
import {
  type Ask,
  type AskOptions,
  type Credential,
  type Step,
  type Walk,
  WalkFault,
  type WalkOptions,
} from "./source.ts";

export const EUTILS = "https://eutils.ncbi.nlm.nih.gov";

/** Without a key three a second (NBK25497); with the burst counted in, two. */
export const EUTILS_RATE = { requests: 3, seconds: 1 };

/** The most summaries one answer in JSON may hold. */
export const SUMMARIES = 500;

/** With a key ten a second (NBK25497); it goes into the address. */
export const EUTILS_KEY: Credential = {
  variable: "SHARE_NCBI_API_KEY",
  form: { parameter: "api_key" },
  rate: { requests: 10, seconds: 1 },
};

const ACCEPT = { accept: "application/json" };

/** Every request says which tool asks, and whom to write to (NBK25497). */
export function eutil(
  options: AskOptions,
  tool: "esearch" | "esummary",
  parameters: Readonly<Record<string, string | number | null>>,
): Ask {
  const who = { tool: "share-release", email: options.contact };
  const path = `/entrez/eutils/${tool}.fcgi`;
  return { url: addressOf(options, path, { ...parameters, retmode: "json", ...who }), headers: ACCEPT };
}

/** A search whose result stays with the service, to be paged through. */
export function searchOf(options: AskOptions, db: string, term: string): Ask {
  return eutil(options, "esearch", { db, term, usehistory: "y", retmax: 0 });
}

/** Where a search's result is kept, and how large it is; null where the answer is none. */
export interface History {
  readonly env: string;
  readonly key: string;
  readonly count: number;
}

export function historyOf(document: unknown): History | null {
  const result = at(document, "esearchresult");
  const [env, key] = [asText(at(result, "webenv")), asText(at(result, "querykey"))];
  const count = numberOf(at(result, "count"));
  return env === null || key === null || count === null ? null : { env, key, count };
}

/** Summaries `start` and on of a search's result. */
export function summariesOf(
  options: AskOptions,
  db: string,
  { env, key }: Pick<History, "env" | "key">,
  start: number,
): Ask {
  return eutil(options, "esummary", { db, query_key: key, WebEnv: env, retstart: start, retmax: SUMMARIES });
}

/** A walk over the summaries of everything `termOf` finds in a database. */
export function historyWalk(db: string, since: boolean, termOf: (options: WalkOptions) => string): Walk {
  return {
    base: EUTILS,
    since,
    start: () => ({ env: null, key: null, count: 0, start: 0 }),
    request(state, options) {
      const { env, key, start } = state;
      if (env === null) return searchOf(options, db, termOf(options));
      return summariesOf(options, db, { env: String(env), key: String(key) }, Number(start));
    },
    read: (state, { document }) =>
      state.env === null ? searched(document, Number(state.start)) : summarised(document, state),
    // The result of a search is kept for some hours; another search for the same finds it in the same order.
    recover: ({ start }) => ({ env: null, key: null, count: 0, start: start ?? 0 }),
  };
}

function searched(document: unknown, start: number): Step {
  const unknown = asList(at(document, "esearchresult", "errorlist", "fieldsnotfound")).map(String);
  // A field it does not know is left out of the search, which then finds something else.
  if (unknown.length > 0) throw new WalkFault(`NCBI does not know the field ${unknown.join(", ")}`);
  const history = historyOf(document);
  if (history === null) throw new WalkFault("NCBI's search answered without saying where its result is kept");
  const { env, key, count } = history;
  return { next: count > start ? { env, key, count, start } : null, total: count, fetch: [] };
}

function summarised(document: unknown, state: Readonly<Record<string, unknown>>): Step {
  const [start, count] = [Number(state.start), Number(state.count)];
  const got = asList(at(document, "result", "uids")).length;
  if (got === 0) throw new WalkFault(`NCBI answered no summaries from ${start} on, of ${count}`);
  const next = start + got;
  const { env, key } = state;
  return { next: next < count ? { env: String(env), key: String(key), count, start: next } : null };
}

/** Errors come with status 200; these are of the moment. */
export function eutilsFault(document: unknown): string | null {
  const summary = at(document, "esummaryresult");
  const message = firstText(
    at(document, "esearchresult", "ERROR"),
    at(document, "error"),
    Array.isArray(summary) ? summary[0] : null,
  );
  return message !== null && /rate limit|backend|temporar|timed? ?out|try again/i.test(message) ? message : null;
}
