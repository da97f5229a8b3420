/**
 * The scripts of the site. Every view works without them. A document includes only the scripts that it needs.
 * Each file of `web/script/` is one function that uses nothing outside itself. Node removes its types when it loads the
 * file, and the text of the function is the script.
 */

import { Html, html } from "../html.ts";

/**
 * Returns the function of a file. The path is computed, so that the type check of the program does not follow it: it has no
 * types of browsers.
 */
async function load(name: string): Promise<() => void> {
  const { default: script }: { default: () => void } = await import(`../script/${name}.ts`);
  return script;
}

/**
 * Returns the file as a script without comments, line breaks, and spaces that no text of these scripts has, such as those in
 * place of types. The formatter ends every statement with a semicolon.
 */
async function scriptFrom(name: string): Promise<string> {
  const lines = String(await load(name)).split("\n");
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//"))
    .join("\n")
    .replace(/(?<=\W)\n|\n(?=\W)/g, "")
    .replace(/ {2,}/g, " ")
    .replace(/ (=>|[!=]==|&&|\?\?|[={]) ?/g, "$1");
  return `"use strict";(${text})()`;
}

interface Addition {
  /** A text that the markup of a document contains if it needs this script. */
  readonly mark: string;
  readonly name: string;
}

/** All scripts. Sorting comes before the locale, because it must read figures before the locale changes their format. */
const ADDITIONS: readonly Addition[] = [
  { mark: " data-sort", name: "sorting" },
  { mark: "<time ", name: "locale" },
  { mark: "<details", name: "opening" },
  { mark: " data-copy", name: "copying" },
  { mark: " data-share", name: "acting" },
  { mark: " data-job", name: "watching" },
  { mark: " data-start", name: "starting" },
  { mark: " data-suggest", name: "suggesting" },
  { mark: " data-live", name: "checking" },
  { mark: " data-saved", name: "saving" },
  { mark: " data-compare", name: "comparing" },
  { mark: ' id="facets"', name: "filtering" },
  { mark: " data-try", name: "trying" },
  { mark: " data-choose", name: "choosing" },
  { mark: " data-chart", name: "charting" },
];

/** The texts of all scripts, for the Content-Security-Policy. */
export const SCRIPTS: readonly string[] = await Promise.all(ADDITIONS.map(({ name }) => scriptFrom(name)));

/** The script of the lists of a static site. */
export const LISTING: string = await scriptFrom("listing");

/** The only script of the page that a link in an email opens. */
export const SIGNING_IN: string = await scriptFrom("signing-in");

const ELEMENTS = SCRIPTS.map((text) => html`<script>${new Html(text)}</script>`);

/** Finds all marks in one pass, which takes a sixth of the time of a pass for each script. */
const MARKS =
  /<time |<details| id="facets"| data-(?:chart|choose|compare|copy|job|live|saved|share|sort|start|suggest|try)/g;

/** Returns the scripts that a document with this markup needs. */
export function findScripts({ text }: Html): Html[] {
  const found = new Set(text.match(MARKS));
  return ELEMENTS.filter((_, i) => found.has(ADDITIONS[i]?.mark ?? ""));
}
