/** The subset of Markdown in descriptions: paragraphs, code and strong text. */

import { type Html, html } from "../html.ts";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*/g;

/** Returns the paragraphs of a text, which are separated by empty lines. */
export function paragraphs(markdown: string): Html[] {
  return markdown.split("\n\n").map((text) => html`<p>${inline(text)}</p>`);
}

/** Returns a text without line breaks, with its code and strong text as elements. */
export function inline(text: string): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(MARKS)) {
    const [matched, code, strong = ""] = match;
    parts.push(
      html`${text.slice(at, match.index)}`,
      code === undefined ? html`<strong>${strong}</strong>` : html`<code>${code}</code>`,
    );
    at = match.index + matched.length;
  }
  return [...parts, html`${text.slice(at)}`];
}

/** Returns a path in which lines may break after slashes. */
export function breakablePath(path: string): Html[] {
  return path.split(/(?<=\/)(?=.)/).map((part, i) => (i === 0 ? html`${part}` : html`<wbr>${part}`));
}

/** Returns JSON with highlighted names, strings, numbers and literals. */
export function highlightedJson(text: string): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [matched, string, colon, number] = match;
    const kind = string === undefined ? (number === undefined ? "w" : "n") : colon === undefined ? "s" : "k";
    const token = string ?? matched;
    parts.push(html`${text.slice(at, match.index)}<span class="${kind}">${token}</span>`);
    at = match.index + token.length;
  }
  return [...parts, html`${text.slice(at)}`];
}
