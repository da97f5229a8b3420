/**
 * Views of all repositories and of one repository: average scores beside average possible points, signals, and which signals
 * its sources support.
 */

import { listRepositories } from "../../api-static/pages/metrics.ts";
import { computeExactMean, DATASET_TIERS, datasetTier } from "../../api-static/pages/numbers.ts";
import type { Crosswalk, SignalImprovements } from "../../schemas/public/api/improvements.ts";
import type { LiveMetrics, RepositoryFigures } from "../../schemas/public/api/metrics.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { HarvestScope } from "../../schemas/public/harvest-scope.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import type { Movement, PastFigures } from "../../schemas/public/site/queries.ts";
import {
  averageMeter,
  colourKey,
  type PointSums,
  type Prevalence,
  prevalenceBar,
  prevalenceText,
  stackedBar,
  sumPoints,
} from "../components/bars.ts";
import { type BucketSums, bucketProfile } from "../components/bucket-profile.ts";
import { csvLink } from "../components/csv.ts";
import { distributionChart, isolated } from "../components/distribution.ts";
import type { View } from "../components/document.ts";
import { averageText, countText, integer, percent, timeElement } from "../components/figures.ts";
import { crosswalkSection, improvementParts } from "../components/improvements.ts";
import {
  averageCell,
  averageFigure,
  averageShareCell,
  averageTier,
  changeCells,
  changeColumn,
  earlierIfChanged,
  MIN_AVERAGED,
  type OverTime,
  roundMean,
} from "../components/list-columns.ts";
import { largestList, movementSentences } from "../components/movement.ts";
import { addQuery, addRubric, underVersion, versionNote } from "../components/navigation.ts";
import { recordRows } from "../components/record-rows.ts";
import { saveButton } from "../components/saving.ts";
import { sourceCell } from "../components/scopes.ts";
import { comparePath, compareSelected, selectBox } from "../components/selecting.ts";
import { averageBuckets, pictureAverage } from "../components/share-picture.ts";
import { shellText, snippet, snippets } from "../components/snippets.ts";
import { yesOrNo } from "../components/state-words.ts";
import { numberColumn, table } from "../components/table.ts";
import { trendChart } from "../components/trend.ts";
import { type YearFigures, yearsChart } from "../components/years.ts";
import { type Html, html } from "../html.ts";
import { changesFeedPath } from "./changes-feed.ts";

/** Number of rows that the style of a long table shows until the user opens the rest. */
const MAX_OPEN = 20;

/** Figures that the list of repositories has beside those of the API. */
interface RepositoriesBeside extends OverTime {
  /** The points of each repository by its name. */
  readonly sums: ReadonlyMap<string, PointSums>;
}

/** The sums of a repository without a dataset that has a score. */
const NO_POINTS: PointSums = { scored: 0, points: 0, possible: 0 };

/**
 * Returns a table of repositories in which the user can select rows to compare. If `beside` is null, all rows are already
 * selected, and there are no columns of shares and changes.
 */
export function repositoryTable(
  all: readonly RepositoryFigures[],
  version: PublicVersion,
  beside: RepositoriesBeside | null,
): Html {
  const isSelected = beside === null;
  const figures = all.map(
    ({ repository, count, totalDistribution }) =>
      [repository, { datasets: count, mean: computeExactMean(totalDistribution) }] as const,
  );
  const before = earlierIfChanged(figures, beside?.before ?? null);
  const now = new Map(figures);
  const rows = all
    .toSorted((one, other) => other.count - one.count)
    .map(({ repository, count, scoredCount, meanScore, meanCap }, i) => [
      html`${all.length < 2 ? null : selectBox("repository", repository, `label-${i}`, isSelected)}<a href="${underVersion(`/repositories/${encodeURIComponent(repository)}`, version)}" id="label-${i}"><bdi>${repository}</bdi></a>`,
      integer(count),
      averageCell(meanScore, meanCap, scoredCount),
      ...(beside === null ? [] : [averageShareCell(beside.sums.get(repository) ?? NO_POINTS)]),
      ...changeCells(repository, now.get(repository), before),
    ]);
  return html`${table(
    "Repositories by number of datasets. The mark in a bar is the possible average.",
    [
      // A long column keeps the table wide without the columns of shares and changes.
      { name: "Repository", isLong: isSelected },
      { name: "Datasets", isNumber: true },
      { name: "Average score", isNumber: true },
      ...(beside === null ? [] : [{ name: "Share", isNumber: true }]),
      ...changeColumn(before),
    ],
    rows,
    true,
  )}${all.length > MAX_OPEN ? html`<details class="rest"><summary>All ${countText(all.length, "repository", "repositories")}</summary></details>` : null}${all.length < 2 ? null : compareSelected("repository", version)}`;
}

export function repositoriesView(metrics: LiveMetrics, version: PublicVersion, beside: RepositoriesBeside): View {
  const query = addRubric({}, version);
  const all = listRepositories(metrics);
  return {
    title: "Repositories",
    description: "The average score of the datasets in each repository, beside the average that is possible there.",
    apiPath: `/metrics/live?rubric=${version}`,
    body: html`${repositoriesHead(all, beside, version)}
${metrics.repositoryCount < 2 ? null : html`<p class="muted">Select two to four to <a href="#compare">compare</a> them.</p>`}
${repositoryTable(all, version, beside)}
<p class="muted small">${metrics.sampling.method === "census" ? "The harvest of every source is complete." : "These figures count all harvested datasets. We do not know whether the harvest is complete."}</p>
<h2>All datasets</h2>
<div class="charts">${distributionChart({ totals: metrics.totalDistribution, place: "", mean: metrics.meanShareScore, query })}${yearsChart({ years: addYears(beside.groups), place: "", query })}</div>`,
  };
}

/** Returns how many repositories are in each tier. The key explains the colours of the bars in the list. */
function repositoriesHead(
  all: readonly RepositoryFigures[],
  { sums }: RepositoriesBeside,
  version: PublicVersion,
): Html {
  const tiersOf = all.flatMap(({ repository }) => {
    const { points, possible, scored } = sums.get(repository) ?? NO_POINTS;
    return scored < MIN_AVERAGED ? [] : datasetTier(points, possible);
  });
  const tiers = DATASET_TIERS.map(({ name, from }) => ({
    kind: name,
    value: tiersOf.filter((tier) => tier.name === name).length,
    words: from === 0 ? name : `${name}, from ${from} %`,
  })).filter(({ value }) => value > 0);
  const low = tiersOf.filter(({ from }) => from < MIN_FAIR).length;
  const head = html`<h1>Repositories</h1>
${versionNote(version, "/repositories")}`;
  if (tiersOf.length === 0)
    return html`${head}<p class="lead">Averages are shown from ${MIN_AVERAGED} datasets with a score, and no repository here has as many.</p>`;
  return html`<div class="beside"><div>${head}
<p class="lead"><strong>${integer(low)} of ${countText(tiersOf.length, "repository", "repositories")}</strong> with at least ${MIN_AVERAGED} scores ${tiersOf.length === 1 ? "reaches" : "reach"} less than ${MIN_FAIR} % of the points that are possible there, on average.</p>
<p>Repositories allow different scores: datasets cannot describe their methods if the repository has no field for them. So compare the shares of the possible score.</p></div>
<div class="panel"><p><strong>By share of the possible score</strong></p>
${stackedBar(tiers, tiersOf.length)}
${colourKey(tiers.map(({ kind, value, words }) => [kind, `${integer(value)} ${words}`] as const))}</div></div>`;
}

/** The share in percent from which an average is fair. */
const MIN_FAIR = 40;

/** Returns the figures of each year, added up over all groups. */
function addYears(groups: OverTime["groups"]): YearFigures[] {
  const all = [...groups.values()].flatMap(({ years }) => years);
  return [...Map.groupBy(all, ({ year }) => year)].map(([year, same]) => {
    const sum = (of: (each: (typeof same)[number]) => number) => same.reduce((total, each) => total + of(each), 0);
    const scoredCount = sum(({ mean }) => mean.count);
    const meanScore = roundMean({ sum: sum(({ mean }) => mean.sum), count: scoredCount });
    return { year, datasets: sum(({ datasets }) => datasets), scoredCount, meanScore };
  });
}

/** A source, with a description of how its metadata show each signal. */
export interface PledgedSource {
  readonly source: string;
  readonly name: string;
  readonly homepage: string;
  readonly attestation: string;
  readonly signals: readonly {
    readonly id: string;
    readonly name: string;
    readonly supported: boolean;
    /** Where and how a depositor enters the value of the signal, or why this is not possible. */
    readonly words: string;
  }[];
}

/** How current and how complete the harvested records of one source are. */
interface SourceCurrency {
  readonly source: string;
  /** The parts of the source that were harvested; empty if the whole source was. */
  readonly scopes: readonly HarvestScope[];
  readonly expected: number | null;
  readonly harvested: number | null;
  readonly newestRetrieval: string | null;
}

interface RepositoryPage {
  readonly figures: RepositoryFigures;
  readonly repairable: RepairableCount;
  /** The largest repositories with the same main source, and its name. */
  readonly peers: { readonly source: string; readonly repositories: readonly RepositoryFigures[] };
  readonly version: PublicVersion;
  readonly pledges: readonly PledgedSource[];
  readonly currency: readonly SourceCurrency[];
  /** Names of all sources. */
  readonly names: ReadonlyMap<string, string>;
  readonly improvements: SignalImprovements;
  readonly crosswalk: Crosswalk;
  readonly prevalence: readonly Prevalence[];
  readonly best: readonly RecordRow[];
  /** The points of the buckets in the repository, and in comparable datasets. */
  readonly buckets: { readonly own: BucketSums; readonly others: BucketSums; readonly othersWords: string };
  /** The figures of the repository in each release, the oldest first, the current one last. */
  readonly trend: readonly PastFigures[];
  /** The changes of the repository's datasets; null for the first release, and if no dataset changed. */
  readonly movement: Movement | null;
  readonly origin: string;
}

export function repositoryView(page: RepositoryPage): View {
  const { figures, version, origin } = page;
  const { repository, count, scoredCount, meanScore, meanCap } = figures;
  const sums = sumPoints(page.prevalence);
  const isFew = scoredCount < MIN_AVERAGED;
  const label = encodeURIComponent(repository);
  return {
    title: repository,
    description: `${countText(count, "dataset")}${isFew ? "" : `, an average score of ${averageText(meanScore, meanCap)}`}.`,
    apiPath: underVersion(`/repositories/${label}/improvements`, version),
    canonical: `/repositories/${label}`,
    feed: changesFeedPath(`/repositories/${label}`),
    picture: {
      title: repository,
      ...pictureAverage({ datasets: scoredCount, meanScore, meanCap, buckets: averageBuckets(page.buckets.own) }),
      foot: null,
    },
    body: html`<p class="crumbs"><a href="${underVersion("/repositories", version)}">Repositories</a></p>
<h1 dir="auto">${repository}</h1>
${versionNote(version, `/repositories/${label}`)}
<ul class="figures"><li><b>${integer(count)}</b> ${count === 1 ? "dataset" : "datasets"}${scoredCount === count ? null : `, ${integer(scoredCount)} with a score`}</li>${isFew ? null : html`<li>${averageFigure(meanScore, meanCap)} average score</li><li><b>${percent(sums.points, sums.possible)}</b> ${averageTier(sums)} of the possible points</li>`}</ul>
${isFew ? html`<p>With fewer than ${MIN_AVERAGED} scores, an average would say little.</p>` : averageMeter(meanScore, meanCap)}
${possibleBySource(page)}${isFew ? bestPart(page) : charts(page)}
<h2 id="fix">Signals to fix first</h2>
${improvementParts(page.improvements, page.names, "repository")}
${repairsNote(repository, page.repairable)}
${overTime(page)}
${isFew ? null : html`${peerSection(page)}${bestPart(page)}`}<h2>Signals and sources</h2>
<p>If a source of metadata has no field for a signal, no dataset read through it gets the points, and fewer points are possible.</p>
${
  isFew
    ? null
    : html`<details><summary>Share of datasets with each signal</summary>${prevalenceTable(page)}</details>
`
}${page.pledges.map(pledged)}
<details><summary>Last harvest of each source</summary>${currencyTable(page)}</details>
${crosswalkSection(page.crosswalk, page.names)}<h2>Follow and download</h2>
<p>Follow <a href="${changesFeedPath(`/repositories/${label}`)}">the feed of this repository</a><span data-server>, or save it to your account and switch emails on there. Download ${csvLink(addRubric({ repository }, version), "all datasets with their signals as CSV")}, or the figures of this page <a href="${underVersion(`/repositories/${label}/improvements`, version)}">as JSON</a></span>.</p>
<div class="actions">${saveButton({
      field: { repository },
      save: "save-repository",
      remove: "unsave-repository",
      id: repository,
      find: { path: "/account/saved-repositories?limit=100", value: repository },
    })}<a class="button quiet" href="${comparePath("repository", [repository], version)}">Compare</a></div>
<h2>Badge</h2>
${snippets({ origin, version, page: `/repositories/${label}`, badge: `SHARE average ${averageText(meanScore, meanCap)}` })}`,
  };
}

/** Returns the datasets with the highest scores; of a small repository, all of them. */
function bestPart({ figures, best, version }: RepositoryPage): Html {
  const { repository, count } = figures;
  const all = addQuery("/datasets", addRubric({ repository }, version));
  const isWhole = count <= best.length;
  return html`<h2>${isWhole ? (count === 1 ? "The dataset and its score" : "The datasets and their scores") : "Datasets with the highest scores"}</h2>
${recordRows(
  best.map((row) => ({ ...row, repository: null })),
  version,
)}
${isWhole ? null : html`<p><a href="${all}">All datasets of this repository</a></p>`}
`;
}

function charts({ figures, version, buckets }: RepositoryPage): Html {
  const { repository, totalDistribution, meanScore } = figures;
  const place = `in ${isolated(repository)}`;
  const query = addRubric({ repository }, version);
  return html`<div class="charts">${distributionChart({ totals: totalDistribution, place, mean: meanScore, query })}${bucketProfile({ ...buckets, ownWords: `the datasets ${place}` })}</div>`;
}

/** Returns the charts by year and release, and the changes of the last release; null if there are none. */
function overTime(page: RepositoryPage): Html | null {
  const { figures, version, improvements, trend } = page;
  const { repository } = figures;
  const place = `in ${isolated(repository)}`;
  const past = trend.map((release) => ({
    ...release,
    value: release.meanScore,
    exact: computeExactMean(release.totalDistribution),
    cap: release.meanCap,
    datasets: release.count,
  }));
  const isFew = figures.scoredCount < MIN_AVERAGED;
  const drawn = [
    isFew ? null : yearsChart({ years: improvements.data.years, place, query: addRubric({ repository }, version) }),
    isFew
      ? null
      : trendChart({
          id: "trend",
          past,
          whose: `The average of the datasets ${place}`,
          basis: "Average of all scored datasets of a release.",
        }),
  ].filter((each) => each !== null);
  const changes = changesSection(page);
  if (changes === null && drawn.length === 0) return null;
  return html`<h2>Over time</h2>
${drawn.length === 0 ? null : html`<div class="charts">${drawn}</div>\n`}${changes}`;
}

/** Describes facts in the wrong field of the metadata, by the column of evidence that would count them in the right field. */
const MISPLACED: Readonly<Record<string, string>> = {
  reference_pid_count: "the identifier of a cited work in a text",
  linked_code_count: "the address of code in a text",
  award_count: "the number of an award in a text",
  funder_count: "a funder among the contributors",
  keyword_count: "several keywords in one entry",
  license_text: "a licence in a text",
};

/** Maximum number of datasets in the files of repairs, because a request makes the files in memory. */
export const MAX_REPAIRED = 5000;

/** The number of datasets in a repository that have facts in the wrong field. */
export interface RepairableCount {
  readonly datasets: number;
  /** The number of datasets for each column of evidence, the most frequent first. */
  readonly byEvidence: readonly { readonly evidence: string; readonly datasets: number }[];
}

/**
 * Returns a section on how to repair the datasets; null if there is nothing to repair. A release does not store complete
 * metadata, so the files of the site can only add entries. The command reads the harvested metadata, and can also replace
 * entries.
 */
function repairsNote(repository: string, { datasets, byEvidence }: RepairableCount): Html | null {
  if (datasets === 0) return null;
  const path = `/repositories/${encodeURIComponent(repository)}`;
  return html`<details><summary>${countText(datasets, "dataset")} can be repaired without asking anybody</summary><p>Their metadata contain facts in the wrong place:</p>
<ul>${byEvidence.map(({ evidence, datasets: some }) => html`<li>${countText(some, "dataset")}: ${MISPLACED[evidence] ?? evidence}</li>`)}</ul>
${
  datasets > MAX_REPAIRED
    ? html`<p>The two files below have the first ${integer(MAX_REPAIRED)} of them; the command has all.</p>
`
    : null
}<ol><li>Read what changes: <a href="${path}/repairs.csv">the CSV file has each fact with its field</a>.</li>
<li>Download <a href="${path}/updates.jsonl">the updates</a>, with a line for each dataset. A line lists the entries to add, for example a related work, in the format of the repository.</li>
<li>Awards and names with an ORCID iD need the rest of the entry too. If you have the harvested metadata, or the operator of this site has, this command writes complete updates:${snippet("Command", `share-release fix --repository=${shellText(repository)} --output updates`)}</li>
<li>Send the updates to your repository. This program never does. The next release shows the effect on this page.</li></ol></details>`;
}

/** Returns a sentence on the possible points for each source of the metadata; null if the repository has only one source. */
function possibleBySource({ figures, pledges }: RepositoryPage): Html | null {
  if (figures.bySource.length < 2) return null;
  const parts = figures.bySource
    .toSorted((one, other) => other.count - one.count)
    .flatMap(({ source, count }) => {
      const pledge = pledges.find((each) => each.source === source);
      const supported = pledge?.signals.filter((signal) => signal.supported).length ?? 0;
      return pledge === undefined
        ? []
        : [`${integer(count)} through ${pledge.name}, up to ${POINTS_PER_SIGNAL * supported} points`];
    });
  return html`<p>The possible score depends on the service that we read the metadata from: ${parts.join("; ")}.</p>\n`;
}

/** Returns a comparison with other repositories whose main source is the same. Null if there are none. */
function peerSection({ figures, peers, version }: RepositoryPage): Html | null {
  if (peers.repositories.length === 0) return null;
  return html`<h2 id="peers">Beside repositories with the same source</h2>
<p>Their metadata come from ${peers.source} too, so the same fields are available. Compare an average with the average that is possible.</p>
${table(
  `This repository and the largest others with metadata from ${peers.source}`,
  [
    "Repository",
    numberColumn("Datasets"),
    numberColumn("Average score"),
    { name: "Average and possible", isBar: true },
  ],
  [figures, ...peers.repositories].map((each) => [
    each === figures
      ? html`<strong><bdi>${each.repository}</bdi></strong>`
      : html`<a href="${underVersion(`/repositories/${encodeURIComponent(each.repository)}`, version)}"><bdi>${each.repository}</bdi></a>`,
    integer(each.count),
    averageText(each.meanScore, each.meanCap),
    averageMeter(each.meanScore, each.meanCap),
  ]),
)}
`;
}

function prevalenceTable({ prevalence, pledges, version }: RepositoryPage): Html {
  const names = new Map(pledges.flatMap(({ signals }) => signals.map(({ id, name }): [string, string] => [id, name])));
  return table(
    "Share of the datasets that have each signal, of those that could be judged, with 95 % intervals",
    [{ name: "Signal" }, { name: "Share and interval", isBar: true }, { name: "Datasets that have it" }],
    prevalence.map((each) => [
      html`<a href="${underVersion(`/signals/${each.signal}`, version)}">${each.signal} ${names.get(each.signal) ?? null}</a>`,
      prevalenceBar(each),
      prevalenceText(each),
    ]),
  );
}

function pledged({ name, homepage, attestation, signals }: PledgedSource): Html {
  const can = signals.filter(({ supported }) => supported).length;
  return html`<details><summary><span class="name">Metadata from ${name}</span> ${can} of 25 signals</summary><p>${attestation}</p><p><a href="${homepage}" rel="external">${homepage}</a></p>${table(
    `Signals in ${name}`,
    [{ name: "Signal" }, { name: "Possible, and where?" }],
    signals.map(({ id, name: signal, supported, words }) => [`${id} ${signal}`, yesOrNo(supported, words)]),
  )}</details>`;
}

/** Returns a table of the last harvest of each source. A count that is not known for any source has no column. */
function currencyTable({ currency, names }: RepositoryPage): Html {
  const counts = (["expected", "harvested"] as const).filter((name) => currency.some((each) => each[name] !== null));
  const heads = { expected: "Expected", harvested: "Harvested" };
  return table(
    counts.length === 0 ? "Last harvest by source" : "Last harvest by source, with counts of all its repositories",
    ["Source", ...counts.map((name) => numberColumn(heads[name])), "Last harvest"],
    currency.map((each) => [
      sourceCell(names.get(each.source) ?? each.source, each.scopes),
      ...counts.map((name) => integer(each[name])),
      timeElement(each.newestRetrieval),
    ]),
  );
}

function changesSection({ movement, figures, version }: RepositoryPage): Html | null {
  if (movement === null) return null;
  const { releaseDigest } = movement;
  return html`<h3>Changes in the last release</h3>
<p>${movementSentences(movement).join(" ")}</p>
<details><summary>Largest changes, with causes</summary>${largestList(movement, "")}</details>
<p><a href="${addQuery(`/releases/${releaseDigest.replace(":", "-")}/changes`, addRubric({ repository: figures.repository }, version))}">All changes of this repository as JSON</a> · <a href="/history/latest">changes of all datasets</a></p>`;
}
