/** Reads the names of sources in commands, and suggests similar ones. */

import { nearest } from "../../pipeline/reading/identifiers.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import { shown } from "../terminal/text.ts";
import { UsageError } from "./exit-codes.ts";

export function knownSource(name: string): Source {
  const source = sourceNamed(name);
  if (source !== null) return source;
  const meant = nearest(
    name,
    SOURCES.map((each) => each.name),
  );
  throw new UsageError(
    `there is no source called "${shown(name)}"; did you mean ${meant}? The sources are ${sourceNames()}`,
  );
}

export function sourceNames(): string {
  return SOURCES.map(({ name }) => name).join(", ");
}
