/** A badge, and the snippets that embed it. */

import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { type Html, html } from "../html.ts";
import { underVersion } from "./navigation.ts";

export interface Badge {
  readonly origin: string;
  readonly version: PublicVersion;
  /** Path of the view that the badge links to. The badge is at the same path below /widgets. */
  readonly page: string;
  readonly badge: string;
}

export function snippets({ origin, version, page, badge }: Badge): Html {
  const path = underVersion(`/widgets${page}/badge.svg`, version);
  const [image, target] = [`${origin}${path}`, `${origin}${underVersion(page, version)}`];
  const endpoint = encodeURIComponent(`${origin}${underVersion(`/widgets${page}/badge.json`, version)}`);
  const texts = [
    ["Badge as Markdown", `[![${badge}](${image})](${target})`],
    ["Badge as HTML", `<a href="${target}"><img src="${image}" alt="${badge}"></a>`],
    ["Badge as reStructuredText", `.. image:: ${image}\n   :target: ${target}\n   :alt: ${badge}`],
    ["Badge from shields.io as Markdown", `[![${badge}](https://img.shields.io/endpoint?url=${endpoint})](${target})`],
  ] as const;
  return html`<p><img src="${path}" alt="${badge}" height="20"></p>
<p>To show the badge on your website, copy one of these snippets. The badge always shows the current release. To change its style, add <code>${version === PUBLIC_VERSIONS[0] ? "?" : "&"}style=flat-square</code> or <code>${version === PUBLIC_VERSIONS[0] ? "?" : "&"}label=…</code> to its URL.</p>
${texts.map(([name, text]) => html`<div class="snippet"><h3>${name}</h3><pre tabindex="0" data-copy role="group" aria-label="${name}">${text}</pre></div>\n`)}`;
}
