/** Shows the scores of a release under one SHARE version: distribution, buckets and signals. */

import { explainIncomparability } from "../../api-static/pages/release-excerpt.ts";
import { ATTAINABLE_TOTALS, BUCKETS, type SignalState } from "../../schemas/public/signal.ts";
import { colourKey, meter, stackedBar } from "../components/bars.ts";
import { describeSpread } from "../components/distribution.ts";
import { changeText, countText, fixed, integer, percent } from "../components/figures.ts";
import { histogram } from "../components/histogram.ts";
import { roundMean } from "../components/list-columns.ts";
import { BUCKET_NAMES } from "../components/state-words.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, html } from "../html.ts";
import type { Figures, RubricFigures } from "./data.ts";

/** The states of a signal in the words of the site, in the order of bars: first those in which it was judged. */
const ORDER: readonly (readonly [SignalState, string])[] = [
  ["passed", "yes"],
  ["absent", "no"],
  ["failed", "not known: unreadable"],
  ["not_evaluable", "not known: not judged"],
  ["source_missing", "not known: not published"],
  ["unsupported", "not possible there"],
];

/** Returns the section; a fold for other versions than the first. `datasets` is the number of datasets in the release. */
export function rubricSection(
  { version, contract, before, after, signals }: RubricFigures,
  datasets: number,
  isFirst: boolean,
): Html {
  const id = `share-${version.replace(".", "-")}`;
  const comparable = explainIncomparability(contract);
  const judged = after.scored + after.insufficient;
  const title = `Scores under SHARE ${version}`;
  const content = html`<div class="charts"><div>${
    after.totals === null
      ? null
      : html`<h3>${isFirst ? "Datasets by score" : describeSpread(toTotals(after.totals), "")}</h3>
${histogram(`Datasets by score under SHARE ${version}`, after.totals, before?.totals ?? null)}`
  }</div>
<div><h3>Average points in each bucket</h3>
${bucketTable(before, after, version)}</div></div>
<p>The median is ${fixed(after.median)}. ${formatPercent(after.passedOfEvaluable)} of the signals that could be judged are “yes”, and ${formatPercent(after.above70)} of the datasets have 70 points or more. ${omitted(after, datasets)}The rules of the signals have the version ${contract}.</p>
${comparable === null ? null : html`<p>${comparable}</p>`}
<details><summary>Results of each signal</summary>${colourKey(ORDER)}
${signalTable(signals, judged, version)}</details>`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${isFirst ? content : html`<p>The average score is ${fixed(roundMean(after.mean))} of ${fixed(after.cap)} possible points.</p><details><summary>Distribution, buckets and signals</summary>${content}</details>`}
</section>`;
}

/** Returns a sentence about the datasets without a score; an empty text without any. */
function omitted({ scored, insufficient }: Figures, datasets: number): string {
  const reasons = [
    [insufficient, "with too little evidence"],
    [datasets - scored - insufficient, "with metadata that could not be read or scored"],
  ] as const;
  const words = reasons.flatMap(([count, reason]) => (count > 0 ? [`${integer(count)} ${reason}`] : []));
  return words.length === 0
    ? ""
    : `These figures omit ${countText(datasets - scored, "dataset")} without a score: ${words.join(" and ")}. `;
}

function formatPercent(value: number | null): string {
  return value === null ? "–" : `${fixed(value)} %`;
}

export function toTotals(counts: NonNullable<Figures["totals"]>): Record<string, number> {
  return Object.fromEntries(ATTAINABLE_TOTALS.map((total, i) => [total, counts[i] ?? 0]));
}

function bucketTable(before: Figures | null, after: Figures, version: string): Html {
  return table(
    `Of 20 points, under SHARE ${version}`,
    ["Bucket", ...["Average", "Change"].map(numberColumn), { name: "From 0 to 20", isBar: true }],
    BUCKETS.map((bucket) => {
      const [then, now] = [before?.buckets[bucket], after.buckets[bucket]];
      const mean = roundMean(now);
      return [
        BUCKET_NAMES[bucket],
        fixed(mean),
        then === undefined ? "" : changeText(then, now),
        meter(mean, { most: 20 }),
      ];
    }),
  );
}

function signalTable(signals: RubricFigures["signals"], judged: number, version: string): Html {
  return table(
    `Share of the ${countText(judged, "dataset")} with each result of a signal under SHARE ${version}`,
    ["Signal", ...ORDER.map(([, name]) => numberColumn(name)), { name: "Share", isBar: true }],
    signals.map(({ id, name, states }) => [
      html`${id} ${name}`,
      ...ORDER.map(([state]) => percent(states[state] ?? 0, judged)),
      stackedBar(
        ORDER.map(([state]) => ({ kind: state, value: states[state] ?? 0 })),
        judged,
      ),
    ]),
  );
}
