/** The sources whose metadata a file may hold, by its shape: for whoever does not say. */

import type { Source } from "../../sources/adapter/source.ts";
import { SOURCES } from "../../sources/index.ts";
import { findRecords, parseDocument } from "../documents/document.ts";

/** The sources that find one record of theirs in the file, or, where none does, those whose deposits look like it. */
export function sourcesOfDraft(file: Buffer): Source[] {
  const found = SOURCES.filter((source) => findRecords(file, source).records.length === 1);
  const strict = found.filter(({ looseShape }) => looseShape !== true);
  const published = strict.length > 0 ? strict : found;
  return published.length > 0 ? published : SOURCES.filter((source) => isDepositOf(source, file));
}

function isDepositOf(source: Source, file: Buffer): boolean {
  const parsed = parseDocument(file, source);
  if (parsed.objection !== null) return false;
  const draft = source.draftOf?.(parsed.document) ?? null;
  return draft !== null;
}
