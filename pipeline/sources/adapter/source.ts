/** The interface of a source: its identity, its walk, its requests, and how it finds and reads records. */

import type { Normalised } from "../../../schemas/internal/capture.ts";
import type { RejectionReason } from "../../../schemas/public/problem.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/**
 * The part of a response that holds records. `path` leads through JSON keys or XML element names to the record, to the
 * list, or to the object whose fields are records. `item` leads from an element of a list to its record.
 */
export type ResponseShape =
  | { readonly kind: "record"; readonly path: readonly string[] }
  | { readonly kind: "list"; readonly path: readonly string[]; readonly item?: readonly string[] }
  | { readonly kind: "members"; readonly path: readonly string[]; readonly keys: readonly string[] }
  | { readonly kind: "rejected"; readonly reason: RejectionReason; readonly detail: string };

/** At most `requests` in `seconds`, for each host. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** The secret of a registered client. Only the engine reads the secret itself. */
export interface Credential {
  readonly variable: string;
  /** The header Authorization (`id:password` for basic), or a URL parameter. */
  readonly form: "bearer" | "token" | "basic" | { readonly parameter: string };
  readonly rate: Rate;
}

export interface SourceRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. A request with a body is a POST. */
  readonly body?: string;
  /** JSON by default. */
  readonly as?: "json" | "xml" | "text";
}

/** Plain JSON, so that a checkpoint can store it. */
export type StateValue =
  | string
  | number
  | boolean
  | null
  | readonly StateValue[]
  | { readonly [key: string]: StateValue };

/** State of a walk between two responses. */
export type WalkState = { readonly [key: string]: StateValue };

export interface SourceOptions {
  /** Base URL of the service, such as https://api.datacite.org, or of a test on loopback. */
  readonly base: string;
  /** Contact for the service's polite pool, or null. */
  readonly contact: string | null;
}

/** One kind of part that a service can select, such as the datasets of one DataCite client. */
export interface Selector {
  /** Name in `--only name=value`. */
  readonly name: string;
  /** Parameter of the service. */
  readonly parameter: string;
  /** The datasets that a value selects. */
  readonly about: string;
  /** Matches all of an allowed value. */
  readonly pattern: RegExp;
  readonly example: string;
  /** Writes a value in the form of the parameter, which is the value itself by default. */
  formatParameter?(value: string): string;
}

export interface PartSelection {
  readonly selector: Selector;
  readonly value: string;
}

/** A source, or the part of it that its service selects. */
export interface SourcePart {
  readonly source: Source;
  readonly only: PartSelection | null;
}

export interface WalkOptions extends SourceOptions {
  /** Limits the walk to records that changed on or after this day (ISO date); null for all. */
  readonly since: string | null;
  /** Limits the walk to one part of the source; null for all. */
  readonly only: PartSelection | null;
}

/**
 * One response of a walk: its document (text as a string), and the ids of the records that the harvester found in it.
 */
export interface WalkPage {
  readonly document: unknown;
  readonly headers: Headers;
  readonly sourceIds: readonly string[];
}

export interface Step {
  /** State of the next request, or null at the end. */
  readonly next: WalkState | null;
  /** Number of records in the walk. The first response that states it counts. */
  readonly total?: number | null;
  /** Number of records in a second list, which its first response states. */
  readonly more?: number | null;
  /** The next response may equal this one. A new window begins with the last records of the window before it. */
  readonly overlaps?: true;
  /** Source ids to request one by one; absent if the response holds the records. */
  readonly fetch?: readonly string[];
}

/** A response that cannot be the requested page. The walk stops as incomplete, and the page is not stored. */
export class WalkFault extends Error {
  readonly code = "walk-fault";
}

/**
 * A walk over everything that a service lists: its requests, and the meaning of the responses. The engine does the
 * rest.
 */
export interface Walk {
  readonly base: string;
  /** True if the service can list changes since a day. Otherwise every walk is complete. */
  readonly since: boolean;
  /** The parts that the service can select; absent if none. */
  readonly selectors?: readonly Selector[];
  start(options: WalkOptions): WalkState;
  request(state: WalkState, options: WalkOptions): SourceRequest;
  /**
   * Reads a page of a walk, and returns the state of the next request.
   * @throws WalkFault if continuing would lose or repeat records
   */
  read(state: WalkState, page: WalkPage, options: WalkOptions): Step;
  /**
   * Returns a new state if the service no longer accepts `state`, for example because a token expired. If it is missing or
   * returns null, the walk restarts or ends.
   */
  recover?(state: WalkState, options: WalkOptions): WalkState | null;
}

/** The responses for one record so far, by part: the record for "record", else the complete parsed response. */
export type PartResponses = Readonly<Record<string, unknown>>;

/**
 * One of the responses that form a record. A single part is stored as it is. Several parts are stored as one JSON
 * object with a field for each part, verbatim (XML as text). Several pages of a part are a list.
 */
export interface FetchPart {
  readonly name: string;
  /** Stores the record in the response, the complete response, or nothing if only later parts need it. */
  readonly take: "record" | "answer" | "nothing";
  /** Leaves the part out if the service does not give it. Every other part is required. */
  readonly optional?: true;
  /**
   * Returns the request, or several if the record may be at one of several places. Returns null if nothing needs to be
   * requested.
   */
  buildRequest(found: PartResponses, options: SourceOptions): SourceRequest | readonly SourceRequest[] | null;
  /** Returns the request for the page after `document`, the response to `request`; null at the end. */
  next?(document: unknown, request: SourceRequest, found: PartResponses): SourceRequest | null;
}

/** The client that registered a DOI, with its id in lower case, and the landing page. Null if not stated. */
export interface Holder {
  readonly client: string | null;
  readonly url: string | null;
}

export interface NormaliseOptions {
  /** The build's day (ISO date), on which embargoes are judged. */
  readonly asOf: string;
  readonly vocabularies: Vocabularies;
  /** True if the owner submits the metadata. A draft or private record is then read, and does not count as missing. */
  readonly isDraft?: boolean;
}

/** Collects the pieces of one record in the order of their names, and reads them as one record. */
export interface PieceReader {
  add(payload: unknown): void;
  normalise(): Normalised;
}

/**
 * Reading for sources whose files hold a record in pieces. Pieces are stored as received, and joined when a release is
 * built.
 */
export interface Pieces {
  /** Returns the name of a piece, the same in later captures; null if the payload is a complete record. */
  findPieceName(payload: unknown): string | null;
  openReader(sourceId: string, context: NormaliseOptions): PieceReader;
}

export interface Source {
  readonly name: string;
  /** The content of pledge.json. */
  readonly pledge: unknown;
  /**
   * Version of the reader: the normaliser with its word lists and shared readers. Increase it with each change that
   * reads a payload differently, so that changed scores can be explained.
   */
  readonly reader: number;
  /** An existing record, the default of a check. */
  readonly example: string;
  /** The only hosts that this source contacts. */
  readonly hosts: readonly string[];
  /** True if others run the same service. Their hosts come from the configuration. */
  readonly installations?: true;
  readonly rate: Rate;
  /** The rate of clients that state a contact, if it differs. */
  readonly contactRate?: Rate;
  readonly credential?: Credential;
  /** Concurrent requests for each host; one by default. */
  readonly concurrency?: number;
  readonly walk: Walk;
  planFetch(sourceId: string): readonly FetchPart[];
  /** Returns the URL of one record's page or API response. */
  buildUrl(sourceId: string): string;
  /** Returns the source id in an accession, a DOI of this source, or a landing page's URL; null for any other text. */
  readSourceId(text: string): string | null;
  /** Returns the canonical spelling of an id of this source, or null. `readSourceId` is the default. */
  canonicalId?(id: string): string | null;
  /** Reads a registry's payload: the client that registered the DOI, and the URL of the DOI. */
  heldBy?(payload: unknown): Holder;
  /** DataCite clients whose DOIs are records of this source. A final full stop makes an entry a prefix. */
  readonly dataciteClients?: readonly string[];
  /** Returns the payload of metadata that are not deposited yet; null if the document does not fit this source. */
  readDraft?(document: unknown): unknown;
  /**
   * Returns the temporary fault of a response with a good status, which is then requested again; null if there is none.
   */
  findFault?(document: unknown, headers: Headers): string | null;
  /** Root elements of XML responses that the service no longer sends, each with a description for the error. */
  readonly retiredRoots?: Readonly<Record<string, string>>;
  /** True if recorded XML responses can be read. Otherwise XML is rejected. */
  readonly readsXml?: true;
  /**
   * True if nearly any object with an id and a title has this shape. If another source recognises a file, the file belongs
   * to that source.
   */
  readonly looseShape?: true;
  /** Fields of a stored payload that hold XML as text. The normaliser receives them parsed. */
  readonly xmlParts?: readonly string[];
  /** Returns the place of the records in a parsed response, or the reason that there are none. */
  readShape(document: unknown): ResponseShape;
  /** Explains why a payload with the shape of a record must not be scored; null for all others. */
  findRejection?(payload: unknown): string | null;
  /** Returns the canonical source id of a record payload (DOIs in lower case), or null. */
  identify(payload: unknown): string | null;
  /** Set if files may hold a record in pieces. */
  readonly pieces?: Pieces;
  /** Reads one payload without throwing. `payload` is null for an envelope of HTTP 404 or 410. */
  normalise(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised;
}
