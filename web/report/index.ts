/** The report of a release: one page that needs nothing but itself, to be read after every build. */

import { VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { BRAND, page } from "../components/layout.ts";
import { type Html, html } from "../html.ts";
import { coverageSection } from "./coverage.ts";
import type { ReportData } from "./data.ts";
import { gatesSection } from "./gates.ts";
import { movementSections } from "./movement.ts";
import { change, decimal, signed, whole } from "./numbers.ts";
import { provenanceSection } from "./provenance.ts";
import { rubricSection } from "./rubric.ts";
import { REPORT_STYLE } from "./style.ts";

export function reportPage(data: ReportData): string {
  const { receipt } = data;
  const title = `Release ${receipt.scoreReleaseVersion}`;
  return page({
    title: `${title}: report`,
    description: leadOf(data),
    style: REPORT_STYLE,
    body: html`<main class="report" id="content" tabindex="-1">
${BRAND}
<h1>${title}</h1>
<p class="lead">${leadOf(data)}</p>
<p class="digest">${receipt.releaseDigest}</p>
${verdict(data)}
${tiles(data)}
${gatesSection(data)}
${movementSections(data)}
${data.rubrics.map((rubric) => rubricSection(rubric))}
${coverageSection(data)}
${provenanceSection(data)}
<p><a href="${VALIDATION_PAGE}">Whether these scores mean something</a>, in figures.</p>
<footer>Made from the release's own tables and receipt; it names no file that it is itself part of. Cite as: ${data.citation}</footer>
</main>`,
  });
}

/** What happened, in a sentence or two. */
function leadOf({ receipt, diff }: ReportData): string {
  const { scored, insufficient, failed } = receipt.coverage;
  const without = [
    insufficient > 0 ? `, ${whole(insufficient)} with too little evidence for a total` : "",
    failed > 0 ? `, ${whole(failed)} that could not be read` : "",
  ].join("");
  const scores = `Scores as of ${receipt.asOf}: ${whole(scored)} records scored${without}.`;
  if (diff.from === null) return `${scores} There is no release before it to compare with.`;
  const moved = diff.rubrics
    .map(({ rubric, moved: count }) => `${whole(count)} moved under SHARE ${rubric}`)
    .join(", ");
  return `${scores} Since ${diff.from.scoreReleaseVersion}, ${whole(diff.records.added)} came, ${whole(diff.records.removed)} went, ${moved}.`;
}

function verdict({ gates }: ReportData): Html {
  const failed = gates.filter(({ passed }) => !passed).length;
  return failed === 0
    ? html`<p class="verdict good">All ${gates.length} gates passed</p>`
    : html`<p class="verdict bad">${failed} of ${gates.length} gates not passed: not activated unless forced</p>`;
}

function tiles({ diff, rubrics }: ReportData): Html {
  const { before, after } = diff.records;
  return html`<dl class="tiles">
<div><dt>Records</dt><dd>${whole(after)} <small>${diff.from === null ? "" : signed(after - before)}</small></dd></div>
${rubrics.map(
  ({ version, after: now, before: then }) =>
    html`<div><dt>Mean, SHARE ${version}</dt><dd>${decimal(now.mean)} <small>of a mean cap of ${decimal(now.cap)} ${change(then?.mean, now.mean)}</small></dd></div>`,
)}
${diff.rubrics.map(
  ({ rubric, moved, up, down }) =>
    html`<div><dt>Moved, SHARE ${rubric}</dt><dd>${whole(moved)} <small>${whole(up)} up, ${whole(down)} down</small></dd></div>`,
)}
</dl>`;
}
