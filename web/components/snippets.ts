/** A badge, and the texts that put it on your own page. */

import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { type Html, html } from "../html.ts";
import { underVersion } from "./navigation.ts";

export interface Shown {
  readonly origin: string;
  readonly version: PublicVersion;
  /** Path of the page that the badge links to; the badge is at the same path, below /widgets. */
  readonly page: string;
  /** The text of the badge. */
  readonly badge: string;
}

export function snippets({ origin, version, page, badge }: Shown): Html {
  const path = underVersion(`/widgets${page}/badge.svg`, version);
  const [image, target] = [`${origin}${path}`, `${origin}${underVersion(page, version)}`];
  const endpoint = encodeURIComponent(`${origin}${underVersion(`/widgets${page}/badge.json`, version)}`);
  const texts = [
    ["Badge as Markdown", `[![${badge}](${image})](${target})`],
    ["Badge as HTML", `<a href="${target}"><img src="${image}" alt="${badge}"></a>`],
    ["Badge as reStructuredText", `.. image:: ${image}\n   :target: ${target}\n   :alt: ${badge}`],
    [
      "Badge as Markdown, drawn by shields.io",
      `[![${badge}](https://img.shields.io/endpoint?url=${endpoint})](${target})`,
    ],
  ] as const;
  return html`<p><img src="${path}" alt="${badge}" height="20"></p>
<p>Copy one of these to your own page. The badge follows the current release; <code>style=flat-square</code> and <code>label=…</code> after <code>${version === PUBLIC_VERSIONS[0] ? "?" : "&"}</code> change how the badge looks.</p>
${texts.map(([name, text]) => html`<div class="snippet"><h3>${name}</h3><pre tabindex="0" data-copy role="group" aria-label="${name}">${text}</pre></div>\n`)}`;
}
