/**
 * NASA CMR: collections as UMM-JSON (sources.md, 8). Stored payload: one element of `items`, verbatim and bare:
 * `{"meta": …, "umm": …}`.
 */

import { asList, asObject, asText, at } from "../../reading/reader.ts";
import { matchFirst, onlyPart, readNumber, readParameter, urlWith } from "../adapter/requests.ts";
import { selected } from "../adapter/selection.ts";
import { type ResponseShape, type Source, type Walk, WalkFault } from "../adapter/source.ts";
import { normaliseNasaCmr } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

/** Number of collections on a page. CMR allows 2,000, but collections are long, and a page must arrive within a minute. */
const PAGE_SIZE = 250;

const PATH = "/search/collections.umm_json";

const ACCEPT = { accept: "application/vnd.nasa.cmr.umm_results+json" };

/** Header with the position in the list. A response contains it, and the next request sends it back. */
const AFTER = "CMR-Search-After";

const walk: Walk = {
  base: "https://cmr.earthdata.nasa.gov",
  since: true,
  // cmr.earthdata.nasa.gov/search, "Find collections by provider".
  selectors: [
    {
      name: "provider",
      parameter: "provider",
      about: "Collections of one provider",
      pattern: /^[A-Z][A-Z0-9_]{1,39}$/,
      example: "POCLOUD",
    },
  ],
  start: () => ({ after: null }),

  request({ after }, options) {
    const since = options.since === null ? null : `${options.since}T00:00:00Z`;
    const url = urlWith(options, PATH, { page_size: PAGE_SIZE, updated_since: since, ...selected(options) });
    return { url, headers: after === null ? ACCEPT : { ...ACCEPT, [AFTER]: String(after) } };
  },

  read({ after }, { document, headers }) {
    const total = readNumber(headers.get("cmr-hits")) ?? readNumber(at(document, "hits"));
    const next = asText(headers.get(AFTER));
    if (next === null || asList(at(document, "items")).length === 0) return { next: null, total };
    if (next === after) throw new WalkFault(`CMR returned ${AFTER} ${next} twice, so the harvest would not progress`);
    return { next: { after: next }, total };
  },
};

function readShape(document: unknown): ResponseShape {
  const object = asObject(document);
  if (Array.isArray(at(object, "items"))) return { kind: "list", path: ["items"] };
  if (asText(at(object, "meta", "concept-id")) !== null) return { kind: "record", path: [] };
  const detail =
    at(object, "feed") === undefined
      ? "neither a collection of CMR nor a list of them in UMM-JSON"
      : "CMR's older JSON, which has no umm; ask for umm_json";
  return { kind: "rejected", reason: "unknown-shape", detail };
}

function identify(payload: unknown): string | null {
  const id = asText(at(payload, "meta", "concept-id"));
  return id !== null && /^[CG]\d{1,18}-[A-Z0-9_]{1,40}$/.test(id) ? id : null;
}

/**
 * Reads a deposit: a collection in UMM-C as its provider writes it. It is recognised by its entry title, which other models
 * of UMM lack.
 */
function readDraft(document: unknown): unknown {
  return asText(at(document, "EntryTitle")) !== null && asText(at(document, "ShortName")) !== null
    ? { umm: document }
    : null;
}

/**
 * Returns the fault of a partial response; null if it is complete. CMR marks partial responses with a header after 170
 * seconds.
 */
function findFault(_document: unknown, headers: Headers): string | null {
  return headers.get("cmr-timed-out") === "true" ? "partial results after a timeout (CMR-Timed-Out)" : null;
}

export const nasaCmr: Source = {
  name: "nasa_cmr",
  pledge,
  reader: 3,
  example: "C1996881146-POCLOUD",
  hosts: ["cmr.earthdata.nasa.gov"],
  // CMR publishes no rate. Status 429 comes with Retry-After.
  rate: { requests: 120, seconds: 60 },
  walk,
  planFetch: (id) => onlyPart((options) => ({ url: urlWith(options, PATH, { concept_id: id }), headers: ACCEPT })),
  buildUrl: (id) => `https://cmr.earthdata.nasa.gov/search/concepts/${id}.html`,
  readSourceId: (text) =>
    matchFirst(
      text,
      /^(C\d{1,18}-[A-Z0-9_]{1,40})$/i,
      /^https?:\/\/cmr\.earthdata\.nasa\.gov\/search\/concepts\/(C\d{1,18}-[A-Z0-9_]{1,40})(?:[./?#].*)?$/i,
    )?.toUpperCase() ??
    readParameter(
      text,
      /^https?:\/\/search\.earthdata\.nasa\.gov\/search\/[^?#]*$/i,
      ["p"],
      /^(C\d{1,18}-[A-Z0-9_]{1,40})(?:!|$)/i,
    )?.toUpperCase() ??
    null,
  findFault,
  readDraft,
  readShape,
  identify,
  normalise: normaliseNasaCmr,
};
