/** Chooses the form of a response (RFC 9110, 12.5.1). */

import { ARROW_TYPE, FTR_PROFILE, FTR_TYPE, LINKED_DATA_TYPE, type Route } from "../../api-static/routes/route.ts";
import type { ApiRequest } from "./read-request.ts";

/** The forms of a complete list: one JSON row on each line, or Arrow record batches. */
export type StreamForm = "ndjson" | "arrow";

/** The forms of a list: one page as JSON or CSV, or the whole list. */
export type ResponseForm = "json" | "csv" | StreamForm;

type NamedForm<Name> = readonly [form: Name, type: string, kind: string];

/**
 * The media type of each form, and the range that includes it. If a client accepts several forms equally, the first one
 * is chosen.
 */
const FORMS: readonly NamedForm<ResponseForm>[] = [
  ["json", "application/json", "application/*"],
  ["csv", "text/csv", "text/*"],
  ["ndjson", "application/x-ndjson", "application/*"],
  ["arrow", ARROW_TYPE, "application/*"],
];

type LinkedDataType = Route["linkedData"][number];

const LINKED: readonly NamedForm<"json" | "html" | LinkedDataType>[] = [
  ["json", "application/json", "application/*"],
  [FTR_TYPE, FTR_TYPE, "application/*"],
  [LINKED_DATA_TYPE, LINKED_DATA_TYPE, "application/*"],
  ["html", "text/html", "text/*"],
];

interface Preference {
  readonly quality: number;
  /** How exactly a range matches: 2 if it names the type, 1 if it names the main type, 0 if it includes everything. */
  readonly precision: number;
}

/** Returns the preferred form of a list; JSON if the header names no other form. */
export function preferredForm(accept: string | undefined): ResponseForm {
  if (accept === undefined || !/text\/|ndjson|arrow/i.test(accept)) return "json";
  return choosePreferred(FORMS, accept) ?? "json";
}

/**
 * Returns the preferred type of linked data; null if the client prefers JSON or HTML. Profiles other than that of FAIR
 * Test Results are ignored.
 */
export function preferredLinkedData(accept: string | undefined): LinkedDataType | null {
  if (accept === undefined || !/ld\+json/i.test(accept)) return null;
  const form = choosePreferred(LINKED, accept);
  return form === FTR_TYPE || form === LINKED_DATA_TYPE ? form : null;
}

const JSON_RANGES = ["application/json", "application/*", "*/*"];

/**
 * True if the request comes from a browser that opens a page and wants HTML. JSON is the default: `text/html` must have
 * a higher quality than every range that includes JSON, or the same quality and an earlier position. A request with an
 * API key comes from a program. SHARED_HEADERS.vary lists the headers that decide.
 */
export function prefersHtml({ headers }: Pick<ApiRequest, "headers">): boolean {
  const { accept, "sec-fetch-mode": mode } = headers;
  if (accept === undefined || !/text\/html/i.test(accept) || headers["x-api-key"] !== undefined) return false;
  if (mode !== undefined && mode !== "navigate") return false;
  // The sort is stable, so ranges with the same quality remain in order.
  const ranges = parseRanges(accept).filter((range) => readQuality(range) > 0);
  const [first] = ranges
    .filter(([name = ""]) => name === "text/html" || JSON_RANGES.includes(name))
    .toSorted((one, other) => readQuality(other) - readQuality(one));
  if (first?.[0] !== "text/html") return false;
  // Over plain HTTP, browsers do not send Sec-Fetch-Mode, but all of them name XHTML. Java's HttpURLConnection also
  // prefers text/html and accepts anything, but does not name XHTML.
  const names = ranges.map(([name = ""]) => name);
  return (
    mode !== undefined || names.includes("application/xhtml+xml") || !JSON_RANGES.some((name) => names.includes(name))
  );
}

type Range = readonly string[];

function parseRanges(accept: string): Range[] {
  return accept.split(",").map((text) => {
    const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
    return [name === LINKED_DATA_TYPE && parameters.some(namesFtr) ? FTR_TYPE : name, ...parameters];
  });
}

/**
 * True if a parameter of a range is `profile`, and one of its URLs is that of FAIR Test Results (JSON-LD 1.1, section
 * 8).
 */
function namesFtr(parameter: string): boolean {
  const [name, value = ""] = parameter.split("=");
  return name === "profile" && value.replaceAll('"', "").split(" ").includes(FTR_PROFILE);
}

/** Returns the form that the client prefers; null if it accepts none of the forms. */
function choosePreferred<Name>(forms: readonly NamedForm<Name>[], accept: string): Name | null {
  const ranges = parseRanges(accept);
  const wishes = forms.map(([form, type, kind]) => ({ form, ...preferenceFor(ranges, type, kind) }));
  // The sort is stable, so equal forms keep their order.
  const [most] = wishes.toSorted((one, other) => other.quality - one.quality || other.precision - one.precision);
  return most === undefined || most.quality === 0 ? null : most.form;
}

/** Returns the quality that the client gives to a type in the most precise range that includes it. */
function preferenceFor(ranges: readonly Range[], type: string, kind: string): Preference {
  for (const [name, precision] of [
    [type, 2],
    [kind, 1],
    ["*/*", 0],
  ] as const) {
    const range = ranges.find(([first]) => first === name);
    if (range !== undefined) return { quality: readQuality(range), precision };
  }
  return { quality: 0, precision: 0 };
}

function readQuality(range: Range): number {
  const text = range.find((part) => part.startsWith("q="))?.slice(2) ?? "1";
  return /^[01](\.\d{0,3})?$/.test(text) ? Number(text) : 1;
}

/** Returns the preferred form of a complete list; null if the client prefers one page. */
export function preferredStream(accept: string | undefined): StreamForm | null {
  const form = preferredForm(accept);
  return form === "ndjson" || form === "arrow" ? form : null;
}
