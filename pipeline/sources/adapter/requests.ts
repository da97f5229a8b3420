/** Builds requests and reads identifiers, for several sources. */

import { asText } from "../../reading/reader.ts";
import { before } from "../../vocabularies/ends.ts";
import { type FetchPart, type SourceOptions, type SourceRequest, WalkFault } from "./source.ts";

/** Returns a URL of the service with parameters in the given order. Parameters that are null are left out. */
export function urlWith(
  options: SourceOptions,
  path: string,
  parameters: Readonly<Record<string, string | number | null>> = {},
): string {
  const url = new URL(path, options.base);
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, String(value));
  return url.href;
}

/** Returns the plan to fetch a record that comes in a single response. */
export function onlyPart(ask: (options: SourceOptions) => SourceRequest): readonly FetchPart[] {
  return [{ name: "record", take: "record", buildRequest: (_found, options) => ask(options) }];
}

/**
 * Returns the absolute URL of the next page; null if there is none.
 * @throws WalkFault if the next page is on another host
 */
export function nextUrl(link: unknown, service: string, options: SourceOptions): URL | null {
  const next = asText(link);
  if (next === null) return null;
  const url = URL.canParse(next, options.base) ? new URL(next, options.base) : null;
  if (url?.host !== new URL(options.base).host)
    throw new WalkFault(`${service} names a next page on another host, which was not requested: ${next}`);
  return url;
}

/** Returns the lines of a plain-text list. Blank lines are left out. */
export function splitLines(document: unknown): string[] {
  const text = typeof document === "string" ? document : "";
  return text.split("\n").flatMap((line) => asText(line) ?? []);
}

/** Longest text, in characters, that is parsed as an identifier. */
const MAX_LENGTH = 4096;

/** Returns the first group of the first pattern that matches the trimmed text; null if no pattern matches. */
export function matchFirst(text: string, ...patterns: readonly RegExp[]): string | null {
  if (text.length > MAX_LENGTH) return null;
  for (const pattern of patterns) {
    const found = pattern.exec(text.trim())?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * Returns the value of a URL parameter, such as the package id in `…/mapbrowse?packageid=edi.100.1`. `page` matches the
 * URL before the query, `names` are the allowed names of the parameter, and the first group of `value` is returned. If
 * the parameter occurs several times, the last one counts.
 */
export function readParameter(text: string, page: RegExp, names: readonly string[], value: RegExp): string | null {
  if (text.length > MAX_LENGTH) return null;
  const url = before(text.trim(), "#");
  const path = before(url, "?");
  if (!page.test(path)) return null;
  const parameters = url.slice(path.length + 1).split("&");
  const values = parameters.flatMap((parameter) => {
    const name = before(parameter, "=");
    const known = names.some((each) => each.toLowerCase() === name.toLowerCase());
    return known ? [value.exec(parameter.slice(name.length + 1))?.[1] ?? []].flat() : [];
  });
  return values.at(-1) ?? null;
}

export function readNumber(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}
