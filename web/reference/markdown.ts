/** The little Markdown that descriptions are written in: paragraphs, code and strong words. */

import { type Html, html } from "../html.ts";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*/g;

/** Paragraphs, divided by empty lines. */
export function paragraphs(markdown: string): Html[] {
  return markdown.split("\n\n").map((text) => html`<p>${inline(text)}</p>`);
}

/** A text without line breaks. */
export function inline(text: string): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(MARKS)) {
    const [whole, code, strong = ""] = match;
    parts.push(
      html`${text.slice(at, match.index)}`,
      code === undefined ? html`<strong>${strong}</strong>` : html`<code>${code}</code>`,
    );
    at = match.index + whole.length;
  }
  return [...parts, html`${text.slice(at)}`];
}

/** A path that may be broken after its slashes. */
export function breakable(path: string): Html[] {
  return path.split(/(?<=\/)(?=.)/).map((part, i) => (i === 0 ? html`${part}` : html`<wbr>${part}`));
}

/** The text with its names, strings, numbers and words marked. */
export function markedJson(text: string): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, number] = match;
    const kind = string === undefined ? (number === undefined ? "w" : "n") : colon === undefined ? "s" : "k";
    const token = string ?? whole;
    parts.push(html`${text.slice(at, match.index)}<span class="${kind}">${token}</span>`);
    at = match.index + token.length;
  }
  return [...parts, html`${text.slice(at)}`];
}
