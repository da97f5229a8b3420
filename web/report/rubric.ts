/** Shows the scores of a release under one SHARE version: distribution, buckets and signals. */

import { explainIncomparability } from "../../api-static/pages/release-excerpt.ts";
import { ATTAINABLE_TOTALS, BUCKETS, SCORE_RANGES, type SignalState } from "../../schemas/public/signal.ts";
import { colourKey, dumbbell, stackedBar } from "../components/bars.ts";
import { describeSpread } from "../components/distribution.ts";
import { change, fixed, integer, percent } from "../components/figures.ts";
import { histogram } from "../components/histogram.ts";
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

/** Returns the section. The figures are open if `isFirst`, and folded for other versions. */
export function rubricSection({ version, contract, before, after, signals }: RubricFigures, isFirst: boolean): Html {
  const id = `share-${version.replace(".", "-")}`;
  const comparable = explainIncomparability(contract);
  const judged = after.scored + after.insufficient;
  const parts = html`<div class="charts"><div><h3>${after.totals === null ? "Datasets by score" : describeSpread(toTotals(after.totals), "")}</h3>
${histogram(`Datasets by score under SHARE ${version}`, toSpread(after), before === null ? null : toSpread(before))}
${totalTable(after, version)}</div>
<div><h3>Buckets</h3>
${bucketTable(before, after, version)}</div></div>
<h3>Signals</h3>
${colourKey(ORDER)}
${signalTable(signals, judged, version)}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">Scores under SHARE ${version}</h2>
<p>Contract ${contract}. The average score is ${fixed(after.mean)}, ${fixed(after.cap)} points are possible on average, and the median is ${fixed(after.median)}. ${formatPercent(after.passedOfEvaluable)} of the signals that could be judged are “yes”. ${formatPercent(after.above70)} of the scored records have 70 points or more. These figures omit ${integer(after.insufficient)} records with too little evidence for a score.</p>
${comparable === null ? null : html`<p>${comparable}</p>`}
${isFirst ? parts : html`<details><summary>Distribution, buckets and signals</summary>${parts}</details>`}
</section>`;
}

function formatPercent(value: number | null): string {
  return value === null ? "–" : `${fixed(value)} %`;
}

function toSpread({ distribution }: Figures): Record<string, number> {
  return Object.fromEntries(SCORE_RANGES.map((range, i) => [range, distribution[i] ?? 0]));
}

function toTotals(counts: NonNullable<Figures["totals"]>): Record<string, number> {
  return Object.fromEntries(ATTAINABLE_TOTALS.map((total, i) => [total, counts[i] ?? 0]));
}

/** Returns the numbers of records by total. Totals are multiples of four, so most score ranges contain two or three totals. */
function totalTable({ totals, scored }: Figures, version: string): Html | null {
  if (totals === null) return null;
  const caption = `Records by total under SHARE ${version}`;
  return html`<details><summary>All totals</summary>${table(
    caption,
    ["Total", numberColumn("Records"), numberColumn("Share")],
    ATTAINABLE_TOTALS.map((total, i) => [total, integer(totals[i] ?? 0), percent(totals[i] ?? 0, scored)]),
  )}</details>`;
}

function bucketTable(before: Figures | null, after: Figures, version: string): Html {
  return table(
    `Mean of each bucket under SHARE ${version}, of 20 points`,
    ["Bucket", ...["Mean", "Change"].map(numberColumn), { name: "0 to 20", isBar: true }],
    BUCKETS.map((bucket) => {
      const [then, now] = [before?.buckets[bucket] ?? null, after.buckets[bucket]];
      return [BUCKET_NAMES[bucket], fixed(now), change(then, now), dumbbell(then, now, 20)];
    }),
  );
}

function signalTable(signals: RubricFigures["signals"], judged: number, version: string): Html {
  return table(
    `Share of the ${integer(judged)} records with each result of a signal under SHARE ${version}`,
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
