/** What a build is of, as one says it: its day, and its sources. */

import { SOURCES } from "../../../pipeline/sources/index.ts";
import { knownSource } from "../asked-source.ts";
import { today } from "../past-day.ts";
import { dayArgument } from "../shared.ts";

/** Parses a day such as 2026-11-01, or `today`. */
export function asOfArgument(text: string): string {
  return text === "today" ? today() : dayArgument(text);
}

/** All sources where none are named; each once, in order. */
export function sourcesNamed(names: readonly string[] | undefined): string[] {
  const sources = names?.map(knownSource) ?? SOURCES;
  return [...new Set(sources.map(({ name }) => name))].sort();
}
