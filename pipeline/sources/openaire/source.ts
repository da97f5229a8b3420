/** OpenAIRE Graph API v2 (sources.md, 10). The stored payload is one element of `results`, unchanged. */

import { asList, asObject, asText, at } from "../../reading/reader.ts";
import { matchFirst, onlyPart, readNumber, urlWith } from "../adapter/requests.ts";
import { PLAIN_VALUE, selected } from "../adapter/selection.ts";
import { type ResponseShape, type Source, type Walk, WalkFault } from "../adapter/source.ts";
import { normaliseOpenaire } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const PAGE_SIZE = 100;

const PATH = "/graph/v2/researchProducts";

const ACCEPT = { accept: "application/json" };

const walk: Walk = {
  base: "https://api.openaire.eu",
  // The service filters by publication, not by change. For a complete walk, the dump is faster.
  since: false,
  // graph.openaire.eu, "Filtering search results".
  selectors: [
    {
      name: "institution",
      parameter: "relOrganizationId",
      about: "Products of one institution, by its id in OpenAIRE",
      pattern: /^[\w.-]{8,40}::[0-9a-f]{32}$/,
      example: "openorgs____::0000000000000000000000000000abcd",
    },
    {
      name: "funder",
      parameter: "relProjectFundingShortName",
      about: "Products of projects of one funder, by its short name",
      pattern: PLAIN_VALUE,
      example: "SNSF",
    },
  ],
  start: () => ({ cursor: "*" }),

  request({ cursor }, options) {
    const parameters = { type: "dataset", pageSize: PAGE_SIZE, cursor: String(cursor), ...selected(options) };
    return { url: urlWith(options, PATH, parameters), headers: ACCEPT };
  },

  read({ cursor }, { document }) {
    const total = readNumber(at(document, "header", "numFound"));
    const next = asText(at(document, "header", "nextCursor"));
    if (next === null || asList(at(document, "results")).length === 0) return { next: null, total };
    if (next === cursor)
      throw new WalkFault(`OpenAIRE returned the cursor ${next} twice, so the harvest would not progress`);
    return { next: { cursor: next }, total };
  },
};

function readShape(document: unknown): ResponseShape {
  const object = asObject(document);
  if (object === null) return { kind: "rejected", reason: "unknown-shape", detail: "JSON that is not an object" };
  if (Array.isArray(object.results)) {
    const other = otherEntity(object.results[0]);
    return other === null
      ? { kind: "list", path: ["results"] }
      : rejected(`a list of ${other}s of OpenAIRE, not of research products`);
  }
  if (Object.hasOwn(object, "response")) {
    return {
      kind: "rejected",
      reason: "retired-format",
      detail: "a response of OpenAIRE's Search API; use the Graph API",
    };
  }
  if (Object.hasOwn(object, "dataInfo") || Object.hasOwn(object, "resulttype")) {
    return rejected("a product in the internal form of OpenAIRE's graph; use its Graph API or a dump");
  }
  const other = otherEntity(object);
  if (other !== null) return rejected(`an entity of OpenAIRE's graph (${other}), not a research product`);
  const isProduct = asText(object.id) !== null && ["type", "mainTitle", "maintitle"].some((key) => key in object);
  if (isProduct) return { kind: "record", path: [] };
  return rejected("neither a research product of OpenAIRE's Graph API nor a list of them");
}

function rejected(detail: string): ResponseShape {
  return { kind: "rejected", reason: "unknown-shape", detail };
}

/**
 * Keys by which organisations, projects and data sources of the graph are recognised, in the API and in dumps. Products
 * do not have these keys.
 */
const ENTITIES = new Map([
  ["organisation", ["legalName", "legalname", "legalShortName", "legalshortname"]],
  ["project", ["callIdentifier", "callidentifier", "fundings", "granted", "h2020Programmes", "h2020programme", "code"]],
  ["data source", ["officialName", "officialname", "datasourceType", "datasourcetype"]],
]);

/** Returns the kind of an entity that is not a product. In the API, the id lacks the prefix that would show the kind. */
function otherEntity(element: unknown): string | null {
  const object = asObject(element);
  if (object === null || ["mainTitle", "maintitle", "instances", "instance"].some((key) => key in object)) return null;
  for (const [entity, keys] of ENTITIES) if (keys.some((key) => Object.hasOwn(object, key))) return entity;
  return null;
}

/** Matches a product id: a prefix of usually twelve characters, two colons, and a digest. */
const PRODUCT = /^(?:50\|)?([\w.-]{8,40}::[0-9a-f]{32})$/i;

function identify(payload: unknown): string | null {
  return otherEntity(payload) === null ? matchFirst(asText(at(payload, "id")) ?? "", PRODUCT) : null;
}

export const openaire: Source = {
  name: "openaire",
  pledge,
  reader: 3,
  example: "doi_dedup___::b8848e8a40afe94345231538d752e163",
  hosts: ["api.openaire.eu"],
  // The rate for anonymous clients after the service's transition period.
  rate: { requests: 60, seconds: 3600 },
  credential: { variable: "SHARE_OPENAIRE_TOKEN", form: "bearer", rate: { requests: 7200, seconds: 3600 } },
  walk,
  planFetch: (id) => onlyPart((options) => ({ url: urlWith(options, PATH, { id }), headers: ACCEPT })),
  buildUrl: (id) => `https://api.openaire.eu${PATH}?id=${encodeURIComponent(id)}`,
  readSourceId: (text) =>
    matchFirst(
      text,
      PRODUCT,
      /^https?:\/\/explore\.openaire\.eu\/search\/(?:dataset|result)\?(?:[^#]*&)?(?:id|datasetId)=([\w.-]{8,40}::[0-9a-f]{32})(?:[&#].*)?$/i,
    ),
  readShape,
  identify,
  normalise: normaliseOpenaire,
};
