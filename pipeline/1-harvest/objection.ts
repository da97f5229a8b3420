/** Explains why bytes cannot be parsed as JSON or XML. */

import type { RejectionReason } from "../../schemas/public/problem.ts";
import { decodeText } from "../files/decode-text.ts";
import { jsonFaultIn } from "./json-fault.ts";
import { NEWLINE, OPEN_BRACE, OPEN_BRACKET, skipBlank } from "./json-text.ts";
import type { Service } from "./service.ts";

export interface Objection {
  readonly reason: RejectionReason;
  readonly detail: string;
}

/** The detail of a text that is neither JSON nor XML. */
export const PLAIN_TEXT = "plain text (neither JSON nor XML)";

const LESS_THAN = 0x3c;

/** Number of bytes at the beginning of a text in which its root element is searched. */
const TEXT_HEAD = 4096;

const HTML = /<!doctype\s+html|<html[\s>]/i;

/** Matches a declaration, comment or document type before the root element. */
const PROLOG = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?[^>]*>/gi;

/** Returns why `bytes` cannot be parsed, such as "JSON with a syntax error at column 12: a comma is missing". */
export function objectionTo(bytes: Uint8Array, source: Service): Objection {
  const first = bytes[skipBlank(bytes, 0)];
  if (first === LESS_THAN) return markup(decodeText(bytes, 0, TEXT_HEAD), source);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return { reason: "not-json", detail: PLAIN_TEXT };
  const fault = jsonFaultIn(bytes);
  if (fault === null) return { reason: "not-json", detail: "JSON with a syntax error at an unknown position" };
  // In JSON Lines, the line number of the file is shown.
  const line = bytes.includes(NEWLINE) ? `line ${fault.line}, ` : "";
  // The text of the payload must not reach a receipt.
  const place = `at ${line}column ${fault.column}: ${fault.problem}`;
  if (fault.isCut) return { reason: "truncated", detail: `JSON that ends before it is closed, ${place}` };
  return { reason: "not-json", detail: `JSON with a syntax error ${place}` };
}

export function beginsMarkup(bytes: Uint8Array): boolean {
  return bytes[skipBlank(bytes, 0)] === LESS_THAN;
}

/** True for an HTML page, judged by its beginning. */
export function isHtml(bytes: Uint8Array): boolean {
  return HTML.test(decodeText(bytes, 0, TEXT_HEAD));
}

function markup(head: string, source: Service): Objection {
  if (HTML.test(head)) return { reason: "not-json", detail: "an HTML page" };
  const root = /<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)/.exec(head.replace(PROLOG, ""))?.[1];
  const retired = root === undefined ? undefined : source.retiredRoots?.[root];
  if (retired !== undefined) return { reason: "retired-format", detail: retired };
  return {
    reason: "not-json",
    detail: root === undefined ? "XML or HTML without an element" : `an XML document (<${root.slice(0, 60)}>)`,
  };
}
