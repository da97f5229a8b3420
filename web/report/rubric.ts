/** One public version: distribution, buckets and signals. */

import { comparabilityOf } from "../../api-static/pages/comparability.ts";
import { BUCKETS, type SignalState } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";
import { dumbbell, stackedBar } from "./bars.ts";
import type { RubricFigures } from "./data.ts";
import { distribution } from "./histogram.ts";
import { change, decimal, percent, whole } from "./numbers.ts";
import { table } from "./table.ts";

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
<p>Contract ${contract}. Mean ${decimal(after.mean)} of a mean cap of ${decimal(after.cap)}; ${percentOf(after.passedOfEvaluable)} of the signals that could be judged are passed. Median ${decimal(after.median)}; ${percentOf(after.above70)} of the scored records have 70 or more. ${whole(after.insufficient)} records have too little evidence for a total, and are in no figure here.</p>
${comparable === null ? null : html`<p>${comparable}</p>`}
${distribution(before, after, id)}
<h3>Buckets</h3>
${bucketTable(before, after)}
<h3>Signals</h3>
<p class="keys">${ORDER.map(([state, name]) => html`<span class="key"><i class="swatch ${state}"></i> ${name}</span> `)}</p>
${signalTable(signals, judged)}
</section>`;
}

function percentOf(value: number | null): string {
  return value === null ? "–" : `${decimal(value)} %`;
}

function bucketTable(before: RubricFigures["before"], after: RubricFigures["after"]): Html {
  return table(
    "Mean of each bucket, of 20 points",
    ["Bucket", "Before", "Now", "Change", "0 to 20"],
    BUCKETS.map((bucket) => {
      const [then, now] = [before?.buckets[bucket] ?? null, after.buckets[bucket]];
      return [bucket, decimal(then), decimal(now), change(then, now), dumbbell(then, now, 20)];
    }),
  );
}

function signalTable(signals: RubricFigures["signals"], judged: number): Html {
  return table(
    "Records by the state of each signal",
    ["Signal", ...ORDER.map(([, name]) => name), "Share"],
    signals.map(({ id, name, states }) => [
      html`${id} ${name}`,
      ...ORDER.map(([state]) => (state === "passed" ? percent(states.passed ?? 0, judged) : whole(states[state] ?? 0))),
      stackedBar(
        ORDER.map(([state]) => ({ kind: state, value: states[state] ?? 0 })),
        judged,
      ),
    ]),
  );
}
