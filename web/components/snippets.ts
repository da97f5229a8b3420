/** Shows a badge, and snippets of code that embed it. */

import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { t } from "../languages/translate.ts";
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
    ["Markdown", `[![${badge}](${image})](${target})`],
    ["HTML", `<a href="${target}"><img src="${image}" alt="${badge}"></a>`],
    ["reStructuredText", `.. image:: ${image}\n   :target: ${target}\n   :alt: ${badge}`],
    ["shields.io", `[![${badge}](https://img.shields.io/endpoint?url=${endpoint})](${target})`],
  ] as const;
  return html`<p><img src="${path}" alt="${badge}" height="20"></p>
<p>To show the badge on your website, copy the snippet. The badge always shows the current release. <span data-server>To change its style, add <code>${version === PUBLIC_VERSIONS[0] ? "?" : "&"}style=flat-square</code> or <code>${version === PUBLIC_VERSIONS[0] ? "?" : "&"}label=…</code> to its URL.</span></p>
${snippetTabs(
  "snippet",
  t("Format of the snippet"),
  texts.map(([format, text]) => ({ format, name: t`Badge as ${format}`, text })),
)}`;
}

interface Snippet {
  readonly format: string;
  /** The name of the snippet, for screen readers and for the button that copies it. */
  readonly name: string;
  readonly text: string;
}

/** Returns a group of tabs with at most four snippets, one of which is visible. `group` is unique in the document. */
export function snippetTabs(group: string, legend: string, all: readonly Snippet[]): Html {
  return html`<fieldset class="tabs"><legend>${legend}</legend>${all.map(
    ({ format }, i) =>
      html`<input type="radio" name="${group}" id="${group}-${i}" autocomplete="off"${i === 0 ? html` checked` : null}><label for="${group}-${i}">${format}</label>`,
  )}${all.map(({ name, text }) => snippet(name, text))}</fieldset>`;
}

/** Returns a text with a button that copies it. Its name is for screen readers and for the button. */
export function snippet(name: string, text: HtmlPart): Html {
  return html`<div class="snippet"><pre tabindex="0" data-copy role="group" aria-label="${name}">${text}</pre></div>`;
}

/** Returns a text quoted as one word of a POSIX shell. Names come from metadata, so they can contain any character. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
