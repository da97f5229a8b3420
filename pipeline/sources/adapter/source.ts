/** A source as the pipeline sees it: who it is, how to walk it, how to ask for one record, how to find and read records. */

import type { Normalised } from "../../../schemas/internal/capture.ts";
import type { RefusalReason } from "../../../schemas/public/problem.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/**
 * Where the records stand in one answer; `path` leads to the record, to the list of them, or to the object whose members
 * they are, through JSON keys or XML element names. `item` leads from an element of a list to the record within it.
 */
export type AnswerShape =
  | { readonly kind: "record"; readonly path: readonly string[] }
  | { readonly kind: "list"; readonly path: readonly string[]; readonly item?: readonly string[] }
  | { readonly kind: "members"; readonly path: readonly string[]; readonly keys: readonly string[] }
  | { readonly kind: "refused"; readonly reason: RefusalReason; readonly detail: string };

/** At most `requests` in any `seconds`, to each host. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** The secret that a service gives callers it knows. Only the engine ever holds the secret itself. */
export interface Credential {
  /** Name of the environment variable the command line reads it from. */
  readonly variable: string;
  /** How it is sent: in the header Authorization, `id:password` for basic, or as a parameter of the address. */
  readonly form: "bearer" | "token" | "basic" | { readonly parameter: string };
  readonly rate: Rate;
}

/** One request, and what its answer is due to be. */
export interface Ask {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text; with a body it is a POST. */
  readonly body?: string;
  /** JSON unless said otherwise. */
  readonly as?: "json" | "xml" | "text";
}

/** Plain JSON, so that a checkpoint can hold it. */
export type StateValue =
  | string
  | number
  | boolean
  | null
  | readonly StateValue[]
  | { readonly [key: string]: StateValue };

/** State of a walk between two answers. */
export type WalkState = { readonly [key: string]: StateValue };

export interface AskOptions {
  /** Address of the service, e.g. https://api.datacite.org; tests give a loopback one. */
  readonly base: string;
  /** Contact for the service's polite pool, or null. */
  readonly contact: string | null;
}

export interface WalkOptions extends AskOptions {
  /** Only what changed on or after this day (ISO date), or everything. */
  readonly since: string | null;
}

/** One answer of a walk as it came: its document (text as a string), and the ids of the records the harvester found in it. */
export interface WalkPage {
  readonly document: unknown;
  readonly headers: Headers;
  readonly sourceIds: readonly string[];
}

/** The meaning of an answer of a walk. */
export interface Step {
  /** Where the walk goes on, or null where this was the last answer. */
  readonly next: WalkState | null;
  /** How many records the service says the walk has; the first answer that says so counts. */
  readonly total?: number | null;
  /** How many more a further list has, where this is its first answer. */
  readonly more?: number | null;
  /** The next answer begins where this one ended, in another window: it may be the same once more. */
  readonly overlaps?: true;
  /** Source ids to be fetched one by one; left out where the answer holds the records themselves. */
  readonly fetch?: readonly string[];
}

/** A service's answer that cannot be the page asked for: the walk ends there, incomplete, and its page is not kept. */
export class WalkFault extends Error {
  readonly code = "walk-fault";
}

/** A walk over everything a service lists: what to ask, and how to read what comes. The engine does all the rest. */
export interface Walk {
  readonly base: string;
  /** Whether the service can be asked for changes since a day; where not, every walk is a whole one. */
  readonly since: boolean;
  start(options: WalkOptions): WalkState;
  request(state: WalkState, options: WalkOptions): Ask;
  /** Throws {@link WalkFault} where following on would lose or repeat records. */
  read(state: WalkState, page: WalkPage, options: WalkOptions): Step;
  /** Where to go on once the service has forgotten `state` (tokens expire); without it, or null, the walk begins anew, or ends. */
  recover?(state: WalkState, options: WalkOptions): WalkState | null;
}

/** The answers for one record so far, by part: the record itself for "record", else the whole parsed answer. */
export type Found = Readonly<Record<string, unknown>>;

/**
 * One of the answers a record is put together from. Where there is one part, its record is stored as it is; where there
 * are several, as one JSON object with a member a part, each answer verbatim (XML as text), and several pages as a list.
 */
export interface Part {
  /** Member of the stored payload. */
  readonly name: string;
  /** Stored: the record found in the answer, the whole answer, or nothing, where only later parts need it. */
  readonly take: "record" | "answer" | "nothing";
  /** Left out of the payload where the service will not give it; every other part is needed. */
  readonly optional?: true;
  /** The request; several where the record may be in one of several places; null where there is nothing to ask for. */
  ask(found: Found, options: AskOptions): Ask | readonly Ask[] | null;
  /** The request for the page behind `document`, the answer to `asked`; null where that was the last. */
  next?(document: unknown, asked: Ask, found: Found): Ask | null;
}

/**
 * The holder of what a registry has only registered: its client id in lower case, and the landing page; null = not
 * stated.
 */
export interface Holder {
  readonly client: string | null;
  readonly url: string | null;
}

export interface NormaliseContext {
  /** The day the build pretends it is (ISO date): embargoes are judged by it. */
  readonly asOf: string;
  readonly vocabularies: Vocabularies;
  /** True if the owner hands the metadata in: a draft or a private record is then read, not taken for one that is gone. */
  readonly isDraft?: boolean;
}

/** Takes the pieces of one record in the order of their names, and reads them as the record they are of. */
export interface Gathering {
  add(payload: unknown): void;
  normalise(): Normalised;
}

/**
 * The ways of a source whose files may hold a record in pieces. Pieces are kept as they came, and joined when a release
 * is built.
 */
export interface Pieces {
  /** Which piece of its record a payload is, the same for its later captures; null where it is the whole of it. */
  nameOf(payload: unknown): string | null;
  gather(sourceId: string, context: NormaliseContext): Gathering;
}

export interface Source {
  readonly name: string;
  /**
   * Version of its reader, which is the normaliser with the word lists and readings it uses: it goes up with every change after which a
   * payload is read in another way, so that whoever sees a score move knows why.
   */
  readonly reader: number;
  /** A record there is: what a check asks for where it is given none. */
  readonly example: string;
  /** The only hosts ever contacted for this source. */
  readonly hosts: readonly string[];
  /** True where others run the same service: further hosts come from configuration. */
  readonly installations?: true;
  readonly rate: Rate;
  /** The rate of callers who say whom to write to, where it is another. */
  readonly contactRate?: Rate;
  readonly credential?: Credential;
  /** Requests under way at once, to each host; one where not said. */
  readonly concurrency?: number;
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
  /** Why an answer with a good status is a fault of the moment, to be asked for again; null where it is none. */
  faultOf?(document: unknown, headers: Headers): string | null;
  /** Root elements of XML answers the service has retired, each with what it was; recorded ones are refused by that name. */
  readonly retiredRoots?: Readonly<Record<string, string>>;
  /** True where recorded XML answers are read; elsewhere XML is refused. */
  readonly readsXml?: true;
  /** Its shape is that of nearly any object with an id and a title: a file that another source knows is that one's. */
  readonly looseShape?: true;
  /** Members of a stored payload that hold XML as text; the normaliser is given them parsed. */
  readonly xmlParts?: readonly string[];
  /** Where the records are in a parsed answer; says why where there are none. */
  shapeOf(document: unknown): AnswerShape;
  /** The source id of one record payload, canonical (DOIs lower case), or null. */
  identify(payload: unknown): string | null;
  /** Where files may hold a record in pieces. */
  readonly pieces?: Pieces;
  /** Reads one payload; never throws on what a payload holds. `payload` is null for an HTTP 404/410 envelope. */
  normalise(payload: unknown, sourceId: string, context: NormaliseContext): Normalised;
}
