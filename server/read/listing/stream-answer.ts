/** The answer that all rows of a list are, batch by batch: as JSON, one row a line, or as Arrow's record batches. */

import { writeToBuffer } from "fast-csv";
import type { z } from "zod";
import { ARROW_TYPE, NDJSON_TYPE } from "../../../api-static/routes/route.ts";
import { rowMembers } from "../../../schemas/public/api/record.ts";
import { FORMULA } from "../../../schemas/public/rubric.ts";
import { type Answer, contentHeaders, endingWith, type Pieces, ProblemError } from "../../http/answer.ts";
import type { StreamForm } from "../../http/content-negotiation.ts";
import type { Caller } from "../../http/read-request.ts";
import type { Fields } from "./links.ts";

/** Milliseconds: however slowly it is read, a stream ends, and until then its release stays open. */
export const LONGEST_STREAM = 3_600_000;

/** Parameters that choose a part of a list. */
const OF_PARTS = ["page", "limit", "cursor"];

export interface Batch {
  /** Rows of the whole list. */
  readonly total: number;
  readonly rows: readonly object[];
}

/** @throws ProblemError `invalid-parameter` for a query that asks for a part */
export function refuseParts(query: string): void {
  const given = new URLSearchParams(query);
  const named = OF_PARTS.filter((name) => given.has(name));
  if (named.length === 0) return;
  throw new ProblemError("invalid-parameter", "A stream is all of a list.", {
    errors: named.map((path) => ({ path, message: "chooses a part of a list; a stream is all of it" })),
  });
}

/** `end` is called once, when the last row was read or the reader has left; not where this throws. */
export async function streamAnswer(
  form: StreamForm,
  streamed: Streamed,
  batches: AsyncGenerator<Batch, void, undefined>,
  cache: string,
  end: () => void,
): Promise<Answer> {
  // What refuses the query does so before anything is sent.
  const first = await batches.next();
  const made = await rowPieces(form, streamed);
  const headers = {
    ...contentHeaders(made.contentType, cache),
    "x-total-count": String(first.value?.total ?? 0),
    // A proxy that kept it all for a slow reader would have us read to the end for one who leaves.
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

/** Streams at a time, of all callers and of one. */
export const STREAM_PLACES = { all: 16, each: 2 } as const;

export class StreamPlaces {
  readonly #taken = new Map<string, number>();
  #all = 0;

  /**
   * Takes a place; what it gives lets the place go.
   * @throws ProblemError `rate-limited` for a caller who has as many as there are for one, `overloaded` where all are taken
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
  /** What comes before all rows; empty where nothing does. */
  head(): string | Uint8Array;
  batch(rows: readonly object[]): string | Uint8Array;
  /** What says that nothing follows; empty where nothing does. */
  tail(): string | Uint8Array;
}

/** A stream that is asked for. `answer`: schema of the list's answer; `fields`: members that are asked for, null for all. */
export interface Streamed {
  readonly answer: z.ZodType | null;
  readonly fields: Fields | null;
  /** Words on the whole of it, for forms that have a place for them. */
  readonly about: ReadonlyMap<string, string>;
}

async function rowPieces(form: StreamForm, streamed: Streamed): Promise<RowPieces> {
  if (form === "ndjson") return lines(streamed);
  // Loaded for who asks for it: no start of the server waits for the library.
  const { ArrowPieces } = await import("./arrow-pieces.ts");
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

/** Columns of a list's answer in the order of its rows; `fields` where not all are asked for. */
export function csvColumns(answer: z.ZodType | null, fields: Fields | null = null): string[] {
  const columns = rowMembers(answer).flatMap(({ path, leaf }) => (leaf ? [path] : []));
  return fields === null ? columns : columns.filter((path) => fields.has(path));
}

/** Null is an empty field. The header line is there even where no row is. */
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

/** A text that a spreadsheet would run gets an apostrophe before it, which spreadsheets do not show. */
function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" && RUNS.test(value) ? `'${value}` : String(value);
}
