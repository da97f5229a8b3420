/** The page of a release's validation: whether its scores mean something, in figures that nobody has to believe. */

import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { type Population, VALIDATION_FILE, type Validation } from "../../schemas/public/validation.ts";
import { standaloneDocument, standaloneMain } from "../components/document.ts";
import { fixed, integer } from "../components/figures.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, html } from "../html.ts";

export function validationPage(data: Validation, version: string): string {
  const title = `Release ${version}`;
  const description = `What the scores of this release mean, in figures of ${integer(data.harvested)} harvested records.`;
  return standaloneDocument({
    title: `${title}: validation`,
    description,
    body: standaloneMain(html`<h1>${title}: validation</h1>
<p class="lead">${description} ${left(data)}</p>
<p class="small"><code>${data.releaseDigest}</code></p>
<p>No figure is given of fewer than ${data.least} records. Rates are of records of which the signal could be judged, with Wilson intervals of 95&nbsp;percent. All of it, and how often each figure was counted, is in <code>${VALIDATION_FILE}</code>, and can be computed again from the release's tables.</p>
${data.rubrics.map(({ version: rubric, contract, populations }) => rubricSection(rubric, contract, populations))}
${agreementSection(data)}
${outcomeSection(data)}
<p><a href="${DESCRIPTORS.report}">The report of the release</a>: what moved in it, and why.</p>`),
  });
}

function left({ generated }: Validation): string {
  return generated === 0 ? "" : `${integer(generated)} generated records are left out.`;
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

/** Pairs of signals shown; the file has all. */
const PAIRS = 12;

/** `name`: the population, for the captions of its tables. */
function populationParts(of: Population, name: string): Html {
  return html`<p>${integer(of.records)} records, ${integer(of.scored)} with a total. ${ends(of)}</p>
${rates(of, name)}
${together(of, name)}
${consistency(of, name)}
${dependence(of, name)}`;
}

/** A share as percent. */
function share(value: number | null): string {
  return value === null ? "–" : `${fixed(100 * value, 1)} %`;
}

function ends({ floor, ceiling, dimensions }: Population): Html {
  return html`${share(floor.share)} have a total of 0, and ${share(ceiling.share)} all that their source allows. The ${dimensions.signals.length} signals that vary stand for ${fixed(dimensions.effective)} that would not go together at all.`;
}

function rates({ signals, leftOut }: Population, name: string): Html {
  return table(
    `Rate of each signal: ${name}`,
    ["Signal", ...["Supported", "Judged", "Rate", "From", "To", "Order without it"].map(numberColumn)],
    signals.map(({ signal, supported, evaluable, rate, low, high }) => [
      signal,
      integer(supported),
      integer(evaluable),
      share(rate),
      share(low),
      share(high),
      fixed(leftOut.find((each) => each.signal === signal)?.tau ?? null, 3),
    ]),
  );
}

function together({ phi }: Population, name: string): Html {
  const strongest = phi.toSorted((a, b) => Math.abs(b.phi) - Math.abs(a.phi)).slice(0, PAIRS);
  return html`<h4>Signals that go together</h4>${table(
    `The strongest correlations of two signals: ${name}`,
    ["Signals", ...["Records", "Phi"].map(numberColumn)],
    strongest.map(({ one, other, n, phi: value }) => [`${one} and ${other}`, integer(n), fixed(value)]),
  )}`;
}

function consistency({ alpha }: Population, name: string): Html {
  return html`<h4>Buckets</h4>${table(
    `Cronbach's alpha of the signals of a bucket: ${name}`,
    ["Bucket", "Signals", ...["Records", "Alpha"].map(numberColumn)],
    alpha.map(({ bucket, signals, n, alpha: value }) => [bucket, signals.join(" "), integer(n), fixed(value)]),
  )}`;
}

function dependence({ thresholds, denominators }: Population, name: string): Html {
  const { n, all, supported, evaluable, tauSupported, tauEvaluable } = denominators;
  return html`<h4>What the order depends on</h4>${table(
    `The order of datasets by other thresholds and denominators, against that by the total: ${name}`,
    ["Instead", ...["Records", "Mean of 100", "Kendall's tau"].map(numberColumn)],
    [
      ["as it is: of 25 signals", integer(n), fixed(all), "1.000"],
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
  return html`<section aria-labelledby="sources"><h2 id="sources">The same dataset through two sources</h2>
${sources.length === 0 ? html`<p class="muted">Too few datasets came through two sources.</p>` : null}
${sources.map(
  ({ taken, other, rubric, records, signals }) => html`<h3>${taken} and ${other}, SHARE ${rubric}</h3>
<p>${integer(records)} datasets. The record of ${taken} is published.</p>
${table(
  `Agreement of ${taken} and ${other} by signal, SHARE ${rubric}`,
  ["Signal", ...["Judged by both", "Agreement", "Kappa"].map(numberColumn)],
  signals.map(({ signal, n, agreement, kappa }) => [signal, integer(n), fixed(agreement), fixed(kappa)]),
)}`,
)}
</section>`;
}

function outcomeSection({ outcomes, caution }: Validation): Html {
  return html`<section aria-labelledby="outcomes"><h2 id="outcomes">What came after the deposit</h2>
<p>Totals under SHARE 2.0, which no use enters, against citations and downloads, among datasets of one source and one year. ${caution}</p>
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
