/** What a source is to the pipeline: who it is, how to walk it, how to find records in its answers, how to read one. */

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

/** State of a walk between two pages: plain JSON, so that a checkpoint can hold it. */
export type WalkState = { readonly [key: string]: string | number | boolean | null };

export interface WalkOptions {
  /** Only what changed on or after this day (ISO date), or everything. */
  readonly since: string | null;
  /** Address of the service, e.g. https://api.datacite.org; tests give a loopback one. */
  readonly base: string;
  /** Contact for the service's polite pool, or null. */
  readonly contact: string | null;
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
  /** Address of one record's page or API answer, for people and for envelopes. */
  urlOf(sourceId: string): string;
  /** Root elements of XML answers the service has retired, each with what it was; recorded ones are refused by that name. */
  readonly retiredRoots?: Readonly<Record<string, string>>;
  /** Where the records are in a parsed answer; says why where there are none. */
  shapeOf(document: unknown): AnswerShape;
  /** The source id of one record payload, canonical (DOIs lower case), or null. */
  identify(payload: unknown): string | null;
  /** Reads one payload; never throws on what a payload holds. `payload` is null for an HTTP 404/410 envelope. */
  normalise(payload: unknown, sourceId: string, context: NormaliseContext): Normalised;
}
