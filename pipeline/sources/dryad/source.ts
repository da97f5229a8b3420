/**
 * Dryad: API v2 (sources.md, 3). Stored payload: `{"dataset": …, "files": …}`. `dataset` is the dataset object verbatim
 * (with `_links`); `files` is the response of /versions/{id}/files, or a list of several pages. `files` is absent if it
 * was unavailable. A bare dataset object is a payload too.
 */

import { readDoi } from "../../reading/identifiers.ts";
import { asObject, asText, at } from "../../reading/reader.ts";
import { matchFirst, readNumber, urlWith } from "../adapter/requests.ts";
import { ROR_VALUE, selected } from "../adapter/selection.ts";
import {
  type FetchPart,
  type ResponseShape,
  type Source,
  type SourceRequest,
  type Walk,
  WalkFault,
} from "../adapter/source.ts";
import { normaliseDryad } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const PAGE_SIZE = 100;

const ACCEPT = { accept: "application/json" };

const walk: Walk = {
  base: "https://datadryad.org",
  since: true,
  // datadryad/dryad-app, documentation/apis/search.md.
  selectors: [
    {
      name: "institution",
      parameter: "affiliation",
      about: "Datasets with an author at one institution, by its ROR id",
      pattern: ROR_VALUE,
      example: "00x6h5n95",
      formatParameter: (id) => `https://ror.org/${id}`,
    },
  ],
  start: () => ({ page: 1 }),

  request({ page }, options) {
    const { since, only } = options;
    // Only the search has filters.
    const url = urlWith(options, since === null && only === null ? "/api/v2/datasets" : "/api/v2/search", {
      ...selected(options),
      modifiedSince: since === null ? null : `${since}T00:00:00Z`,
      page: Number(page),
      per_page: PAGE_SIZE,
    });
    return { url, headers: ACCEPT };
  },

  read({ page }, { document }, options) {
    const returned = readPage(at(document, "_links", "self", "href"), options.base);
    if (returned !== null && returned !== page) {
      throw new WalkFault(`Dryad returned page ${returned} instead of page ${page}`);
    }
    const more = asText(at(document, "_links", "next", "href")) !== null;
    return { next: more ? { page: Number(page) + 1 } : null, total: readNumber(at(document, "total")) };
  },
};

function readPage(self: unknown, base: string): number | null {
  const href = asText(self);
  if (href === null || !URL.canParse(href, base)) return null;
  return readNumber(new URL(href, base).searchParams.get("page") ?? "1");
}

function planFetch(doi: string): readonly FetchPart[] {
  return [
    {
      name: "dataset",
      take: "record",
      buildRequest: (_found, { base }) => ({ url: new URL(buildPath(doi), base).href, headers: ACCEPT }),
    },
    {
      name: "files",
      take: "answer",
      optional: true,
      buildRequest: ({ dataset }, { base }) => follow(at(dataset, "_links", "stash:version", "href"), base, "/files"),
      next: (document, lastRequest) => follow(at(document, "_links", "next", "href"), lastRequest.url),
    },
  ];
}

/** Returns a request for a link, which is a path on the same host. `behind` is appended to the path. */
function follow(link: unknown, base: string, behind = ""): SourceRequest | null {
  const href = asText(link);
  return href === null || !URL.canParse(href, base)
    ? null
    : { url: new URL(`${href}${behind}`, base).href, headers: ACCEPT };
}

function buildPath(doi: string): string {
  return `/api/v2/datasets/${encodeURIComponent(`doi:${doi}`)}`;
}

function readShape(document: unknown): ResponseShape {
  const object = asObject(document);
  if (Array.isArray(at(object, "_embedded", "stash:datasets"))) {
    return { kind: "list", path: ["_embedded", "stash:datasets"] };
  }
  if (asObject(at(object, "dataset")) !== null) return { kind: "record", path: [] };
  // Linked data of any repository may use a DOI as identifier.
  const isLinkedData = at(object, "@type") !== undefined;
  if (!isLinkedData && readDoi(asText(at(object, "identifier"))) !== null) return { kind: "record", path: [] };
  const page = Array.isArray(document) ? document[0] : document;
  const embedded = Object.keys(asObject(at(page, "_embedded")) ?? {})[0];
  const detail =
    embedded === undefined
      ? "neither a Dryad dataset nor a list of them"
      : `a list of ${embedded} of Dryad, without their dataset; request the dataset`;
  return { kind: "rejected", reason: "unknown-shape", detail };
}

const RETIRED = "of Dryad's DSpace repository, retired in 2019";

export const dryad: Source = {
  name: "dryad",
  pledge,
  reader: 4,
  example: "10.5061/dryad.8515",
  hosts: ["datadryad.org", "www.datadryad.org"],
  // Dryad publishes no rate.
  rate: { requests: 60, seconds: 60 },
  concurrency: 2,
  walk,
  planFetch,
  buildUrl: (doi) => `https://datadryad.org${buildPath(doi)}`,
  readSourceId: (text) => {
    const named = matchFirst(
      text,
      /^https?:\/\/(?:www\.)?datadryad\.org\/(?:stash\/)?(?:dataset|resource)s?\/(doi(?::|%3A)[^?#]+)/i,
    );
    const doi = readDoi(named === null ? text : named.replace(/%3A/i, ":").replace(/%2F/gi, "/"));
    return named !== null || doi?.startsWith("10.5061/dryad.") === true ? doi : null;
  },
  canonicalId: (id) => readDoi(id),
  dataciteClients: ["dryad.dryad"],
  retiredRoots: { DryadMetadata: `a <DryadMetadata> ${RETIRED}`, DryadDataFile: `a <DryadDataFile> ${RETIRED}` },
  readShape,
  identify: (payload) =>
    readDoi(asText(at(payload, "dataset", "identifier"))) ?? readDoi(asText(at(payload, "identifier"))),
  normalise: normaliseDryad,
};
