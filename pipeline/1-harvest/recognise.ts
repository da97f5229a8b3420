/** Recognises the source of a document by its format. */

import type { Source } from "../sources/adapter/source.ts";
import { SOURCES } from "../sources/index.ts";
import { type Document, findingsInDocument, parseDocument } from "./document.ts";

/** A source that accepts both JSON and XML. Its settings are used to parse a file whose source is not known yet. */
export const READER_OF_XML = ((): Source => {
  const source = SOURCES.find(({ readsXml }) => readsXml === true);
  if (source === undefined)
    throw new Error("none of the sources of this program has the setting readsXml; report this");
  return source;
})();

export function canRead({ readsXml }: Source, { language }: Pick<Document, "language">): boolean {
  return readsXml === true || language !== "xml";
}

/**
 * Returns the sources that recognise the document. A source whose format matches many documents (`looseShape`) only
 * counts if no other source recognises it.
 */
export function sourcesThatKnow(parsed: Document, isKnown: (source: Source) => boolean): Source[] {
  const found = SOURCES.filter((source) => canRead(source, parsed) && isKnown(source));
  const strict = found.filter(({ looseShape }) => looseShape !== true);
  return strict.length > 0 ? strict : found;
}

/** Returns the sources to which a file belongs, judged by its first record. */
export function sourcesOfPayload(file: Uint8Array): Source[] {
  const parsed = parseDocument(file, READER_OF_XML);
  if (parsed.objection !== null) return [];
  return sourcesThatKnow(parsed, (source) => {
    for (const found of findingsInDocument(parsed, source)) return "payload" in found;
    return false;
  });
}
