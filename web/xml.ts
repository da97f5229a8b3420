/** XML documents: what `html` escapes, without the characters that XML 1.0 cannot hold, however they are written (2.2). */

import type { Html } from "./html.ts";

const UNWRITABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** The whole document. One character of somebody's that cannot stand in it would make all of it unreadable: it is a space. */
export function xmlDocument(root: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${root.text.toWellFormed().replace(UNWRITABLE, " ")}\n`;
}
