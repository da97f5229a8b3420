/** The privacy view: stored personal data and their purpose, how to be hidden or erased, and how long it takes. */

import { contactLink } from "../components/contact.ts";
import type { View } from "../components/document.ts";
import { claimRule } from "../components/state-words.ts";
import { html } from "../html.ts";
import { ownPrivacySection } from "./imprint.ts";

const ABOUT_RESEARCHERS = html`<p>We store the names, ORCID iDs and institutions of the creators of datasets, as repositories publish them, and compute their S-Index. The purpose is to credit people for sharing. We never merge two people because they have the same name.</p>`;

/**
 * Returns the privacy view of a static site, which stores nothing about its visitors. `contact` is the operator's
 * contact; null if it is not set. `notice` is the operator's own text in Markdown, or null.
 */
export function staticPrivacyView(contact: string | null, notice: string | null): View {
  return {
    title: "Privacy",
    description: "The personal data on this site, and how to be hidden.",
    body: html`<h1>Privacy</h1>
<p class="lead">This site shows the published names of the creators of datasets. It consists of files, so it has no accounts, sets no cookie and stores nothing about you. Your browser scores the drafts that you check.</p>
${ownPrivacySection(notice)}<div class="columns"><section><h2>About researchers</h2>
${ABOUT_RESEARCHERS}</section>
<section><h2 id="hide">How to be hidden</h2>
<p>Ask ${contact === null ? "the operator of this site" : html`the operator of this site: ${contactLink(contact)}`}. The next release then does not contain your name, and your page disappears. We cannot change releases that others have downloaded before. The scores of your datasets stay, because they describe the datasets.</p></section></div>`,
  };
}

/**
 * Returns the privacy view of a server. `hasOrcid` is true if users can sign in with ORCID. `notice` is the operator's
 * own text in Markdown, or null.
 */
export function privacyView(hasOrcid: boolean, notice: string | null): View {
  return {
    title: "Privacy",
    description: "The personal data that we store, why we store them, and how to be hidden or erased.",
    body: html`<h1>Privacy</h1>
<p class="lead">We store the published names of the creators of datasets, and the data that you enter yourself. We do not track you, and set no cookie before you sign in.</p>
${ownPrivacySection(notice)}<div class="columns"><section><h2>About researchers</h2>
${ABOUT_RESEARCHERS}</section>
<section><h2 id="hide">How to be hidden</h2>
<ol><li><a href="/sign-in">Sign in</a>${hasOrcid ? ", if possible with ORCID" : null}.</li><li>Open your page, and press “This is me”. ${claimRule(hasOrcid)}</li><li>In <a href="/me#visibility">your account</a>, ask to be hidden.</li></ol>
<p>After approval, this site removes your page, your badge and your rows within a minute. The next release does not contain your name. We cannot change releases that others have downloaded before. The scores of your datasets stay, because they describe the datasets.</p></section>
<section><h2>About users with an account</h2>
<p>We store your email address or ORCID iD, your sessions with the name of the browser, the name, email address and purpose of your API keys, and your claims, requests, submissions, saved datasets, researchers, repositories and checks, and whether you get emails about changes. You can <a href="/me/data">download these data</a>, or <a href="/me/erase">erase them</a> immediately and permanently.</p></section>
<section><h2>About problem reports</h2>
<p>If you report a problem, we store the page, your text, and your email address if you give one. We delete the report when it is closed, after a year at the latest, and when you erase your account.</p></section>
<section><h2>About drafts you check</h2>
<p>We score your draft and discard it. We do not store it or send it to anybody.</p></section>
<section><h2>About all visitors</h2>
<p>The log records the kind of page that was requested. It does not record the URL, the search text or the visitor. We count the requests of each IP address in memory for a minute.</p></section>
<section><h2>How long it takes</h2>
<p>Hiding takes a minute on this site. Downloads change with the next release. Erasing is immediate. Browsers may cache a badge for five minutes.</p></section></div>`,
  };
}
