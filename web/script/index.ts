/** The scripts of pages: additions to pages that are whole without them, each where there is something for it to do. */

import { Html, html } from "../html.ts";
import { COPYING } from "./copying.ts";
import { LOCALE } from "./locale.ts";
import { OPENING } from "./opening.ts";
import { SORTING } from "./sorting.ts";
import { SUGGESTING } from "./suggesting.ts";
import { WATCHING } from "./watching.ts";

interface Addition {
  /** Stands in the markup of every page that it adds to. */
  readonly mark: string;
  readonly text: string;
}

/** Rows are sorted by what they say before a reader's locale changes how it is written. */
const ADDITIONS: readonly Addition[] = [
  { mark: " data-sort", text: SORTING },
  { mark: "<time ", text: LOCALE },
  { mark: "<details", text: OPENING },
  { mark: " data-copy", text: COPYING },
  { mark: " data-job", text: WATCHING },
  { mark: " data-suggest", text: SUGGESTING },
].map(({ mark, text }) => ({ mark, text: bare(text) }));

/** Without the indentation of the source; what fails takes no other with it. */
function bare(text: string): string {
  return `"use strict";(()=>{${text.replace(/\n\s*/g, "\n")}})()`;
}

/** The texts of all, for the policy that allows them. */
export const SCRIPTS: readonly string[] = ADDITIONS.map(({ text }) => text);

const ELEMENTS = ADDITIONS.map(({ mark, text }) => ({ mark, element: html`<script>${new Html(text)}</script>` }));

/** All marks: a page is looked through once, which takes a sixth of looking for each. */
const MARKS = /<time |<details| data-(?:copy|job|sort|suggest)/g;

/** The scripts of a page with this markup. */
export function scriptsOf({ text }: Html): Html[] {
  const found = new Set(text.match(MARKS));
  return ELEMENTS.filter(({ mark }) => found.has(mark)).map(({ element }) => element);
}
