/** A badge, and the texts that put it, or a card, on a page of somebody's own. */

import { type Html, html } from "../../api-static/html/html.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { underVersion } from "../parts/under-version.ts";

export interface Shown {
  readonly origin: string;
  readonly version: PublicVersion;
  /** Path of the widgets that show it. */
  readonly widgets: string;
  /** Path of the page that the badge leads to. */
  readonly page: string;
  readonly words: string;
  /** The markup of a frame, where there is a card. */
  readonly card?: string;
}

export function badgeSnippets({ origin, version, widgets, page, words, card }: Shown): Html {
  const badge = underVersion(`${widgets}/badge.svg`, version);
  const [image, target] = [`${origin}${badge}`, `${origin}${underVersion(page, version)}`];
  const endpoint = encodeURIComponent(`${origin}${underVersion(`${widgets}/badge.json`, version)}`);
  const snippets = [
    ["Markdown", `[![${words}](${image})](${target})`],
    ["HTML", `<a href="${target}"><img src="${image}" alt="${words}"></a>`],
    ["reStructuredText", `.. image:: ${image}\n   :target: ${target}\n   :alt: ${words}`],
    ["Markdown, drawn by shields.io", `[![${words}](https://img.shields.io/endpoint?url=${endpoint})](${target})`],
    ...(card === undefined ? [] : [["A card in a frame", card] as const]),
  ] as const;
  return html`<p><img src="${badge}" alt="${words}" height="20"></p>
<p>Copy one of these to your own page. The badge follows the current release; <code>style=flat-square</code> and <code>label=…</code> after <code>${version === PUBLIC_VERSIONS[0] ? "?" : "&"}</code> change how it looks.</p>
${snippets.map(([name, text]) => html`<div class="snippet"><h3>${name}</h3><pre tabindex="0" data-copy role="group" aria-label="Badge as ${name}">${text}</pre></div>\n`)}`;
}
