/**
 * Zenodo: lists datasets with the search API, oldest first, in several queries below its limit of results (sources.md, 2).
 */

import { readDoi } from "../../reading/identifiers.ts";
import { asList, asObject, asText, at, type Json } from "../../reading/reader.ts";
import { matchFirst, nextUrl, onlyPart, readNumber } from "../adapter/requests.ts";
import { PLAIN_VALUE, querySelector, selected } from "../adapter/selection.ts";
import {
  type ResponseShape,
  type Source,
  type Walk,
  WalkFault,
  type WalkOptions,
  type WalkState,
} from "../adapter/source.ts";
import { normaliseZenodo } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const PAGE_SIZE = 25;

/** Number of results after which the search returns no further ones for the same query. */
const CEILING = 10_000;

const ACCEPT = { accept: "application/json" };

const NAMES = [
  /^10\.5281\/zenodo\.([1-9]\d{0,17})$/,
  /^https?:\/\/(?:www\.)?zenodo\.org\/records?\/([1-9]\d{0,17})(?:[/?#].*)?$/i,
  /^zenodo\.([1-9]\d{0,17})$/i,
];

const walk: Walk = {
  base: "https://zenodo.org",
  since: true,
  // developers.zenodo.org, "Records".
  selectors: [
    {
      name: "community",
      parameter: "communities",
      about: "Records of one community, by its identifier",
      pattern: PLAIN_VALUE,
      example: "biosyslit",
    },
    querySelector("q", "metadata.subjects.subject:birds"),
  ],
  start: (options) => ({ from: options.since, page: 1 }),

  request(state, options) {
    const url = new URL("/api/records", options.base);
    const { field, sort } = chooseOrder(options);
    const { q: query, ...parameters } = selected(options);
    const window = state.from === null ? [] : [`${field}:["${state.from}" TO *]`];
    const q = [...(query === undefined ? [] : [`(${query})`]), ...window];
    if (q.length > 0) url.searchParams.set("q", q.join(" AND "));
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    url.searchParams.set("type", "dataset");
    url.searchParams.set("all_versions", "true");
    url.searchParams.set("sort", sort);
    url.searchParams.set("size", String(PAGE_SIZE));
    url.searchParams.set("page", String(state.page));
    return { url: url.href, headers: ACCEPT };
  },

  read(state, page, options) {
    const hits = asList(at(page.document, "hits", "hits"));
    const total = readTotal(page.document);
    if (hits.length === 0) return { next: null, total };
    // The total may be capped at the ceiling.
    if (Number(state.page) * PAGE_SIZE >= CEILING && (total === null || total >= CEILING))
      return { next: nextWindow(state, hits, options), total, overlaps: true };
    // The link tells whether there is another page. Counting hits would not: pages repeat some if records change meanwhile.
    const next = nextUrl(at(page.document, "links", "next"), "Zenodo", options);
    return { next: next === null ? null : { ...state, page: Number(state.page) + 1 }, total };
  },
};

/**
 * Returns the field to sort by. A full walk sorts by creation, which never changes; a walk with `since` sorts by
 * modification.
 */
function chooseOrder(options: WalkOptions): { readonly field: string; readonly sort: string } {
  return options.since === null ? { field: "created", sort: "oldest" } : { field: "updated", sort: "updated-asc" };
}

/** Starts a new query at the time of the last record before the limit. Records with this time arrive twice. */
function nextWindow(state: WalkState, hits: readonly unknown[], options: WalkOptions): WalkState {
  const [first, last] = [readHitInstant(hits[0], options), readHitInstant(hits.at(-1), options)];
  if (first === null || last === null || first > last || last <= String(state.from ?? "")) {
    throw new WalkFault(
      `Zenodo shows only the first ${CEILING} hits of a query, and the last of these has no later date from which to continue (its date: ${last ?? "none"})`,
    );
  }
  return { from: last, page: 1 };
}

function readHitInstant(hit: unknown, options: WalkOptions): string | null {
  if (options.since === null) return asText(at(hit, "created"));
  return asText(at(hit, "updated")) ?? asText(at(hit, "modified"));
}

/** Returns the total number of results. Since Elasticsearch 7, some responses contain an object instead of a number. */
function readTotal(document: unknown): number | null {
  const total = at(document, "hits", "total");
  return readNumber(total) ?? readNumber(at(total, "value"));
}

function readShape(document: unknown): ResponseShape {
  if (Array.isArray(document)) return { kind: "list", path: [] };
  const object = asObject(document);
  if (object === null)
    return { kind: "rejected", reason: "unknown-shape", detail: "JSON that is neither an object nor a list" };
  if (Array.isArray(at(object, "hits", "hits"))) return { kind: "list", path: ["hits", "hits"] };
  const metadata = asObject(object.metadata);
  // A record has an id, even one of another site. Metadata alone prove nothing.
  const isRecord =
    metadata !== null && (asText(object.id) !== null || identify(object) !== null || isDeposit(metadata));
  if (isRecord) return { kind: "record", path: [] };
  const message = asText(object.message);
  if (message !== null && typeof object.status === "number") {
    return { kind: "rejected", reason: "error-answer", detail: `${object.status}: ${message}` };
  }
  return { kind: "rejected", reason: "unknown-shape", detail: "neither a Zenodo record nor a list of search hits" };
}

/** Returns the id of a record, which is a number or a text. In a deposit, `record_id` is the id of the published record. */
function identify(payload: unknown): string | null {
  if (asObject(at(payload, "metadata")) === null) return null;
  for (const key of ["id", "recid", "record_id"]) {
    const id = asText(at(payload, key));
    if (id !== null && /^[1-9]\d{0,17}$/.test(id)) return id;
  }
  return null;
}

/** Reads a deposit in the form of the API, or only its metadata. A deposit without a type counts as a dataset. */
function readDraft(document: unknown): unknown {
  const within = asObject(at(document, "metadata"));
  const metadata = within ?? asObject(document);
  if (metadata === null || !isDeposit(metadata)) return null;
  const isTyped = ["upload_type", "resource_type"].some((key) => Object.hasOwn(metadata, key));
  const typed = isTyped ? metadata : { upload_type: "dataset", ...metadata };
  return within === null ? { metadata: typed } : { ...asObject(document), metadata: typed };
}

/** Fields in the metadata of a deposit (developers.zenodo.org, "Deposit metadata") that other sources do not have. */
const OWN_FIELDS = ["upload_type", "resource_type", "creators", "access_right", "publication_date", "prereserve_doi"];

/** Fields in the metadata of a deposit that other sources have too. */
const SHARED_FIELDS = [
  ...["title", "description", "keywords", "license", "version", "language", "notes", "references", "contributors"],
  ...[
    "related_identifiers",
    "communities",
    "grants",
    "subjects",
    "method",
    "doi",
    "embargo_date",
    "locations",
    "dates",
  ],
];

/**
 * True if the metadata have a field that only Zenodo uses, or only fields that Zenodo knows. DataCite has `titles` instead
 * of `title`.
 */
function isDeposit(metadata: Json): boolean {
  const keys = Object.keys(metadata);
  if (keys.some((key) => key === "titles" || key.startsWith("@"))) return false;
  if (keys.some((key) => OWN_FIELDS.includes(key))) return true;
  return keys.length > 1 && keys.every((key) => SHARED_FIELDS.includes(key));
}

export const zenodo: Source = {
  name: "zenodo",
  pledge,
  reader: 4,
  example: "3842720",
  hosts: ["zenodo.org", "www.zenodo.org"],
  // The limit of the search endpoint, below that of the API.
  rate: { requests: 30, seconds: 60 },
  walk,
  planFetch: (id) => onlyPart(({ base }) => ({ url: new URL(`/api/records/${id}`, base).href, headers: ACCEPT })),
  buildUrl: (id) => `https://zenodo.org/api/records/${id}`,
  readSourceId: (text) => matchFirst(readDoi(text) ?? text, ...NAMES),
  canonicalId: (id) => matchFirst(id, /^([1-9]\d{0,17})$/) ?? matchFirst(readDoi(id) ?? id, ...NAMES),
  dataciteClients: ["cern.zenodo"],
  readDraft,
  readShape,
  identify,
  normalise: normaliseZenodo,
};
