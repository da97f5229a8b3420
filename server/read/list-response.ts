/** Responds to a request for a list with one page, the rows after a cursor, CSV, or a stream of all rows. */

import { hash } from "node:crypto";
import { writeToBuffer } from "fast-csv";
import type { z } from "zod";
import { cursorPage, type ListPage, listPage, pageText } from "../../api-static/pages/read-page.ts";
import { ARROW_TYPE, CSV_TYPE, NDJSON_TYPE, type Route } from "../../api-static/routes/route.ts";
import { rowMembers } from "../../schemas/public/api/record.ts";
import { FORMULA } from "../../schemas/public/rubric.ts";
import type { Standing } from "../accounts/standings.ts";
import type { StreamForm } from "../http/content-negotiation.ts";
import type { Caller } from "../http/read-request.ts";
import { type Answer, contentAnswer, contentHeaders, endingWith, type Pieces, ProblemError } from "../http/response.ts";
import type { AskedPage } from "../http/routes.ts";
import { type ListName, type ListQuery, listName, listQuery } from "./list-tables.ts";
import type { OpenRelease } from "./open-release.ts";
import { findRows, findRowsAfter, showRows } from "./rows.ts";

/** Rows of a batch: some megabytes of text. */
const BATCH = 4096;

/** Streams all rows of a list. Calls `end` once, after the last row or when the reader leaves; never if it throws. */
export async function answerStream(
  { route, request, query }: Pick<AskedPage, "route" | "request" | "query">,
  form: StreamForm,
  open: OpenRelease,
  { hidden }: Pick<Standing, "hidden">,
  end: () => void,
  batch = BATCH,
): Promise<Answer> {
  refuseParts(request.query);
  const list = listName.parse(route.name);
  const asked: ListQuery = { ...listQuery.parse(query), limit: batch };
  const left = new AbortController();
  const signal = AbortSignal.any([request.signal, left.signal, AbortSignal.timeout(LONGEST_STREAM)]);
  const release = open.for({ signal });
  const without = list === "authors" ? await release.hidden.positionsOf(hidden) : null;
  const fields = asked.fields === undefined ? null : new Fields(asked.fields);
  const about = new Map([
    ["share_release", release.digest],
    ["share_rubric", asked.rubric],
  ]);
  const streamed = { answer: route.answer, fields, about };
  return streamAnswer(form, streamed, batchesOf(release, list, asked, without), route.cache, () => {
    left.abort();
    end();
  });
}

/** Yields at least one batch, which is empty if the list is. */
async function* batchesOf(
  release: OpenRelease,
  list: ListName,
  asked: ListQuery,
  without: string | null,
): AsyncGenerator<Batch, void, undefined> {
  let after: number | null = null;
  do {
    const { total, positions, next } = await findRowsAfter(release.prepared, list, asked, without, after);
    yield { total, rows: await showRows(release.prepared, list, asked.rubric, positions) };
    after = next;
  } while (after !== null);
}

/** One part of a list as JSON, with its links to other parts. */
interface Part {
  readonly page: ListPage<object>;
  readonly links: string;
}

/**
 * Responds with one part of a list. `query` is the output of the route's schema. CSV has the total in a header. Hidden
 * researchers are neither shown nor counted.
 */
export async function answerList(
  route: Route,
  query: unknown,
  csv: boolean,
  release: OpenRelease,
  { hidden }: Pick<Standing, "hidden">,
): Promise<Answer> {
  const list = listName.parse(route.name);
  const asked = listQuery.parse(query);
  const without = list === "authors" ? await release.hidden.positionsOf(hidden) : null;
  const partOf = asked.cursor === undefined ? pageOf : goneOnFrom;
  const { page, links } = await partOf(route, list, asked, release, without);
  const fields = asked.fields === undefined ? null : new Fields(asked.fields);
  const data = fields === null ? page.data : page.data.map((row) => fields.of(row));
  const answer = csv
    ? contentAnswer(await csvBody(csvColumns(route.answer, fields), data), CSV_TYPE, route.cache)
    : contentAnswer(Buffer.from(pageText({ ...page, data })), route.contentType, route.cache);
  const headers = { ...answer.headers, link: links };
  return { ...answer, headers: csv ? { ...headers, "x-total-count": String(page.pagination.total) } : headers };
}

async function pageOf(
  route: Route,
  list: ListName,
  asked: ListQuery,
  release: OpenRelease,
  without: string | null,
): Promise<Part> {
  const { total, positions } = await findRows(release.prepared, list, asked, without);
  const rows = await showRows(release.prepared, list, asked.rubric, positions);
  return { page: listPage(rows, { ...asked, total }, release.receipt), links: linksOf(route, asked, total) };
}

async function goneOnFrom(
  route: Route,
  list: ListName,
  asked: ListQuery,
  release: OpenRelease,
  without: string | null,
): Promise<Part> {
  const place = readCursor(list, asked, release.digest);
  const found = await findRowsAfter(release.prepared, list, asked, without, place?.position ?? null);
  const { total, positions } = found;
  const before = place?.before ?? 0;
  const next =
    found.next === null
      ? null
      : writeCursor(list, asked, release.digest, { position: found.next, before: before + positions.length });
  const rows = await showRows(release.prepared, list, asked.rubric, positions);
  return {
    page: cursorPage(rows, { total, limit: asked.limit, before, next }, release.receipt),
    links: cursorLinksOf(route, asked, next),
  };
}

/** Parameters of a request for a list. */
type AskedOfList = Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined };

/** A position in a list, and the number of rows returned up to it. */
interface Place {
  readonly position: number;
  readonly before: number;
}

/** The cursor of the beginning. */
const BEGINNING = "*";

/**
 * Bytes of a cursor: the digest of the release, that of the parameters and a checksum, 8 bytes each, and two numbers.
 */
const TAG_BYTES = 8;
const LENGTH = 3 * TAG_BYTES + 8;

/** Parameters that may differ between a cursor's response and the next request. */
const FREE: readonly string[] = ["cursor", "limit", "fields", "page"];

/**
 * Makes a cursor: an opaque text with the release, the parameters and the last row, so that the server stores nothing.
 * The checksum detects damage; it is not a secret, because the lists are public. `release`: digest of the listed
 * release.
 */
export function writeCursor(list: string, query: AskedOfList, release: string, { position, before }: Place): string {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(position, 0);
  numbers.writeUInt32BE(before, 4);
  const told = Buffer.concat([tagOf(release), tagOf(askedText(list, query)), numbers]);
  return Buffer.concat([told, tagOf(told)]).toString("base64url");
}

/**
 * Reads the position of a cursor; null for the beginning.
 * @throws ProblemError `invalid-parameter` for a damaged cursor or other parameters; `cursor-expired` for another
 *   release
 */
export function readCursor(list: string, query: AskedOfList, release: string): Place | null {
  const { cursor = BEGINNING } = query;
  if (cursor === BEGINNING) return null;
  const bytes = Buffer.from(cursor, "base64url");
  const told = bytes.subarray(0, LENGTH - TAG_BYTES);
  const check = bytes.subarray(LENGTH - TAG_BYTES);
  if (bytes.length !== LENGTH || bytes.toString("base64url") !== cursor || !tagOf(told).equals(check)) {
    throw refusal("is no cursor as it was given: it was cut or changed; begin again with *");
  }
  if (!tagOf(release).equals(told.subarray(0, TAG_BYTES))) {
    throw new ProblemError(
      "cursor-expired",
      "The cursor was given for another release than this one; begin again with cursor=*.",
    );
  }
  if (!tagOf(askedText(list, query)).equals(told.subarray(TAG_BYTES, 2 * TAG_BYTES))) {
    throw refusal("was given for another list, filter or order; only limit and fields may change");
  }
  return { position: told.readUInt32BE(2 * TAG_BYTES), before: told.readUInt32BE(2 * TAG_BYTES + 4) };
}

function askedText(list: string, query: AskedOfList): string {
  const asked = Object.entries(query).filter(([name, value]) => value !== undefined && !FREE.includes(name));
  return JSON.stringify([list, ...asked.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
}

function tagOf(content: string | Uint8Array): Buffer {
  return hash("sha256", content, "buffer").subarray(0, TAG_BYTES);
}

function refusal(message: string): ProblemError {
  return new ProblemError("invalid-parameter", "The cursor cannot be gone on from.", {
    errors: [{ path: "cursor", message }],
  });
}

/** Parameters of a request for a list, with its page and limit. */
type Asked = Readonly<Record<string, unknown>> & { readonly page: number; readonly limit: number };

/** `path`: as requested. */
type Listed = Pick<Route, "path" | "query">;

/** The greatest page number (interface.md, "Limits"). */
const LAST_PAGE = 10_000;

/**
 * Makes the value of a Link header (RFC 8288) to other pages. `total`: rows in all. A page past the end links back to
 * the last one.
 */
export function linksOf(route: Listed, query: Asked, total: number): string {
  const last = Math.min(Math.max(1, Math.ceil(total / query.limit)), LAST_PAGE);
  const pages = {
    first: 1,
    prev: query.page > 1 ? Math.min(query.page - 1, last) : null,
    next: query.page < last ? query.page + 1 : null,
    last,
  };
  return Object.entries(pages)
    .filter(([, page]) => page !== null)
    .map(([relation, page]) => `<${route.path}?${queryText(route, { ...query, page })}>; rel="${relation}"`)
    .join(", ");
}

/** Makes the Link header of a cursor's response; `next` is null after the last row. */
export function cursorLinksOf(route: Listed, query: Asked, next: string | null): string {
  const { page: _page, ...kept } = query;
  const cursors = { first: "*", next };
  return Object.entries(cursors)
    .filter(([, cursor]) => cursor !== null)
    .map(([relation, cursor]) => `<${route.path}?${queryText(route, { ...kept, cursor })}>; rel="${relation}"`)
    .join(", ");
}

/** Returns the page and all parameters that differ from their default. */
function queryText(route: Listed, query: Readonly<Record<string, unknown>>): string {
  const defaults = route.query.parse({});
  const parameters = new URLSearchParams();
  for (const name of Object.keys(route.query.shape)) {
    const value = query[name];
    if (value !== undefined && (name === "page" || value !== defaults[name])) parameters.set(name, String(value));
  }
  return parameters.toString();
}

/** Selects fields of rows, in the order of the rows. */
export class Fields {
  readonly #paths: readonly string[];

  /** `text`: known paths of fields, separated by commas. */
  constructor(text: string) {
    this.#paths = text.split(",");
  }

  /** Whether a field is selected, by its own path or by that of a parent. */
  has(path: string): boolean {
    return this.#paths.some((asked) => path === asked || path.startsWith(`${asked}.`));
  }

  /** Returns the selected fields of a row; a parent that is null stays null. */
  of(row: object): object {
    return this.#kept(row, "");
  }

  #kept(value: object, before: string): object {
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
        const path = `${before}${name}`;
        if (this.has(path)) return [[name, member]];
        if (!this.#leadsOn(path)) return [];
        return [[name, typeof member === "object" && member !== null ? this.#kept(member, `${path}.`) : member]];
      }),
    );
  }

  /** Whether a field below this path is selected. */
  #leadsOn(path: string): boolean {
    return this.#paths.some((asked) => asked.startsWith(`${path}.`));
  }
}

/** Milliseconds. A stream keeps its release open, so even a slow one has to end. */
export const LONGEST_STREAM = 3_600_000;

/** Parameters that select a part of a list. */
const OF_PARTS = ["page", "limit", "cursor"];

export interface Batch {
  /** Rows of the whole list. */
  readonly total: number;
  readonly rows: readonly object[];
}

/** @throws ProblemError `invalid-parameter` if the query selects a part */
export function refuseParts(query: string): void {
  const given = new URLSearchParams(query);
  const named = OF_PARTS.filter((name) => given.has(name));
  if (named.length === 0) return;
  throw new ProblemError("invalid-parameter", "A stream is all of a list.", {
    errors: named.map((path) => ({ path, message: "chooses a part of a list; a stream is all of it" })),
  });
}

/** Streams batches of rows. Calls `end` once, after the last row or when the reader leaves; never if it throws. */
export async function streamAnswer(
  form: StreamForm,
  streamed: Streamed,
  batches: AsyncGenerator<Batch, void, undefined>,
  cache: string,
  end: () => void,
): Promise<Answer> {
  // An invalid query is rejected before anything is sent.
  const first = await batches.next();
  const made = await rowPieces(form, streamed);
  const headers = {
    ...contentHeaders(made.contentType, cache),
    "x-total-count": String(first.value?.total ?? 0),
    // A buffering proxy would read to the end, even if the client leaves.
    "x-accel-buffering": "no",
  };
  const body = endingWith(piecesOf(made, first.done ? null : first.value, batches), end);
  return { status: 200, headers, body };
}

async function* piecesOf(made: RowPieces, first: Batch | null, others: AsyncIterable<Batch>): Pieces {
  yield made.head();
  if (first !== null) yield made.batch(first.rows);
  for await (const { rows } of others) yield made.batch(rows);
  yield made.tail();
}

/** Streams at the same time: of all callers and of one. */
export const STREAM_PLACES = { all: 16, each: 2 } as const;

export class StreamPlaces {
  readonly #taken = new Map<string, number>();
  #all = 0;

  /**
   * Takes a place for a stream; the returned function frees it.
   * @throws ProblemError `rate-limited` if the caller has too many streams, `overloaded` if all places are taken
   */
  take({ kind, id }: Caller): () => void {
    const caller = `${kind} ${id}`;
    const own = this.#taken.get(caller) ?? 0;
    if (own >= STREAM_PLACES.each) {
      throw new ProblemError(
        "rate-limited",
        `A caller may read ${STREAM_PLACES.each} whole lists at a time; try again when one is read.`,
        { headers: { "retry-after": "10" } },
      );
    }
    if (this.#all >= STREAM_PLACES.all) {
      throw new ProblemError("overloaded", "As many whole lists as may be read at a time are being read; try again.", {
        headers: { "retry-after": "10" },
      });
    }
    this.#all += 1;
    this.#taken.set(caller, own + 1);
    return () => this.#leave(caller);
  }

  #leave(caller: string): void {
    this.#all -= 1;
    const left = (this.#taken.get(caller) ?? 1) - 1;
    if (left > 0) this.#taken.set(caller, left);
    else this.#taken.delete(caller);
  }
}

export interface RowPieces {
  readonly contentType: string;
  /** The bytes before the first row. */
  head(): string | Uint8Array;
  batch(rows: readonly object[]): string | Uint8Array;
  /** The bytes after the last row. */
  tail(): string | Uint8Array;
}

/** The content of a stream. `answer`: schema of the list's response; `fields`: selected fields, null for all. */
export interface Streamed {
  readonly answer: z.ZodType | null;
  readonly fields: Fields | null;
  /** Metadata, for formats that can carry it. */
  readonly about: ReadonlyMap<string, string>;
}

async function rowPieces(form: StreamForm, streamed: Streamed): Promise<RowPieces> {
  if (form === "ndjson") return lines(streamed);
  // Imported on demand: the library is large.
  const { ArrowPieces } = await import("./arrow-stream.ts");
  return new ArrowPieces(streamed, ARROW_TYPE);
}

function lines({ fields }: Streamed): RowPieces {
  return {
    contentType: NDJSON_TYPE,
    head: () => "",
    batch: (rows) => rows.map((row) => `${JSON.stringify(fields === null ? row : fields.of(row))}\n`).join(""),
    tail: () => "",
  };
}

/** Returns the CSV columns of a list, in the order of its rows; `fields` selects some. */
export function csvColumns(answer: z.ZodType | null, fields: Fields | null = null): string[] {
  const columns = rowMembers(answer).flatMap(({ path, leaf }) => (leaf ? [path] : []));
  return fields === null ? columns : columns.filter((path) => fields.has(path));
}

/** Encodes rows as CSV. Null is an empty field. The header is there even without rows. */
export function csvBody(columns: readonly string[], rows: readonly object[]): Promise<Buffer> {
  const lines = rows.map((row) => columns.map((column) => fieldOf(valueAt(row, column))));
  return writeToBuffer([[...columns], ...lines], { rowDelimiter: "\r\n", includeEndRowDelimiter: true });
}

function valueAt(row: object, column: string): unknown {
  return column.split(".").reduce<unknown>((at, name) => (isObject(at) ? at[name] : null), row);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

const RUNS = new RegExp(FORMULA, "u");

/** Puts an apostrophe before text that a spreadsheet would run as a formula. Spreadsheets do not show it. */
function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" && RUNS.test(value) ? `'${value}` : String(value);
}
