/**
 * OSF: JSON:API v2, nodes and registrations (sources.md, 13). Stored payload: `{"node": …, "files": …}`. `node` is the
 * resource object verbatim (`{id, type, attributes, relationships, embeds, links}`) with the embeds
 * bibliographic_contributors, license, identifiers and affiliated_institutions. `files` is the response of its
 * osfstorage listing (`{"data": […], "links": …}`), or a list of several pages. `files` may be missing. A bare resource
 * object is a payload too.
 */

import { asObject, asText, at } from "../../reading/reader.ts";
import { matchFirst, nextUrl, readNumber, urlWith } from "../adapter/requests.ts";
import type { FetchPart, ResponseShape, Source, SourceOptions, SourceRequest, Walk } from "../adapter/source.ts";
import { normaliseOsf } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const PAGE_SIZE = 100;

/** Kinds of resources in the order in which they are listed. */
const LISTS = ["nodes", "registrations"];

/**
 * Related resources that are requested with each resource. Separate requests would count against the limit of a hundred an
 * hour.
 */
const EMBEDS = ["bibliographic_contributors", "license", "identifiers", "affiliated_institutions"];

const ACCEPT = { accept: "application/vnd.api+json" };

const walk: Walk = {
  base: "https://api.osf.io",
  since: true,
  start: () => ({ list: "nodes", page: 1 }),

  request({ list, page }, options) {
    const parameters = {
      "filter[date_modified][gte]": options.since,
      "page[size]": PAGE_SIZE,
      page: Number(page),
    };
    return resource(options, `/v2/${String(list)}/`, parameters);
  },

  read({ list, page }, { document }, options) {
    const next = nextUrl(at(document, "links", "next"), "OSF", options);
    const found = readNumber(at(document, "links", "meta", "total") ?? at(document, "meta", "total"));
    const counts = page === 1 ? { more: found } : {};
    if (next !== null) return { next: { list: String(list), page: Number(page) + 1 }, ...counts };
    const other = LISTS[LISTS.indexOf(String(list)) + 1];
    return { next: other === undefined ? null : { list: other, page: 1 }, ...counts };
  },
};

function resource(
  options: SourceOptions,
  path: string,
  parameters: Readonly<Record<string, string | number | null>> = {},
): SourceRequest {
  const url = new URL(urlWith(options, path, parameters));
  for (const name of EMBEDS) url.searchParams.append("embed", name);
  return { url: url.href, headers: ACCEPT };
}

function planFetch(id: string): readonly FetchPart[] {
  return [
    {
      name: "node",
      take: "record",
      // A GUID does not show the type of its resource.
      buildRequest: (_found, options) => LISTS.map((list) => resource(options, `/v2/${list}/${id}/`)),
    },
    {
      name: "files",
      take: "answer",
      optional: true,
      buildRequest({ node }, options) {
        const list = LISTS.find((name) => name === at(node, "type"));
        if (list === undefined) return null;
        return {
          url: urlWith(options, `/v2/${list}/${id}/files/osfstorage/`, { "page[size]": PAGE_SIZE }),
          headers: ACCEPT,
        };
      },
      next(document, request) {
        const link = asText(at(document, "links", "next"));
        return link === null || !URL.canParse(link, request.url)
          ? null
          : { ...request, url: new URL(link, request.url).href };
      },
    },
  ];
}

function readShape(document: unknown): ResponseShape {
  const object = asObject(document);
  if (object === null) return { kind: "rejected", reason: "unknown-shape", detail: "JSON that is not an object" };
  if (asObject(object.node) !== null) return { kind: "record", path: [] };
  if (isResource(object)) return { kind: "record", path: [] };
  if (isResource(object.data)) return { kind: "record", path: ["data"] };
  if (Array.isArray(object.data)) return shapeOfList(object.data);
  if (Object.hasOwn(object, "typeAliases")) {
    return {
      kind: "rejected",
      reason: "retired-format",
      detail: "a response of OSF's search of version 1; use API v2",
    };
  }
  const type = asText(at(object, "data", "type")) ?? asText(object.type);
  const detail =
    type === null
      ? "neither a node nor a registration of OSF"
      : `a resource of OSF of the type ${type.slice(0, 40)}, not a node or registration`;
  return { kind: "rejected", reason: "unknown-shape", detail };
}

function shapeOfList(items: readonly unknown[]): ResponseShape {
  const other = items.find((item) => !isResource(item));
  if (other === undefined) return { kind: "list", path: ["data"] };
  const type = asText(at(other, "type")) ?? "items";
  return {
    kind: "rejected",
    reason: "unknown-shape",
    detail: `a list of ${type.slice(0, 40)} of OSF, without the nodes that they belong to; harvest the nodes`,
  };
}

function isResource(value: unknown): boolean {
  return LISTS.includes(asText(at(value, "type")) ?? "") && asObject(at(value, "attributes")) !== null;
}

function identify(payload: unknown): string | null {
  const node = at(payload, "node") ?? payload;
  return matchFirst(asText(at(node, "id")) ?? "", /^([a-z0-9]{5,})$/i)?.toLowerCase() ?? null;
}

export const osf: Source = {
  name: "osf",
  pledge,
  reader: 3,
  example: "mvhrz",
  hosts: ["api.osf.io"],
  rate: { requests: 100, seconds: 3600 },
  credential: { variable: "SHARE_OSF_TOKEN", form: "bearer", rate: { requests: 10_000, seconds: 86_400 } },
  walk,
  planFetch,
  buildUrl: (id) => `https://osf.io/${id}/`,
  readSourceId: (text) =>
    matchFirst(
      text,
      /^(?:https?:\/\/)?(?:www\.)?osf\.io\/([a-z0-9]{5})(?:[/?#].*)?$/i,
      /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)?10\.17605\/osf\.io\/([a-z0-9]{5,})$/i,
    )?.toLowerCase() ?? null,
  canonicalId: (id) => matchFirst(id, /^([a-z0-9]{5,})$/i)?.toLowerCase() ?? null,
  dataciteClients: ["cos.osf"],
  readShape,
  identify,
  normalise: normaliseOsf,
};
