/** Views of documents of the repository: the help with its terms and questions, and the changelog. */

import { contactLink } from "../components/contact.ts";
import { csvSection } from "../components/csv.ts";
import type { View } from "../components/document.ts";
import { termList } from "../components/terms.ts";
import { html } from "../html.ts";
import { type LinkResolver, readDocument } from "../reference/markdown.ts";

/** Pages of the site with the content of documents that the site does not show. */
const PAGES: Readonly<Record<string, string>> = {
  "method.md": "/signals",
  "data-guide.md#verify-a-release": "/history#verify",
  "validation.md": "/history#validation",
};

const toPage: LinkResolver = (target) => (/^(?:https:|#)/.test(target) ? target : (PAGES[target] ?? null));

/** `markdown` is the document on understanding scores. `contact` is the operator's; null if not set. */
export function helpView(markdown: string, contact: string | null): View {
  const { title, headings, body } = readDocument(markdown, toPage);
  return {
    title,
    description: "The meaning of scores and of the S-Index, how to improve a score, terms, and frequent questions.",
    body: html`<h1>${title}</h1>
<nav aria-label="On this page"><ul class="chips">${[
      ...headings,
      { anchor: "csv", text: "Columns of CSV files" },
      { anchor: "terms", text: "Terms" },
    ].map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`)}</ul></nav>
<div class="document">${body}</div>
${csvSection()}
<h2 id="terms">Terms</h2>
${termList()}
${contact === null ? null : html`<p>Do you have another question? Write to the operator of this site: ${contactLink(contact)}</p>`}`,
  };
}

/** `markdown` is the changelog. */
export function changelogView(markdown: string): View {
  const { title, body } = readDocument(markdown, toPage);
  return {
    title,
    description: "Changes of the program: API, command line and site.",
    body: html`<h1>${title}</h1>
<div class="note"><p>This page is about the program. For changes of scores, see <a href="/history">Releases and downloads</a>, or follow <a href="/history.atom">the feed of releases</a>.</p></div>
<div class="document">${body}</div>`,
  };
}
