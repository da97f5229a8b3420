/** The way from an identifier to the payload to score: which service to ask, and what its silence means. */

import type { Identifier } from "../pipeline/identifiers/parse.ts";
import type { Source } from "../pipeline/sources/adapter/source.ts";
import { SOURCES, sourceNamed } from "../pipeline/sources/index.ts";
import { EvaluationError } from "./evaluation-error.ts";
import { nativeRecord } from "./native-source.ts";
import type { Agency } from "./registration-agency.ts";
import { unusable, upstreamFault } from "./upstream-fault.ts";

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
export type Told = { readonly retrievedAt: string } & (
  | {
      readonly kind: "record";
      readonly record: Pick<Given, "sourceId" | "payload" | "payloadDigest">;
    }
  | { readonly kind: "gone"; readonly status: number }
  | { readonly kind: "refused"; readonly objection: { readonly reason: string; readonly detail: string } }
);

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
