/** The groups of users, and the first step of each. */

import { type Html, html } from "../html.ts";

export function audiences(): Html {
  return html`<ul class="links">
<li><h3>Researchers</h3><p><a href="/check">Check a dataset or a draft</a>, and see the fields that would add points. <span data-server>Find your page by your ORCID iD, and <a href="/me">claim it</a> or <a href="/privacy#hide">hide it</a>.</span></p></li>
<li><h3>Repositories</h3><p>Compare <a href="/repositories">your datasets</a> with others, and see the fields that your forms or exports do not have.</p></li>
<li><h3>Institutions and funders</h3><p>Find the datasets of <a href="/affiliations">your institution</a> or <a href="/funders">your grants</a>, and the signals to fix first.</p></li>
<li><h3>Developers</h3><p>Use <span data-server><a href="/docs">the API</a> or </span><a href="/history#download">complete downloads</a>.</p></li>
</ul>`;
}
