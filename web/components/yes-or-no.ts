/** Whether a source has room for something, and below it where, or why not: one cell, so that a phone shows both. */

import { type Html, html } from "../html.ts";

export function yesOrNo(supported: boolean, words: string): Html {
  return html`<strong>${supported ? "Yes." : "No."}</strong> ${words}`;
}
