/** The validation of a release: statistics on the meaning of its scores, which anybody can compute again. */

import { type Population, VALIDATION_FILE, VALIDATION_PAGE, type Validation } from "../../schemas/public/validation.ts";
import { meter } from "../components/bars.ts";
import { standaloneDocument, standaloneMain } from "../components/document.ts";
import { fixed, integer } from "../components/figures.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, html } from "../html.ts";
import { HOME, releaseLinks } from "./links.ts";

export function validationPage(data: Validation, version: string): string {
  const title = `Release ${version}`;
  const description = `Validation of the scores of ${integer(data.harvested)} harvested records.`;
  return standaloneDocument({
    title: `${title}: validation`,
    description,
    body: standaloneMain(
      html`<h1>${title}: validation</h1>
<p class="lead">${finding(data)}${description} ${omittedText(data)}</p>
<p class="small"><code>${data.releaseDigest}</code></p>
${releaseLinks(VALIDATION_PAGE)}
<p>Each figure needs at least ${data.least} records. Rates count the records for which a signal could be judged, with Wilson intervals of 95&nbsp;percent. Records of one source with the same first creator are not independent, so intervals are wider if their results are alike. <a href="${VALIDATION_FILE}"><code>${VALIDATION_FILE}</code></a> has all figures and their numbers of records. You can compute them again from the tables of the release.</p>
${data.rubrics.map(({ version: rubric, contract, populations }) => rubricSection(rubric, contract, populations))}
${agreementSection(data)}
${outcomeSection(data)}`,
      HOME,
    ),
  });
}

/** Returns the main results for all sources under the first version; nothing if there are too few records. */
function finding({ rubrics }: Validation): string {
  const all = rubrics[0]?.populations.find(({ source }) => source === null);
  if (all === undefined) return "";
  const { dimensions, thresholds } = all;
  const taus = thresholds.flatMap(({ tau }) => tau ?? []);
  const order =
    taus.length === 0
      ? ""
      : ` With thresholds twice or half as high, Kendall's tau between the orders of datasets is at least ${fixed(Math.min(...taus))}.`;
  return `The ${dimensions.signals.length} signals carry as much as ${fixed(dimensions.effective, 1)} independent ones.${order} `;
}

function omittedText({ generated }: Validation): string {
  return generated === 0 ? "" : `${integer(generated)} generated records are omitted.`;
}

function rubricSection(
  rubric: string,
  contract: string,
  populations: Validation["rubrics"][number]["populations"],
): Html {
  const id = `share-${rubric.replace(".", "-")}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">SHARE ${rubric}</h2>
<p>Contract ${contract}.</p>
${populations.length === 0 ? html`<p class="muted">Too few harvested records for any figure.</p>` : null}
${populations.map((each) =>
  each.source === null
    ? html`<h3>All sources</h3>${populationParts(each, `all sources, SHARE ${rubric}`)}`
    : html`<details><summary>${each.source}</summary>${populationParts(each, `${each.source}, SHARE ${rubric}`)}</details>`,
)}
</section>`;
}

/** The number of pairs of signals shown. The file has all pairs. */
const MAX_PAIRS = 12;

/** Returns the parts about one population. The captions of the tables contain its `name`. */
function populationParts(of: Population, name: string): Html {
  return html`<p>${integer(of.records)} records, ${integer(of.scored)} with a total. ${extremesText(of)}</p>
${rateTable(of, name)}
<div class="halves"><div>${correlationTable(of, name)}</div>
<div>${orderTable(of, name)}</div></div>`;
}

function share(value: number | null): string {
  return value === null ? "–" : `${fixed(100 * value, 1)} %`;
}

function extremesText({ floor, ceiling, dimensions }: Population): Html {
  return html`${share(floor.share)} have a total of 0, and ${share(ceiling.share)} the maximum of their source. The ${dimensions.signals.length} signals that vary are equivalent to ${fixed(dimensions.effective)} uncorrelated signals.`;
}

function rateTable({ signals, itemRest }: Population, name: string): Html {
  return table(
    `Rate of each signal: ${name}`,
    [
      "Signal",
      ...["Supported", "Judged", "Rate"].map(numberColumn),
      { name: "0 to 100 %", isBar: true },
      ...["From", "To", "Correlation with the others"].map(numberColumn),
    ],
    signals.map(({ signal, supported, evaluable, rate, low, high }) => [
      signal,
      integer(supported),
      integer(evaluable),
      share(rate),
      meter(rate === null ? null : 100 * rate, { most: 100 }),
      share(low),
      share(high),
      fixed(itemRest.find((each) => each.signal === signal)?.correlation ?? null),
    ]),
  );
}

function correlationTable({ phi }: Population, name: string): Html {
  const strongest = phi.toSorted((a, b) => Math.abs(b.phi) - Math.abs(a.phi)).slice(0, MAX_PAIRS);
  return html`<h4>Correlated signals</h4>${table(
    `Strongest correlations of two signals: ${name}`,
    ["Signals", ...["Records", "Phi"].map(numberColumn)],
    strongest.map(({ one, other, n, phi: value }) => [`${one} and ${other}`, integer(n), fixed(value)]),
  )}`;
}

function orderTable({ thresholds, denominators }: Population, name: string): Html {
  const { n, all, supported, evaluable, tauSupported, tauEvaluable } = denominators;
  return html`<h4>Stability of the order</h4>${table(
    `Order of datasets with other thresholds and denominators, compared with the order by total: ${name}`,
    ["Variant", ...["Records", "Mean of 100", "Kendall's tau"].map(numberColumn)],
    [
      ["unchanged: of 25 signals", integer(n), fixed(all), "1.000"],
      ["of the signals that the source supports", integer(n), fixed(supported), fixed(tauSupported, 3)],
      ["of the signals that could be judged", integer(n), fixed(evaluable), fixed(tauEvaluable, 3)],
      ...thresholds.map((each) => [
        each.scale === "2" ? "thresholds twice as high" : "thresholds half as high",
        integer(each.n),
        fixed(each.mean),
        fixed(each.tau, 3),
      ]),
    ],
  )}`;
}

function agreementSection({ sources }: Validation): Html {
  return html`<section aria-labelledby="sources"><h2 id="sources">Datasets from two sources</h2>
${sources.length === 0 ? html`<p class="muted">Too few datasets have records from two sources.</p>` : null}
${sources.map(
  ({ taken, other, rubric, records, signals }) => html`<h3>${taken} and ${other}, SHARE ${rubric}</h3>
<p>${integer(records)} datasets. The release contains the record from ${taken}.</p>
${table(
  `Agreement of ${taken} and ${other} by signal, SHARE ${rubric}`,
  ["Signal", ...["Judged by both", "Agreement", "Kappa"].map(numberColumn)],
  signals.map(({ signal, n, agreement, kappa }) => [signal, integer(n), fixed(agreement), fixed(kappa)]),
)}`,
)}
</section>`;
}

function outcomeSection({ outcomes, caution }: Validation): Html {
  return html`<section aria-labelledby="outcomes"><h2 id="outcomes">Scores and later use</h2>
<p>Totals under SHARE 2.0, which do not count use, compared with citations and downloads among datasets of the same source and year. ${caution}</p>
${table(
  "Rank correlation of totals with outcomes",
  ["Outcome", "Source", ...["Groups", "Records", "Kendall's tau", "From", "To"].map(numberColumn)],
  outcomes.map(({ outcome, source, strata, n, tau, low, high }) => [
    outcome,
    source ?? "all",
    integer(strata),
    integer(n),
    fixed(tau, 3),
    fixed(low, 3),
    fixed(high, 3),
  ]),
)}
</section>`;
}
