/** The view of all releases, with their figures, and how to download and verify them. */

import type { z } from "zod";
import type { MetricsSnapshot } from "../../schemas/public/api/metrics.ts";
import type { releaseSummary } from "../../schemas/public/api/service.ts";
import type { View } from "../components/document.ts";
import { hundredths, integer, timeElement } from "../components/figures.ts";
import { table } from "../components/table.ts";
import { html } from "../html.ts";

export type ReleaseSummary = z.infer<typeof releaseSummary>;

/** Returns the view. `snapshots` has figures of each release. It is empty if the active release has none. */
export function releasesView(releases: readonly ReleaseSummary[], snapshots: readonly MetricsSnapshot[]): View {
  const rows = releases.map(
    ({ scoreReleaseVersion, releaseDigest, asOf, publishedAt, active, retraction, keyRevoked }) => {
      const at = releaseDigest.replace(":", "-");
      const figures = snapshots.find((snapshot) => snapshot.releaseDigest === releaseDigest);
      return [
        html`<a href="/history/${at}">${scoreReleaseVersion}</a>${active ? html` <span class="tag">current</span>` : null}${retraction === null ? null : html` <span class="tag">retracted</span><span class="hint">${retraction.reason}</span>`}${keyRevoked === null ? null : html` <span class="tag">key revoked</span><span class="hint">signed with a key that was revoked on ${timeElement(keyRevoked.since.slice(0, 10))}</span>`}<span class="hint">as of ${timeElement(asOf)}, published ${timeElement(publishedAt)}</span><a href="/releases/${at}/report.html">report</a>, <a href="/releases/${at}/validation.html">validation</a>, <a href="/history/${at}#download">cite and download</a>`,
        integer(figures?.totalRecords ?? null),
        hundredths(figures?.meanShareScore ?? null),
      ];
    },
  );
  return {
    title: "Releases and downloads",
    description:
      "Every release of SHARE scores: its changes and their causes, its report, its files, and how to verify them.",
    apiPath: "/releases",
    body: html`<h1>Releases and downloads</h1>
<p class="lead">We publish scores as releases that never change. Each number on this site is from one release.</p>
${table(
  "Releases, newest first",
  [
    { name: "Release", isLong: true },
    { name: "Datasets", isNumber: true },
    { name: "Average", isNumber: true },
  ],
  rows,
)}
<p id="validation">“Validation” tests the meaning of the scores: which signals correlate, how stable the order of datasets is, and how scores relate to later use.</p>
<h2 id="download">How to download</h2>
<p>The page of each release has its digest, a citation and links to all tables. The tables are Parquet files, and the main ones are also available as CSV. The reference describes <a href="/docs/tables">their columns</a>.</p>
<h2 id="verify">How to verify</h2>
<p>The receipt has one digest for all files. To check a file with <code>sha256sum</code>, run <a href="/docs#download">the commands of the reference</a>. If you have the SHARE program, you can also score all datasets again from the published evidence:</p>
<pre tabindex="0" aria-label="Commands">share-release release fetch <em>URL of this site</em>
share-release release verify --rebuild</pre>`,
  };
}
