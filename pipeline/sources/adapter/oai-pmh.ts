/** OAI-PMH 2.0, which many repositories speak: a walk month by month, and where the records stand in an answer. */

import { asText, at, firstText, oneOrMany } from "../../reading/reader.ts";
import { numberOf } from "./requests.ts";
import { type AnswerShape, type Ask, type Step, type Walk, WalkFault, type WalkOptions } from "./source.ts";

/** Where the records of an answer are; the one of GetRecord stands as in a list. */
const VERBS = ["ListRecords", "GetRecord"];

/**
 * A walk over `base`, an address that may name a set (`…/oai2d?set=user-example`). Months are asked for one by one:
 * resumption tokens live for minutes, and where one has run out only its month begins anew.
 */
export function oaiWalk(base: string, metadataPrefix: string): Walk {
  return {
    base,
    since: true,
    // The service's own clock says which month is the last.
    start: ({ since }) => ({ month: since, until: null, token: null, anew: 0 }),

    request({ month, until, token }, options) {
      if (until === null) return asked(options, { verb: "Identify" });
      if (token !== null) return asked(options, { verb: "ListRecords", resumptionToken: String(token) });
      const bounds = { from: String(month), until: lastDayOf(String(month), String(until)) };
      return asked(options, { verb: "ListRecords", metadataPrefix, ...bounds });
    },

    read(state, { document }, _options) {
      const answer = at(document, "OAI-PMH");
      return state.until === null ? identified(answer, state.month) : listed(answer, state);
    },

    /** Three times at most: a token that never lives long enough would send us round for ever. */
    recover(state) {
      if (state.token === null || Number(state.anew) >= 3) return null;
      return { ...state, token: null, anew: Number(state.anew) + 1 };
    },
  };
}

/** A resumption token is exclusive: nothing but the verb may stand beside it (OAI-PMH, 3.5). */
function asked(options: WalkOptions, parameters: Readonly<Record<string, string | null>>): Ask {
  const url = new URL(options.base);
  if (parameters.metadataPrefix === undefined) url.searchParams.delete("set");
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
  return { url: url.href, as: "xml" };
}

function identified(answer: unknown, month: unknown): Step {
  const today = dayOf(at(answer, "responseDate"));
  const earliest = dayOf(at(answer, "Identify", "earliestDatestamp"));
  if (today === null || earliest === null)
    throw new WalkFault("the OAI service does not say since when it has records");
  const first = month === null ? earliest : String(month);
  return { next: { month: first, until: today, token: null, anew: 0 }, fetch: [] };
}

function listed(answer: unknown, state: Readonly<Record<string, unknown>>): Step {
  const [month, until] = [String(state.month), String(state.until)];
  const element = at(answer, "ListRecords", "resumptionToken");
  const token = asText(element) ?? asText(at(element, "#text"));
  const count = oneOrMany(at(answer, "ListRecords", "record")).length;
  // Some services say how large the list is, and some say it in words no one can read.
  const stated = numberOf(at(element, "@completeListSize"));
  const isFirst = state.token === null && state.anew === 0;
  const more = isFirst ? { more: stated ?? (token === null ? count : null) } : {};
  if (token !== null && token === state.token) throw new WalkFault(`the OAI service gives the token ${token} again`);
  if (token !== null) return { next: { month, until, token, anew: Number(state.anew) }, ...more };
  const next = monthAfter(month);
  return { next: next > until ? null : { month: next, until, token: null, anew: 0 }, ...more };
}

function dayOf(value: unknown): string | null {
  return /^\d{4}-\d{2}-\d{2}/.exec(asText(value) ?? "")?.[0] ?? null;
}

/** Days are the one granularity every service has. The last month is open, for what changes while we walk. */
function lastDayOf(month: string, until: string): string | null {
  const next = monthAfter(month);
  return next > until ? null : new Date(Date.parse(next) - 86_400_000).toISOString().slice(0, 10);
}

function monthAfter(day: string): string {
  return new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 1)).toISOString().slice(0, 10);
}

/** The shape of an OAI answer; `holds` tells the records that can be read from those of another format. Null for other documents. */
export function oaiShape(document: unknown, holds: (record: unknown) => boolean): AnswerShape | null {
  const answer = at(document, "OAI-PMH");
  if (answer === undefined) return null;
  const errors = oneOrMany(at(answer, "error"));
  // That nothing changed is an answer, not an error.
  const isEmpty = errors.some((error) => at(error, "@code") === "noRecordsMatch");
  const verb = VERBS.find((name) => at(answer, name) !== undefined) ?? (isEmpty ? "ListRecords" : null);
  if (verb !== null) {
    const records = oneOrMany(at(answer, verb, "record"));
    const other = records.find((record) => !holds(record));
    if (other === undefined || records.some((record) => holds(record) && !isDeleted(record))) {
      return { kind: "list", path: ["OAI-PMH", verb, "record"] };
    }
    return {
      kind: "refused",
      reason: "unknown-shape",
      detail: `records in the format ${formatOf(other)}, not DataCite's`,
    };
  }
  if (errors.length === 0) {
    // Identify, lists of headers or of sets: nothing in it is a record.
    return { kind: "refused", reason: "unknown-shape", detail: "an OAI answer without records" };
  }
  const detail = firstText(at(errors[0], "#text"), at(errors[0], "@code"), errors[0]) ?? "an error without a message";
  return { kind: "refused", reason: "error-answer", detail };
}

export function isDeleted(record: unknown): boolean {
  return asText(at(record, "header", "@status"))?.toLowerCase() === "deleted";
}

/** The element under a record's metadata, such as `dc`. */
function formatOf(record: unknown): string {
  const metadata = at(record, "metadata");
  const names = typeof metadata === "object" && metadata !== null ? Object.keys(metadata) : [];
  return names.find((name) => !name.startsWith("@"))?.slice(0, 40) ?? "none";
}
