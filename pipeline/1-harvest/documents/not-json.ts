/** Says what text is that is no JSON: a page, an XML answer, plain text, or JSON that was cut or damaged. */

import type { RefusalReason } from "../../../schemas/public/refusal.ts";
import type { Source } from "../../sources/adapter/source.ts";
import { jsonFaultIn } from "./json-fault.ts";
import { OPEN_BRACE, OPEN_BRACKET, skipBlank } from "./json-measure.ts";

export interface Objection {
  readonly reason: RefusalReason;
  readonly detail: string;
}

const LESS_THAN = 0x3c;

/** How much of a document is looked at for its root element. */
const HEAD = 4096;

const HTML = /<!doctype\s+html|<html[\s>]/i;

/** What stands before a root element: declaration, comments, document type. */
const PROLOG = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?[^>]*>/gi;

/** Why `bytes` could not be parsed. */
export function objectionTo(bytes: Buffer, source: Source): Objection {
  const first = bytes[skipBlank(bytes, 0)];
  if (first === LESS_THAN) return markup(bytes.toString("utf8", 0, HEAD), source);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return { reason: "not-json", detail: "plain text" };
  const fault = jsonFaultIn(bytes);
  if (fault === null) return { reason: "not-json", detail: "JSON that cannot be read" };
  // A line of JSON Lines is counted in its file.
  const line = bytes.includes("\n") ? `line ${fault.line}, ` : "";
  // Only the place: the text itself has no business in a receipt.
  const place = `at ${line}column ${fault.column}: ${fault.problem}`;
  if (fault.isCut) return { reason: "truncated", detail: `JSON that ends before it is closed, ${place}` };
  return { reason: "not-json", detail: `JSON with a syntax error ${place}` };
}

/** True where text begins as markup does. */
export function beginsMarkup(bytes: Buffer): boolean {
  return bytes[skipBlank(bytes, 0)] === LESS_THAN;
}

/** True where the beginning of markup says that it is a page for people. */
export function isHtml(bytes: Buffer): boolean {
  return HTML.test(bytes.toString("utf8", 0, HEAD));
}

function markup(head: string, source: Source): Objection {
  if (HTML.test(head)) return { reason: "not-json", detail: "an HTML page" };
  const root = /<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)/.exec(head.replace(PROLOG, ""))?.[1];
  const retired = root === undefined ? undefined : source.retiredRoots?.[root];
  if (retired !== undefined) return { reason: "retired-format", detail: retired };
  return { reason: "not-json", detail: root === undefined ? "markup" : `an XML document (<${root.slice(0, 60)}>)` };
}
