/** A badge, and the texts that put it, or a card, on a page of somebody's own. */

import { type Html, html } from "../../api-static/html/html.ts";

/** `card`: the markup of a frame; null where there is no card. */
export function badgeSnippets(
  origin: string,
  badge: string,
  page: string,
  words: string,
  card: string | null = null,
): Html {
  const [image, target] = [`${origin}${badge}`, `${origin}${page}`];
  const endpoint = encodeURIComponent(image.replace(/svg$/, "json"));
  const snippets = [
    ["Markdown", `[![${words}](${image})](${target})`],
    ["HTML", `<a href="${target}"><img src="${image}" alt="${words}"></a>`],
    ["reStructuredText", `.. image:: ${image}\n   :target: ${target}\n   :alt: ${words}`],
    ["Markdown, drawn by shields.io", `[![${words}](https://img.shields.io/endpoint?url=${endpoint})](${target})`],
    ...(card === null ? [] : [["A card in a frame", card] as const]),
  ] as const;
  return html`<p><img src="${badge}" alt="${words}" height="20"></p>
<p>Copy one of these to your own page. The badge follows the current release; <code>?style=flat-square</code> and <code>?label=…</code> change how it looks.</p>
${snippets.map(([name, text]) => html`<div class="snippet"><h3>${name}</h3><pre tabindex="0" data-copy role="group" aria-label="Badge as ${name}">${text}</pre></div>\n`)}`;
}
