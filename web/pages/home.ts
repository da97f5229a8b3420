/** The first page: one box that leads to the right place, four figures, and how a score comes about. */

import { html } from "../../api-static/html/html.ts";
import type { LiveMetrics } from "../../schemas/public/api/metrics.ts";
import type { View } from "../frame/view.ts";
import { decimal, whole } from "../parts/figures.ts";

/** `metrics` null where no release is active yet. */
export function homeView(metrics: LiveMetrics | null): View {
  return {
    title: "SHARE",
    description: "How well scientific datasets have been shared: a score for each, every point explained.",
    twin: "/metrics/live",
    body: html`<h1>How well has a dataset been shared?</h1>
<p class="lead">SHARE gives each dataset a score from 0 to 100, says where every point comes from, and what its depositor can do next.</p>
<form class="find" action="/find" role="search"><div class="row"><div class="grow"><label for="q">Find a dataset or a researcher</label><p class="hint" id="q-hint">A DOI, an accession number, an address, an ORCID iD, a title or a name</p><input id="q" type="search" name="q" aria-describedby="q-hint" maxlength="2048" autocomplete="off"></div><button>Find</button></div></form>
<p>Not deposited yet? <a href="/check#draft">Check a draft</a> before you publish it.</p>
${metrics === null ? html`<div class="note"><p>No release has been published here yet.</p></div>` : figures(metrics)}
<h2>How a score comes about</h2>
<ol class="five">
<li>We read what a repository publishes about a dataset: its description, not its data.</li>
<li>We ask <a href="/signals">25 questions</a> that can be answered yes or no, such as: is there a licence? Is a method described?</li>
<li>Each yes is four points. There are five questions for each letter of SHARE: Stewardship, Harmonization, Access, Reusability and Engagement.</li>
<li>What a repository has no place for, or did not tell us, is never held against the dataset. That is why the highest score it allows stands beside each score.</li>
<li>Everything is published, so that <a href="/history">anyone can check it</a>, to the last point.</li>
</ol>
<h2>For researchers</h2>
<p>Find yourself by your ORCID iD in the box above. You can <a href="/me">claim your page</a>, put a badge on your own, or have yourself <a href="/privacy">hidden</a>.</p>`,
  };
}

function figures({ totalRecords, meanShareScore, meanCap, repositoryCount, totalAuthors }: LiveMetrics) {
  return html`<ul class="figures"><li><b>${whole(totalRecords)}</b> <a href="/datasets">datasets</a></li><li><b>${decimal(meanShareScore)}</b> average score, where ${decimal(meanCap)} was possible</li><li><b>${whole(repositoryCount)}</b> <a href="/repositories">repositories</a></li><li><b>${whole(totalAuthors)}</b> <a href="/researchers">researchers</a></li></ul>`;
}
