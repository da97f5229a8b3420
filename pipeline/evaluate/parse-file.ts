/** Parses a metadata file: JSON, XML, or a CITATION.cff in YAML. */

import { type Parsed, parseDocument } from "../1-harvest/document.ts";
import type { Objection } from "../1-harvest/objection.ts";
import { decodeText, withoutMark } from "../files/decode-text.ts";
import type { Source } from "../sources/adapter/source.ts";

/** Number of bytes at the start of a file from which its format is recognised. */
const HEAD = 4096;

/** Parses a metadata file: JSON or XML in the form of a source's responses, or a CITATION.cff in YAML. */
export async function parseFile(file: Uint8Array, source: Source): Promise<Parsed> {
  return isCitation(file) ? parseCitation(file) : parseDocument(file, source);
}

/** Matches the field that every CITATION.cff has. */
const CITATION = /^cff-version\s*:/m;

function isCitation(file: Uint8Array): boolean {
  const head = decodeText(withoutMark(file), 0, HEAD);
  return !/^\s*[{[<]/.test(head) && CITATION.test(head);
}

/** Largest CITATION.cff in bytes. Real ones have some kilobytes. */
const MAX_CITATION_LENGTH = 64 * 1024;

/**
 * Largest number of brackets that may be open at the same time. The time of the parser grows with the square of this
 * number.
 */
const MAX_OPEN = 100;

/** Largest number of YAML aliases. With more, a small file could become a huge document. */
const MAX_ALIASES = 10;

/** Parses a CITATION.cff. Every value stays text, and YAML tags have no effect. */
async function parseCitation(file: Uint8Array): Promise<Parsed> {
  if (file.length > MAX_CITATION_LENGTH)
    return objection("too-large", `a CITATION.cff of more than ${MAX_CITATION_LENGTH} bytes; shorten it`);
  const text = decodeText(withoutMark(file));
  if (opensTooMany(text))
    return objection("too-deep", `YAML with more than ${MAX_OPEN} open brackets; nest less deeply`);
  // Loaded with the first CITATION.cff, because it takes a tenth of the time of one score.
  const yaml = await import("yaml");
  try {
    const parsed = yaml.parseDocument(text, { schema: "failsafe", uniqueKeys: false, logLevel: "silent" });
    const [error] = parsed.errors;
    if (error !== undefined) return objection("not-json", `YAML with an error: ${error.message.split("\n")[0]}`);
    const document: unknown = parsed.toJS({ maxAliasCount: MAX_ALIASES });
    return { document, bytes: new TextEncoder().encode(JSON.stringify(document)), language: "json", objection: null };
  } catch (error) {
    // The document has too many aliases or is nested too deeply.
    if (error instanceof ReferenceError || error instanceof RangeError)
      return objection("too-deep", "YAML with too many aliases or levels; write out the values, or nest less deeply");
    throw error;
  }
}

/**
 * True if more than {@link MAX_OPEN} brackets are open at the same time. Also counts brackets in texts and comments,
 * where nobody writes so many.
 */
function opensTooMany(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === "[" || character === "{") open += 1;
    if (character === "]" || character === "}") open = Math.max(0, open - 1);
    if (open > MAX_OPEN) return true;
  }
  return false;
}

function objection(reason: Objection["reason"], detail: string): Parsed {
  return { objection: { reason, detail } };
}
