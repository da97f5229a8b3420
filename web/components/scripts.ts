/**
 * The scripts of the site. Every view works without them. A document includes only the scripts that it needs.
 * Each file of `web/script/` is one function that uses nothing outside itself. Node removes its types when it loads the
 * file, and the text of the function is the script. The texts that it shows are marked with `t`, which is replaced by the text
 * in the language of the page.
 */

import { Html, html } from "../html.ts";
import { type Language, language, lookUp } from "../languages/translate.ts";

/**
 * Returns the function of a script file. The path is computed, so that the type check of the program does not include
 * the file, which needs the types of browsers.
 */
async function load(name: string): Promise<() => void> {
  const { default: script }: { default: () => void } = await import(`../script/${name}.ts`);
  return script;
}

/**
 * Returns the script of a file, with marks for its texts. Removes comments, line breaks, and repeated spaces such as
 * those in place of types, which no text of these scripts contains. Lines can be joined, because the formatter ends
 * every statement with a semicolon.
 */
async function markedScript(name: string): Promise<string> {
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

const TEXT = /\bt\((?:"([^"]*)"|`([^`]*)`),?\)/g;

/** Returns a script with its marked texts in a language. */
function withTexts(marked: string, to: Language): string {
  return marked.replace(TEXT, (_mark, text: string | undefined, template: string | undefined) => {
    const { key, parts } = readTemplate(text ?? template ?? "");
    const found = to === "en" ? null : lookUp(key, to);
    if (typeof found !== "string") return text === undefined ? `\`${template}\`` : `"${text}"`;
    const written = JSON.stringify(found.replaceAll("`", "’")).slice(1, -1).replaceAll("<", "\\u003c");
    return text === undefined ? `\`${written.replace(/\{(\d+)\}/g, (_, i) => parts[i] ?? "")}\`` : `"${written}"`;
  });
}

/** Returns the key under which a text is translated. In the key, `{0}` and so on stand for the expressions of a template. */
function readTemplate(text: string): { readonly key: string; readonly parts: readonly string[] } {
  const parts = text.match(/\$\{[^{}]*\}/g) ?? [];
  let key = text;
  parts.forEach((part, i) => {
    key = key.replace(part, () => `{${i}}`);
  });
  return { key, parts };
}

interface Addition {
  /** A text that occurs in the markup of a document if the document needs this script. */
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

const MARKED = await Promise.all(ADDITIONS.map(({ name }) => markedScript(name)));

/** All scripts in English, which a static site has in one file. */
export const SCRIPTS: readonly string[] = scriptsIn("en");

/** Returns all scripts in a language. */
export function scriptsIn(to: Language): readonly string[] {
  return MARKED.map((marked) => withTexts(marked, to));
}

/** Returns the keys of the texts in all scripts. */
export function scriptTexts(): string[] {
  return MARKED.flatMap((marked) =>
    Array.from(marked.matchAll(TEXT), ([, text, template]) => readTemplate(text ?? template ?? "").key),
  );
}

/** The script of the lists of a static site. */
export const LISTING: string = withTexts(await markedScript("listing"), "en");

/** The only script of the page that a link in an email opens. */
export const SIGNING_IN: string = withTexts(await markedScript("signing-in"), "en");

const ELEMENTS = new Map<Language, readonly Html[]>();

function elementsIn(to: Language): readonly Html[] {
  const made = ELEMENTS.get(to) ?? scriptsIn(to).map((text) => html`<script>${new Html(text)}</script>`);
  ELEMENTS.set(to, made);
  return made;
}

/** Finds the marks of all scripts in one pass, which takes a sixth of the time of one pass for each script. */
const MARKS =
  /<time |<details| id="facets"| data-(?:chart|choose|compare|copy|job|live|saved|share|sort|start|suggest|try)/g;

/** Returns the scripts that a document with this markup needs. */
export function findScripts({ text }: Html): Html[] {
  const found = new Set(text.match(MARKS));
  return elementsIn(language()).filter((_, i) => found.has(ADDITIONS[i]?.mark ?? ""));
}
