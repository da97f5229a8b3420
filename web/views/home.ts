/** The home page of the site, and the start page of a server or a static copy without the site. */

import { API_VERSION, SUMMARY, TITLE } from "../../api-static/openapi/operation.ts";
import type { LiveMetrics } from "../../schemas/public/api/metrics.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { audiences } from "../components/audiences.ts";
import { bucketBars } from "../components/bars.ts";
import { HOME_TITLE, standaloneDocument, standaloneMain, type View } from "../components/document.ts";
import { averageText, hundredths, integer, UNKNOWN } from "../components/figures.ts";
import { findForm } from "../components/forms.ts";
import { addQuery } from "../components/navigation.ts";
import { datasetName } from "../components/record-rows.ts";
import { bucketPoints, type NextStep } from "../components/signals.ts";
import { explain } from "../components/terms.ts";
import { type Html, html } from "../html.ts";

/** The content of the home view from the active release. */
export interface HomePage {
  readonly metrics: LiveMetrics;
  /** The datasets of the site, if a source was harvested in part; otherwise null. */
  readonly covered: string | null;
  /** A dataset with its next steps; null if no dataset has a score. */
  readonly example: { readonly record: RecordDetail; readonly steps: readonly NextStep[] } | null;
  /** Texts to search for, which have results. */
  readonly searches: readonly string[];
  /** Number of researchers with an ORCID iD. */
  readonly withOrcid: number;
}

/** `page` is null if no release is active. */
export function homeView(page: HomePage | null): View {
  return {
    title: HOME_TITLE,
    description: "How well scientific datasets are shared: a score for each dataset, with each point explained.",
    apiPath: "/metrics/live",
    body: html`<div class="hero"><div><h1>How well has a dataset been shared?</h1>
<p class="lead">SHARE gives each dataset a score from 0 to 100, explains every point, and shows what its depositor can do next.</p>
${findForm("A DOI, an accession number, a URL, an ORCID iD, a title or a name")}
${page === null ? null : searchLinks(page.searches)}
${page === null || page.covered === null ? null : html`<p>${page.covered}</p>\n`}<p>Not deposited yet? <a href="/check#draft">Check a draft</a> before you publish it.</p></div>
${page === null ? html`<div class="note"><p>This site has no release yet.</p></div>` : renderExample(page)}</div>
${page === null ? null : figures(page)}
<h2>For whom</h2>
${audiences()}
<h2>How a dataset is scored</h2>
<div class="beside"><ol class="five">
<li>We read the metadata that a repository publishes about a dataset. We do not read the data.</li>
<li>We ask <a href="/signals">25 yes-or-no questions</a>. For example: is there a licence? Are the methods described?</li>
<li>Each yes is four points. There are five questions for each letter of SHARE: Stewardship, Harmonization, Access, Reusability and Engagement.</li>
<li>If a repository has no field for something, no dataset there gets these points. We therefore show the highest possible score beside each score, for example <a href="/help#a-worked-example">48 of 60</a>.</li>
<li>We publish all evidence and rules, so that <a href="/history">you can verify every point</a>.</li>
</ol>
${page === null ? null : average(page.metrics)}</div>`,
  };
}

function searchLinks(searches: readonly string[]): Html | null {
  if (searches.length === 0) return null;
  return html`<p data-server>For example: ${searches.map((text, i) => html`${i === 0 ? "" : ", "}<a href="${addQuery("/find", { q: text })}"><bdi>${text}</bdi></a>`)}</p>`;
}

/** Returns the score of the example, and its first step. */
function renderExample({ example }: HomePage): Html | null {
  if (example === null || example.record.score === null) return null;
  const { record, steps } = example;
  const [first] = steps
    .filter(({ points }) => points !== null)
    .toSorted((one, other) => (other.points ?? 0) - (one.points ?? 0));
  return html`<div class="panel"><h2>Example: <a href="/datasets/${record.id}" dir="auto">${datasetName(record)}</a></h2>
<p><span class="big">${example.record.score.total}</span> of ${record.cap} possible points${explain("cap")}${record.repository === null ? null : html` in <bdi>${record.repository}</bdi>`}</p>
${bucketBars(bucketPoints(record))}
${
  first === undefined
    ? null
    : html`<p class="small">Next step: <a href="/datasets/${record.id}#next">${first.signals.map(({ name }) => name).join(", ")}</a> (+${first.points ?? 0} points)</p>`
}</div>`;
}

/** Returns the mean score and the means of the five buckets, each of twenty points. */
function average(metrics: LiveMetrics): Html {
  const { meanStewardship: S, meanHarmonization: H, meanAccess: A, meanReusability: R, meanEngagement: E } = metrics;
  return html`<div class="panel"><h3>The average dataset: <data value="${metrics.meanShareScore ?? ""}">${averageText(metrics.meanShareScore, metrics.meanCap)}</data></h3>
${bucketBars({ S, H, A, R, E })}
<p class="small muted">Each letter of SHARE has 20 points. A repository without a field for a signal allows fewer than 100 points: ${hundredths(metrics.meanCap)} on average.</p></div>`;
}

function figures({ metrics, withOrcid }: HomePage): Html {
  const { totalRecords, repositoryCount, totalAuthors, pctAbove70 } = metrics;
  return html`<ul class="figures"><li><b>${integer(totalRecords)}</b> <a href="/datasets">datasets</a></li><li><b>${integer(repositoryCount)}</b> <a href="/repositories">repositories</a></li><li><b>${integer(totalAuthors)}</b> <a href="/researchers">researchers</a>, ${integer(withOrcid)} with an ORCID iD</li><li><b>${pctAbove70 === null ? UNKNOWN : `${hundredths(pctAbove70)} %`}</b> of the datasets score <a href="/datasets?minScore=70">70 or more</a></li></ul>`;
}

/** Links of the start page without the site, most useful first. */
const START_LINKS = [
  { path: "/docs", name: "Reference", about: "Look up a dataset, embed a badge, get a key, download a release." },
  {
    path: "/records?sortBy=score&sortOrder=desc",
    name: "Datasets",
    about: "Most points first. Each row has the highest possible score.",
  },
  { path: "/authors", name: "Researchers", about: "By name." },
  { path: "/metrics/live", name: "Metrics", about: "Figures of all datasets together." },
  { path: "/rubrics", name: "Rubrics", about: "The 25 questions of a score, and their rules." },
  { path: "/releases", name: "Releases", about: "Immutable releases to download and verify." },
  { path: "/status", name: "Status", about: "Currency and completeness of each source." },
  { path: "/openapi.json", name: "OpenAPI", about: "The API description for code generators." },
] as const;

/**
 * Returns the start page of a server without the site, or of a static host. On a static host, `findHref` returns the link
 * for a path (without its first slash) and its query, or null if there is no such file.
 */
export function frontPage(shareVersion: string, findHref: ((path: string) => string | null) | null = null): string {
  const links = START_LINKS.flatMap(({ path, ...rest }) => {
    const href = findHref === null ? path : findHref(path.slice(1).replace(/\?.*/, ""));
    return href === null ? [] : [{ ...rest, href }];
  });
  return standaloneDocument({
    title: TITLE,
    description: SUMMARY,
    body: standaloneMain(html`<h1>${TITLE}</h1>
<p class="lead">${SUMMARY}</p>
<ul class="links">${links.map(
      ({ href, name, about }) => html`<li><a href="${href}">${name}</a> <span>${about}</span></li>\n`,
    )}</ul>
<footer>API ${API_VERSION} · SHARE ${shareVersion}. Programs receive JSON from this URL.</footer>`),
  });
}
