/** XML to the objects normalisers read: no entity but the five of XML, no document type, no guess at numbers. */

import { XMLParser } from "fast-xml-parser";
import { asObject, type Json } from "./reader.ts";
import { checkXml, XmlError } from "./xml-check.ts";

/** The only named entities; whatever else a document defines stays as it is written (XML 1.0, 4.6). */
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  removeNSPrefix: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
  parseAttributeValue: false,
  // Trimmed afterwards: pieces of one text would lose the space between them.
  trimValues: false,
  tagValueProcessor: (_name, value) => (value.trim() === "" ? "" : value),
  processEntities: true,
  entityDecoder: {
    decode: withReferences,
    setExternalEntities: () => {},
    addInputEntities: () => {},
    reset: () => {},
    setXmlVersion: () => {},
  },
});

/**
 * A document as an object whose one key is its root element: attributes as `@name`, text beside attributes or elements
 * as `#text`, an element with neither as its text, one that occurs once as itself and not as a list, namespace prefixes
 * removed. Text is trimmed and stays text. Throws {@link XmlError}.
 */
export function parseXml(text: string): Json {
  return parsed(checkXml(text, "document"));
}

/** The elements of text without a root, such as NCBI's `expxml`, as the members of one object; {} for blank text. */
export function parseXmlFragment(text: string): Json {
  const root = parsed(`<root>${checkXml(text, "fragment")}</root>`).root;
  if (typeof root === "string") return root === "" ? {} : { "#text": root };
  return asObject(root) ?? {};
}

function parsed(text: string): Json {
  try {
    return asObject(trimmed(parser.parse(text))) ?? {};
  } catch (error) {
    // The parser refuses element names that are dangerous as keys.
    throw new XmlError("not-xml", "XML the parser refuses", { cause: error });
  }
}

/** In place; the depth has been checked. */
function trimmed(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, trimmed(member)]));
}

function withReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (whole, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return isCharacter(code) ? String.fromCodePoint(code) : whole;
  });
}

/** XML 1.0, 2.2: no control characters bar three, no surrogates. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return (code < 0xd800 || code > 0xdfff) && code !== 0xfffe && code !== 0xffff && code <= 0x10ffff;
}
