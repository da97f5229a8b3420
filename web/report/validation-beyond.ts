/** What stands beyond one score: another source's view of the same dataset, and what came after the deposit. */

import type { Validation } from "../../schemas/public/validation.ts";
import { type Html, html } from "../html.ts";
import { whole } from "./numbers.ts";
import { table } from "./table.ts";
import { figure } from "./validation-population.ts";

export function agreementSection({ sources }: Validation): Html {
  return html`<section aria-labelledby="sources"><h2 id="sources">The same dataset through two sources</h2>
${sources.length === 0 ? html`<p class="none">Too few datasets came through two sources.</p>` : null}
${sources.map(
  ({ taken, other, rubric, records, signals }) => html`<h3>${taken} and ${other}, SHARE ${rubric}</h3>
<p>${whole(records)} datasets. The record of ${taken} is published.</p>
${table(
  "Agreement by signal",
  ["Signal", "Judged by both", "Agreement", "Kappa"],
  signals.map(({ signal, n, agreement, kappa }) => [signal, whole(n), figure(agreement), figure(kappa)]),
)}`,
)}
</section>`;
}

export function outcomeSection({ outcomes, caution }: Validation): Html {
  return html`<section aria-labelledby="outcomes"><h2 id="outcomes">What came after the deposit</h2>
<p>Totals under SHARE 2.0, which no use enters, against citations and downloads, among datasets of one source and one year. ${caution}</p>
${table(
  "Rank correlation of totals with outcomes",
  ["Outcome", "Source", "Groups", "Records", "Kendall's tau", "From", "To"],
  outcomes.map(({ outcome, source, strata, n, tau, low, high }) => [
    outcome,
    source ?? "all",
    whole(strata),
    whole(n),
    figure(tau, 3),
    figure(low, 3),
    figure(high, 3),
  ]),
)}
</section>`;
}
