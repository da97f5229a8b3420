/**
 * NCBI GEO: E-utilities, database gds, series only (sources.md, 5). Stored payload: one field of esummary's `result`,
 * verbatim and bare, such as `{"uid": "200040726", "accession": "GSE40726", …}`.
 */

import { asList, asObject, asText, at } from "../../reading/reader.ts";
import { EUTILS_KEY, EUTILS_RATE, eutil, eutilsFault, historyWalk } from "../adapter/eutils.ts";
import { matchFirst, onlyPart, readParameter } from "../adapter/requests.ts";
import type { ResponseShape, Source } from "../adapter/source.ts";
import { normaliseGeo } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const walk = historyWalk("gds", true, ({ since }) => {
  const series = "gse[Entry Type]";
  return since === null ? series : `${series} AND ("${since.replaceAll("-", "/")}"[Update Date] : "3000"[Update Date])`;
});

/** Returns the uid of a series: its number plus 200 million. */
function toUid(accession: string): string {
  return String(200_000_000 + Number(accession.slice(3)));
}

function readShape(document: unknown): ResponseShape {
  const uids = at(document, "result", "uids");
  if (Array.isArray(uids)) {
    const result = asObject(at(document, "result")) ?? {};
    const keys = asList(uids).map(String);
    return { kind: "members", path: ["result"], keys: keys.filter((key) => Object.hasOwn(result, key)) };
  }
  if (asText(at(document, "accession")) !== null) return { kind: "record", path: [] };
  // Some files hold only the fields of `result`.
  const keys = Object.keys(asObject(document) ?? {});
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) return { kind: "members", path: [], keys };
  const detail = "neither a summary of GEO nor a response with summaries";
  return { kind: "rejected", reason: "unknown-shape", detail };
}

/**
 * Returns the accession of a series. Samples, platforms and curated sets have an accession too; the normaliser rejects them
 * later.
 */
function identify(payload: unknown): string | null {
  const accession = asText(at(payload, "accession"))?.toUpperCase() ?? null;
  return accession !== null && /^(?:GSE|GSM|GPL|GDS)\d{1,9}$/.test(accession) ? accession : null;
}

export const geo: Source = {
  name: "geo",
  pledge,
  reader: 2,
  example: "GSE40726",
  hosts: ["eutils.ncbi.nlm.nih.gov"],
  rate: EUTILS_RATE,
  credential: EUTILS_KEY,
  walk,
  planFetch: (id) => onlyPart((options) => eutil(options, "esummary", { db: "gds", id: toUid(id) })),
  buildUrl: (id) => `https://www.ncbi.nlm.nih.gov/geo/query/acc.cgi?acc=${id}`,
  readSourceId: (text) =>
    (
      matchFirst(text, /^(GSE\d{1,9})$/i, /^https?:\/\/identifiers\.org\/geo[:/](GSE\d{1,9})$/i) ??
      readParameter(
        text,
        /^https?:\/\/(?:www\.)?ncbi\.nlm\.nih\.gov\/geo\/query\/acc\.cgi$/i,
        ["acc"],
        /^(GSE\d{1,9})$/i,
      )
    )?.toUpperCase() ?? null,
  findFault: eutilsFault,
  readShape,
  identify,
  normalise: normaliseGeo,
};
