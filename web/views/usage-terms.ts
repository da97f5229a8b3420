/** The view of the terms of use: licences, rate limits, the hiding of researchers, and no warranty. */

import { contactLink } from "../components/contact.ts";
import type { View } from "../components/document.ts";
import { type Limit, limitText } from "../components/limits.ts";
import { html } from "../html.ts";

export interface UsageTerms {
  /** The SPDX id of the licence of the active release; null if unknown. */
  readonly licence: string | null;
  /** The operator's contact; null if it is not set. */
  readonly contact: string | null;
  readonly hasImprint: boolean;
  /** Limits by IP address, by API key, and of checks by IP address. */
  readonly limits: { readonly anonymous: Limit; readonly key: Limit; readonly evaluation: Limit };
}

export function usageTermsView({ licence, limits, contact, hasImprint }: UsageTerms): View {
  return {
    title: "Terms of use",
    description: "Licences of scores and metadata, rate limits, the hiding of researchers, and no warranty.",
    body: html`<h1>Terms of use</h1>
<p class="lead">Cite the release that you use, respect the terms of the repositories, and do not rank people by scores.</p>
${
  contact === null && !hasImprint
    ? null
    : html`<p>These terms are between you and the operator of this site${contact === null ? null : html`, ${contactLink(contact)}`}.${hasImprint ? html` <a href="/imprint">Imprint of the operator</a>` : null}</p>
`
}<div class="halves"><section><h2>Scores</h2>
<p>${
      licence === null
        ? "Each release states the licence of its scores in its receipt."
        : html`The scores of the current release are under the licence <a href="https://spdx.org/licenses/${licence}.html" rel="external">${licence}</a>.`
    } Please <a href="/docs#cite">cite the release</a> that you use.</p></section>
<section><h2>Meaning</h2>
<p>A score is computed from published metadata. It does not measure the quality of data or research. Do not use it to rank people. <a href="/help">Help and questions</a></p></section>
<section><h2>Metadata and data</h2>
<p>Titles, names and other metadata come from the repositories, which set the terms for them. This site does not contain the data themselves. For their licence, see the page of the dataset at its repository.</p></section>
<section><h2>Researchers</h2>
<p>A researcher can <a href="/privacy#hide">ask to be hidden</a>. Do not publish hidden researchers again: use the current release, and do not show people from older copies who are no longer on this site.</p></section>
<section data-server><h2 id="limits">Rate limits</h2>
<dl class="facts"><dt>Without a key</dt><dd>${limitText(limits.anonymous)} for each IP address</dd><dt>With <a href="/me/keys">a key</a></dt><dd>${limitText(limits.key)} for each key</dd><dt>Checks</dt><dd>${limitText(limits.evaluation)} for each IP address, for datasets and drafts</dd></dl>
<p>If you need more, <a href="/history#download">download a release</a>.</p></section>
<section><h2>No warranty</h2>
<p>This site and its scores are provided as they are, without any warranty. Scores can be wrong, incomplete or out of date, and the service can be interrupted.</p></section></div>`,
  };
}
