/** Selects a part of a source: as `name=value` in options, settings and logs, and as parameters of a request. */

import type { PartSelection, Selector, SourcePart, WalkOptions } from "./source.ts";

/** Returns the request parameter that selects the part, with its value. Returns {} for all records. */
export function selected({ only }: Pick<WalkOptions, "only">): Readonly<Record<string, string>> {
  if (only === null) return {};
  const { selector, value } = only;
  return { [selector.parameter]: selector.formatParameter?.(value) ?? value };
}

/** Returns a selection as users write it, such as `client=tib.tib`. */
export function selectionText({ selector, value }: PartSelection): string {
  return `${selector.name}=${value}`;
}

/**
 * Returns the name of a part for messages, summaries and the file of an unfinished run: `datacite`, or `datacite
 * client=tib.tib`.
 */
export function partName({ source, only }: SourcePart): string {
  return only === null ? source.name : `${source.name} ${selectionText(only)}`;
}

/** Reads a selection `name=value`. Returns null if the source has no such selector or does not allow the value. */
export function readSelection(source: SourcePart["source"], text: string): PartSelection | null {
  const name = text.slice(0, text.indexOf("="));
  const value = text.slice(name.length + 1);
  const selector = source.walk.selectors?.find((each) => each.name === name);
  return selector?.pattern.test(value) === true ? { selector, value } : null;
}

/** Matches names, numbers and identifiers without characters that have a meaning in a query. */
export const PLAIN_VALUE = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,98}[A-Za-z0-9])?$/;

export const NUMBER_VALUE = /^[1-9]\d{0,14}$/;

/** Matches the ROR id of an organisation, without its URL. */
export const ROR_VALUE = /^0[a-hj-km-np-tv-z0-9]{6}\d{2}$/;

/** Matches one line of text. A semicolon is not allowed, because it separates selections in a setting. */
export const TEXT_VALUE = /^[^\s;\p{C}](?:[^;\p{C}]{0,298}[^\s;\p{C}])?$/u;

/** Returns a selector whose value is a query in the query language of the service. */
export function querySelector(parameter: string, example: string): Selector {
  return {
    name: "query",
    parameter,
    about: "Datasets that a query of the service finds",
    pattern: TEXT_VALUE,
    example,
  };
}
