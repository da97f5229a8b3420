/** The page of a release's validation: whether its scores mean something, in figures that nobody has to believe. */

import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { VALIDATION_FILE, type Validation } from "../../schemas/public/validation.ts";
import { BRAND, page } from "../components/layout.ts";
import { type Html, html } from "../html.ts";
import { whole } from "./numbers.ts";
import { REPORT_STYLE } from "./style.ts";
import { agreementSection, outcomeSection } from "./validation-beyond.ts";
import { populationParts } from "./validation-population.ts";

export function validationPage(data: Validation, version: string): string {
  const title = `Release ${version}`;
  const description = `What the scores of this release mean, in figures of ${whole(data.harvested)} harvested records.`;
  return page({
    title: `${title}: validation`,
    description,
    style: REPORT_STYLE,
    body: html`<main class="report" id="content" tabindex="-1">
${BRAND}
<h1>${title}: validation</h1>
<p class="lead">${description} ${left(data)}</p>
<p class="digest">${data.releaseDigest}</p>
<p>No figure is given of fewer than ${data.least} records. Rates are of records of which the signal could be judged, with Wilson intervals of 95&nbsp;percent. All of it, and how often each figure was counted, is in <code>${VALIDATION_FILE}</code>, and can be computed again from the release's tables.</p>
${data.rubrics.map(({ version: rubric, contract, populations }) => rubricSection(rubric, contract, populations))}
${agreementSection(data)}
${outcomeSection(data)}
<p><a href="${DESCRIPTORS.report}">The report of the release</a>: what moved in it, and why.</p>
</main>`,
  });
}

function left({ generated }: Validation): string {
  return generated === 0 ? "" : `${whole(generated)} generated records are left out.`;
}

function rubricSection(
  rubric: string,
  contract: string,
  populations: Validation["rubrics"][number]["populations"],
): Html {
  const id = `share-${rubric.replace(".", "-")}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">SHARE ${rubric}</h2>
<p>Contract ${contract}.</p>
${populations.length === 0 ? html`<p class="none">Too few harvested records for any figure.</p>` : null}
${populations.map((each) =>
  each.source === null
    ? html`<h3>All sources</h3>${populationParts(each)}`
    : html`<details><summary>${each.source}</summary>${populationParts(each)}</details>`,
)}
</section>`;
}
