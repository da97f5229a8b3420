/** The figures of one population: rates, what goes together, ends, and what the order of datasets depends on. */

import type { Population } from "../../schemas/public/validation.ts";
import { type Html, html } from "../html.ts";
import { whole } from "./numbers.ts";
import { table } from "./table.ts";

/** Pairs of signals shown; the file has all. */
const PAIRS = 12;

export function populationParts(of: Population): Html {
  return html`<p>${whole(of.records)} records, ${whole(of.scored)} with a total. ${ends(of)}</p>
${rates(of)}
${together(of)}
${consistency(of)}
${dependence(of)}`;
}

/** A figure, or a dash where there is none. */
export function figure(value: number | null, digits = 2): string {
  return value === null ? "–" : value.toFixed(digits).replace("-", "\u2212");
}

/** A share as percent. */
function share(value: number | null): string {
  return value === null ? "–" : `${(100 * value).toFixed(1)}\u00a0%`;
}

function ends({ floor, ceiling, dimensions }: Population): Html {
  return html`${share(floor.share)} have a total of 0, and ${share(ceiling.share)} all that their source allows. The ${dimensions.signals.length} signals that vary stand for ${figure(dimensions.effective)} that would not go together at all.`;
}

function rates({ signals, leftOut }: Population): Html {
  return table(
    "Rate of each signal",
    ["Signal", "Supported", "Judged", "Rate", "From", "To", "Order without it"],
    signals.map(({ signal, supported, evaluable, rate, low, high }) => [
      signal,
      whole(supported),
      whole(evaluable),
      share(rate),
      share(low),
      share(high),
      figure(leftOut.find((each) => each.signal === signal)?.tau ?? null, 3),
    ]),
  );
}

function together({ phi }: Population): Html {
  const strongest = phi.toSorted((a, b) => Math.abs(b.phi) - Math.abs(a.phi)).slice(0, PAIRS);
  return html`<h4>Signals that go together</h4>${table(
    "The strongest correlations of two signals",
    ["Signals", "Records", "Phi"],
    strongest.map(({ one, other, n, phi: value }) => [`${one} and ${other}`, whole(n), figure(value)]),
  )}`;
}

function consistency({ alpha }: Population): Html {
  return html`<h4>Buckets</h4>${table(
    "Cronbach's alpha of the signals of a bucket",
    ["Bucket", "Signals", "Records", "Alpha"],
    alpha.map(({ bucket, signals, n, alpha: value }) => [bucket, signals.join(" "), whole(n), figure(value)]),
  )}`;
}

function dependence({ thresholds, denominators }: Population): Html {
  const { n, all, supported, evaluable, tauSupported, tauEvaluable } = denominators;
  return html`<h4>What the order depends on</h4>${table(
    "The order of datasets by other thresholds and denominators, against that by the total",
    ["Instead", "Records", "Mean of 100", "Kendall's tau"],
    [
      ["as it is: of 25 signals", whole(n), figure(all), "1.000"],
      ["of the signals that the source supports", whole(n), figure(supported), figure(tauSupported, 3)],
      ["of the signals that could be judged", whole(n), figure(evaluable), figure(tauEvaluable, 3)],
      ...thresholds.map((each) => [
        each.scale === "2" ? "thresholds twice as high" : "thresholds half as high",
        whole(each.n),
        figure(each.mean),
        figure(each.tau, 3),
      ]),
    ],
  )}`;
}
