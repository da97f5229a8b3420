/** Says what text is that is no JSON: a page, an XML answer, plain text, or JSON that was cut or damaged. */

import type { RefusalReason } from "../../../schemas/public/refusal.ts";
import type { Source } from "../../sources/adapter/source.ts";
import { measureJson, OPEN_BRACE, OPEN_BRACKET, skipBlank } from "./json-measure.ts";

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

/** Why `bytes` could not be parsed; `error` is the parser's, if one was asked. */
export function objectionTo(bytes: Buffer, source: Source, error: unknown = null): Objection {
  const first = bytes[skipBlank(bytes, 0)];
  if (first === LESS_THAN) return markup(bytes.toString("utf8", 0, HEAD), source);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return { reason: "not-json", detail: "plain text" };
  if (!measureJson(bytes).closed) return { reason: "truncated", detail: "JSON that ends before it is closed" };
  return { reason: "not-json", detail: `JSON with a syntax error${placeOf(error)}` };
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

/** Only the place: the parser's message quotes the text, which has no business in a receipt. */
function placeOf(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? "" : ` at character ${position}`;
}
