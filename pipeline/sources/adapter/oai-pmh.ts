/** Harvests with OAI-PMH 2.0: requests the records of a service month by month, and finds the records in a response. */

import { asText, at, firstText, oneOrMany } from "../../reading/reader.ts";
import { readNumber, urlWith } from "./requests.ts";
import { selected } from "./selection.ts";
import { type ResponseShape, type SourceRequest, type Step, type Walk, WalkFault, type WalkOptions } from "./source.ts";

/** OAI-PMH verbs whose responses contain records. A response of GetRecord looks like a list. */
const VERBS = ["ListRecords", "GetRecord"];

/**
 * Returns the walk over an OAI-PMH service, which requests each month separately: resumption tokens expire after
 * minutes, and then only one month has to be requested again.
 */
export function oaiWalk(base: string, metadataPrefix: string): Walk {
  return {
    base,
    since: true,
    selectors: [
      {
        name: "set",
        parameter: "set",
        about: "Records of one set of an OAI-PMH service",
        // The characters that a setSpec may have (OAI-PMH, 4.6).
        pattern: /^[\w.!~*'():-]{1,200}$/,
        example: "user-example",
      },
    ],
    // The service's own clock decides which month is the last.
    start: ({ since }) => ({ month: since, until: null, token: null, restarts: 0 }),

    request({ month, until, token }, options) {
      if (until === null) return buildRequest(options, { verb: "Identify" });
      if (token !== null) return buildRequest(options, { verb: "ListRecords", resumptionToken: String(token) });
      const bounds = { from: String(month), until: findLastDay(String(month), String(until)) };
      return buildRequest(options, { verb: "ListRecords", metadataPrefix, ...bounds, ...selected(options) });
    },

    read(state, { document }, _options) {
      const response = at(document, "OAI-PMH");
      return state.until === null ? afterIdentify(response, state.month) : afterList(response, state);
    },

    /**
     * Starts the month again, at most three times, because a token that always expires would otherwise cause an endless
     * loop.
     */
    recover(state) {
      if (state.token === null || countRestarts(state) >= 3) return null;
      return { ...state, token: null, restarts: countRestarts(state) + 1 };
    },
  };
}

/** Returns how often the month was repeated. Checkpoints of earlier versions lack this number. */
function countRestarts({ restarts }: Readonly<Record<string, unknown>>): number {
  return Number(restarts ?? 0);
}

/** Returns a request to an OAI-PMH service. Beside a resumption token, only the verb is allowed (OAI-PMH, 3.5). */
function buildRequest(options: WalkOptions, parameters: Readonly<Record<string, string | null>>): SourceRequest {
  return { url: urlWith(options, "", parameters), as: "xml" };
}

function afterIdentify(response: unknown, month: unknown): Step {
  const today = readDay(at(response, "responseDate"));
  const earliest = readDay(at(response, "Identify", "earliestDatestamp"));
  if (today === null || earliest === null)
    throw new WalkFault("the response of the OAI service to Identify has no date in responseDate or earliestDatestamp");
  const first = month === null ? earliest : String(month);
  return { next: { month: first, until: today, token: null, restarts: 0 }, fetch: [] };
}

function afterList(response: unknown, state: Readonly<Record<string, unknown>>): Step {
  const [month, until] = [String(state.month), String(state.until)];
  const element = at(response, "ListRecords", "resumptionToken");
  const token = asText(element) ?? asText(at(element, "#text"));
  const count = oneOrMany(at(response, "ListRecords", "record")).length;
  // Some services state the size of the list in a form that is not a number.
  const stated = readNumber(at(element, "@completeListSize"));
  const isFirst = state.token === null && countRestarts(state) === 0;
  const more = isFirst ? { more: stated ?? (token === null ? count : null) } : {};
  if (token !== null && token === state.token)
    throw new WalkFault(
      `the OAI service returned the resumption token ${token} twice, so the harvest would not progress`,
    );
  if (token !== null) return { next: { month, until, token, restarts: countRestarts(state) }, ...more };
  const next = monthAfter(month);
  return { next: next > until ? null : { month: next, until, token: null, restarts: 0 }, ...more };
}

function readDay(value: unknown): string | null {
  return /^\d{4}-\d{2}-\d{2}/.exec(asText(value) ?? "")?.[0] ?? null;
}

/**
 * Returns the last day to request in a month. Returns null (no limit) for the last month, because records may change
 * during the walk. Limits are days, because every service supports days.
 */
function findLastDay(month: string, until: string): string | null {
  const next = monthAfter(month);
  return next > until ? null : new Date(Date.parse(next) - 86_400_000).toISOString().slice(0, 10);
}

function monthAfter(day: string): string {
  return new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 1)).toISOString().slice(0, 10);
}

/**
 * Returns where the records of an OAI response are; null for other documents. `holds` is true for a record in a readable
 * format.
 */
export function oaiShape(document: unknown, holds: (record: unknown) => boolean): ResponseShape | null {
  const response = at(document, "OAI-PMH");
  if (response === undefined) return null;
  const errors = oneOrMany(at(response, "error"));
  // An empty result has the form of an error.
  const isEmpty = errors.some((error) => at(error, "@code") === "noRecordsMatch");
  const verb = VERBS.find((name) => at(response, name) !== undefined) ?? (isEmpty ? "ListRecords" : null);
  if (verb !== null) {
    const records = oneOrMany(at(response, verb, "record"));
    const other = records.find((record) => !holds(record));
    if (other === undefined || records.some((record) => holds(record) && !isDeleted(record))) {
      return { kind: "list", path: ["OAI-PMH", verb, "record"] };
    }
    return {
      kind: "rejected",
      reason: "unknown-shape",
      detail: `records in the format ${readFormat(other)}, not DataCite's; request them with metadataPrefix=oai_datacite`,
    };
  }
  if (errors.length === 0) {
    // Responses to Identify, and lists of headers or sets, have no records.
    return {
      kind: "rejected",
      reason: "unknown-shape",
      detail: "a response of OAI-PMH without records, such as to Identify; give responses to ListRecords or GetRecord",
    };
  }
  const detail = firstText(at(errors[0], "#text"), at(errors[0], "@code"), errors[0]) ?? "an error without a message";
  return { kind: "rejected", reason: "error-answer", detail };
}

export function isDeleted(record: unknown): boolean {
  return asText(at(record, "header", "@status"))?.toLowerCase() === "deleted";
}

/** Returns the name of the element in a record's metadata, such as `dc`. */
function readFormat(record: unknown): string {
  const metadata = at(record, "metadata");
  const names = typeof metadata === "object" && metadata !== null ? Object.keys(metadata) : [];
  return names.find((name) => !name.startsWith("@"))?.slice(0, 40) ?? "none";
}
