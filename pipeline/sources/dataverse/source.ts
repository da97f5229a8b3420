/**
 * Dataverse: native API (sources.md, 11). Stored payload: the response of /api/datasets/:persistentId verbatim,
 * `{"status": "OK", "data": {…, "latestVersion": {…}}}`. The other forms of a dataset (`versionsIn`) are payloads too.
 */

import { readDoi } from "../../reading/identifiers.ts";
import { asList, asText, at } from "../../reading/reader.ts";
import { matchFirst, readNumber, readParameter, urlWith } from "../adapter/requests.ts";
import { PLAIN_VALUE, selected } from "../adapter/selection.ts";
import {
  type FetchPart,
  type ResponseShape,
  type Source,
  type SourceOptions,
  type SourceRequest,
  type Walk,
  WalkFault,
} from "../adapter/source.ts";
import { normaliseDataverse, versionsIn } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const PAGE_SIZE = 100;

const ACCEPT = { accept: "application/json" };

/** Lists the datasets with the search. Each dataset is then requested separately. */
const walk: Walk = {
  base: "https://dataverse.harvard.edu",
  since: true,
  // guides.dataverse.org, "Search API".
  selectors: [
    {
      name: "collection",
      parameter: "subtree",
      about: "Datasets of one collection and the collections in it, by its alias",
      pattern: PLAIN_VALUE,
      example: "king",
    },
  ],
  start: () => ({ start: 0 }),

  request({ start }, options) {
    const url = new URL(
      urlWith(options, "/api/search", {
        q: "*",
        type: "dataset",
        sort: "date",
        order: "asc",
        per_page: PAGE_SIZE,
        start: Number(start),
        ...selected(options),
      }),
    );
    // Harvested datasets belong to other installations.
    url.searchParams.append("fq", "isHarvested:false");
    if (options.since !== null) url.searchParams.append("fq", `dateSort:[${options.since}T00:00:00Z TO *]`);
    return { url: url.href, headers: ACCEPT };
  },

  read({ start }, { document }) {
    const returned = readNumber(at(document, "data", "start"));
    if (returned !== null && returned !== start) {
      throw new WalkFault(`Dataverse returned the search results from number ${returned} instead of ${start}`);
    }
    const items = asList(at(document, "data", "items"));
    const total = readNumber(at(document, "data", "total_count"));
    const ids = items.flatMap((item) => asText(at(item, "global_id")) ?? []);
    const next = Number(start) + items.length;
    const more = items.length > 0 && (total === null || next < total);
    return { next: more ? { start: next } : null, total, fetch: ids };
  },
};

/**
 * Returns the requests for a record, one for each usual spelling. The service compares identifiers exactly, and most are in
 * capitals.
 */
function planFetch(sourceId: string): readonly FetchPart[] {
  const bare = sourceId.replace(/^(?:doi|hdl):/i, "");
  const protocol = /^hdl:/i.test(sourceId) ? "hdl" : "doi";
  const spellings = new Set([bare, bare.toUpperCase(), bare.toLowerCase()]);
  const buildRequest = (_found: unknown, options: SourceOptions): readonly SourceRequest[] =>
    [...spellings].map((name) => ({
      url: urlWith(options, "/api/datasets/:persistentId/", { persistentId: `${protocol}:${name}` }),
      headers: ACCEPT,
    }));
  return [{ name: "record", take: "record", buildRequest }];
}

function readShape(document: unknown): ResponseShape {
  // The versions in a list belong to one dataset.
  if (versionsIn(document).length > 0) return { kind: "record", path: [] };
  const detail = Array.isArray(at(document, "data", "items"))
    ? "results of a search of Dataverse, without the datasets themselves; request each dataset"
    : "not a response of Dataverse with a dataset (latestVersion or datasetVersion)";
  return { kind: "rejected", reason: "unknown-shape", detail };
}

/** Returns the id of a dataset: its DOI in lower case, or its handle after "hdl:". */
function identify(payload: unknown): string | null {
  const [firstVersion] = versionsIn(payload);
  if (firstVersion === undefined) return null;
  const { dataset, version } = firstVersion;
  const named = [asText(dataset.authority), asText(dataset.identifier)];
  const stated =
    asText(version.datasetPersistentId) ??
    (named.includes(null) ? null : `${asText(dataset.protocol) ?? "doi"}:${named.join("/")}`);
  if (stated === null) return null;
  return /^hdl:/i.test(stated) ? matchFirst(stated, /^(hdl:[\d.]+\/\S+)$/i) : readDoi(stated);
}

export const dataverse: Source = {
  name: "dataverse",
  pledge,
  reader: 4,
  example: "10.7910/dvn/tjclkp",
  hosts: ["dataverse.harvard.edu"],
  installations: true,
  rate: { requests: 60, seconds: 60 },
  concurrency: 2,
  walk,
  planFetch,
  buildUrl: (id) => (id.startsWith("hdl:") ? `https://hdl.handle.net/${id.slice(4)}` : `https://doi.org/${id}`),
  readSourceId: (text) => {
    const named = readParameter(
      text,
      /^https?:\/\/[\w.-]+\/(?:dataset\.xhtml|citation)$/i,
      ["persistentId"],
      /^((?:doi|hdl)(?::|%3A).+)$/i,
    );
    const id = named?.replace(/%3A/gi, ":").replace(/%2F/gi, "/") ?? text;
    if (/^hdl:[\d.]+\/\S+$/i.test(id)) return named === null ? null : id;
    const doi = readDoi(id);
    return named !== null || doi?.startsWith("10.7910/dvn/") === true ? doi : null;
  },
  canonicalId: (id) => matchFirst(id, /^(hdl:[\d.]+\/\S+)$/i) ?? readDoi(id),
  dataciteClients: ["gdcc.harvard-dv"],
  readDraft: (document) => (versionsIn(document).length > 0 ? document : null),
  readShape,
  identify,
  normalise: normaliseDataverse,
};
