/** One public version: distribution, buckets and signals. */

import { BUCKETS, type SignalState } from "../../schemas/signal.ts";
import { type Html, html } from "../html/html.ts";
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
  return html`<section aria-labelledby="${id}"><h2 id="${id}">Scores under SHARE ${version}</h2>
<p>Contract ${contract}. Median ${decimal(after.median)}; ${after.above70 === null ? "–" : `${decimal(after.above70)} %`} of the records have 70 or more.</p>
${distribution(before, after, id)}
<h3>Buckets</h3>
${bucketTable(before, after)}
<h3>Signals</h3>
<p class="keys">${ORDER.map(([state, name]) => html`<span class="key"><i class="swatch ${state}"></i> ${name}</span> `)}</p>
${signalTable(signals, after.scored)}
</section>`;
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

function signalTable(signals: RubricFigures["signals"], scored: number): Html {
  return table(
    "Records by the state of each signal",
    ["Signal", ...ORDER.map(([, name]) => name), "Share"],
    signals.map(({ id, name, states }) => [
      html`${id} ${name}`,
      ...ORDER.map(([state]) => (state === "passed" ? percent(states.passed ?? 0, scored) : whole(states[state] ?? 0))),
      stackedBar(
        ORDER.map(([state]) => ({ kind: state, value: states[state] ?? 0 })),
        scored,
      ),
    ]),
  );
}
