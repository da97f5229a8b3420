/**
 * Finds the payload of an identifier. The source that stores the data is preferred to DataCite, because it also lists the
 * files.
 */

import type { Identifier } from "../parse-identifier.ts";
import { asText, at } from "../reading/reader.ts";
import type { Holder, Source } from "../sources/adapter/source.ts";
import { SOURCES, sourceNamed } from "../sources/index.ts";
import { getPublicName } from "../sources/pledges.ts";
import type { Effects } from "../stage/effects.ts";
import { EvaluationError, unusable, upstreamFault } from "./evaluation-error.ts";

export interface ObtainedPayload {
  readonly source: string;
  readonly sourceId: string;
  readonly payload: string;
  readonly payloadDigest: string;
  /** 200, or 404 or 410 for a record that does not exist any more. */
  readonly status: number;
  readonly retrievedAt: string | null;
  readonly isDraft?: boolean;
}

/** The response of a service to a request for one record: the record, its removal, or a rejection. */
type RecordResponse = { readonly retrievedAt: string } & (
  | {
      readonly kind: "record";
      readonly record: Pick<ObtainedPayload, "sourceId" | "payload" | "payloadDigest">;
    }
  | { readonly kind: "gone"; readonly status: number }
  | { readonly kind: "rejected"; readonly objection: { readonly reason: string; readonly detail: string } }
);

export const DOI_ORG = "https://doi.org";

/** Largest response of doi.org in bytes. It is one short object. */
const MAX_BYTES = 64 * 1024;

/** The registration agency of a DOI. If there is none, the status that doi.org sent instead. */
type Agency = { readonly agency: string } | { readonly agency: null; readonly status: string };

interface AgencyOptions {
  /** The base URL of doi.org, or of a test server. */
  readonly base: string;
  readonly agent: string;
  readonly timeoutMs: number;
}

export interface Services {
  fetchRecord(source: Source, sourceId: string): Promise<RecordResponse>;
  fetchAgency(doi: string): Promise<Agency>;
}

/**
 * Returns the payload of an identifier.
 * Returns a record that was removed with the status 410 and without a payload.
 * @throws EvaluationError if a service fails or does not have the record
 */
export function obtain(identifier: Identifier, services: Services): Promise<ObtainedPayload> {
  return identifier.kind === "doi" ? obtainDoi(identifier.doi, services) : obtainRecord(identifier, services);
}

async function obtainRecord(identifier: Identifier & { kind: "record" }, services: Services): Promise<ObtainedPayload> {
  const source = sourceNamed(identifier.source);
  if (source === null)
    throw new EvaluationError("unsupported-source", `there is no source called ${identifier.source}`);
  const payload = await requestPayload(source, identifier.sourceId, services);
  if (payload.status !== 404) return payload;
  const name = getPublicName(source.name);
  throw new EvaluationError("not-in-source", `${name} has no public record ${identifier.sourceId}`);
}

/**
 * Returns the payload of a DOI. Asks DataCite first, because it knows most DOIs of datasets and the sources that have them.
 * For other DOIs, asks doi.org for the registration agency.
 */
async function obtainDoi(doi: string, services: Services): Promise<ObtainedPayload> {
  const registry = SOURCES.find(({ heldBy }) => heldBy !== undefined);
  if (registry?.heldBy === undefined) throw new Error("no source is a registry of DOIs");
  const registered = await requestPayload(registry, doi, services);
  if (registered.status === 404) throw missingFrom(registry, doi, await services.fetchAgency(doi));
  if (registered.status !== 200) return registered;
  const holder = registry.heldBy(JSON.parse(registered.payload));
  // The registry also lists DOIs of other agencies, which have no client.
  if (holder.client === null) await requireAgency(registry, doi, services);
  const native = nativeRecord(holder, doi);
  if (native === null) return registered;
  const nativePayload = await requestPayload(native.source, native.sourceId, services);
  // If the source no longer has the record, the metadata of the registry are used.
  return nativePayload.status === 200 ? nativePayload : registered;
}

async function requireAgency(registry: Source, doi: string, services: Services): Promise<void> {
  const answer = await services.fetchAgency(doi);
  if (answer.agency !== null && !isSameAgency(registry, answer.agency)) throw missingFrom(registry, doi, answer);
}

function isSameAgency(registry: Source, agency: string): boolean {
  return agency.toLowerCase() === registry.name;
}

function missingFrom(registry: Source, doi: string, answer: Agency): EvaluationError {
  if (answer.agency === null) {
    const invalid = answer.status === "Invalid DOI";
    const message = `doi.org reports for ${doi}: ${answer.status.slice(0, 80)}`;
    return new EvaluationError(invalid ? "malformed-identifier" : "not-in-source", message);
  }
  if (isSameAgency(registry, answer.agency)) {
    const message = `${doi} is registered with ${answer.agency.slice(0, 40)} and not public there`;
    return new EvaluationError("not-in-source", message);
  }
  const message = `${doi} is registered with ${answer.agency.slice(0, 40)}, whose DOIs belong to no source here; datasets registered with DataCite can be evaluated`;
  return new EvaluationError("unsupported-source", message);
}

/** Requests a record from a service. Returns its payload, or the status of a record that is missing there. */
async function requestPayload(source: Source, sourceId: string, services: Services): Promise<ObtainedPayload> {
  const response = await services.fetchRecord(source, sourceId).catch((error: unknown) => {
    throw upstreamFault(error, getPublicName(source.name));
  });
  const { retrievedAt } = response;
  switch (response.kind) {
    case "record": {
      const { record } = response;
      const { payload, payloadDigest } = record;
      return { source: source.name, sourceId: record.sourceId, payload, payloadDigest, status: 200, retrievedAt };
    }
    case "gone":
      return {
        source: source.name,
        sourceId,
        payload: "",
        payloadDigest: NOTHING,
        status: response.status,
        retrievedAt,
      };
    case "rejected":
      throw unusable(getPublicName(source.name), response.objection.reason);
    default:
      return response satisfies never;
  }
}

/** The sha256 of an empty payload. */
const NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Returns the record at the source that registered the DOI with DataCite. Its id is read from the DOI or from the landing
 * page. Returns null if no source matches.
 */
function nativeRecord(
  { client, url }: Holder,
  doi: string,
): { readonly source: Source; readonly sourceId: string } | null {
  if (client === null) return null;
  for (const source of SOURCES) {
    if (!source.dataciteClients?.some((known) => isClient(client, known))) continue;
    const sourceId = source.readSourceId(doi) ?? (url === null ? null : source.readSourceId(url));
    if (sourceId !== null) return { source, sourceId };
  }
  return null;
}

/**
 * True if `client` is the known DataCite client. A known name that ends in a dot, such as `figshare.`, is a prefix: that
 * service has one client for each customer.
 */
function isClient(client: string, known: string): boolean {
  return known.endsWith(".") ? client.startsWith(known) : client === known;
}

/**
 * Returns the agency that registered a DOI (sources.md, 14). If doi.org fails, asks it once more.
 * @throws EvaluationError
 */
export async function fetchAgency(doi: string, options: AgencyOptions, effects: Effects): Promise<Agency> {
  try {
    return await requestAgency(doi, options, effects);
  } catch {
    return requestAgency(doi, options, effects).catch((error: unknown) => {
      throw upstreamFault(error, "doi.org");
    });
  }
}

async function requestAgency(
  doi: string,
  { base, agent, timeoutMs }: AgencyOptions,
  effects: Effects,
): Promise<Agency> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { accept: "application/json", "user-agent": agent };
  // A DOI redirects to the data, but a look-up of the agency does not redirect.
  const response = await effects.fetch(buildLookupUrl(doi, base), { headers, redirect: "manual", signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw unusable("doi.org", `status ${response.status}`);
  }
  return agencyIn(await shortText(response));
}

/** Returns the URL at which doi.org names the agency of a DOI. Encodes commas, because they would separate several DOIs. */
function buildLookupUrl(doi: string, base: string): URL {
  const path = doi.split("/").map(encodeURIComponent).join("/");
  return new URL(`/doiRA/${path}`, base);
}

async function shortText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > MAX_BYTES) throw unusable("doi.org", "an answer that is far too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function agencyIn(text: string): Agency {
  const answers = parsed(text);
  const first: unknown = Array.isArray(answers) ? answers[0] : null;
  const agency = asText(at(first, "RA"));
  if (agency !== null) return { agency };
  const status = asText(at(first, "status"));
  if (status === null) throw unusable("doi.org", "neither an agency nor a status");
  return { agency: null, status };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable("doi.org", `not JSON: ${cause instanceof SyntaxError ? "a syntax error" : "unreadable"}`);
  }
}
