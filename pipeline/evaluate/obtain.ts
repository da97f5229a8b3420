/**
 * From an identifier to the payload to score: which service is asked, and what its answer means. The source that holds
 * the data is preferred over the registry of the DOI, because it also lists files.
 */

import type { Identifier } from "../parse-identifier.ts";
import { asText, at } from "../reading/reader.ts";
import type { Holder, Source } from "../sources/adapter/source.ts";
import { SOURCES, sourceNamed } from "../sources/index.ts";
import type { Effects } from "../stage/effects.ts";
import { EvaluationError, unusable, upstreamFault } from "./evaluation-error.ts";

/** One payload as it was retrieved. */
export interface Given {
  readonly source: string;
  readonly sourceId: string;
  readonly payload: string;
  readonly payloadDigest: string;
  /** 200, or 404 or 410 for a record that is gone. */
  readonly status: number;
  readonly retrievedAt: string | null;
  /** True if the owner handed the metadata in. */
  readonly isDraft?: boolean;
}

/** The answer of a service about one record. */
type Told = { readonly retrievedAt: string } & (
  | {
      readonly kind: "record";
      readonly record: Pick<Given, "sourceId" | "payload" | "payloadDigest">;
    }
  | { readonly kind: "gone"; readonly status: number }
  | { readonly kind: "refused"; readonly objection: { readonly reason: string; readonly detail: string } }
);

export const DOI_ORG = "https://doi.org";

/** An answer is one short object. */
const MOST_BYTES = 64 * 1024;

/** The agency by name; or, in doi.org's words, why there is none. */
type Agency = { readonly agency: string } | { readonly agency: null; readonly status: string };

interface AgencyOptions {
  /** doi.org, or a test's service. */
  readonly base: string;
  readonly agent: string;
  readonly timeoutMs: number;
}

export interface Services {
  /** Throws what the service did wrong. */
  recordOf(source: Source, sourceId: string): Promise<Told>;
  agencyOf(doi: string): Promise<Agency>;
}

/** @throws EvaluationError, and nothing else for what a service did */
export function obtain(identifier: Identifier, services: Services): Promise<Given> {
  return identifier.kind === "doi" ? ofDoi(identifier.doi, services) : ofRecord(identifier, services);
}

async function ofRecord(identifier: Identifier & { kind: "record" }, services: Services): Promise<Given> {
  const source = sourceNamed(identifier.source);
  if (source === null)
    throw new EvaluationError("unsupported-source", `there is no source called ${identifier.source}`);
  const given = await ask(source, identifier.sourceId, services);
  if (given.status !== 404) return given;
  throw new EvaluationError("not-in-source", `${source.name} has no public record ${identifier.sourceId}`);
}

/** DataCite first: it knows most DOIs of datasets, and which source holds them; doi.org knows whose the others are. */
async function ofDoi(doi: string, services: Services): Promise<Given> {
  const registry = SOURCES.find(({ heldBy }) => heldBy !== undefined);
  if (registry?.heldBy === undefined) throw new Error("no source is a registry of DOIs");
  const registered = await ask(registry, doi, services);
  if (registered.status === 404) throw notIn(registry, doi, await services.agencyOf(doi));
  if (registered.status !== 200) return registered;
  const holder = registry.heldBy(JSON.parse(registered.payload));
  // The registry also lists DOIs of others, which are nobody's clients.
  if (holder.client === null) await requireAgency(registry, doi, services);
  const native = nativeRecord(holder, doi);
  if (native === null) return registered;
  const held = await ask(native.source, native.sourceId, services);
  // Gone from its source and findable all the same: what the registry says is all there is.
  return held.status === 200 ? held : registered;
}

async function requireAgency(registry: Source, doi: string, services: Services): Promise<void> {
  const answer = await services.agencyOf(doi);
  if (answer.agency !== null && !isOf(registry, answer.agency)) throw notIn(registry, doi, answer);
}

function isOf(registry: Source, agency: string): boolean {
  return agency.toLowerCase() === registry.name;
}

/** Why the registry does not have a DOI. */
function notIn(registry: Source, doi: string, answer: Agency): EvaluationError {
  if (answer.agency === null) {
    const invalid = answer.status === "Invalid DOI";
    const message = `doi.org says of ${doi}: ${answer.status.slice(0, 80)}`;
    return new EvaluationError(invalid ? "malformed-identifier" : "not-in-source", message);
  }
  if (isOf(registry, answer.agency)) {
    const message = `${doi} is registered with ${answer.agency.slice(0, 40)} and not public there`;
    return new EvaluationError("not-in-source", message);
  }
  const message = `${doi} is registered with ${answer.agency.slice(0, 40)}, whose DOIs are of no source here; datasets registered with DataCite can be evaluated`;
  return new EvaluationError("unsupported-source", message);
}

/** The answer as an envelope has it: a payload, or the status that says that there is none. */
async function ask(source: Source, sourceId: string, services: Services): Promise<Given> {
  const told = await services.recordOf(source, sourceId).catch((error: unknown) => {
    throw upstreamFault(error, source.name);
  });
  const { retrievedAt } = told;
  switch (told.kind) {
    case "record": {
      const { record } = told;
      const { payload, payloadDigest } = record;
      return { source: source.name, sourceId: record.sourceId, payload, payloadDigest, status: 200, retrievedAt };
    }
    case "gone":
      return { source: source.name, sourceId, payload: "", payloadDigest: NOTHING, status: told.status, retrievedAt };
    case "refused":
      throw unusable(source.name, told.objection.reason);
    default:
      return told satisfies never;
  }
}

/** sha256 of no bytes. */
const NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** The record in the source whose client registered the DOI, by the DOI itself or by its landing page; null where there is none. */
function nativeRecord(
  { client, url }: Holder,
  doi: string,
): { readonly source: Source; readonly sourceId: string } | null {
  if (client === null) return null;
  for (const source of SOURCES) {
    if (!source.dataciteClients?.some((known) => isClient(client, known))) continue;
    const sourceId = source.sourceIdOf(doi) ?? (url === null ? null : source.sourceIdOf(url));
    if (sourceId !== null) return { source, sourceId };
  }
  return null;
}

/** Services with a client for each of their customers name them all by what they have in common: `figshare.` */
function isClient(client: string, known: string): boolean {
  return known.endsWith(".") ? client.startsWith(known) : client === known;
}

/** The agency that registered a DOI (sources.md, 14). Asks doi.org, twice where it fails once; its faults are thrown as an evaluation says them. */
export async function agencyOf(doi: string, options: AgencyOptions, effects: Effects): Promise<Agency> {
  try {
    return await askOnce(doi, options, effects);
  } catch {
    return askOnce(doi, options, effects).catch((error: unknown) => {
      throw upstreamFault(error, "doi.org");
    });
  }
}

async function askOnce(doi: string, { base, agent, timeoutMs }: AgencyOptions, effects: Effects): Promise<Agency> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { accept: "application/json", "user-agent": agent };
  // A redirect would lead to the data themselves, or nowhere: the look-up answers by itself.
  const response = await effects.fetch(addressOf(doi, base), { headers, redirect: "manual", signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw unusable("doi.org", `status ${response.status}`);
  }
  return agencyIn(await shortText(response));
}

/** Commas would separate several DOIs. */
function addressOf(doi: string, base: string): URL {
  const path = doi.split("/").map(encodeURIComponent).join("/");
  return new URL(`/doiRA/${path}`, base);
}

async function shortText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > MOST_BYTES) throw unusable("doi.org", "an answer that is far too long");
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
    throw unusable("doi.org", `no JSON: ${cause instanceof SyntaxError ? "a syntax error" : "unreadable"}`);
  }
}
