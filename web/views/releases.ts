/** Every release: when, how much, what moved in it, and how to download and verify it. */

import type { z } from "zod";
import type { MetricsSnapshot } from "../../schemas/public/api/metrics.ts";
import type { releaseSummary } from "../../schemas/public/api/service.ts";
import type { View } from "../components/document.ts";
import { decimal, when, whole } from "../components/figures.ts";
import { table } from "../components/table.ts";
import { html } from "../html.ts";

export type ReleaseSummary = z.infer<typeof releaseSummary>;

/** `snapshots`: figures of each release; empty where the active one was published without. */
export function releasesView(releases: readonly ReleaseSummary[], snapshots: readonly MetricsSnapshot[]): View {
  const rows = releases.map(
    ({ scoreReleaseVersion, releaseDigest, asOf, publishedAt, active, retraction, keyRevoked }) => {
      const at = releaseDigest.replace(":", "-");
      const figures = snapshots.find((snapshot) => snapshot.releaseDigest === releaseDigest);
      return [
        html`<a href="/history/${at}">${scoreReleaseVersion}</a>${active ? html` <span class="tag">current</span>` : null}${retraction === null ? null : html` <span class="tag">retracted</span><span class="hint">${retraction.reason}</span>`}${keyRevoked === null ? null : html` <span class="tag">key revoked</span><span class="hint">signed with a key that is revoked since ${when(keyRevoked.since.slice(0, 10))}</span>`}<span class="hint">as of ${when(asOf)}, published ${when(publishedAt)}</span><a href="/releases/${at}/report.html">report</a>, <a href="/releases/${at}/validation.html">validation</a>, <a href="/releases/${at}">receipt</a>, <a href="/releases/${at}/manifest.ndjson">files</a>`,
        whole(figures?.totalRecords ?? null),
        decimal(figures?.meanShareScore ?? null),
      ];
    },
  );
  return {
    title: "Releases and downloads",
    description:
      "Every release of SHARE scores: what moved in it and why, its report, its files, and how to verify them.",
    twin: "/releases",
    body: html`<h1>Releases and downloads</h1>
<p class="lead">Scores are published as releases that never change. A number on these pages is always that of one of them.</p>
${table(
  "Releases, newest first",
  [
    { name: "Release", isLong: true },
    { name: "Datasets", isNumber: true },
    { name: "Average", isNumber: true },
  ],
  rows,
)}
<p>“Validation” says whether these scores mean something, in figures: what goes together, what the order of datasets depends on, and what came after the deposits.</p>
<h2 id="download">How to download</h2>
<p>“Files” lists every file of a release with its size and its sha256; the tables are in <code>data/</code>, as Parquet, and those that people open by hand are answered as CSV too, such as <code>data/scores.csv.gz</code>. Put the name of a file after the address of its release.</p>
<h2>How to verify</h2>
<p>The receipt names one digest for all files together. Whoever has the program scores everything again from the published evidence:</p>
<pre tabindex="0" aria-label="Commands">share-release release fetch <em>address of this site</em>
share-release release verify --rescore</pre>`,
  };
}
