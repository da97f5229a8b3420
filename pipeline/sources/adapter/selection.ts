/** A part of a source: `name=value` in options, settings and logs, and the parameters of a request. */

import type { PartSelection, Selector, SourcePart, WalkOptions } from "./source.ts";

/** Returns the parameter and value that select the part; nothing for all records. */
export function selected({ only }: Pick<WalkOptions, "only">): Readonly<Record<string, string>> {
  if (only === null) return {};
  const { selector, value } = only;
  return { [selector.parameter]: selector.formatParameter?.(value) ?? value };
}

/** Returns the selection as it is written: `client=tib.tib`. */
export function selectionText({ selector, value }: PartSelection): string {
  return `${selector.name}=${value}`;
}

/** Names a part in messages, summaries and the file of an unfinished run: `datacite`, or `datacite client=tib.tib`. */
export function partName({ source, only }: SourcePart): string {
  return only === null ? source.name : `${source.name} ${selectionText(only)}`;
}

/** Reads `name=value`; null if the source has no such selector or does not allow the value. */
export function readSelection(source: SourcePart["source"], text: string): PartSelection | null {
  const name = text.slice(0, text.indexOf("="));
  const value = text.slice(name.length + 1);
  const selector = source.walk.selectors?.find((each) => each.name === name);
  return selector?.pattern.test(value) === true ? { selector, value } : null;
}

/** Names, numbers and identifiers, without a character that has a meaning in a query. */
export const PLAIN_VALUE = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,98}[A-Za-z0-9])?$/;

export const NUMBER_VALUE = /^[1-9]\d{0,14}$/;

/** Id of an organisation in ROR, without the URL. */
export const ROR_VALUE = /^0[a-hj-km-np-tv-z0-9]{6}\d{2}$/;

/** One line of text, without the semicolon that separates selections in a setting. */
export const TEXT_VALUE = /^[^\s;\p{C}](?:[^;\p{C}]{0,298}[^\s;\p{C}])?$/u;

/** Selects by a query in the language of the service. */
export function querySelector(parameter: string, example: string): Selector {
  return {
    name: "query",
    parameter,
    about: "Datasets that a query of the service finds",
    pattern: TEXT_VALUE,
    example,
  };
}
