/**
 * Finds the payload of an identifier. If both DataCite and the source that stores the data have the record, the payload
 * comes from that source, because it also lists the files.
 */

import { openCaller, RecordFetch } from "../1-harvest/fetch-record.ts";
import type { Service } from "../1-harvest/service.ts";
import type { Identifier } from "../parse-identifier.ts";
import { asText, at } from "../reading/reader.ts";
import type { Holder, Source } from "../sources/adapter/source.ts";
import { SOURCES, sourceNamed } from "../sources/index.ts";
import { getPublicName } from "../sources/pledges.ts";
import type { Effects } from "../stage/effects.ts";
import { EvaluationError, unusable, upstreamFault } from "./evaluation-error.ts";
import type { RequestOptions } from "./messages.ts";

export interface ObtainedPayload {
  readonly source: string;
  readonly sourceId: string;
  readonly payload: string;
  readonly payloadDigest: string;
  /** HTTP status of the response: 200, or 404 or 410 for a record that does not exist any more. */
  readonly status: number;
  readonly retrievedAt: string | null;
  readonly isDraft?: boolean;
}

/** doi.org, which names the registration agency of a DOI (sources.md, 14). It has no rate limit. */
export const DOI_ORG: Service = {
  name: "doi.org",
  hosts: ["doi.org"],
  walk: { base: "https://doi.org" },
  rate: { requests: 1_000_000, seconds: 1 },
  concurrency: 50,
};

/** Limits of one request (decisions.md, "Evaluation"). A failed request is sent once more. */
export const REQUEST_LIMITS = { bodyBytes: 5 * 1024 * 1024, attempts: 2, redirects: 3 };

type Services = ReturnType<typeof makeServices>;

/**
 * Returns functions that send the requests of an evaluation. `getEffects` returns the effects for requests to a
 * service. `rate` replaces the rate limit of every service, for a caller that enforces the limits itself; null
 * otherwise.
 */
export function makeServices(
  getEffects: (service: string) => Effects,
  rate: Source["rate"] | null,
  { contact, upstreams, timeoutMs }: RequestOptions,
) {
  const open = (service: Service) => {
    const options = { ...chooseBase(service, upstreams), contact, limits: { ...REQUEST_LIMITS, timeoutMs } };
    const effects = getEffects(service.name);
    return { caller: openCaller({ ...service, rate: rate ?? service.rate }, options, effects), options, effects };
  };
  return {
    fetchRecord(source: Source, sourceId: string) {
      const { caller, options, effects } = open(source);
      return new RecordFetch(source, caller, options, effects.now).byId(sourceId);
    },
    /** Asks doi.org for the registration agency of a DOI. Encodes commas, because they would separate several DOIs. */
    async fetchAgency(doi: string): Promise<unknown> {
      const { caller, options } = open(DOI_ORG);
      const path = doi.split("/").map(encodeURIComponent).join("/");
      const url = new URL(`/doiRA/${path}`, options.base).href;
      return (await caller.ask({ url, headers: { accept: "application/json" } })).document;
    },
  };
}

/**
 * Returns the base URL of a service. Tests replace it by a server on this machine, so a replacement may have a private
 * address.
 */
export function chooseBase({ name, walk }: Service, upstreams: RequestOptions["upstreams"]) {
  const base = upstreams[name] ?? walk.base;
  return { base, allowPrivate: base !== walk.base, installations: [] };
}

/**
 * Returns the payload of an identifier. If the record was removed, the result has the status 410 and an empty payload.
 * @throws EvaluationError if a service fails or does not have the record
 */
export function obtain(identifier: Identifier, services: Services): Promise<ObtainedPayload> {
  return identifier.kind === "doi" ? obtainDoi(identifier.doi, services) : obtainRecord(identifier, services);
}

async function obtainRecord(identifier: Identifier & { kind: "record" }, services: Services): Promise<ObtainedPayload> {
  const source = sourceNamed(identifier.source);
  if (source === null)
    throw new EvaluationError(
      "unsupported-source",
      `there is no source called ${identifier.source}; the sources are ${SOURCES.map(({ name }) => name).join(", ")}`,
    );
  const payload = await requestPayload(source, identifier.sourceId, services);
  if (payload.status !== 404) return payload;
  const name = getPublicName(source.name);
  throw new EvaluationError(
    "not-in-source",
    `${name} has no public record ${identifier.sourceId}; check the identifier`,
  );
}

/**
 * Returns the payload of a DOI. Asks DataCite first, because it knows most DOIs of datasets and which source has each
 * of them. Asks doi.org about other DOIs, to report which agency registered them.
 */
async function obtainDoi(doi: string, services: Services): Promise<ObtainedPayload> {
  const registry = SOURCES.find(({ heldBy }) => heldBy !== undefined);
  if (registry?.heldBy === undefined)
    throw new Error("none of the sources of this program finds the repository of a DOI (heldBy); report this");
  const registered = await requestPayload(registry, doi, services);
  if (registered.status === 404) throw (await findOtherAgency(registry, doi, services)) ?? notPublic(registry, doi);
  if (registered.status !== 200) return registered;
  const holder = registry.heldBy(JSON.parse(registered.payload));
  // The registry also lists DOIs of other agencies, which have no client.
  const other = holder.client === null ? await findOtherAgency(registry, doi, services) : null;
  if (other?.code === "unsupported-source") throw other;
  const native = nativeRecord(holder, doi);
  if (native === null) return registered;
  const nativePayload = await requestPayload(native.source, native.sourceId, services);
  // If the source no longer has the record, the metadata of the registry are used.
  return nativePayload.status === 200 ? nativePayload : registered;
}

function notPublic({ name }: Source, doi: string): EvaluationError {
  return new EvaluationError(
    "not-in-source",
    `${doi} is registered with ${getPublicName(name)}, but not public there; check the DOI, or try again after its publication`,
  );
}

/**
 * Asks doi.org which agency registered a DOI. Returns an error that explains why `registry` does not have the DOI; null
 * if it did register it.
 */
async function findOtherAgency(registry: Source, doi: string, services: Services): Promise<EvaluationError | null> {
  const answers = await services.fetchAgency(doi).catch((error: unknown) => {
    throw upstreamFault(error, DOI_ORG.name);
  });
  const first: unknown = Array.isArray(answers) ? answers[0] : null;
  const [agency, status] = [asText(at(first, "RA")), asText(at(first, "status"))];
  if (agency?.toLowerCase() === registry.name) return null;
  if (agency !== null) {
    const message = `${doi} is registered with ${agency.slice(0, 40)}, whose DOIs belong to no source here; datasets registered with DataCite can be evaluated`;
    return new EvaluationError("unsupported-source", message);
  }
  if (status === null) throw unusable(DOI_ORG.name, "neither an agency nor a status");
  const code = status === "Invalid DOI" ? "malformed-identifier" : "not-in-source";
  return new EvaluationError(code, `${DOI_ORG.name} reports for ${doi}: ${status.slice(0, 80)}; check the DOI`);
}

/**
 * Requests a record from a service. Returns its payload, or the HTTP status if the service does not have the record.
 */
async function requestPayload(from: Source, sourceId: string, services: Services): Promise<ObtainedPayload> {
  const { name: source } = from;
  const response = await services.fetchRecord(from, sourceId).catch((error: unknown) => {
    throw upstreamFault(error, getPublicName(source));
  });
  const { retrievedAt } = response;
  switch (response.kind) {
    case "record": {
      const { sourceId, payload, payloadDigest } = response.record;
      return { source, sourceId, payload, payloadDigest, status: 200, retrievedAt };
    }
    case "gone":
      return { source, sourceId, payload: "", payloadDigest: NOTHING, status: response.status, retrievedAt };
    case "rejected":
      throw unusable(getPublicName(source), response.objection.reason);
    default:
      return response satisfies never;
  }
}

/** The sha256 of an empty payload. */
const NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Returns the record at the source that registered the DOI with DataCite. The id of the record is read from the DOI or
 * from the landing page. Returns null if no source matches.
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
 * True if `client` is the known DataCite client. A known name that ends in a dot is a prefix: figshare has one client
 * for each of its customers, and all their names begin with `figshare.`.
 */
function isClient(client: string, known: string): boolean {
  return known.endsWith(".") ? client.startsWith(known) : client === known;
}
