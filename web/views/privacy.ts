/** The privacy page: what is held about people, why, how to be hidden and erased, and how long it takes until that shows. */

import type { View } from "../components/document.ts";
import { html } from "../html.ts";

export function privacyView(): View {
  return {
    title: "Privacy",
    description: "What is held about people and why, and how to be hidden or erased.",
    body: html`<h1>Privacy</h1>
<p class="lead">We hold what repositories publish about who made a dataset, and what you give us yourself. There is no tracking, and no cookie before you sign in.</p>
<h2>About researchers</h2>
<p>Names, ORCID iDs and institutions of the creators of datasets, as repositories publish them, and the S-Index made of their datasets. They are held so that people are credited for sharing. Nothing is guessed: two people are never joined on a name alone.</p>
<h2 id="hide">How to be hidden</h2>
<ol><li><a href="/sign-in">Sign in</a>, best with ORCID.</li><li>Open your page, and say “This is me”. With the ORCID iD of that page it is yours at once; otherwise somebody looks at it.</li><li>In <a href="/me#visibility">your account</a>, ask to be hidden.</li></ol>
<p>Once that is approved, your page, your badge and your rows are gone within a minute, everywhere on this site. The next release names you nowhere. Releases that others have downloaded before are out of our reach. The scores of your datasets stay: they are about the datasets.</p>
<h2>About those who sign in</h2>
<p>Your email address or your ORCID iD, your sessions with the name of the browser, and what you save, claim, ask for, submit and measure. You can <a href="/me#data">download all of it</a>, and <a href="/me/erase">erase all of it</a>, at once and for good.</p>
<h2>About drafts you check</h2>
<p>A draft is read, scored and forgotten. Nothing of it is written down, and no one else is asked.</p>
<h2>About everybody who reads</h2>
<p>The log has the kind of page that was asked for, never the address, the search, or who asked. How often an address asks is counted in memory for a minute.</p>
<h2>How long it takes</h2>
<p>Hidden: within a minute on these pages; in downloads with the next release. Erased: at once. A badge on somebody else’s page may be kept by their browser for five minutes.</p>`,
  };
}
