/** Recognises by its format whose records a document holds. */

import type { Source } from "../sources/adapter/source.ts";
import { SOURCES } from "../sources/index.ts";
import { type Document, findingsInDocument, parseDocument } from "./document.ts";

/** The source whose reader parses a file for all sources, because it reads JSON, XML and text. */
export const READER_OF_XML = ((): Source => {
  const source = SOURCES.find(({ readsXml }) => readsXml === true);
  if (source === undefined) throw new Error("no source reads XML");
  return source;
})();

export function canRead({ readsXml }: Source, { language }: Pick<Document, "language">): boolean {
  return readsXml === true || language !== "xml";
}

/** Returns the sources that know the document. One with a loose shape only counts if no other source knows it. */
export function sourcesThatKnow(parsed: Document, isKnown: (source: Source) => boolean): Source[] {
  const found = SOURCES.filter((source) => canRead(source, parsed) && isKnown(source));
  const strict = found.filter(({ looseShape }) => looseShape !== true);
  return strict.length > 0 ? strict : found;
}

/** Returns the sources whose payload a file is, judged by its first record. */
export function sourcesOfPayload(file: Uint8Array): Source[] {
  const parsed = parseDocument(file, READER_OF_XML);
  if (parsed.objection !== null) return [];
  return sourcesThatKnow(parsed, (source) => {
    for (const found of findingsInDocument(parsed, source)) return "payload" in found;
    return false;
  });
}
