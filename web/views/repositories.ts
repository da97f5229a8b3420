/** All repositories, each average beside its cap, and one of them: averages, signals, and what its records can carry. */

import { repositoriesOf } from "../../api-static/pages/metrics.ts";
import type { LiveMetrics, RepositoryFigures } from "../../schemas/public/api/metrics.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { meter, type Prevalence, prevalenceBar, prevalenceText } from "../components/bars.ts";
import type { View } from "../components/document.ts";
import { decimal, when, whole } from "../components/figures.ts";
import { histogram } from "../components/histogram.ts";
import { addressOf, olderVersion, underVersion } from "../components/navigation.ts";
import { recordRows } from "../components/record-rows.ts";
import { snippets } from "../components/snippets.ts";
import { table } from "../components/table.ts";
import { yesOrNo } from "../components/words.ts";
import { type Html, html } from "../html.ts";

export function repositoriesView(metrics: LiveMetrics, version: PublicVersion): View {
  const rows = repositoriesOf(metrics)
    .toSorted((one, other) => other.count - one.count)
    .map(({ repository, count, meanScore, meanCap, passedOfEvaluable }) => [
      html`<a href="${underVersion(`/repositories/${encodeURIComponent(repository)}`, version)}"><bdi>${repository}</bdi></a>`,
      whole(count),
      decimal(meanScore),
      decimal(meanCap),
      meter(meanScore, 100, meanCap),
      passedOfEvaluable === null ? "not known" : `${decimal(passedOfEvaluable)} %`,
    ]);
  return {
    title: "Repositories",
    description: "How well the datasets of each repository are shared, beside what the repository allows.",
    twin: `/metrics/live?rubric=${version}`,
    body: html`<h1>Repositories</h1>
${olderVersion(version, "/repositories")}
<p class="lead">An average is to be read beside what was possible: a repository whose form has no field for methods cannot have them.</p>
<h2>How the scores are spread</h2>
${histogram("Datasets by score", metrics.scoreDistribution)}
<h2>Each repository</h2>
${table(
  "Repositories by number of datasets",
  [
    { name: "Repository" },
    { name: "Datasets", isNumber: true },
    { name: "Average score", isNumber: true },
    { name: "Possible", isNumber: true },
    { name: "Average beside what is possible", isBar: true },
    { name: "Yes, of what could be judged", isNumber: true },
  ],
  rows,
  true,
)}
<p class="muted small">${metrics.sampling.method === "census" ? "Every source is known to have given all it holds." : "All that was harvested is counted; that this is all there is, is not known."}</p>`,
  };
}

/** One source, and the signals it can carry, in words. */
export interface PledgedSource {
  readonly source: string;
  readonly name: string;
  readonly homepage: string;
  readonly attestation: string;
  readonly signals: readonly {
    readonly id: string;
    readonly name: string;
    readonly supported: boolean;
    /** The place it is entered in and how, or why it cannot be. */
    readonly words: string;
  }[];
}

/** The state of a source: how fresh and how whole what it gave is. */
interface SourceStanding {
  readonly source: string;
  readonly expected: number | null;
  readonly got: number | null;
  readonly newestRetrieval: string | null;
}

interface RepositoryPage {
  readonly figures: RepositoryFigures;
  readonly version: PublicVersion;
  readonly pledges: readonly PledgedSource[];
  readonly standings: readonly SourceStanding[];
  readonly prevalence: readonly Prevalence[];
  /** Datasets by the eleven ranges of the score. */
  readonly distribution: Readonly<Record<string, number>>;
  readonly best: readonly RecordRow[];
  readonly moved: readonly {
    readonly source: string;
    readonly moved: number;
    readonly up: number;
    readonly down: number;
    readonly added: number;
    readonly removed: number;
  }[];
  readonly origin: string;
}

export function repositoryView(page: RepositoryPage): View {
  const { figures, version, origin } = page;
  const { repository, count, scoredCount, meanScore, meanCap } = figures;
  const label = encodeURIComponent(repository);
  return {
    title: repository,
    description: `${whole(count)} datasets, an average score of ${decimal(meanScore)} where ${decimal(meanCap)} is possible.`,
    twin: `/metrics/live?rubric=${version}`,
    canonical: `/repositories/${label}`,
    body: html`<p class="crumbs"><a href="${underVersion("/repositories", version)}">Repositories</a></p>
<h1 dir="auto">${repository}</h1>
${olderVersion(version, `/repositories/${label}`)}
<ul class="figures"><li><b>${whole(count)}</b> ${count === 1 ? "dataset" : "datasets"}, ${whole(scoredCount)} with a score</li><li><b>${decimal(meanScore)}</b> average score</li><li><b>${decimal(meanCap)}</b> is possible on average</li><li><b>${figures.passedOfEvaluable === null ? "not known" : `${decimal(figures.passedOfEvaluable)} %`}</b> yes, of what could be judged</li></ul>
${meter(meanScore, 100, meanCap)}
<h2>How the scores are spread</h2>
${histogram(`Datasets of ${repository} by score`, page.distribution)}
<h2>How common each signal is</h2>
${prevalenceTable(page)}
<h2>What its records can carry</h2>
<p>A signal that the repository has no place for is never counted as missing. This is what we read, and where it is entered.</p>
${page.pledges.map(pledged)}
<h2>How fresh and how whole</h2>
${standing(page)}
<h2>What moved in the last release</h2>
${movement(page)}
<h2>Best-shared datasets</h2>
${recordRows(page.best, 3, version)}
<p><a href="${addressOf("/datasets", version === PUBLIC_VERSIONS[0] ? { repository } : { repository, rubric: version })}">All its datasets</a></p>
<h2>Show the average</h2>
${snippets({ origin, version, page: `/repositories/${label}`, badge: `SHARE average ${decimal(meanScore)}` })}`,
  };
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
  return html`<details><summary><span class="name">As ${name} describes them</span> ${can} of 25 signals</summary><p>${attestation}</p><p><a href="${homepage}" rel="external">${homepage}</a></p>${table(
    `Signals in ${name}`,
    [{ name: "Signal" }, { name: "Can it be carried, and where?" }],
    signals.map(({ id, name: signal, supported, words }) => [`${id} ${signal}`, yesOrNo(supported, words)]),
  )}</details>`;
}

function standing({ standings }: RepositoryPage): Html {
  return table(
    "Sources of these records",
    [
      { name: "Source" },
      { name: "Says it holds", isNumber: true },
      { name: "Got", isNumber: true },
      { name: "Last asked" },
    ],
    standings.map(({ source, expected, got, newestRetrieval }) => [
      source,
      whole(expected),
      whole(got),
      when(newestRetrieval),
    ]),
  );
}

function movement({ moved }: RepositoryPage): Html {
  if (moved.length === 0) return html`<p>There is no earlier release to compare with, or nothing moved.</p>`;
  return html`${table(
    "By source, against the release before",
    [
      { name: "Source" },
      { name: "Moved", isNumber: true },
      { name: "Up", isNumber: true },
      { name: "Down", isNumber: true },
      { name: "Added", isNumber: true },
      { name: "Removed", isNumber: true },
    ],
    moved.map(({ source, moved: all, up, down, added, removed }) => [
      source,
      whole(all),
      whole(up),
      whole(down),
      whole(added),
      whole(removed),
    ]),
  )}<p><a href="/history/latest">Why they moved</a></p>`;
}
