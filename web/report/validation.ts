/** Shows the validation of a release: statistics on the meaning of its scores, which anybody can compute again. */

import { type Population, VALIDATION_FILE, VALIDATION_PAGE, type Validation } from "../../schemas/public/validation.ts";
import { intervalBar, meter } from "../components/bars.ts";
import { standaloneDocument, standaloneMain } from "../components/document.ts";
import { countText, fixed, integer } from "../components/figures.ts";
import { listEqualSignals } from "../components/signals.ts";
import { capitalised } from "../components/state-words.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, html } from "../html.ts";
import { HOME, releaseCrumbs, releaseLinks } from "./links.ts";

/** The names of signals by SHARE version and id, such as `Keywords` for S1. */
export type SignalNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

export function validationPage(
  data: Validation,
  version: string,
  names: SignalNames,
  sources: Names = new Map(),
): string {
  const title = `Release ${version}`;
  const description = `Validation of the scores of ${countText(data.harvested, "harvested record")}.`;
  const [first, ...others] = data.rubrics.map(({ version: rubric, contract, populations }, i) =>
    rubricSection({ rubric, contract, populations, isFirst: i === 0, names: names.get(rubric) ?? new Map(), sources }),
  );
  return standaloneDocument({
    title: `${title}: validation`,
    description,
    body: standaloneMain(
      html`${releaseCrumbs(version, data.releaseDigest)}
<h1>${title}: validation</h1>
<p class="lead">${verdict(data) ?? "There are too few harvested records to judge the scores."}</p>
<p>${description} ${omittedText(data)}</p>
${releaseLinks(VALIDATION_PAGE)}
${findings(data)}
${first ?? null}
${outcomeSection(data, sources)}
${agreementSection(data, names, sources)}
${others}
<section aria-labelledby="reading"><h2 id="reading">How to read it</h2>
<p>Each figure needs at least ${countText(data.least, "record")}. Shares count the records for which a signal could be judged, with Wilson intervals of 95&nbsp;percent. Records of one source with the same first creator are not independent, so intervals are wider if their results are alike. <a href="${VALIDATION_FILE}"><code>${VALIDATION_FILE}</code></a> has all figures and their numbers of records. You can compute them again from the tables of the release.</p></section>
<footer>Computed from the tables of release <code>${data.releaseDigest}</code>.</footer>`,
      HOME,
    ),
  });
}

/** Returns the main results in plain sentences; null if there are too few records. */
function verdict({ rubrics, outcomes }: Validation): string | null {
  const all = rubrics[0]?.populations.find(({ source }) => source === null);
  if (all === undefined) return null;
  const use = outcomes.filter(({ source }) => source === null);
  const { effective, signals } = all.dimensions;
  const alike =
    effective === null
      ? []
      : [
          `${fixed(effective, 1)} independent signals would tell as much as the ${signals.length}, because many pass together.`,
        ];
  return [...alike, describeStability(all), ...use.map((each) => `${describeUse(each)}.`)].join(" ");
}

/** Returns the main results for all sources under the first version; null if there are too few records. */
function findings({ rubrics, outcomes }: Validation): Html | null {
  const all = rubrics[0]?.populations.find(({ source }) => source === null);
  if (all === undefined) return null;
  const { dimensions, thresholds } = all;
  const taus = thresholds.flatMap(({ tau }) => tau ?? []);
  const use = outcomes.filter(({ source }) => source === null);
  return html`<ul class="figures"><li><b>${fixed(dimensions.effective, 1)} <small>of ${dimensions.signals.length}</small></b> signals are independent, in effect</li>${
    taus.length === 0
      ? null
      : html`<li><b>${keptPairs(Math.min(...taus))} <small>of 100</small></b> pairs of datasets, at least, keep their order with thresholds twice or half as high, ${UNEQUAL}</li>`
  }${use.map(({ outcome, tau, low, high }) => html`<li><b>${fixed(tau)}</b> rank correlation of scores and ${outcome}, ${low > 0 || high < 0 ? "which differs from zero" : "which cannot be told from zero"} (95 % interval ${fixed(low)} to ${fixed(high)})</li>`)}</ul>`;
}

/** The pairs among which `keptPairs` counts. Many pairs have equal scores, and have no order. */
const UNEQUAL = "not counting pairs with equal scores under either rule";

/** Smallest Kendall's tau at which the order of datasets is called similar. Nine of ten unequal pairs then keep their order. */
const SIMILAR = 0.8;

/**
 * Returns the least number of 100 pairs that have the same order under both rules, among the pairs that differ under both. Ties
 * can only make Kendall's tau-b smaller.
 */
function keptPairs(tau: number): number {
  return Math.floor(50 * (1 + tau));
}

/** Returns a plain sentence on how much the order of datasets depends on the thresholds of the signals. */
function describeStability({ thresholds }: Population): string {
  const taus = thresholds.flatMap(({ tau }) => tau ?? []);
  if (taus.length === 0) return "There are too few records to test other thresholds.";
  return Math.min(...taus) >= SIMILAR
    ? "With thresholds twice or half as high, the order of datasets stays similar."
    : "With thresholds twice or half as high, the order of datasets changes clearly.";
}

/** Returns a plain sentence on the relation of scores and one kind of use. It is not known if the interval includes zero. */
function describeUse({ outcome, low, high }: Validation["outcomes"][number]): string {
  if (low > 0) return `Datasets with higher scores have more ${outcome}`;
  if (high < 0) return `Datasets with higher scores have fewer ${outcome}`;
  return `These records do not show whether datasets with higher scores have more ${outcome}`;
}

function omittedText({ generated }: Validation): string {
  return generated === 0 ? "" : `${countText(generated, "generated record is", "generated records are")} omitted.`;
}

interface RubricSection {
  readonly rubric: string;
  readonly contract: string;
  readonly populations: Validation["rubrics"][number]["populations"];
  /** True for the first version. Its part about all sources together is open, and all other parts are folded. */
  readonly isFirst: boolean;
  readonly names: Names;
  readonly sources: Names;
}

type Names = ReadonlyMap<string, string>;

function nameSignal(names: Names, signal: string): string {
  return `${signal} ${names.get(signal) ?? ""}`.trim();
}

function rubricSection({ rubric, contract, populations, isFirst, names, sources }: RubricSection): Html {
  const id = `share-${rubric.replace(".", "-")}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">SHARE ${rubric}</h2>
<p class="muted small">Contract ${contract}</p>
${populations.length === 0 ? html`<p class="muted">Too few harvested records for any figure.</p>` : null}
${populations.map((each) => {
  const source = each.source === null ? null : (sources.get(each.source) ?? each.source);
  const parts = populationParts(each, `${source ?? "all sources"}, SHARE ${rubric}`, names);
  return each.source === null && isFirst
    ? parts
    : html`<details><summary>${source === null ? "All sources" : `The same for ${source} alone`}</summary>${parts}</details>`;
})}
</section>`;
}

/** The number of pairs of signals that a table shows. The file has all pairs. */
const MAX_PAIRS = 5;

/** Returns the tables about one population, which is a source or all sources. Their captions contain its `name`. */
function populationParts(of: Population, name: string, names: Names): Html {
  return html`<p>${countText(of.records, "record")}, ${integer(of.scored)} with a total. ${extremesText(of)}</p>
<div class="charts"><div>${orderTable(of, name)}</div>
<div>${correlationTable(of, name, names)}</div></div>
${rateTable(of, name, names)}`;
}

function share(value: number | null): string {
  return value === null ? "–" : `${fixed(100 * value, 1)} %`;
}

function extremesText({ floor, ceiling }: Population): Html {
  return html`${share(floor.share)} have a total of 0, and ${share(ceiling.share)} the maximum of their source.`;
}

/** Returns the table of the signals by the rate at which they pass, the highest first, and then those with too few records. */
function rateTable({ records, signals, itemRest }: Population, name: string, names: Names): Html {
  const ordered = signals.toSorted((one, other) => (other.rate ?? -1) - (one.rate ?? -1));
  const rates = describeRates(ordered, names);
  return html`${rates === null ? null : html`<h3>Among these ${countText(records, "record")}, ${rates}</h3>`}<details><summary>Share of records that pass each signal</summary>${table(
    `Share of records that pass each signal: ${name}`,
    [
      "Signal",
      { name: "Share that passes", isBar: true },
      ...["Share", "95 % interval", "Judged", "Correlation with the others"].map(numberColumn),
    ],
    ordered.map(({ signal, evaluable, rate, low, high }) => [
      nameSignal(names, signal),
      rate === null || low === null || high === null ? null : intervalBar(100 * rate, 100 * low, 100 * high),
      share(rate),
      low === null || high === null ? "–" : `${fixed(100 * low, 1)}–${fixed(100 * high, 1)} %`,
      integer(evaluable),
      fixed(itemRest.find((each) => each.signal === signal)?.correlation ?? null),
    ]),
  )}</details>`;
}

/** Returns which signals pass most often and least often; null if all pass equally often. */
function describeRates(signals: Population["signals"], names: Names): string | null {
  const rates = signals.flatMap(({ rate }) => rate ?? []);
  const [most, least] = [Math.max(...rates), Math.min(...rates)];
  if (most <= least) return null;
  const passing = (at: number) =>
    signals.filter(({ rate }) => rate === at).map(({ signal }) => nameSignal(names, signal));
  const first = passing(most);
  return `${listEqualSignals(first)} ${first.length === 1 ? "passes" : "pass"} most often, and ${listEqualSignals(passing(least))} least often`;
}

/** Returns the heading above the correlations: the most correlated pair, or the number of pairs that are equally correlated. */
function describeStrongest(phi: Population["phi"], names: Names): string {
  const most = Math.max(...phi.map((each) => Math.abs(each.phi)));
  const [first, ...ties] = phi.filter((each) => Math.abs(each.phi) === most);
  if (first === undefined) return "Correlated signals";
  return ties.length === 0
    ? `${nameSignal(names, first.one)} and ${nameSignal(names, first.other)} have the strongest correlation`
    : `${ties.length + 1} pairs of signals have the strongest correlation, ${fixed(most)}`;
}

function correlationTable({ phi }: Population, name: string, names: Names): Html {
  const strongest = phi.toSorted((a, b) => Math.abs(b.phi) - Math.abs(a.phi)).slice(0, MAX_PAIRS);
  return html`<h3>${describeStrongest(phi, names)}</h3>${table(
    `Strongest correlations of two signals (phi: 0 = none, 1 = both always have the same result): ${name}`,
    ["Signals", ...["Records", "Phi"].map(numberColumn), { name: "Phi from 0 to 1", isBar: true }],
    strongest.map(({ one, other, n, phi: value }) => [
      html`${nameSignal(names, one)}<br>${nameSignal(names, other)}`,
      integer(n),
      fixed(value),
      meter(Math.abs(value), { most: 1 }),
    ]),
  )}`;
}

function orderTable({ thresholds, denominators }: Population, name: string): Html {
  const { n, all, supported, evaluable, tauSupported, tauEvaluable } = denominators;
  const row = (rules: string, mean: number | null, tau: number | null) => [
    rules,
    fixed(mean),
    fixed(tau, 3),
    tau === null ? null : meter(Math.max(0, tau), { most: 1 }),
  ];
  const rules = [
    row("Share of all 25 signals, as published", all, 1),
    row("Share of the signals that the source supports", supported, tauSupported),
    row("Share of the signals that could be judged", evaluable, tauEvaluable),
    ...thresholds.map(({ scale, mean, tau }) =>
      row(scale === "2" ? "Thresholds twice as high" : "Thresholds half as high", mean, tau),
    ),
  ];
  const taus = [tauSupported, tauEvaluable, ...thresholds.map(({ tau }) => tau)].filter((tau) => tau !== null);
  return html`<h3>${taus.length === 0 ? "Order of datasets under other rules" : `Under other rules, at least ${keptPairs(Math.min(...taus))} of 100 pairs of datasets keep their order, ${UNEQUAL}`}</h3>${table(
    `Order of ${countText(n, "dataset")}, compared with the order by score (tau: 1 = the same, 0 = no relation): ${name}`,
    ["Rules", ...["Average", "Kendall's tau"].map(numberColumn), { name: "Tau from 0 to 1", isBar: true }],
    rules,
  )}`;
}

function agreementSection({ sources }: Validation, names: SignalNames, sourceNames: Names): Html {
  const nameSource = (source: string) => sourceNames.get(source) ?? source;
  return html`<section aria-labelledby="sources"><h2 id="sources">Datasets from two sources</h2>
${sources.length === 0 ? html`<p class="muted">Too few datasets have records from two sources.</p>` : null}
${sources.map(
  ({
    taken,
    other,
    rubric,
    records,
    signals,
  }) => html`<h3>${nameSource(taken)} and ${nameSource(other)}, SHARE ${rubric}</h3>
<p>${countText(records, "dataset")}. The release contains the record from ${nameSource(taken)}.</p>
${table(
  `Agreement of ${nameSource(taken)} and ${nameSource(other)} by signal, SHARE ${rubric}`,
  ["Signal", ...["Judged by both", "Agreement", "Kappa"].map(numberColumn)],
  signals.map(({ signal, n, agreement, kappa }) => [
    nameSignal(names.get(rubric) ?? new Map(), signal),
    integer(n),
    fixed(agreement),
    fixed(kappa),
  ]),
)}`,
)}
</section>`;
}

function outcomeSection({ outcomes, caution }: Validation, names: Names): Html {
  const all = outcomes.find(({ source }) => source === null);
  return html`<section aria-labelledby="outcomes"><h2 id="outcomes">${all === undefined ? "Scores and later use" : describeUse(all)}</h2>
<p>Scores under SHARE 2.0, which do not count use, are compared with citations and downloads among datasets of the same source and year. ${caution}</p>
${table(
  "Rank correlation of scores with later use, with the 95 % interval",
  ["Outcome", "Source", ...["Groups", "Records", "Kendall's tau", "From", "To"].map(numberColumn)],
  outcomes.map(({ outcome, source, strata, n, tau, low, high }) => [
    capitalised(outcome),
    source === null ? "All" : (names.get(source) ?? source),
    integer(strata),
    integer(n),
    fixed(tau, 3),
    fixed(low, 3),
    fixed(high, 3),
  ]),
)}
</section>`;
}
