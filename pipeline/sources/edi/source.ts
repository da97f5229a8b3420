/**
 * EDI, PASTA+ (sources.md, 9). Stored payload: `{"eml": "<eml:eml …", "rmd": "<resourceMetadata>…", "reads":
 * "<resourceReads>…"}` with XML responses verbatim as text: the EML document, the resource metadata (DOI, dates) and
 * the audit counts. The normaliser receives them parsed, each with its root: `{eml: {eml: {"@packageId": …, dataset:
 * …}}, rmd: {resourceMetadata: …}, reads: {resourceReads: …}}`. `rmd` and `reads` may be missing. A bare EML document,
 * `{eml: {"@packageId": …, dataset: …}}`, is a payload too.
 */

import { asObject, asText, at } from "../../reading/reader.ts";
import { matchFirst, readParameter, splitLines, urlWith } from "../adapter/requests.ts";
import { selected } from "../adapter/selection.ts";
import {
  type FetchPart,
  type PartResponses,
  type ResponseShape,
  type Source,
  type SourceOptions,
  type SourceRequest,
  type Step,
  type Walk,
  WalkFault,
  type WalkOptions,
  type WalkState,
} from "../adapter/source.ts";
import { normaliseEdi } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const PACKAGE = /^([a-z][a-z0-9-]{1,60})\.(\d{1,9})(?:\.(\d{1,9}))?$/i;

/** Matches the scopes of packages at EDI. Other repositories that use EML have package ids of the same form. */
const SCOPE = /^(?:edi|ecotrends|cos-spu|knb-lter-[a-z]{3}|lter-landsat(?:-ledaps)?|msb-[a-z]{2,20})$/;

/** Matches the names under which EDI and LTER's catalogue occur in a document. */
const SYSTEM = /\b(?:pasta|edi|edirepository|lter(?:net)?)\b/i;

const walk: Walk = {
  base: "https://pasta.lternet.edu",
  since: true,
  // The path of a list, and a parameter of the list of changes (PASTA, "List recent changes").
  selectors: [
    {
      name: "scope",
      parameter: "scope",
      about: "Data packages of one scope, such as that of an LTER site",
      pattern: /^[a-z][a-z0-9-]{1,60}$/,
      example: "knb-lter-arc",
    },
  ],
  start: ({ only }) => ({ scopes: only === null ? null : [only.value] }),

  request({ scopes }, options) {
    if (options.since !== null) return changesSince(options.since, options);
    const scope = Array.isArray(scopes) ? `/${encodeURIComponent(String(scopes[0]))}` : "";
    return { url: urlWith(options, `/package/eml${scope}`), as: "text" };
  },

  read(state, { document }, options) {
    return options.since === null ? readList(state, document) : { next: null, fetch: changedIn(document) };
  },
};

function readList({ scopes }: WalkState, document: unknown): Step {
  const lines = splitLines(document);
  if (!Array.isArray(scopes)) {
    expectLines(lines, /^[a-z][a-z0-9-]{1,60}$/i, "scopes");
    return { next: lines.length === 0 ? null : { scopes: lines }, fetch: [] };
  }
  expectLines(lines, /^\d{1,9}$/, `identifiers of ${String(scopes[0])}`);
  const rest: readonly string[] = scopes.slice(1).map(String);
  return { next: rest.length === 0 ? null : { scopes: rest }, fetch: lines.map((id) => `${String(scopes[0])}.${id}`) };
}

/** Checks that a response is a list of lines. An error message must not be read as an empty list. */
function expectLines(lines: readonly string[], pattern: RegExp, what: string): void {
  const other = lines.find((line) => !pattern.test(line));
  if (other !== undefined)
    throw new WalkFault(`EDI returned the line "${other.slice(0, 80)}", which is not valid in a list of ${what}`);
}

function changesSince(since: string, options: WalkOptions): SourceRequest {
  const parameters = { fromDate: `${since}T00:00:00`, ...selected(options) };
  return { url: urlWith(options, "/package/changes/eml", parameters), as: "xml" };
}

/** Returns the newest revision of each package in the list of changes: insertions, updates and deletions. */
function changedIn(document: unknown): string[] {
  const newest = new Map<string, number>();
  for (const changes of Object.values(asObject(document) ?? {})) {
    for (const change of Object.values(asObject(changes) ?? {}).flat()) {
      const match = PACKAGE.exec(asText(at(change, "packageId")) ?? "");
      if (match === null) continue;
      const name = `${match[1]}.${match[2]}`;
      newest.set(name, Math.max(newest.get(name) ?? 0, Number(match[3] ?? 0)));
    }
  }
  return [...newest].map(([name, revision]) => `${name}.${revision}`);
}

function planFetch(id: string): readonly FetchPart[] {
  const [, scope = "", number = "", revision] = PACKAGE.exec(id) ?? [];
  const path = `${encodeURIComponent(scope)}/${number}`;
  const at = (found: PartResponses) => `${path}/${revision ?? splitLines(found.revision).at(-1) ?? "0"}`;
  const newest: FetchPart = {
    name: "revision",
    take: "nothing",
    buildRequest: (_found, options) => ({
      url: urlWith(options, `/package/eml/${path}`, { filter: "newest" }),
      as: "text",
    }),
  };
  const xml = (name: string, buildPath: (found: PartResponses) => string) => ({
    name,
    buildRequest: (found: PartResponses, options: SourceOptions): SourceRequest => ({
      url: urlWith(options, buildPath(found)),
      as: "xml",
    }),
  });
  return [
    ...(revision === undefined ? [newest] : []),
    { ...xml("eml", (found) => `/package/metadata/eml/${at(found)}`), take: "record" },
    { ...xml("rmd", (found) => `/package/rmd/eml/${at(found)}`), take: "answer", optional: true },
    { ...xml("reads", () => `/audit/reads/${path}`), take: "answer", optional: true },
  ];
}

function readShape(document: unknown): ResponseShape {
  const eml = at(document, "eml");
  if (typeof eml === "string" || asObject(eml) !== null) return { kind: "record", path: [] };
  const root = Object.keys(asObject(document) ?? {})[0] ?? "nothing";
  return {
    kind: "rejected",
    reason: "unknown-shape",
    detail: `not an EML document, because the root element is ${root.slice(0, 60)}, not eml`,
  };
}

/**
 * Reads a deposit: EML of any system. A document of another repository has no id of EDI, and becomes a draft without one.
 */
function readDraft(document: unknown): unknown {
  return asObject(at(document, "eml", "dataset")) === null ? null : document;
}

/**
 * Returns the id of a document, alone or with other parts. Other repositories have ids of the same form, so something else
 * must confirm it: the scope, the system in the document, or a part that only EDI sends.
 */
function identify(payload: unknown): string | null {
  const eml = at(payload, "eml", "eml") ?? at(payload, "eml");
  const match = PACKAGE.exec(asText(at(eml, "@packageId")) ?? "");
  if (match?.[3] === undefined) return null;
  const scope = match[1]?.toLowerCase() ?? "";
  const hasOwnPart = ["rmd", "reads", "revision"].some((part) => at(payload, part) !== undefined);
  const isOwn = hasOwnPart || SCOPE.test(scope) || SYSTEM.test(asText(at(eml, "@system"))?.slice(0, 200) ?? "");
  return isOwn ? `${scope}.${match[2]}.${match[3]}` : null;
}

function readScope(id: string): string {
  return id.slice(0, id.indexOf(".")).toLowerCase();
}

/** Returns the package id in a text, or in a URL of EDI's portal or service. */
function readSourceId(text: string): string | null {
  const id = /^([a-z][a-z0-9-]{1,60}\.\d{1,9}\.\d{1,9})$/i;
  const portal = /^https?:\/\/portal\.(?:edirepository|lternet)\.(?:org|edu)\/nis\/(?:mapbrowse|metadataviewer)$/i;
  const bare = matchFirst(text, id) ?? readParameter(text, portal, ["packageid"], id);
  // A bare id of another scope may belong to another repository. In a URL of EDI it belongs to EDI.
  if (bare !== null) return bare === text.trim() && !SCOPE.test(readScope(bare)) ? null : bare.toLowerCase();
  const path =
    /^https?:\/\/pasta\.(?:lternet|edirepository)\.(?:edu|org)\/package\/(?:metadata\/)?eml\/([a-z0-9-]+)\/(\d+)\/(\d+)$/i;
  const match = path.exec(text.trim());
  return match === null ? null : `${match[1]}.${match[2]}.${match[3]}`.toLowerCase();
}

export const edi: Source = {
  name: "edi",
  pledge,
  reader: 3,
  example: "edi.100.1",
  hosts: ["pasta.lternet.edu"],
  // EDI publishes no rate.
  rate: { requests: 120, seconds: 60 },
  concurrency: 2,
  walk,
  planFetch,
  buildUrl: (id) => `https://portal.edirepository.org/nis/mapbrowse?packageid=${id}`,
  readSourceId,
  dataciteClients: ["edi.edi"],
  readsXml: true,
  xmlParts: ["eml", "rmd", "reads"],
  readDraft,
  readShape,
  identify,
  normalise: normaliseEdi,
};
