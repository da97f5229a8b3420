/** The first page: of the site, with one box that leads to the right place, and of a server or a copy without the site. */

import { API_VERSION, SUMMARY, TITLE } from "../../api-static/openapi/operation.ts";
import type { LiveMetrics } from "../../schemas/public/api/metrics.ts";
import { bucketBars } from "../components/bars.ts";
import { mainAlone, standaloneDocument, type View } from "../components/document.ts";
import { decimal, whole } from "../components/figures.ts";
import { findForm } from "../components/forms.ts";
import { type Html, html } from "../html.ts";

/** `metrics` null where no release is active yet. */
export function homeView(metrics: LiveMetrics | null): View {
  return {
    title: "SHARE",
    description: "How well scientific datasets have been shared: a score for each, every point explained.",
    twin: "/metrics/live",
    body: html`<div class="hero"><div><h1>How well has a dataset been shared?</h1>
<p class="lead">SHARE gives each dataset a score from 0 to 100, says where every point comes from, and what its depositor can do next.</p>
${findForm("A DOI, an accession number, an address, an ORCID iD, a title or a name")}
<p>Not deposited yet? <a href="/check#draft">Check a draft</a> before you publish it.</p></div>
${metrics === null ? html`<div class="note"><p>No release has been published here yet.</p></div>` : average(metrics)}</div>
${metrics === null ? null : figures(metrics)}
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

/** The five parts of an average dataset, each of twenty points. */
function average(metrics: LiveMetrics): Html {
  const { meanStewardship: S, meanHarmonization: H, meanAccess: A, meanReusability: R, meanEngagement: E } = metrics;
  return html`<div class="panel"><h2>The average dataset: <data value="${metrics.meanShareScore ?? ""}">${decimal(metrics.meanShareScore)}</data> of 100</h2>
${bucketBars({ S, H, A, R, E }, decimal)}
<p class="small muted">Points of 20 for each letter of SHARE. What repositories have room for would allow ${decimal(metrics.meanCap)} on average.</p></div>`;
}

function figures({ totalRecords, repositoryCount, totalAuthors, pctAbove70 }: LiveMetrics): Html {
  return html`<ul class="figures"><li><b>${whole(totalRecords)}</b> <a href="/datasets">datasets</a></li><li><b>${whole(repositoryCount)}</b> <a href="/repositories">repositories</a></li><li><b>${whole(totalAuthors)}</b> <a href="/researchers">researchers</a></li><li><b>${pctAbove70 === null ? "not known" : `${decimal(pctAbove70)} %`}</b> of the datasets score <a href="/datasets?minScore=70">70 or more</a></li></ul>`;
}

/** Endpoints worth a click, best first. */
const BEGINNINGS = [
  { path: "/docs", name: "Reference", about: "Look up a dataset, embed a badge, get a key, download a release." },
  { path: "/records?sortBy=score&sortOrder=desc", name: "Datasets", about: "The best-shared ones first." },
  { path: "/authors?sortBy=sIndex&sortOrder=desc", name: "Researchers", about: "By their S-Index." },
  { path: "/metrics/live", name: "Metrics", about: "Figures of the whole platform." },
  { path: "/rubrics", name: "Rubrics", about: "The questions that are scored, and the rules they are scored by." },
  { path: "/releases", name: "Releases", about: "Everything, immutable, to download and to verify." },
  { path: "/status", name: "Status", about: "How old and how whole each source is." },
  { path: "/openapi.json", name: "OpenAPI", about: "This API for programs that write programs." },
] as const;

/**
 * The root without the site, on a server of the API alone or a static host. `hrefOf`: on a static host, the link to a path
 * without its first slash and its query; null if nothing answers there.
 */
export function frontPage(shareVersion: string, hrefOf: ((path: string) => string | null) | null = null): string {
  const beginnings = BEGINNINGS.flatMap(({ path, ...rest }) => {
    const href = hrefOf === null ? path : hrefOf(path.slice(1).replace(/\?.*/, ""));
    return href === null ? [] : [{ ...rest, href }];
  });
  return standaloneDocument({
    title: TITLE,
    description: SUMMARY,
    body: mainAlone(html`<h1>${TITLE}</h1>
<p class="lead">${SUMMARY}</p>
<ul class="links">${beginnings.map(
      ({ href, name, about }) => html`<li><a href="${href}">${name}</a> <span>${about}</span></li>\n`,
    )}</ul>
<footer>API ${API_VERSION} · SHARE ${shareVersion}. Programs get JSON here.</footer>`),
  });
}
