/** The view of all releases, with the average over time, and how to download and verify them. */

import type { z } from "zod";
import { computeExactMean } from "../../api-static/pages/numbers.ts";
import type { MetricsSnapshot } from "../../schemas/public/api/metrics.ts";
import type { releaseSummary } from "../../schemas/public/api/service.ts";
import type { View } from "../components/document.ts";
import { integer, timeElement } from "../components/figures.ts";
import { averageCell } from "../components/list-columns.ts";
import { numberColumn, table } from "../components/table.ts";
import { describeTrend, type PastValue, releaseChangeText, trendChart } from "../components/trend.ts";
import { type Html, html } from "../html.ts";

export type ReleaseSummary = z.infer<typeof releaseSummary>;

/**
 * Returns the view of all releases. `snapshots` has the figures of each; empty if the active release has none. `origin` is
 * that of the site, for the commands.
 */
export function releasesView(
  releases: readonly ReleaseSummary[],
  snapshots: readonly MetricsSnapshot[],
  origin: string,
): View {
  const past = snapshots.map((snapshot) => readAverage(snapshot, releases));
  const current = releases.find(({ active }) => active);
  const whose = "The average of all datasets";
  const [oldest, newest] = [past[0], past.at(-1)];
  const trend = trendChart({
    id: "trend",
    past,
    whose,
    basis: "Average of all scored datasets of a release. It also changes because datasets are added and removed.",
  });
  return {
    title: "Releases and downloads",
    description:
      "Every release of SHARE scores: its changes and their causes, its report, its files, and how to verify them.",
    apiPath: "/releases",
    body: html`<h1>Releases and downloads</h1>
<p class="lead">We publish scores as releases that never change. ${oldest === undefined || newest === undefined || oldest === newest ? "Each number on this site is from one release." : html`${describeTrend(past, whose)}. From ${oldest.scoreReleaseVersion} to ${newest.scoreReleaseVersion}, the number of datasets changed from ${integer(oldest.datasets)} to ${integer(newest.datasets)}.`}</p>
${current === undefined ? null : currentActions(current)}
<h2>All releases</h2>
${table(
  "Releases, newest first, with the change since the release before, which is computed before rounding",
  [{ name: "Release", isLong: true }, numberColumn("Datasets"), numberColumn("Average score"), numberColumn("Change")],
  releases.map((release) => row(release, past)),
)}
<p id="validation">The page of a release has its changes, its files, its report and its validation. The validation tests the meaning of the scores: which signals correlate, how stable the order of datasets is, and how scores relate to later use.</p>
${trend}
<div class="halves"><div><h2 id="download">How to download</h2>
<p>The page of each release has its digest, a citation and links to all tables. The tables are Parquet files, and the main ones are also available as CSV. The reference describes <a href="/docs/tables">their columns</a>.</p></div>
<div><h2 id="verify">How to verify</h2>
<p>The receipt has one digest for all files. To check a file with <code>sha256sum</code>, run <a href="/docs#download">the commands of the reference</a>. If you have the SHARE program, you can also score all datasets again from the published evidence:</p>
<pre tabindex="0" aria-label="Commands">share-release release fetch ${origin}
share-release release verify --rebuild</pre></div></div>`,
  };
}

/** Returns the average of a release with its contract, because averages under different rules are not compared. */
function readAverage(snapshot: MetricsSnapshot, releases: readonly ReleaseSummary[]): PastValue {
  const { scoreReleaseVersion, releaseDigest, publishedAt, rubric, totalRecords, totalDistribution } = snapshot;
  const release = releases.find((each) => each.releaseDigest === releaseDigest);
  return {
    scoreReleaseVersion,
    releaseDigest,
    asOf: release?.asOf ?? publishedAt.slice(0, 10),
    contract: release?.rubrics.find(({ version }) => version === rubric)?.contract ?? "",
    value: snapshot.meanShareScore,
    exact: computeExactMean(totalDistribution ?? {}),
    cap: snapshot.meanCap,
    datasets: totalRecords,
  };
}

function address({ releaseDigest }: Pick<ReleaseSummary, "releaseDigest">): string {
  return releaseDigest.replace(":", "-");
}

/** Returns links to the files and the changes of the current release. */
function currentActions(release: ReleaseSummary): Html {
  const at = address(release);
  return html`<div class="actions"><a class="button" href="/history/${at}#download">Cite and download ${release.scoreReleaseVersion}</a>${release.previousReleaseDigest === null ? null : html`<a class="button quiet" href="/history/${at}">Changes since the release before</a>`}<a class="button quiet" href="/releases/${at}/report.html">Report</a><a class="button quiet" href="/releases/${at}/validation.html">Validation</a></div>`;
}

function row(release: ReleaseSummary, past: readonly PastValue[]) {
  const { scoreReleaseVersion, releaseDigest, asOf, publishedAt, active, retraction, keyRevoked } = release;
  const at = address(release);
  const i = past.findIndex((each) => each.releaseDigest === releaseDigest);
  const figures = past[i];
  return [
    html`<a href="/history/${at}">${scoreReleaseVersion}</a>${active ? html` <span class="tag">current</span>` : null}${retraction === null ? null : html` <span class="tag">retracted</span><span class="hint">${retraction.reason}</span>`}${keyRevoked === null ? null : html` <span class="tag">key revoked</span><span class="hint">signed with a key that was revoked on ${timeElement(keyRevoked.since.slice(0, 10))}</span>`}<span class="hint">${asOf.replaceAll("-", ".") === scoreReleaseVersion ? null : html`as of ${timeElement(asOf)}, `}published ${timeElement(publishedAt)}</span>`,
    integer(figures?.datasets ?? null),
    averageCell(figures?.value ?? null, figures?.cap ?? null, figures?.exact.count ?? 0),
    figures === undefined ? "" : releaseChangeText(past[i - 1], figures, 2),
  ];
}
