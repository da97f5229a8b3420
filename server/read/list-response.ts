/** Responds to a request for a list with one page, the rows after a cursor, CSV, or a stream of all rows. */

import { hash } from "node:crypto";
import { writeToBuffer } from "fast-csv";
import type { z } from "zod";
import { cursorPage, type ListPage, listPage, pageText } from "../../api-static/pages/read-page.ts";
import { ARROW_TYPE, CACHE, CSV_TYPE, NDJSON_TYPE, type Route } from "../../api-static/routes/route.ts";
import type { ListName } from "../../schemas/public/api/lists.ts";
import { rowMembers } from "../../schemas/public/api/record.ts";
import { csvCell } from "../../schemas/public/csv.ts";
import { BUCKETS, SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { DATASETS_CSV } from "../../schemas/public/site/datasets-csv.ts";
import type { Standing } from "../accounts/standings.ts";
import type { StreamForm } from "../http/content-negotiation.ts";
import type { Caller } from "../http/read-request.ts";
import {
  type BodyChunks,
  type ContentResponse,
  contentHeaders,
  contentResponse,
  type HttpResponse,
  ProblemError,
  withEnd,
} from "../http/response.ts";
import type { PageRequest } from "../http/routes.ts";
import { type ListQuery, listName, listQuery } from "./list-tables.ts";
import type { OpenRelease } from "./open-release.ts";
import { findRows, findRowsAfter, type ListRows, readCsvFields, readRows } from "./rows.ts";
import { SharedResults } from "./shared-results.ts";

/**
 * Number of rows that one statement of a stream finds. It is large, because each statement may have to sort the whole
 * list.
 */
const FOUND_AT_ONCE = 4096;

/** Number of rows that are read and encoded at a time. While they are encoded, which takes milliseconds, other requests wait. */
const ROWS_OF_BATCH = 512;

/**
 * Streams all rows of a list. The form `csv` is a table of datasets with the state of each signal. Calls `end` once,
 * after the last row or when the client disconnects. If this function throws, the caller has to call `end`.
 */
export async function listStream(
  { route, request, query }: Pick<PageRequest, "route" | "request" | "query">,
  form: StreamForm | "csv",
  open: OpenRelease,
  standing: Pick<Standing, "hidden">,
  end: () => void,
  found = FOUND_AT_ONCE,
): Promise<HttpResponse> {
  rejectParts(request.query);
  const list = listName.parse(route.name);
  const listParameters: ListQuery = { ...withoutHiddenAuthor(listQuery.parse(query), standing), limit: found };
  const disconnected = new AbortController();
  const signal = AbortSignal.any([request.signal, disconnected.signal, AbortSignal.timeout(MAX_STREAM_MS)]);
  const release = open.for({ caller: request.caller, signal }, "stream");
  const without = await hiddenIn(list, release, standing);
  const fields = listParameters.fields === undefined ? null : new RequestedFields(listParameters.fields);
  const about = new Map([
    ["share_release", release.digest],
    ["share_rubric", listParameters.rubric],
  ]);
  const streamed = { answer: route.answer, fields, about };
  const batches = readListBatches(release, list, listParameters, without, form === "csv");
  return streamResponse(form, streamed, batches, chooseCache(route, listParameters), () => {
    disconnected.abort();
    end();
  });
}

/**
 * Replaces a hidden researcher in the filter `author` by an empty ID, which no release has, so that the response has no
 * rows.
 */
export function withoutHiddenAuthor<Query extends object>(query: Query, standing: Pick<Standing, "hidden">): Query {
  // `hidden` throws while the accounts are not available, and queries without an author must work then.
  return "author" in query && standing.hidden.has(String(query.author)) ? { ...query, author: "" } : query;
}

function chooseCache(route: Route, query: ListQuery): Route["cache"] {
  return "author" in query ? CACHE.person : route.cache;
}

/** Yields rows in batches: at least one batch, which is empty if the list is empty. */
async function* readListBatches(
  release: OpenRelease,
  list: ListName,
  listParameters: ListQuery,
  without: string | null,
  isCsv: boolean,
): AsyncGenerator<Batch, void, undefined> {
  const { engine } = release;
  let after: number | null = null;
  do {
    const { total, positions, next } = await findRowsAfter(engine, list, listParameters, without, after);
    for (let start = 0; start === 0 || start < positions.length; start += ROWS_OF_BATCH) {
      const some = positions.slice(start, start + ROWS_OF_BATCH);
      const rows = await readRows(engine, list, listParameters.rubric, some);
      const fields = isCsv ? await readCsvFields(engine, listParameters.rubric, some) : null;
      yield { total, rows: fields === null ? rows : rows.map((row, i) => ({ ...row, ...fields[i] })) };
    }
    after = next;
  } while (after !== null);
}

/** Reads one part of a list. `query` is the output of the route's schema. Hidden researchers are neither shown nor counted. */
export async function readList<Name extends ListName>(
  list: Name,
  query: unknown,
  release: OpenRelease,
  standing: Pick<Standing, "hidden">,
): Promise<ListPage<ListRows[Name]>> {
  const listParameters = withoutHiddenAuthor(listQuery.parse(query), standing);
  const without = await hiddenIn(list, release, standing);
  const cached = getLists(release.engine.totals)[list];
  return cached.of(JSON.stringify([without, listParameters]), () => readPart(list, listParameters, release, without));
}

/**
 * Returns the positions of the hidden researchers that a list would show, separated by commas; null if it would show
 * none.
 */
async function hiddenIn(list: ListName, release: OpenRelease, standing: Pick<Standing, "hidden">) {
  // `hidden` throws while the accounts are not available, and other lists do not need it.
  return list === "authors" ? release.hidden.findPositions(standing.hidden) : null;
}

type CachedLists = { readonly [Name in ListName]: SharedResults<ListPage<ListRows[Name]>> };

/**
 * Largest number of rows of each list that are cached as objects, for views. A row takes up to 3 KB. Whole responses
 * are cached elsewhere.
 */
const MAX_ROWS = 1000;

const LISTS = new WeakMap<object, CachedLists>();

function getLists(release: object): CachedLists {
  const lists = LISTS.get(release) ?? {
    records: newCache(),
    authors: newCache(),
    institutions: newCache(),
    geography: newCache(),
  };
  LISTS.set(release, lists);
  return lists;
}

function newCache<Row>(): SharedResults<ListPage<Row>> {
  return new SharedResults({ maxSize: MAX_ROWS, sizeCalculation: ({ data }) => data.length + 1 });
}

/**
 * Responds with one part of a list. `query` is the output of the route's schema. CSV has the total in a header. Hidden
 * researchers are neither shown nor counted.
 */
export async function listResponse(
  route: Route,
  query: unknown,
  csv: boolean,
  release: OpenRelease,
  standing: Pick<Standing, "hidden">,
): Promise<ContentResponse> {
  const list = listName.parse(route.name);
  const listParameters = withoutHiddenAuthor(listQuery.parse(query), standing);
  const without = await hiddenIn(list, release, standing);
  const key = JSON.stringify([list, csv, without, listParameters]);
  return release.queried.of(key, async () => {
    return newListResponse(route, listParameters, csv, await readPart(list, listParameters, release, without));
  });
}

async function newListResponse(
  route: Route,
  listParameters: ListQuery,
  csv: boolean,
  page: ListPage<object>,
): Promise<ContentResponse> {
  const cache = chooseCache(route, listParameters);
  const { total, nextCursor } = page.pagination;
  const links =
    nextCursor === undefined
      ? formatLinks(route, listParameters, total)
      : formatCursorLinks(route, listParameters, nextCursor, csv);
  const fields = listParameters.fields === undefined ? null : new RequestedFields(listParameters.fields);
  const data = fields === null ? page.data : page.data.map((row) => fields.of(row));
  const response = csv
    ? contentResponse(await csvBody(csvColumns(route.answer, fields), data), CSV_TYPE, cache)
    : contentResponse(Buffer.from(pageText({ ...page, data })), route.contentType, cache);
  const headers = { ...response.headers, ...(links === null ? {} : { link: links }) };
  return { ...response, headers: csv ? { ...headers, "x-total-count": String(total) } : headers };
}

/**
 * Reads a page of a list, or the rows after a cursor. `without` has the positions of hidden researchers, which are left
 * out.
 */
async function readPart<Name extends ListName>(
  list: Name,
  listParameters: ListQuery,
  release: OpenRelease,
  without: string | null,
): Promise<ListPage<ListRows[Name]>> {
  const { engine, receipt } = release;
  if (listParameters.cursor !== undefined) return partAfterCursor(list, listParameters, release, without);
  const { total, positions } = await findRows(engine, list, listParameters, without);
  const rows = await readRows(engine, list, listParameters.rubric, positions);
  return listPage(rows, { ...listParameters, total }, receipt);
}

async function partAfterCursor<Name extends ListName>(
  list: Name,
  listParameters: ListQuery,
  release: OpenRelease,
  without: string | null,
): Promise<ListPage<ListRows[Name]>> {
  const place = readCursor(list, listParameters, release.digest);
  const found = await findRowsAfter(release.engine, list, listParameters, without, place?.position ?? null);
  const { total, positions } = found;
  const before = place?.before ?? 0;
  const next =
    found.next === null
      ? null
      : writeCursor(list, listParameters, release.digest, { position: found.next, before: before + positions.length });
  const rows = await readRows(release.engine, list, listParameters.rubric, positions);
  return cursorPage(rows, { total, limit: listParameters.limit, before, next }, release.receipt);
}

type CursorParameters = Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined };

/** The place of a cursor in a list: the position of the last row before it, and the number of rows before it. */
interface CursorPosition {
  readonly position: number;
  readonly before: number;
}

const BEGINNING = "*";

/**
 * Number of bytes of each digest in a cursor. A cursor has the digest of the release, the digest of the parameters, two
 * numbers, and a digest of all these bytes as a checksum.
 */
const TAG_BYTES = 8;
const LENGTH = 3 * TAG_BYTES + 8;

/** Parameters that may change from one request with a cursor to the next. */
const FREE_PARAMETERS: readonly string[] = ["cursor", "limit", "fields", "page"];

/**
 * Returns a cursor: an opaque text with the release, the parameters and the last row, so that the server stores
 * nothing. The checksum only detects damage and needs no secret, because lists are public. `release` is the digest of
 * the listed release.
 */
export function writeCursor(
  list: string,
  query: CursorParameters,
  release: string,
  { position, before }: CursorPosition,
): string {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(position, 0);
  numbers.writeUInt32BE(before, 4);
  const payload = Buffer.concat([hashTag(release), hashTag(parametersText(list, query)), numbers]);
  return Buffer.concat([payload, hashTag(payload)]).toString("base64url");
}

/**
 * Reads the place of a cursor in the list; null for the beginning.
 * @throws ProblemError `invalid-parameter` if the cursor is damaged or was made for other parameters; `cursor-expired`
 *   if it was made for another release
 */
export function readCursor(list: string, query: CursorParameters, release: string): CursorPosition | null {
  const { cursor = BEGINNING } = query;
  if (cursor === BEGINNING) return null;
  const bytes = Buffer.from(cursor, "base64url");
  const payload = bytes.subarray(0, LENGTH - TAG_BYTES);
  const check = bytes.subarray(LENGTH - TAG_BYTES);
  if (bytes.length !== LENGTH || bytes.toString("base64url") !== cursor || !hashTag(payload).equals(check)) {
    throw invalidCursor("is damaged: it was truncated or changed; start again with *");
  }
  if (!hashTag(release).equals(payload.subarray(0, TAG_BYTES))) {
    throw new ProblemError("cursor-expired", "The cursor belongs to another release. Start again with cursor=*.");
  }
  if (!hashTag(parametersText(list, query)).equals(payload.subarray(TAG_BYTES, 2 * TAG_BYTES))) {
    throw invalidCursor(
      "belongs to another list, filter or order; only limit and fields may change; start again with *",
    );
  }
  return { position: payload.readUInt32BE(2 * TAG_BYTES), before: payload.readUInt32BE(2 * TAG_BYTES + 4) };
}

function parametersText(list: string, query: CursorParameters): string {
  const entries = Object.entries(query).filter(
    ([name, value]) => value !== undefined && !FREE_PARAMETERS.includes(name),
  );
  return JSON.stringify([list, ...entries.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
}

function hashTag(content: string | Uint8Array): Buffer {
  return hash("sha256", content, "buffer").subarray(0, TAG_BYTES);
}

function invalidCursor(message: string): ProblemError {
  return new ProblemError("invalid-parameter", "Invalid cursor. Start again with cursor=*.", {
    errors: [{ path: "cursor", message }],
  });
}

/** Parameters of a request for a list, with its page and limit. */
type PageParameters = Readonly<Record<string, unknown>> & { readonly page: number; readonly limit: number };

/** The parts of a route that links need. `path` is the path of the request. */
type ListRoute = Pick<Route, "path" | "query">;

/** The greatest page number (interface.md, "Limits"). */
const LAST_PAGE = 10_000;

/**
 * Returns a Link header (RFC 8288) with the first, previous, next and last page; null if it would be too long. `total`
 * is the number of all rows. A page past the end links back to the last page.
 */
export function formatLinks(route: ListRoute, query: PageParameters, total: number): string | null {
  const last = Math.min(Math.max(1, Math.ceil(total / query.limit)), LAST_PAGE);
  const pages = {
    first: 1,
    prev: query.page > 1 ? Math.min(query.page - 1, last) : null,
    next: query.page < last ? query.page + 1 : null,
    last,
  };
  return joinLinks(pages, (page) => `${route.path}?${queryText(route, { ...query, page })}`);
}

/**
 * Returns the Link header of a response to a request with a cursor; null if it would be too long. `next` is null after
 * the last row. CSV always has the next link, because no other part of it has the cursor.
 */
export function formatCursorLinks(
  route: ListRoute,
  query: PageParameters,
  next: string | null,
  csv: boolean,
): string | null {
  const { page: _page, ...rest } = query;
  const buildUrl = (cursor: string) => `${route.path}?${queryText(route, { ...rest, cursor })}`;
  const header = joinLinks({ first: "*", next }, buildUrl);
  return header ?? (csv ? joinLinks({ next }, buildUrl, Number.POSITIVE_INFINITY) : null);
}

/**
 * Greatest length of a Link header. Each link repeats the query, and a proxy such as nginx answers 502 if all headers
 * together have more than 4 KiB.
 */
const MAX_LINK_LENGTH = 2048;

/**
 * Returns a Link header with the relations whose target is not null. If it is too long, leaves out the first and the last
 * page, and returns null if it is still too long.
 */
function joinLinks<Target extends string | number>(
  targets: Readonly<Record<string, Target | null>>,
  buildUrl: (target: Target) => string,
  maxLength = MAX_LINK_LENGTH,
): string | null {
  const links = Object.entries(targets).flatMap(([relation, target]) =>
    target === null ? [] : [{ relation, text: `<${buildUrl(target)}>; rel="${relation}"` }],
  );
  const neighbours = links.filter(({ relation }) => relation === "prev" || relation === "next");
  const headers = [links, neighbours].map((some) => some.map(({ text }) => text).join(", "));
  return headers.find((header) => header !== "" && header.length <= maxLength) ?? null;
}

/** Returns the query string of a link: the page, and all parameters that differ from their default. */
function queryText(route: ListRoute, query: Readonly<Record<string, unknown>>): string {
  const defaults = route.query.parse({});
  const parameters = new URLSearchParams();
  for (const name of Object.keys(route.query.shape)) {
    const value = query[name];
    if (value !== undefined && (name === "page" || value !== defaults[name])) parameters.set(name, String(value));
  }
  return parameters.toString();
}

/** Selects the requested fields of rows. Their order is that of the rows. */
export class RequestedFields {
  readonly #paths: readonly string[];

  /** `text` has known paths of fields, separated by commas, such as `id,score.total`. */
  constructor(text: string) {
    this.#paths = text.split(",");
  }

  /** True if a field is selected by its own path, or by the path of a field that contains it. */
  has(path: string): boolean {
    return this.#paths.some((selected) => path === selected || path.startsWith(`${selected}.`));
  }

  /** Returns the selected fields of a row. If an object that contains selected fields is null, it stays null. */
  of(row: object): object {
    return this.#select(row, "");
  }

  #select(value: object, before: string): object {
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
        const path = `${before}${name}`;
        if (this.has(path)) return [[name, member]];
        if (!this.#hasSelectedChild(path)) return [];
        return [[name, typeof member === "object" && member !== null ? this.#select(member, `${path}.`) : member]];
      }),
    );
  }

  #hasSelectedChild(path: string): boolean {
    return this.#paths.some((selected) => selected.startsWith(`${path}.`));
  }
}

/** Twenty minutes, in milliseconds. A stream keeps its release open, so even a slow one has to end. */
export const MAX_STREAM_MS = 1_200_000;

const PART_PARAMETERS = ["page", "limit", "cursor"];

export interface Batch {
  readonly total: number;
  readonly rows: readonly object[];
}

/**
 * Rejects parameters that select a part of a list, because a stream has all rows.
 * @throws ProblemError `invalid-parameter` if the query selects a part
 */
export function rejectParts(query: string): void {
  const present = new URLSearchParams(query);
  const named = PART_PARAMETERS.filter((name) => present.has(name));
  if (named.length === 0) return;
  throw new ProblemError(
    "invalid-parameter",
    `A stream always contains the whole list. Leave out ${named.join(", ")}.`,
    {
      errors: named.map((path) => ({
        path,
        message: "selects a part of the list; remove it to stream the whole list",
      })),
    },
  );
}

/**
 * Streams batches of rows. Calls `end` once, after the last row or when the client disconnects. If this function
 * throws, the caller has to call `end`.
 */
export async function streamResponse(
  form: StreamForm | "csv",
  streamed: StreamContent,
  batches: AsyncGenerator<Batch, void, undefined>,
  cache: string,
  end: () => void,
): Promise<HttpResponse> {
  // An invalid query is rejected before anything is sent.
  const first = await batches.next();
  const encoder = await rowEncoder(form, streamed);
  const headers = {
    ...contentHeaders(encoder.contentType, cache),
    "x-total-count": String(first.value?.total ?? 0),
    // A proxy with buffers would read to the end, even if the client disconnects.
    "x-accel-buffering": "no",
  };
  const body = withEnd(encodeChunks(encoder, first.done ? null : first.value, batches), end);
  return { status: 200, headers, body };
}

async function* encodeChunks(encoder: RowEncoder, first: Batch | null, others: AsyncIterable<Batch>): BodyChunks {
  yield encoder.head();
  if (first !== null) yield await encoder.batch(first.rows);
  for await (const { rows } of others) yield await encoder.batch(rows);
  yield encoder.tail();
}

/**
 * Largest numbers of open streams: in all, of one caller, and of all callers at one address together. Each stream has a
 * batch in memory, even if its client does not read.
 */
export const STREAM_PLACES = { all: 64, each: 2, address: 4 } as const;

export class StreamPlaces {
  readonly #taken = new Map<string, number>();
  #all = 0;

  /**
   * Takes a place for a stream. The returned function frees it.
   *
   * @throws ProblemError `rate-limited` if the caller or its address has too many streams, `overloaded` if all places
   *   are taken
   */
  take({ kind, id, address }: Caller): () => void {
    const limits = [
      [`${kind} ${id}`, STREAM_PLACES.each, "A caller"],
      [`address ${address}`, STREAM_PLACES.address, "An address"],
    ] as const;
    for (const [name, most, who] of limits) {
      if (this.#count(name) < most) continue;
      const detail = `${who} may stream ${most} lists at a time. Try again when one has ended.`;
      throw new ProblemError("rate-limited", detail, { headers: { "retry-after": "10" } });
    }
    if (this.#all >= STREAM_PLACES.all) {
      throw new ProblemError("overloaded", "Too many lists are being streamed. Try again in a few seconds.", {
        headers: { "retry-after": "10" },
      });
    }
    const add = (number: 1 | -1) => {
      this.#all += number;
      for (const [name] of limits) this.#set(name, this.#count(name) + number);
    };
    add(1);
    return () => add(-1);
  }

  #count(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  #set(name: string, number: number): void {
    if (number > 0) this.#taken.set(name, number);
    else this.#taken.delete(name);
  }
}

export interface RowEncoder {
  readonly contentType: string;
  /** The bytes before the first row. */
  head(): string | Uint8Array;
  batch(rows: readonly object[]): string | Uint8Array | Promise<Uint8Array>;
  /** The bytes after the last row. */
  tail(): string | Uint8Array;
}

/**
 * The content of a stream. `answer` is the schema of the list's response, and `fields` are the selected fields, or null
 * for all fields.
 */
export interface StreamContent {
  readonly answer: z.ZodType | null;
  readonly fields: RequestedFields | null;
  /**
   * Names and values that describe the stream, such as the release digest. Only Arrow streams have a place for them.
   */
  readonly about: ReadonlyMap<string, string>;
}

async function rowEncoder(form: StreamForm | "csv", streamed: StreamContent): Promise<RowEncoder> {
  if (form === "ndjson") return ndjsonEncoder(streamed);
  if (form === "csv") return DATASETS_ENCODER;
  // Imported on demand: the library is large.
  const { ArrowEncoder } = await import("./arrow-stream.ts");
  return new ArrowEncoder(streamed, ARROW_TYPE);
}

function ndjsonEncoder({ fields }: StreamContent): RowEncoder {
  return {
    contentType: NDJSON_TYPE,
    head: () => "",
    batch: (rows) => rows.map((row) => `${JSON.stringify(fields === null ? row : fields.of(row))}\n`).join(""),
    tail: () => "",
  };
}

/** The columns of the CSV table of datasets, each with the path of the field that it shows. */
export const DATASET_COLUMNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(DATASETS_CSV).map(([name, { path }]) => [name, path])),
  ...Object.fromEntries(BUCKETS.map((bucket) => [bucket, `score.bucketScores.${bucket}`])),
  ...Object.fromEntries(SIGNAL_IDS.map((id) => [id, `signals.${id}`])),
};

const DATASETS_ENCODER: RowEncoder = {
  contentType: CSV_TYPE,
  head: () => `${Object.keys(DATASET_COLUMNS).join(",")}\r\n`,
  batch: (rows) => csvText(makeCsvLines(Object.values(DATASET_COLUMNS), rows)),
  tail: () => "",
};

/** Returns the CSV columns of a list, in the order of the fields in a row; `fields` selects some of them. */
export function csvColumns(schema: z.ZodType | null, fields: RequestedFields | null = null): string[] {
  const columns = rowMembers(schema).flatMap(({ path, leaf }) => (leaf ? [path] : []));
  return fields === null ? columns : columns.filter((path) => fields.has(path));
}

/** Encodes rows as CSV with a header, even if there are no rows. Null becomes an empty field. */
export function csvBody(columns: readonly string[], rows: readonly object[]): Promise<Buffer> {
  return csvTable(Object.fromEntries(columns.map((column) => [column, column])), rows);
}

/** Encodes rows as CSV with a header. `columns` has the path of the field that each column shows. */
export function csvTable(columns: Readonly<Record<string, string>>, rows: readonly object[]): Promise<Buffer> {
  return csvText([Object.keys(columns), ...makeCsvLines(Object.values(columns), rows)]);
}

function makeCsvLines(columns: readonly string[], rows: readonly object[]): string[][] {
  return rows.map((row) => columns.map((column) => csvCell(valueAt(row, column))));
}

function csvText(lines: string[][]): Promise<Buffer> {
  return writeToBuffer(lines, { rowDelimiter: "\r\n", includeEndRowDelimiter: true });
}

function valueAt(row: object, column: string): unknown {
  return column.split(".").reduce<unknown>((at, name) => (isObject(at) ? at[name] : null), row);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
