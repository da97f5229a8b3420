/** The view about the service: its purpose, its users, its contact and how to cite it. */

import { audiences } from "../components/audiences.ts";
import { contactLink, reportPath } from "../components/contact.ts";
import type { View } from "../components/document.ts";
import { html } from "../html.ts";

/** Returns the view about the service. `contact` is the operator's email address or https URL; null if it is not set. */
export function aboutView(contact: string | null, hasImprint: boolean): View {
  return {
    title: "About SHARE",
    description: "The purpose of SHARE scores, who uses them, and how to contact the operator of this site.",
    body: html`<h1>About SHARE</h1>
<p class="lead">SHARE shows how well scientific datasets are described and shared, and what would make them easier to reuse.</p>
<p>Repositories publish metadata about their datasets. We read these metadata, answer 25 yes-or-no questions, and publish the answers with the evidence. We do not read the data, and we do not judge the research.</p>
<div class="actions"><a class="button quiet" href="/signals">The 25 questions</a><a class="button quiet" href="/guides/method">The exact method</a><a class="button quiet" href="/help">Help and questions</a></div>
<h2>For whom</h2>
${audiences()}
<div class="thirds"><section class="panel"><h2 id="contact">Operator and contact</h2>
<p>The program is free, so anyone can run such a site. An independent operator runs this one, and decides which sources it reads.${hasImprint ? html` <a href="/imprint">Imprint of the operator</a>` : null}</p>
${
  contact === null
    ? html`<p data-server>Write to the operator of this site with the form <a href="${reportPath("/about")}">Report a problem</a>. If something is wrong on another page, use the link at the end of that page.</p>`
    : html`<p>Write to the operator of this site: ${contactLink(contact)}.</p>
<p data-server>If something is wrong on a page, press “Report a problem” there.</p>`
}
<p>If the metadata of a dataset are wrong, correct them at its repository, or ask the repository to. The score follows with the next release.</p></section>
<section class="panel"><h2>Citation and licence</h2>
<p>Cite the release that you used, with its digest, so that others can get the same scores.</p>
<ul><li><a href="/history">All releases, with their citations</a></li><li data-server><a href="/docs#cite">Example of a citation</a></li></ul>
<p>The program is open source under the licence Apache-2.0. Anyone can run it, and compute every score again from a release.</p>
<ul><li><a href="/guides/data-guide#verify-a-release">Verify a release</a></li><li><a href="/changelog">Changes of the program</a></li></ul></section></div>`,
  };
}
