/** One public version: distribution, buckets and signals. */

import { comparabilityOf } from "../../api-static/pages/release-excerpt.ts";
import { ATTAINABLE_TOTALS, SCORE_RANGES } from "../../schemas/public/api/common.ts";
import { BUCKETS, type SignalState } from "../../schemas/public/signal.ts";
import { colourKey, dumbbell, stackedBar } from "../components/bars.ts";
import { change, fixed, integer, percent } from "../components/figures.ts";
import { histogram } from "../components/histogram.ts";
import { numberColumn, table } from "../components/table.ts";
import { BUCKET_NAMES } from "../components/words.ts";
import { type Html, html } from "../html.ts";
import type { Figures, RubricFigures } from "./data.ts";

/** In the order of the bar: what was judged first, what speaks against nobody last. */
const ORDER: readonly (readonly [SignalState, string])[] = [
  ["passed", "passed"],
  ["absent", "absent"],
  ["failed", "failed"],
  ["not_evaluable", "not evaluable"],
  ["source_missing", "source missing"],
  ["unsupported", "unsupported"],
];

export function rubricSection({ version, contract, before, after, signals }: RubricFigures): Html {
  const id = `share-${version.replace(".", "-")}`;
  const comparable = comparabilityOf(contract);
  const judged = after.scored + after.insufficient;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">Scores under SHARE ${version}</h2>
<p>Contract ${contract}. Mean ${fixed(after.mean)} of a mean cap of ${fixed(after.cap)}; ${percentOf(after.passedOfEvaluable)} of the signals that could be judged are passed. Median ${fixed(after.median)}; ${percentOf(after.above70)} of the scored records have 70 or more. ${integer(after.insufficient)} records have too little evidence for a total, and are in no figure here.</p>
${comparable === null ? null : html`<p>${comparable}</p>`}
${histogram(`Datasets by score under SHARE ${version}`, spreadOf(after), before === null ? null : spreadOf(before))}
${totalTable(after, version)}
<h3>Buckets</h3>
${bucketTable(before, after, version)}
<h3>Signals</h3>
${colourKey(ORDER)}
${signalTable(signals, judged, version)}
</section>`;
}

function percentOf(value: number | null): string {
  return value === null ? "–" : `${fixed(value)} %`;
}

function spreadOf({ distribution }: Figures): Record<string, number> {
  return Object.fromEntries(SCORE_RANGES.map((range, i) => [range, distribution[i] ?? 0]));
}

/** Totals go in steps of four: a range holds three of them or two, so that columns rise and fall by turns. */
function totalTable({ totals, scored }: Figures, version: string): Html | null {
  if (totals === null) return null;
  const caption = `Records by each possible total under SHARE ${version}: ranges hold three of them and two by turns`;
  return html`<details><summary>Every total</summary>${table(
    caption,
    ["Total", numberColumn("Records"), numberColumn("Share")],
    ATTAINABLE_TOTALS.map((total, i) => [total, integer(totals[i] ?? 0), percent(totals[i] ?? 0, scored)]),
  )}</details>`;
}

function bucketTable(before: Figures | null, after: Figures, version: string): Html {
  return table(
    `Mean of each bucket under SHARE ${version}, of 20 points`,
    ["Bucket", ...["Before", "Now", "Change"].map(numberColumn), { name: "0 to 20", isBar: true }],
    BUCKETS.map((bucket) => {
      const [then, now] = [before?.buckets[bucket] ?? null, after.buckets[bucket]];
      return [BUCKET_NAMES[bucket], fixed(then), fixed(now), change(then, now), dumbbell(then, now, 20)];
    }),
  );
}

function signalTable(signals: RubricFigures["signals"], judged: number, version: string): Html {
  return table(
    `Records by the state of each signal under SHARE ${version}`,
    ["Signal", ...ORDER.map(([, name]) => numberColumn(name)), { name: "Share", isBar: true }],
    signals.map(({ id, name, states }) => [
      html`${id} ${name}`,
      ...ORDER.map(([state]) =>
        state === "passed" ? percent(states.passed ?? 0, judged) : integer(states[state] ?? 0),
      ),
      stackedBar(
        ORDER.map(([state]) => ({ kind: state, value: states[state] ?? 0 })),
        judged,
      ),
    ]),
  );
}
