/** The text of a stored payload to the document its normaliser reads. */

import { asObject } from "./reader.ts";
import { parseXml } from "./xml.ts";

/**
 * JSON or XML as their parsers give it. `xmlParts` names the members of a payload put together from several answers
 * that hold XML as text: those are parsed in place. Throws what the parsers throw.
 */
export function parsePayload(text: string, xmlParts: readonly string[] = []): unknown {
  return /^[\s\ufeff]*</.test(text) ? parseXml(text) : withXmlParts(JSON.parse(text), xmlParts);
}

/** The document with its XML parts parsed; those that are no text, or parsed already, as they are. */
export function withXmlParts(document: unknown, xmlParts: readonly string[]): unknown {
  const parts = asObject(document);
  if (parts === null || !xmlParts.some((name) => typeof parts[name] === "string")) return document;
  const members = Object.entries(parts).map(([name, value]) =>
    xmlParts.includes(name) && typeof value === "string" ? [name, parseXml(value)] : [name, value],
  );
  return Object.fromEntries(members);
}
