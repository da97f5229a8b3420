/** Small pieces that several sources' walks are made of. */

import { asText } from "../../reading/reader.ts";
import { before } from "../../vocabularies/ends.ts";
import { type Ask, type AskOptions, type Part, WalkFault } from "./source.ts";

/** An address of the service with its parameters, in the order given; null leaves one out. */
export function addressOf(
  options: AskOptions,
  path: string,
  parameters: Readonly<Record<string, string | number | null>> = {},
): string {
  const url = new URL(path, options.base);
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, String(value));
  return url.href;
}

/** The only part of a record that one answer holds whole. */
export function onlyPart(ask: (options: AskOptions) => Ask): readonly Part[] {
  return [{ name: "record", take: "record", ask: (_found, options) => ask(options) }];
}

/** The address a service names as its next page, resolved; throws {@link WalkFault} where it leads to another host. */
export function nextAddress(link: unknown, service: string, options: AskOptions): URL | null {
  const next = asText(link);
  if (next === null) return null;
  const url = URL.canParse(next, options.base) ? new URL(next, options.base) : null;
  if (url?.host !== new URL(options.base).host)
    throw new WalkFault(`${service}'s next page is on another host: ${next}`);
  return url;
}

/** The lines of a plain-text list, blank ones left out. */
export function linesOf(document: unknown): string[] {
  const text = typeof document === "string" ? document : "";
  return text.split("\n").flatMap((line) => asText(line) ?? []);
}

/** Longer than any address that names a record: of a longer text nothing is read. */
const LONGEST_ADDRESS = 4096;

/** The part of `text` that `pattern` has in brackets, where it matches the whole of it; null otherwise. */
export function matchOf(text: string, ...patterns: readonly RegExp[]): string | null {
  if (text.length > LONGEST_ADDRESS) return null;
  for (const pattern of patterns) {
    const found = pattern.exec(text.trim())?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * The part that `value` has in brackets of the last parameter of one of `names`, in an address whose beginning is like
 * `page`.
 */
export function parameterOf(text: string, page: RegExp, names: readonly string[], value: RegExp): string | null {
  if (text.length > LONGEST_ADDRESS) return null;
  const address = before(text.trim(), "#");
  const path = before(address, "?");
  if (!page.test(path)) return null;
  const parameters = address.slice(path.length + 1).split("&");
  const given = parameters.flatMap((parameter) => {
    const name = before(parameter, "=");
    const known = names.some((each) => each.toLowerCase() === name.toLowerCase());
    return known ? [value.exec(parameter.slice(name.length + 1))?.[1] ?? []].flat() : [];
  });
  return given.at(-1) ?? null;
}

/** The number, where it is one. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}
