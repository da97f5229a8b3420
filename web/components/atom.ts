/** Atom feeds (RFC 4287). */

import { type Html, type HtmlPart, html, xmlDocument } from "../html.ts";

export interface AtomFeed {
  /** Path of the feed, which is also its id. */
  readonly path: string;
  readonly title: string;
  readonly subtitle: string;
  /** Path of the page with the same content. */
  readonly page: string;
  /** The update time of a feed without entries, because Atom requires a time. */
  readonly begun: string;
  /** The entries of the feed, the newest first. */
  readonly entries: readonly AtomEntry[];
}

export interface AtomEntry {
  readonly id: string;
  readonly title: string;
  readonly published: string;
  readonly updated: string;
  /** URL of the page with the same content. */
  readonly page: string;
  /** A further link of the entry; null if it has none. */
  readonly related: Html | null;
  readonly summary: string;
  readonly content: Html;
}

/** Returns an Atom document. `site` is the title of the site, with which the title of the feed ends, as titles of pages do. */
export function atomDocument(
  { path, title, subtitle, page, begun, entries }: AtomFeed,
  origin: string,
  site: string,
): string {
  const updated = entries.map((entry) => entry.updated).toSorted();
  return xmlDocument(html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB">
<id>${origin}${path}</id>
<title>${title} – ${site}</title>
<subtitle>${subtitle}</subtitle>
<updated>${updated.at(-1) ?? begun}</updated>
<author><name>${site}</name><uri>${origin}/</uri></author>
<link rel="self" type="application/atom+xml" href="${origin}${path}"/>
<link rel="alternate" type="text/html" href="${origin}${page}"/>
${entries.map(renderEntry)}</feed>`);
}

function renderEntry({ id, title, published, updated, page, related, summary, content }: AtomEntry): HtmlPart {
  return html`<entry>
<id>${id}</id>
<title>${title}</title>
<published>${published}</published>
<updated>${updated}</updated>
<link rel="alternate" type="text/html" href="${page}"/>
${related}<summary>${summary}</summary>
<content type="html">${content.text}</content>
</entry>
`;
}
