/** A badge, and the texts that put it on a page of somebody's own. */

import { type Html, html } from "../../api-static/html/html.ts";

export function badgeSnippets(origin: string, badge: string, page: string, words: string): Html {
  const [image, target] = [`${origin}${badge}`, `${origin}${page}`];
  const snippets = [
    ["Markdown", `[![${words}](${image})](${target})`],
    ["HTML", `<a href="${target}"><img src="${image}" alt="${words}"></a>`],
    ["reStructuredText", `.. image:: ${image}\n   :target: ${target}\n   :alt: ${words}`],
  ] as const;
  return html`<p><img src="${badge}" alt="${words}" height="20"></p>
<p>Copy one of these to your own page. The badge follows the current release.</p>
${snippets.map(([name, text]) => html`<div class="snippet"><h3>${name}</h3><pre tabindex="0" data-copy role="group" aria-label="Badge as ${name}">${text}</pre></div>\n`)}`;
}
