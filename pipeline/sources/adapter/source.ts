/**
 * Defines a source: its name, its hosts and rate, the requests that list and fetch its records, and how its payloads are
 * read.
 */

import type { Normalised } from "../../../schemas/internal/capture.ts";
import type { RejectionReason } from "../../../schemas/public/problem.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/**
 * Where the records of a response are. `path` leads through JSON keys or XML elements: to the record, to the list, or to
 * the object whose fields are records. `item` leads from an element of the list to its record.
 */
export type ResponseShape =
  | { readonly kind: "record"; readonly path: readonly string[] }
  | { readonly kind: "list"; readonly path: readonly string[]; readonly item?: readonly string[] }
  | { readonly kind: "members"; readonly path: readonly string[]; readonly keys: readonly string[] }
  | { readonly kind: "rejected"; readonly reason: RejectionReason; readonly detail: string };

/** A rate limit for each host: at most `requests` in `seconds`. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * How a client sends its secret to a service. The secret itself is the value of the setting `variable`, which only the
 * command line reads.
 */
export interface Credential {
  readonly variable: string;
  /**
   * How the secret is sent: with a scheme of the header Authorization (for `basic`, the secret is `id:password`), or as
   * a URL parameter.
   */
  readonly form: "bearer" | "token" | "basic" | { readonly parameter: string };
  readonly rate: Rate;
}

export interface SourceRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body as JSON text. A request with a body is a POST. */
  readonly body?: string;
  /** Format of the response; JSON by default. */
  readonly as?: "json" | "xml" | "text";
}

/** A value in the state of a walk. It is plain JSON, so that a checkpoint can store it. */
export type StateValue =
  | string
  | number
  | boolean
  | null
  | readonly StateValue[]
  | { readonly [key: string]: StateValue };

/** State of a walk between two responses, for example a page token. */
export type WalkState = { readonly [key: string]: StateValue };

export interface SourceOptions {
  /** Base URL of the service, such as https://api.datacite.org; in tests, that of a server on loopback. */
  readonly base: string;
  /** Contact for services that offer a higher rate to known clients; null to send none. */
  readonly contact: string | null;
}

/** A way to select a part of a source, such as the datasets of one DataCite client. */
export interface Selector {
  /** Name of the selector in `--only name=value`. */
  readonly name: string;
  /** Parameter of requests to the service that contains the selected value. */
  readonly parameter: string;
  /** Describes the datasets that a value selects, for the help. */
  readonly about: string;
  /** Matches the whole of an allowed value. */
  readonly pattern: RegExp;
  readonly example: string;
  /** Converts a value to the form of the request parameter. By default, it is sent unchanged. */
  formatParameter?(value: string): string;
}

export interface PartSelection {
  readonly selector: Selector;
  readonly value: string;
}

/** A source, or a part of it that is harvested separately. */
export interface SourcePart {
  readonly source: Source;
  readonly only: PartSelection | null;
}

export interface WalkOptions extends SourceOptions {
  /** First day of changes (ISO date): only records that changed on or after it are listed. Null for all. */
  readonly since: string | null;
  /** The part of the source to list; null for all records. */
  readonly only: PartSelection | null;
}

/** One response of a walk: the parsed document (plain text as a string), the headers, and the ids of the records in it. */
export interface WalkPage {
  readonly document: unknown;
  readonly headers: Headers;
  readonly sourceIds: readonly string[];
}

export interface Step {
  /** State for the next request; null if this was the last page. */
  readonly next: WalkState | null;
  /** Total number of records in the list. If several responses contain this number, the first one counts. */
  readonly total?: number | null;
  /**
   * Number of records in one of several lists that the walk reads, such as one month of an OAI-PMH service. It is added
   * to the total, so only the first response of each list contains it.
   */
  readonly more?: number | null;
  /**
   * Set if the next response may repeat records of this one, because the walk starts a new query with the last records
   * of the query before.
   */
  readonly overlaps?: true;
  /** Ids of records to request one by one; absent if the response contains the records. */
  readonly fetch?: readonly string[];
}

/**
 * The error for a response that is not the requested page, for example a page that was already read. The walk then
 * stops as incomplete, and the page is not stored.
 */
export class WalkFault extends Error {
  readonly code = "walk-fault";
}

/**
 * How to list all records of a service: builds each request, and reads its response. The harvester sends the requests and
 * stores the records.
 */
export interface Walk {
  readonly base: string;
  /** True if the service can list only the records that changed since a day. */
  readonly since: boolean;
  /** Selectors of the parts that the service can list separately; absent if there are none. */
  readonly selectors?: readonly Selector[];
  start(options: WalkOptions): WalkState;
  request(state: WalkState, options: WalkOptions): SourceRequest;
  /**
   * Reads one page, and returns the state for the next request.
   * @throws WalkFault if continuing would lose or repeat records
   */
  read(state: WalkState, page: WalkPage, options: WalkOptions): Step;
  /**
   * Returns a new state if the service no longer accepts `state`, for example because a token expired. If the method is
   * missing or returns null, the walk starts again or ends.
   */
  recover?(state: WalkState, options: WalkOptions): WalkState | null;
}

/**
 * The parts of one record that were fetched so far, by name. A part with `take: "record"` is the record in its
 * response; any other part is the complete parsed response.
 */
export type PartResponses = Readonly<Record<string, unknown>>;

/**
 * One of the responses of which a record consists. A record with a single part is stored as it is. Several parts are stored
 * as one JSON object with a field for each part, unchanged (XML as text). If a part has several pages, its field is a list.
 */
export interface FetchPart {
  readonly name: string;
  /** The text to store: the record in the response, the complete response, or nothing if only later parts need this one. */
  readonly take: "record" | "answer" | "nothing";
  /** Set if the record is stored even if the service does not send this part. Other parts are required. */
  readonly optional?: true;
  /**
   * Returns the request for this part. Returns several if the record may be at one of several URLs, and null if the part is
   * not needed.
   */
  buildRequest(found: PartResponses, options: SourceOptions): SourceRequest | readonly SourceRequest[] | null;
  /**
   * Returns the request for the page after `document`, which is the response to `request`. Returns null after the last
   * page.
   */
  next?(document: unknown, request: SourceRequest, found: PartResponses): SourceRequest | null;
}

/**
 * The DataCite client that registered a DOI (in lower case), and the URL of the landing page. Null if the payload lacks
 * them.
 */
export interface Holder {
  readonly client: string | null;
  readonly url: string | null;
}

export interface NormaliseOptions {
  /** The as-of date of the build (ISO), which decides whether an embargo has ended. */
  readonly asOf: string;
  readonly vocabularies: Vocabularies;
  /**
   * True if the metadata come from the depositor. A draft or private record is then read; otherwise it counts as not
   * public.
   */
  readonly isDraft?: boolean;
}

/** Reads several pieces of one record as one record. The pieces come in the order of their names. */
export interface PieceReader {
  add(payload: unknown): void;
  normalise(): Normalised;
}

/**
 * How to read a source whose files contain records in pieces. Pieces are stored as they were received, and joined when a
 * release is built.
 */
export interface Pieces {
  /** Returns the name of a piece, which is the same in later captures. Returns null if the payload is a complete record. */
  findPieceName(payload: unknown): string | null;
  openReader(sourceId: string, context: NormaliseOptions): PieceReader;
}

export interface Source {
  readonly name: string;
  /** The content of the file pledge.json of this source. */
  readonly pledge: unknown;
  /**
   * Version of the reader: the normaliser with its word lists and shared code. Increase it with each change after which
   * some payload is read differently, so that changed scores can be explained.
   */
  readonly reader: number;
  /** Id of an existing record. A check of this source uses it by default. */
  readonly example: string;
  /** The hosts that this source contacts. Requests to others are rejected. */
  readonly hosts: readonly string[];
  /** True if other organisations run the same software. Their hosts come from the settings. */
  readonly installations?: true;
  readonly rate: Rate;
  /** Rate limit for clients that send a contact, if it differs from `rate`. */
  readonly contactRate?: Rate;
  readonly credential?: Credential;
  /** Number of concurrent requests to each host; one by default. */
  readonly concurrency?: number;
  readonly walk: Walk;
  planFetch(sourceId: string): readonly FetchPart[];
  /** Returns the URL of a record's page, or of its API response. */
  buildUrl(sourceId: string): string;
  /**
   * Reads an accession, a DOI of this source, or the URL of a landing page. Returns the source id; null for any other text.
   */
  readSourceId(text: string): string | null;
  /**
   * Returns the canonical spelling of an id of this source; null for other text. By default, `readSourceId` is used.
   */
  canonicalId?(id: string): string | null;
  /**
   * Returns the client that registered a DOI, and its landing page, from a payload. Only DOI registries have this method.
   */
  heldBy?(payload: unknown): Holder;
  /**
   * DataCite clients whose DOIs are records of this source. An entry that ends with a dot, such as `figshare.`, stands
   * for all clients that begin with it.
   */
  readonly dataciteClients?: readonly string[];
  /**
   * Converts metadata that are not deposited yet to a payload. Returns null if the document does not have the format of
   * this source.
   */
  readDraft?(document: unknown): unknown;
  /**
   * Returns the fault if a response with status 200 reports a temporary fault. The request is then repeated. Returns null
   * if there is none.
   */
  findFault?(document: unknown, headers: Headers): string | null;
  /** Root elements of XML formats that the service no longer sends, each with its description for the error message. */
  readonly retiredRoots?: Readonly<Record<string, string>>;
  /** True if the source can read XML in recorded responses. Otherwise XML is rejected. */
  readonly readsXml?: true;
  /**
   * True if this format matches nearly any object with an id and a title. If another source also recognises a file, it
   * belongs to the other source.
   */
  readonly looseShape?: true;
  /** Fields of a stored payload that contain XML as text. The normaliser receives them parsed. */
  readonly xmlParts?: readonly string[];
  /** Returns where the records of a parsed response are, or the reason why there are none. */
  readShape(document: unknown): ResponseShape;
  /** Returns the reason why a record must not be scored; null if it may be. */
  findRejection?(payload: unknown): string | null;
  /** Returns the canonical source id of a payload that is a record (DOIs in lower case); null if there is none. */
  identify(payload: unknown): string | null;
  /** How to join pieces, if files of this source contain records in pieces. */
  readonly pieces?: Pieces;
  /** Reads one payload. Never throws. `payload` is null if the response had status 404 or 410. */
  normalise(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised;
}
