/** The choice among the forms of an answer (RFC 9110, 12.5.1). */

import { ARROW_TYPE, LINKED_DATA_TYPE } from "../../api-static/routes/route.ts";
import type { ReadRequest } from "./read-request.ts";

/** All rows: as JSON, one a line, or as Arrow's record batches. */
export type StreamForm = "ndjson" | "arrow";

/** A page as JSON or as CSV, or all rows. */
export type Form = "json" | "csv" | StreamForm;

type NamedForm<Name> = readonly [form: Name, type: string, kind: string];

/** The media type of each form and its kind, in the order in which they are given to who takes several alike. */
const FORMS: readonly NamedForm<Form>[] = [
  ["json", "application/json", "application/*"],
  ["csv", "text/csv", "text/*"],
  ["ndjson", "application/x-ndjson", "application/*"],
  ["arrow", ARROW_TYPE, "application/*"],
];

/** The forms of a record's page, that for people among them. */
const LINKED: readonly NamedForm<"json" | "linked" | "html">[] = [
  ["json", "application/json", "application/*"],
  ["linked", LINKED_DATA_TYPE, "application/*"],
  ["html", "text/html", "text/*"],
];

interface Wish {
  readonly quality: number;
  /** 2 where the type itself is named, 1 for all of its kind, 0 for everything. */
  readonly precision: number;
}

/** The form of a list that is wished for most; who wishes for several alike gets the one they name, and JSON who names none. */
export function wantedForm(accept: string | undefined): Form {
  if (accept === undefined || !/text\/|ndjson|arrow/i.test(accept)) return "json";
  return wantedOf(FORMS, accept) ?? "json";
}

/** Whether linked data is wished for more than JSON, and more than a page for people. */
export function wantsLinkedData(accept: string | undefined): boolean {
  if (accept === undefined || !/ld\+json/i.test(accept)) return false;
  return wantedOf(LINKED, accept) === "linked";
}

/** The ranges that include JSON. */
const JSON_RANGES = ["application/json", "application/*", "*/*"];

/**
 * Whether a browser navigates here and wants HTML. JSON is the default: `text/html` must have a higher quality than every
 * range that includes JSON, or the same quality and an earlier place. A request with an API key is a program's. Headers
 * that decide are in SHARED_HEADERS.vary.
 */
export function prefersHtml({ headers }: Pick<ReadRequest, "headers">): boolean {
  const { accept, "sec-fetch-mode": mode } = headers;
  if (accept === undefined || !/text\/html/i.test(accept) || headers["x-api-key"] !== undefined) return false;
  if (mode !== undefined && mode !== "navigate") return false;
  // Sorting keeps the order of ranges with the same quality.
  const ranges = rangesOf(accept).filter((range) => qualityOf(range) > 0);
  const [first] = ranges
    .filter(([name = ""]) => name === "text/html" || JSON_RANGES.includes(name))
    .toSorted((one, other) => qualityOf(other) - qualityOf(one));
  if (first?.[0] !== "text/html") return false;
  // Over plain HTTP browsers send no Sec-Fetch-Mode. All of them name XHTML. Java's HttpURLConnection prefers text/html
  // too, takes anything, and does not.
  const names = ranges.map(([name = ""]) => name);
  return (
    mode !== undefined || names.includes("application/xhtml+xml") || !JSON_RANGES.some((name) => names.includes(name))
  );
}

type Range = readonly string[];

function rangesOf(accept: string): Range[] {
  return accept.split(",").map((range) => range.split(";").map((part) => part.trim().toLowerCase()));
}

/** Null where none is taken. */
function wantedOf<Name>(forms: readonly NamedForm<Name>[], accept: string): Name | null {
  const ranges = rangesOf(accept);
  const wishes = forms.map(([form, type, kind]) => ({ form, ...wishFor(ranges, type, kind) }));
  // Sorting keeps the order of those that are equal.
  const [most] = wishes.toSorted((one, other) => other.quality - one.quality || other.precision - one.precision);
  return most === undefined || most.quality === 0 ? null : most.form;
}

/** The most precise range that fits decides. */
function wishFor(ranges: readonly Range[], type: string, kind: string): Wish {
  for (const [name, precision] of [
    [type, 2],
    [kind, 1],
    ["*/*", 0],
  ] as const) {
    const range = ranges.find(([first]) => first === name);
    if (range !== undefined) return { quality: qualityOf(range), precision };
  }
  return { quality: 0, precision: 0 };
}

function qualityOf(range: Range): number {
  const text = range.find((part) => part.startsWith("q="))?.slice(2) ?? "1";
  return /^[01](\.\d{0,3})?$/.test(text) ? Number(text) : 1;
}

/** The form, where it is one of all rows. */
export function wantedStream(accept: string | undefined): StreamForm | null {
  const form = wantedForm(accept);
  return form === "ndjson" || form === "arrow" ? form : null;
}
