/** What a source is to the pipeline: who it is, how to walk it, how to ask for one record, how to find and read records. */

import type { Normalised } from "../../schemas/capture.ts";
import type { RefusalReason } from "../../schemas/envelope.ts";
import type { Vocabularies } from "../vocabularies/index.ts";

/** Where the records stand in one answer; `path` leads to the record object or to the array of them. */
export type AnswerShape =
  | { readonly kind: "record"; readonly path: readonly string[] }
  | { readonly kind: "list"; readonly path: readonly string[] }
  | { readonly kind: "refused"; readonly reason: RefusalReason; readonly detail: string };

/** At most `requests` in any `seconds`. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** One request, and what its answer is due to be. */
export interface Ask {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AskOptions {
  /** Address of the service, e.g. https://api.datacite.org; tests give a loopback one. */
  readonly base: string;
  /** Contact for the service's polite pool, or null. */
  readonly contact: string | null;
}

/** State of a walk between two pages: plain JSON, so that a checkpoint can hold it. */
export type WalkState = { readonly [key: string]: string | number | boolean | null };

export interface WalkOptions extends AskOptions {
  /** Only what changed on or after this day (ISO date), or everything. */
  readonly since: string | null;
}

/** One page as it came: its parsed document, and what the harvester found in it. */
export interface WalkPage {
  readonly document: unknown;
  readonly headers: Headers;
  readonly sourceIds: readonly string[];
}

/** A service's answer that cannot be the page asked for: the walk ends there, incomplete, and its page is not kept. */
export class WalkFault extends Error {
  readonly code = "walk-fault";
}

/** A walk over everything a service lists. `advance` throws {@link WalkFault} where following on would lose or repeat records. `advance` gives the state after a page, or null when that page was the last. */
export interface Walk {
  readonly base: string;
  start(options: WalkOptions): WalkState;
  request(state: WalkState, options: WalkOptions): { readonly url: string; readonly headers?: Record<string, string> };
  advance(state: WalkState, page: WalkPage, options: WalkOptions): WalkState | null;
  /** How many records the service says the walk has, or null. */
  total(document: unknown): number | null;
}

/** What was answered for one record so far, by part. */
export type Found = Readonly<Record<string, unknown>>;

/** One of the answers a record is put together from. */
export interface Part {
  readonly name: string;
  /** Stored: the record found in the answer, the whole answer, or nothing, where only later parts need it. */
  readonly take: "record" | "answer" | "nothing";
  /** The request; several where the record may be in one of several places; null where there is nothing to ask for. */
  ask(found: Found, options: AskOptions): Ask | readonly Ask[] | null;
}

/** Who holds what a registry has only registered: its client id in lower case, and the landing page; null = not stated. */
export interface Holder {
  readonly client: string | null;
  readonly url: string | null;
}

export interface NormaliseContext {
  /** The day the build pretends it is (ISO date): embargoes are judged by it. */
  readonly asOf: string;
  readonly vocabularies: Vocabularies;
}

export interface Source {
  readonly name: string;
  /** The only hosts ever contacted for this source. */
  readonly hosts: readonly string[];
  readonly rate: Rate;
  readonly walk: Walk;
  /** The parts of one record, in the order they are asked for. */
  fetchOf(sourceId: string): readonly Part[];
  /** Address of one record's page or API answer, for people and for envelopes. */
  urlOf(sourceId: string): string;
  /** The source id an accession, a DOI of this source's own, or a landing page's address names; null for any other text. */
  sourceIdOf(text: string): string | null;
  /** The canonical spelling of an id that is said to be of this source, or null; without it, what `sourceIdOf` makes of it. */
  canonicalId?(id: string): string | null;
  /** Of a registry's payload: the client that registered the DOI, and where the DOI leads. */
  heldBy?(payload: unknown): Holder;
  /** Clients of DataCite whose DOIs are this source's records; with a full stop at its end, all that begin with it. */
  readonly dataciteClients?: readonly string[];
  /** The payload that metadata not yet deposited would become; null where the document is none of this source. */
  draftOf?(document: unknown): unknown;
  /** Root elements of XML answers the service has retired, each with what it was; recorded ones are refused by that name. */
  readonly retiredRoots?: Readonly<Record<string, string>>;
  /** Where the records are in a parsed answer; says why where there are none. */
  shapeOf(document: unknown): AnswerShape;
  /** The source id of one record payload, canonical (DOIs lower case), or null. */
  identify(payload: unknown): string | null;
  /** Reads one payload; never throws on what a payload holds. `payload` is null for an HTTP 404/410 envelope. */
  normalise(payload: unknown, sourceId: string, context: NormaliseContext): Normalised;
}
