/**
 * The style sheet of all documents, for light and dark mode, screens from 320 px, and print. It loads no images. Standalone
 * documents contain it. The site links to it, and adds its font.
 */

import { readFileSync } from "node:fs";

/** The files of `web/style/`. Their order matters, because a later rule overrides an earlier one. */
const FILES = [
  "colours",
  "elements",
  "frame",
  "forms",
  "home",
  "lists",
  "scores",
  "details",
  "facets",
  "notes",
  "charts",
  "screens",
  "reference",
  "print",
];

export const STYLE: string = FILES.map((name) => minified(readRules(name))).join("");

function readRules(name: string): string {
  return readFileSync(new URL(`../style/${name}.css`, import.meta.url), "utf8");
}

/** Removes comments, and the white space and semicolons that browsers do not need. */
function minified(rules: string): string {
  const [first = "", ...others] = rules.split("/*");
  const withoutComments = first + others.map((text) => text.slice(text.indexOf("*/") + 2)).join("");
  return withoutComments
    .trim()
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .replaceAll(": ", ":")
    .replaceAll(";}", "}");
}
