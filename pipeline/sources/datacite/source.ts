/** DataCite: reads the DOIs of datasets and collections from the REST API, page by page with a cursor (sources.md, 1). */

import { readDoi } from "../../reading/identifiers.ts";
import { asList, asObject, asText, at, firstText, type Json } from "../../reading/reader.ts";
import { isDeleted, oaiShape, oaiWalk } from "../adapter/oai-pmh.ts";
import { nextUrl, onlyPart, readNumber } from "../adapter/requests.ts";
import { querySelector, ROR_VALUE, selected } from "../adapter/selection.ts";
import {
  type ResponseShape,
  type Selector,
  type Source,
  type SourceOptions,
  type Walk,
  WalkFault,
} from "../adapter/source.ts";
import { citedDataset, isCitationFile } from "./citation-file.ts";
import { kernelDoi, normaliseDatacite, resourceIn, withoutXml } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };
import { schemaOrgIn } from "./schema-org.ts";

const PAGE_SIZE = 1000;

/** Types of a DOI record in the API: `dois` since 2018, `works` before. */
const TYPES = new Set(["dois", "works"]);

const ACCEPT = { accept: "application/vnd.api+json, application/json" };

/**
 * Parameters of GET /dois that select a part (support.datacite.org, "Queries and filtering"). The parameter for the
 * country exists since April 2026.
 */
const SELECTORS: readonly Selector[] = [
  {
    name: "client",
    parameter: "client-id",
    about: "DOIs of one repository, by its DataCite client",
    pattern: /^[a-z][a-z0-9]{0,15}\.[a-z0-9][a-z0-9-]{0,30}$/,
    example: "tib.tib",
  },
  {
    name: "provider",
    parameter: "provider-id",
    about: "DOIs of all clients of one DataCite member",
    pattern: /^[a-z][a-z0-9]{1,15}$/,
    example: "tib",
  },
  {
    name: "prefix",
    parameter: "prefix",
    about: "DOIs with one prefix",
    pattern: /^10\.\d{4,9}(?:\.\d{1,9}){0,3}$/,
    example: "10.5061",
  },
  {
    name: "country",
    parameter: "affiliation-country",
    about: "DOIs with an affiliation in one country, by its ISO 3166-1 alpha-2 code",
    pattern: /^[A-Z]{2}$/,
    example: "NL",
  },
  {
    name: "ror",
    parameter: "query",
    about: "DOIs with a creator at one institution, by its ROR id",
    pattern: ROR_VALUE,
    example: "03yrm5c26",
    formatParameter: (id) => `creators.affiliation.affiliationIdentifier:"https://ror.org/${id}"`,
  },
  querySelector("query", "subjects.subject:oceanography"),
];

const walk: Walk = {
  base: "https://api.datacite.org",
  since: true,
  selectors: SELECTORS,
  start: () => ({ cursor: "1", page: 1, first: null }),

  request(state, options) {
    const url = new URL("/dois", options.base);
    // The query states the types, because support for lists in `resource-type-id` has changed over the years.
    const types = "types.resourceTypeGeneral:(Dataset OR Collection)";
    const changed = options.since === null ? [] : [`updated:[${options.since}T00:00:00Z TO *]`];
    const { query, ...parameters } = selected(options);
    const part = query === undefined ? [] : [`(${query})`];
    url.searchParams.set("query", [types, ...changed, ...part].join(" AND "));
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    url.searchParams.set("affiliation", "true");
    url.searchParams.set("publisher", "true");
    url.searchParams.set("page[size]", String(PAGE_SIZE));
    url.searchParams.set("page[cursor]", String(state.cursor));
    return { url: url.href, headers: ACCEPT };
  },

  read(state, page, options) {
    const returned = at(page.document, "meta", "page");
    if (typeof returned === "number" && returned !== state.page) {
      throw new WalkFault(`DataCite returned page ${returned} instead of page ${state.page}`);
    }
    const first = page.sourceIds[0] ?? null;
    // DataCite responds to an invalid cursor with page 1 and status 200.
    if (first !== null && first === state.first)
      throw new WalkFault(
        `DataCite returned its first page again, which begins with ${first}, instead of page ${state.page}`,
      );
    const total = readNumber(at(page.document, "meta", "total"));
    const cursor = readCursor(at(page.document, "links", "next"), options);
    if (cursor === null || asList(at(page.document, "data")).length === 0) return { next: null, total };
    return { next: { cursor, page: Number(state.page) + 1, first: state.first ?? first }, total };
  },
};

/** Returns the cursor in links.next. The whole link cannot be used, because it lacks parameters of the request. */
function readCursor(link: unknown, options: SourceOptions): string | null {
  const next = nextUrl(link, "DataCite", options);
  if (next === null) return null;
  const cursor = next.searchParams.get("page[cursor]");
  if (cursor === null)
    throw new WalkFault(`DataCite's link to the next page has no cursor (page[cursor]): ${next.href}`);
  return cursor;
}

function readShape(document: unknown): ResponseShape {
  if (Array.isArray(document)) return shapeOfList(document, []);
  const object = asObject(document);
  if (object === null) return { kind: "rejected", reason: "unknown-shape", detail: "JSON that is not an object" };
  const listed = oaiShape(object, (record) => isDeleted(record) || resourceIn({ record }) !== null);
  if (listed !== null) return listed;
  if (resourceIn(object) !== null) return { kind: "record", path: [] };
  if (asObject(object.attributes) !== null) return shapeOfItem(object, []);
  if (Array.isArray(object.data)) return shapeOfList(object.data, ["data"]);
  const data = asObject(object.data);
  if (data !== null) return shapeOfItem(data, ["data"]);
  if (Object.hasOwn(object, "errors")) return { kind: "rejected", reason: "error-answer", detail: readMessage(object) };
  if (Object.hasOwn(object, "responseHeader")) {
    return {
      kind: "rejected",
      reason: "retired-format",
      detail: "a response of DataCite's Solr search, retired in 2019; use the REST API",
    };
  }
  return {
    kind: "rejected",
    reason: "unknown-shape",
    detail: "neither a DOI nor a list of DOIs of the DataCite REST API",
  };
}

function shapeOfItem(item: unknown, path: readonly string[]): ResponseShape {
  const type = asText(at(item, "type"));
  if (asObject(at(item, "attributes")) === null) {
    return {
      kind: "rejected",
      reason: "unknown-shape",
      detail: "a DataCite resource without the object attributes, which contains the metadata; request the DOI itself",
    };
  }
  if (type === null || TYPES.has(type)) return { kind: "record", path };
  return {
    kind: "rejected",
    reason: "unknown-shape",
    detail: `a DataCite resource of type "${type.slice(0, 40)}", not a DOI (type "dois")`,
  };
}

function shapeOfList(items: readonly unknown[], path: readonly string[]): ResponseShape {
  const first = items.length === 0 ? null : shapeOfItem(items[0], path);
  return first?.kind === "rejected" ? first : { kind: "list", path };
}

/** Returns the error message of a response. `errors` is a list, or an object if the query is invalid. */
function readMessage(response: unknown): string {
  const errors = at(response, "errors");
  const first = Array.isArray(errors) ? errors[0] : errors;
  return firstText(at(first, "title"), at(first, "detail"), first) ?? "an error without a message";
}

function buildPath(doi: string): string {
  return `/dois/${encodeURIComponent(doi)}?affiliation=true&publisher=true`;
}

/**
 * Reads a deposit: attributes alone, a response of the API, XML, a Dataset of schema.org, or a CITATION.cff. A deposit
 * without a type counts as a dataset, and it need not be public.
 */
function readDraft(document: unknown): unknown {
  if (isCitationFile(document)) {
    const cited = citedDataset(document);
    return cited === null ? null : deposit(cited);
  }
  const described = schemaOrgIn(document);
  if (described !== null) return described.kind === "dataset" ? deposit(described.attributes) : null;
  if (resourceIn(document) !== null) {
    const attributes = asObject(at(withoutXml(document), "attributes")) ?? {};
    return isTyped(attributes) ? document : deposit({ ...attributes, doi: kernelDoi(document) });
  }
  const item = asObject(at(document, "data")) ?? asObject(document);
  const hasAttributes = asObject(at(item, "attributes")) !== null;
  // Other services and other resources of DataCite have the same form, for example a person.
  if (hasAttributes && shapeOfItem(item, []).kind === "rejected") return null;
  const stated = asObject(at(item, "attributes")) ?? (at(item, "titles") === undefined ? null : item);
  if (stated === null) return null;
  const { state: _state, isActive: _isActive, ...attributes } = stated;
  // A response may omit fields that were not requested. If a deposit omits a field, the field is empty.
  return deposit(asText(at(item, "id")) === null ? { ...LEFT_OUT, ...attributes } : attributes);
}

function deposit(attributes: Json): unknown {
  const types = { ...asObject(attributes.types), resourceTypeGeneral: "Dataset" };
  return { type: "dois", attributes: isTyped(attributes) ? attributes : { ...attributes, types } };
}

/**
 * True if the attributes contain a type. Attributes of the form before 2018, which have `author`, always count, because
 * their type is in other fields.
 */
function isTyped(attributes: Json): boolean {
  return Object.hasOwn(attributes, "author") || asText(at(attributes, "types", "resourceTypeGeneral")) !== null;
}

/** Attributes that a deposit can leave out, with DataCite's default values. */
const LEFT_OUT: Json = {
  container: {},
  contributors: [],
  creators: [],
  dates: [],
  descriptions: [],
  formats: [],
  fundingReferences: [],
  geoLocations: [],
  relatedIdentifiers: [],
  rightsList: [],
  subjects: [],
  version: null,
};

/**
 * Rejects records that were requested with `enriched=true`, because they contain changes by the community and list
 * these changes (support.datacite.org, "Metadata enrichments"). A score is about the metadata of the depositor.
 */
function findRejection(payload: unknown): string | null {
  const enrichments = asList(at(payload, "relationships", "enrichments", "data"));
  if (enrichments.length === 0) return null;
  return "a record with community enrichments; request the original record, without enriched=true";
}

/**
 * Returns the client of a DOI. DOIs of Crossref, which DataCite lists for their citations, have a client `crossref.…` or
 * none.
 */
function readClient(payload: unknown): string | null {
  const client = asText(at(payload, "relationships", "client", "data", "id"))?.toLowerCase() ?? null;
  return client === null || client.startsWith("crossref.") ? null : client;
}

export const datacite: Source = {
  name: "datacite",
  pledge,
  reader: 4,
  example: "10.5061/dryad.8515",
  hosts: ["api.datacite.org"],
  rate: { requests: 500, seconds: 300 },
  contactRate: { requests: 1000, seconds: 300 },
  credential: { variable: "SHARE_DATACITE_CREDENTIALS", form: "basic", rate: { requests: 3000, seconds: 300 } },
  walk,
  planFetch: (doi) => onlyPart(({ base }) => ({ url: new URL(buildPath(doi), base).href, headers: ACCEPT })),
  buildUrl: (doi) => `https://api.datacite.org${buildPath(doi)}`,
  readSourceId: (text) => readDoi(text),
  heldBy: (payload) => ({ client: readClient(payload), url: asText(at(payload, "attributes", "url")) }),
  readDraft,
  readsXml: true,
  readShape,
  findRejection,
  identify: (payload) =>
    readDoi(asText(at(payload, "id"))) ?? readDoi(asText(at(payload, "attributes", "doi"))) ?? kernelDoi(payload),
  normalise: normaliseDatacite,
};

/** Returns a source for any OAI-PMH service that offers the format `oai_datacite`, such as Zenodo's. */
export function dataciteByOai(base: string): Source {
  // DataCite's credentials are not sent to other services.
  const { credential: _credential, contactRate: _contactRate, ...common } = datacite;
  return {
    ...common,
    hosts: ["oai.datacite.org", "zenodo.org"],
    installations: true,
    // Zenodo's limit for OAI-PMH. Other services publish none.
    rate: { requests: 30, seconds: 60 },
    walk: oaiWalk(base, "oai_datacite"),
    buildUrl: (doi) => `https://doi.org/${doi}`,
  };
}
