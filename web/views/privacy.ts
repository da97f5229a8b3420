/** The privacy view: stored personal data and their purpose, how to be hidden or erased, and how long it takes. */

import { contactLink } from "../components/contact.ts";
import type { View } from "../components/document.ts";
import { claimRule } from "../components/state-words.ts";
import { table } from "../components/table.ts";
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
${ownPrivacySection(notice)}<div class="thirds"><section class="panel"><h2>About researchers</h2>
${ABOUT_RESEARCHERS}</section>
<section class="panel"><h2 id="hide">How to be hidden</h2>
<ol><li><a href="/sign-in">Sign in</a>${hasOrcid ? ", if possible with ORCID" : null}.</li><li>Open your page, and press “This is me”. ${claimRule(hasOrcid)}</li><li>In <a href="/me#visibility">your account</a>, ask to be hidden.</li></ol></section>
<section class="panel"><h2>After approval</h2>
<p>Within a minute, this site removes your page, your badge and your rows. Browsers may cache a badge for five minutes. The next release does not contain your name. We cannot change releases that others have downloaded before. The scores of your datasets stay, because they describe the datasets.</p></section></div>
<h2>About visitors and users</h2>
<div class="document">${table(
      "Data about visitors and users, and how long we store them",
      [{ name: "Data of" }, { name: "We store", isLong: true }, { name: "How long", isLong: true }],
      [
        [
          "Every visit",
          "The kind of page in a log, without the URL, the search text or the visitor, and the number of requests of each IP address in memory",
          "The number: a minute",
        ],
        ["A draft you check", "Nothing. We score your draft and discard it, and send it to nobody.", "–"],
        [
          "A problem report",
          "The page, your text, and your email address if you give one",
          "Until the report is closed, a year at the latest, and until you erase your account",
        ],
        [
          "An account",
          "Your email address or ORCID iD, your sessions with the name of the browser, the name, email address and purpose of your API keys, your claims, requests, submissions, checks, and saved datasets, researchers, repositories and searches, and whether you get emails about changes",
          html`Until you <a href="/me/erase">erase them</a>, immediately and permanently. You can <a href="/me/data">download these data</a>.`,
        ],
      ],
    )}</div>`,
  };
}
