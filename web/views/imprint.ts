/** The operator's own texts, in Markdown: the imprint, and the part of the privacy view that the operator wrote. */

import type { View } from "../components/document.ts";
import { type Html, html } from "../html.ts";
import { type LinkResolver, readDocument } from "../reference/markdown.ts";

export function imprintView(markdown: string): View {
  const { title, body } = ownText(markdown, "Imprint");
  return {
    title,
    description: "The operator of this site.",
    body: html`<h1>${title}</h1>
<div class="document">${body}</div>`,
  };
}

export function ownPrivacySection(markdown: string | null): Html | null {
  if (markdown === null) return null;
  const { title, body } = ownText(markdown, "Notice of the operator");
  return html`<h2>${title}</h2>
<div class="document">${body}</div>
`;
}

/** Returns the operator's text. If it does not begin with a heading, `title` is its heading. */
function ownText(markdown: string, title: string) {
  const text = markdown.replaceAll("\r\n", "\n").trim();
  return readDocument(text.startsWith("# ") ? text : `# ${title}\n\n${text}`, toWeb);
}

const toWeb: LinkResolver = (target) => (/^(?:https:|mailto:)/.test(target) ? target : null);
