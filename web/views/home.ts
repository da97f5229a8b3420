/** The home page of the site, and the start page of a server or a static copy without the site. */

import { API_VERSION, SUMMARY, TITLE } from "../../api-static/openapi/operation.ts";
import { computeExactMean } from "../../api-static/pages/numbers.ts";
import type { RecordChange, ReleaseDiff } from "../../schemas/public/api/diff.ts";
import type { LiveMetrics } from "../../schemas/public/api/metrics.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { BucketId } from "../../schemas/public/signal.ts";
import { bucketBars, meter } from "../components/bars.ts";
import { distributionChart } from "../components/distribution.ts";
import { HOME_TITLE, standaloneDocument, standaloneMain, type View } from "../components/document.ts";
import { averageText, hundredths, integer, plural, publishedPercent } from "../components/figures.ts";
import { FIND_BOX } from "../components/forms.ts";
import { MIN_AVERAGED } from "../components/list-columns.ts";
import { addQuery } from "../components/navigation.ts";
import { datasetName } from "../components/record-rows.ts";
import { findTier } from "../components/score.ts";
import { pictureAverage, type SharePicture } from "../components/share-picture.ts";
import { Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";

/** The content of the home view from the active release. */
export interface HomePage {
  readonly metrics: LiveMetrics;
  /** The averages of the possible points of each bucket. */
  readonly bucketCaps: Readonly<Record<BucketId, number | null>>;
  /** The datasets that the site covers, if a source was harvested in part; otherwise null. */
  readonly covered: string | null;
  /** A dataset with its score, as an example below the first question; null if no dataset has a score. */
  readonly example: RecordDetail | null;
  /** Number of researchers with an ORCID iD. */
  readonly withOrcid: number;
  /** Numbers of institutions as reported, and of funders; null if the release does not have them. */
  readonly institutions: number | null;
  readonly funders: number | null;
  /** The changes of the release; null if it was built without a comparison. */
  readonly diff: ReleaseDiff | null;
}

/** Returns the home view. `page` is null if no release is active. */
export function homeView(page: HomePage | null): View {
  return {
    title: HOME_TITLE,
    description: t("How well scientific datasets are shared: a score for each dataset, with each point explained."),
    apiPath: "/metrics/live",
    ...(page === null ? {} : { picture: pictureHome(page.metrics) }),
    body: html`<div class="hero"><h1>How well are datasets shared?</h1>
<p class="lead">SHARE gives each dataset a score from 0 to 100, explains every point, and shows what its depositor can do next.</p>
${page === null || page.covered === null ? null : html`<p>${page.covered}</p>\n`}<div class="thirds">${questions(page)}</div></div>
${page === null ? html`<div class="note"><p>This site has no release yet.</p></div>${scoring()}` : release(page)}`,
  };
}

function pictureHome(metrics: LiveMetrics): SharePicture {
  const { totalDistribution, meanShareScore, meanCap } = metrics;
  const datasets = computeExactMean(totalDistribution).count;
  return {
    title: t("How well are datasets shared?"),
    ...pictureAverage({ datasets, meanScore: meanShareScore, meanCap, buckets: bucketMeans(metrics) }),
    foot: null,
  };
}

/** Returns the average points of each bucket. */
function bucketMeans(metrics: LiveMetrics) {
  const { meanStewardship: S, meanHarmonization: H, meanAccess: A, meanReusability: R, meanEngagement: E } = metrics;
  return { S, H, A, R, E };
}

const scoring = () => html`<section><h2>How a dataset is scored</h2>
<ol class="five">
<li>We read the metadata that a repository publishes, not the data.</li>
<li>We ask <a href="/signals">25 yes-or-no questions</a>, five for each letter. Each yes is four points.</li>
<li>If a repository has no field for something, no dataset there gets these points. So we show the possible points beside each score, for example <a class="nowrap" href="/help#a-worked-example">48 of 60</a>.</li>
<li>We publish all evidence and rules, so that <a href="/history">you can verify every point</a>.</li>
</ol></section>`;

/** Returns the figures of the release, the scores of all datasets, and what changed. */
function release(page: HomePage): Html {
  const { diff, metrics } = page;
  const { totalDistribution: totals, meanShareScore: mean } = metrics;
  return html`${figures(page)}
<div class="beside"><div>${distributionChart({ totals, place: "", mean, query: {} })}
${scoring()}</div><div>${average(page)}
${diff === null ? null : lastChanges(diff)}</div></div>`;
}

/** Returns the panels with the questions that visitors have, each with one field or one button. */
function questions(page: HomePage | null): Html[] {
  const example = page?.example ?? null;
  const author = example?.authors.find(({ slug }) => slug !== null) ?? null;
  return [
    html`<section class="panel"><h2 id="ask-dataset">Is this dataset well shared?</h2>
<form class="find" action="/find" role="search" aria-labelledby="ask-dataset"><label for="q">DOI, accession number, URL or title</label><div class="row"><div class="grow"><input id="q"${new Html(FIND_BOX)}></div><button>Check</button></div></form>
${
  example?.score == null
    ? null
    : html`<p class="small">For example: <a href="/datasets/${example.id}" dir="auto">${datasetName(example)}</a>, <b>${example.score.total}</b> of ${example.cap} possible points</p>${meter(example.score.total, { most: 100, cap: example.cap, tier: findTier(example) })}`
}</section>`,
    html`<section class="panel"><h2 id="ask-researcher">What has this person shared?</h2>
<form action="/researchers" role="search" aria-labelledby="ask-researcher"><label for="f-search">Name or ORCID iD</label><div class="row"><div class="grow"><input id="f-search" name="search" type="search" maxlength="240" autocomplete="off"></div><button>Find</button></div></form>
${
  author === null
    ? null
    : html`<p class="small">For example: <a href="${addQuery("/researchers", { search: author.name })}"><bdi>${author.name}</bdi></a></p>`
}</section>`,
    html`<section class="panel"><h2>Is my draft ready to deposit?</h2>
<p>Get its score before you publish it, and the fields that would add points.</p>
<p><a class="button" href="/check#draft">Check a draft</a></p>
<p class="small">We do not store drafts.</p></section>`,
  ];
}

function figures({ metrics, withOrcid, institutions, funders }: HomePage): Html {
  const { totalRecords, repositoryCount, totalAuthors, pctAbove70 } = metrics;
  const all: readonly (readonly [path: string, figure: string, words: string])[] = [
    ["/datasets", integer(totalRecords), plural(totalRecords, "dataset", "datasets")],
    ["/datasets?minScore=70", publishedPercent(pctAbove70), t("score 70 or more")],
    ["/repositories", integer(repositoryCount), plural(repositoryCount, "repository", "repositories")],
    [
      "/researchers",
      integer(totalAuthors),
      plural(totalAuthors, "researcher, {1} with an ORCID iD", "researchers, {1} with an ORCID iD", integer(withOrcid)),
    ],
    ...(institutions === null
      ? []
      : [
          [
            "/affiliations",
            integer(institutions),
            plural(institutions, "reported institution", "reported institutions"),
          ] as const,
        ]),
    ...(funders === null ? [] : [["/funders", integer(funders), plural(funders, "funder", "funders")] as const]),
  ];
  return html`<ul class="figures">${all.map(
    ([path, figure, words]) => html`<li><a href="${path}"><b>${figure}</b> ${words}</a></li>`,
  )}</ul>`;
}

/** Number of changes that the home view names. */
const MAX_NAMED = 3;

/**
 * Returns a summary of the changes in the current release; for the first release, the datasets with the highest scores. If
 * nothing changed, returns one sentence.
 */
function lastChanges(diff: ReleaseDiff): Html {
  const { from, to, records } = diff;
  const [version] = PUBLIC_VERSIONS;
  const figures = diff.rubrics.find(({ rubric }) => rubric === version);
  const path = `/history/${to.releaseDigest.replace(":", "-")}`;
  if (from !== null && isUnchanged(diff, figures))
    return html`<p class="small"><a href="${path}">Release ${to.scoreReleaseVersion}</a> changed no scores, and no dataset was added or removed since release ${from.scoreReleaseVersion}.</p>`;
  const isKnown = ({ rubric, totalAfter }: RecordChange) => rubric === version && totalAfter !== null;
  const [heading, named] =
    from === null
      ? [t("The highest scores"), diff.added.filter(isKnown)]
      : [t("The largest changes"), diff.largest.filter((each) => isKnown(each) && each.totalBefore !== null)];
  return html`<section class="panel"><h2>Release ${to.scoreReleaseVersion}: what changed</h2>
<ul>${changeSentences(diff, figures).map((sentence) => html`<li>${sentence}</li>`)}</ul>
${
  named.length === 0
    ? null
    : html`<h3>${heading}</h3><ul class="moves">${named
        .slice(0, MAX_NAMED)
        .map(
          ({ id, title, identifier, totalBefore, totalAfter }) =>
            html`<li><a href="/datasets/${id}" dir="auto">${title ?? identifier}</a> <span>${totalBefore === null ? null : html`${totalBefore} → `}<b>${totalAfter}</b></span></li>`,
        )}</ul>`
}
<p><a href="${path}">${from === null ? plural(records.after, "The dataset of this release", "All {0} datasets of this release") : t("All changes and their causes")}</a></p></section>`;
}

/** True if the release has the datasets, the scores and the rules of the release before it. */
function isUnchanged({ records }: ReleaseDiff, figures: ReleaseDiff["rubrics"][number] | undefined): boolean {
  if (figures === undefined || figures.contractBefore !== figures.contractAfter) return false;
  return records.added + records.removed + figures.moved === 0;
}

function changeSentences({ from, records }: ReleaseDiff, figures: ReleaseDiff["rubrics"][number] | undefined): Html[] {
  if (from === null)
    return [
      html`${plural(records.after, "The first release: its only dataset is new.", "The first release: all {0} datasets are new.")}`,
    ];
  const flow = html`<b>${integer(records.added)}</b> ${plural(records.added, "dataset", "datasets")} added, ${integer(records.removed)} removed since release ${from.scoreReleaseVersion}`;
  if (figures === undefined) return [flow];
  return [
    flow,
    html`<b>${integer(figures.moved)}</b> changed: ${integer(figures.up)} up, ${integer(figures.down)} down`,
    averageSentence(figures),
  ];
}

/** Returns a sentence on the average score and its change. Averages under different rules are not compared. */
function averageSentence({
  meanBefore,
  meanAfter,
  contractBefore,
  contractAfter,
}: ReleaseDiff["rubrics"][number]): Html {
  const now = html`The average is <b>${hundredths(meanAfter)}</b>`;
  if (meanBefore === null || meanAfter === null) return now;
  if (contractBefore !== contractAfter) return html`${now} under new rules`;
  if (meanBefore === meanAfter) return html`${now}, as before`;
  return meanAfter > meanBefore
    ? html`${now}, up from ${hundredths(meanBefore)}`
    : html`${now}, down from ${hundredths(meanBefore)}`;
}

/**
 * Returns a panel with the average score, and the average points of each bucket, beside the averages of the possible points;
 * null with few scores.
 */
function average({ metrics, bucketCaps }: Pick<HomePage, "metrics" | "bucketCaps">): Html | null {
  if (computeExactMean(metrics.totalDistribution).count < MIN_AVERAGED) return null;
  const means = bucketMeans(metrics);
  const of = (bucket: BucketId) => ({ mean: means[bucket], cap: bucketCaps[bucket] });
  return html`<section class="panel"><h2>The average dataset: <data value="${metrics.meanShareScore ?? ""}">${averageText(metrics.meanShareScore, metrics.meanCap)}</data></h2>
<p class="small muted">Average points in each bucket, of the possible points (the line)</p>
${bucketBars({ S: of("S"), H: of("H"), A: of("A"), R: of("R"), E: of("E") })}</section>`;
}

/** Links on the start page of a server without the site, the most useful first. */
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
