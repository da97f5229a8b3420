/**
 * Figshare: API v2 (sources.md, 12). Stored payload: `{"article": …, "files": …, "views": …, "downloads": …}`.
 * `article` is the response of /articles/{id} verbatim. `files` is the response of /articles/{id}/files (or a list of
 * several pages), which is only requested if the article lists its maximum. `views` and `downloads` come from the
 * statistics service (`{"totals": 12}`). All except the article may be missing. A bare article is a payload too.
 */

import { asList, asObject, asText, at } from "../../reading/reader.ts";
import { matchFirst, urlWith } from "../adapter/requests.ts";
import { NUMBER_VALUE, selected } from "../adapter/selection.ts";
import {
  type FetchPart,
  type ResponseShape,
  type Source,
  type SourceOptions,
  type SourceRequest,
  type Walk,
  WalkFault,
} from "../adapter/source.ts";
import { normaliseFigshare } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const BASE = "https://api.figshare.com";
const STATISTICS = "https://stats.figshare.com";

/**
 * Number of articles on a page. Figshare allows larger pages, but each article needs a request of its own, and after an
 * interruption only few should be requested again.
 */
const PAGE_SIZE = 100;

/** Largest number of files that an article lists. If an article lists as many, its complete list is requested. */
const LISTED_FILES = 10;

const FILES_PAGE = 1000;

/** Number of articles of one query after which no further page is requested. */
const CEILING = 9000;

const ACCEPT = { accept: "application/json" };

/**
 * Lists the articles, oldest first. The list has no total number. After {@link CEILING} articles, a new query starts at the
 * last day of the query before.
 */
const walk: Walk = {
  base: BASE,
  since: true,
  // docs.figshare.com, "Public articles".
  selectors: [
    {
      name: "institution",
      parameter: "institution",
      about: "Articles of one institution, by its number in Figshare",
      pattern: NUMBER_VALUE,
      example: "2",
    },
    {
      name: "group",
      parameter: "group",
      about: "Articles of one group of an institution, by its number in Figshare",
      pattern: NUMBER_VALUE,
      example: "1234",
    },
  ],
  start: () => ({ from: null, page: 1 }),

  request({ from, page }, options) {
    const { since } = options;
    const url = urlWith(options, "/v2/articles", {
      item_type: 3,
      order: since === null ? "published_date" : "modified_date",
      order_direction: "asc",
      modified_since: since,
      published_since: from === null ? null : String(from),
      page_size: PAGE_SIZE,
      page: Number(page),
      ...selected(options),
    });
    return { url, headers: ACCEPT };
  },

  read({ from, page }, { document }, options) {
    const items: readonly unknown[] = Array.isArray(document) ? document : [];
    const fetch = items.flatMap((item) => readId(item) ?? []);
    // A page may be short because articles are hidden. Only an empty page is the last.
    if (items.length === 0) return { next: null, fetch };
    if (Number(page) * PAGE_SIZE < CEILING) return { next: { from: from ?? null, page: Number(page) + 1 }, fetch };
    const last = asText(at(items.at(-1), "published_date"))?.slice(0, 10) ?? null;
    if (options.since !== null || last === null || last <= String(from ?? "")) {
      throw new WalkFault(
        `Figshare shows only the first ${CEILING} articles of a query, and the last of these has no later date from which to continue${options.since === null ? "" : "; harvest without --since"}`,
      );
    }
    return { next: { from: last, page: 1 }, fetch, overlaps: true };
  },
};

function planFetch(id: string): readonly FetchPart[] {
  return [
    {
      name: "article",
      take: "record",
      buildRequest: (_found, options) => ({ url: urlWith(options, `/v2/articles/${id}`), headers: ACCEPT }),
    },
    {
      name: "files",
      take: "answer",
      optional: true,
      buildRequest({ article }, options) {
        return asList(at(article, "files")).length < LISTED_FILES ? null : buildFilesRequest(id, 1, options);
      },
      next(document, request) {
        const page = Number(new URL(request.url).searchParams.get("page"));
        return asList(document).length < FILES_PAGE
          ? null
          : buildFilesRequest(id, page + 1, { base: request.url, contact: null });
      },
    },
    statistic(id, "views"),
    statistic(id, "downloads"),
  ];
}

function buildFilesRequest(id: string, page: number, options: SourceOptions): SourceRequest {
  return { url: urlWith(options, `/v2/articles/${id}/files`, { page_size: FILES_PAGE, page }), headers: ACCEPT };
}

function statistic(id: string, name: string): FetchPart {
  return {
    name,
    take: "answer",
    optional: true,
    buildRequest: (_found, options) => ({
      url: urlWith(useStatisticsHost(options), `/total/${name}/article/${id}`),
      headers: ACCEPT,
    }),
  };
}

/** Returns options with the host of the statistics service. In tests, one server is both. */
function useStatisticsHost(options: SourceOptions): SourceOptions {
  return options.base === BASE ? { ...options, base: STATISTICS } : options;
}

function readShape(document: unknown): ResponseShape {
  if (Array.isArray(document)) return { kind: "list", path: [] };
  if (asObject(at(document, "article")) !== null) return { kind: "record", path: [] };
  if (readId(document) !== null && (has(document, "title") || has(document, "defined_type"))) {
    return { kind: "record", path: [] };
  }
  if (has(document, "items_found")) {
    return {
      kind: "rejected",
      reason: "retired-format",
      detail: "a response of Figshare's API v1, retired in 2018; use API v2",
    };
  }
  return { kind: "rejected", reason: "unknown-shape", detail: "neither an article of Figshare nor a list of them" };
}

function has(document: unknown, key: string): boolean {
  return at(document, key) !== undefined;
}

/** Returns the id of an article: a number, or a UUID of an installation such as 4TU. */
function readId(article: unknown): string | null {
  return matchFirst(asText(at(article, "id")) ?? "", /^([1-9]\d{0,17}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i);
}

export const figshare: Source = {
  name: "figshare",
  pledge,
  reader: 4,
  example: "23514888",
  hosts: ["api.figshare.com", "stats.figshare.com"],
  // The rate that the documentation requires.
  rate: { requests: 1, seconds: 1 },
  credential: { variable: "SHARE_FIGSHARE_TOKEN", form: "token", rate: { requests: 1, seconds: 1 } },
  walk,
  planFetch,
  buildUrl: (id) => `https://api.figshare.com/v2/articles/${id}`,
  readSourceId: (text) =>
    matchFirst(
      text,
      /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)?10\.6084\/m9\.figshare\.([1-9]\d{0,17})(?:\.v\d+)?$/i,
      /^https?:\/\/(?:[\w-]+\.)*figshare\.com\/articles\/(?:[^/?#]+\/){0,2}([1-9]\d{0,17})(?:\/\d+)?(?:[?#].*)?$/i,
      /^https?:\/\/api\.figshare\.com\/v2\/articles\/([1-9]\d{0,17})(?:[/?#].*)?$/i,
    ),
  canonicalId: (id) => readId({ id }),
  dataciteClients: ["figshare."],
  looseShape: true,
  readShape,
  identify: (payload) => readId(at(payload, "article") ?? payload),
  normalise: normaliseFigshare,
};
