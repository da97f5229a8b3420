/**
 * HTML and XML templates. A template escapes strings, and inserts `Html` values unchanged. If the language is not
 * English, it also translates its literal text.
 */

import { type TranslatedTemplate, translateTemplate } from "./languages/markup.ts";
import { language } from "./languages/translate.ts";

/** Markup that is safe to put into a template. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = Html | string | number | null | readonly HtmlPart[];

/** Returns the markup of a template. Lists are joined, and null adds nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  const to = language();
  if (to !== "en") return translatedHtml(translateTemplate(strings, to), parts);
  let text = "";
  strings.forEach((string, i) => {
    text += string + toText(parts[i] ?? null);
  });
  return new Html(text);
}

function translatedHtml({ strings, order }: TranslatedTemplate, parts: readonly HtmlPart[]): Html {
  let text = "";
  strings.forEach((string, i) => {
    text += string + toText(parts[order[i] ?? -1] ?? null);
  });
  return new Html(text);
}

function toText(part: HtmlPart): string {
  if (typeof part === "string") return escapeText(part);
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "number") return String(part);
  let text = "";
  for (const each of part) text += toText(each);
  return text;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes a text for an element or a quoted attribute. Most texts have nothing to escape, so that is tested first. */
function escapeText(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "") : text;
}

const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Returns an XML document. Characters that XML does not allow would make it invalid, so they become spaces. */
export function xmlDocument(root: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${root.text.toWellFormed().replace(NOT_XML, " ")}\n`;
}
