/** Shows the changes since the previous release: by cause, by source, and the largest changes one by one. */

import type { ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { colourKey, dumbbell } from "../components/bars.ts";
import { change, countText, fixed, integer, signedNumber } from "../components/figures.ts";
import { causeTable, changeTable, readerSection, reasonSection } from "../components/movement.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, html } from "../html.ts";
import type { ReportData } from "./data.ts";
import { datasetHref } from "./links.ts";

/** The number of changes that are shown for each SHARE version. The files of the release have all. */
const MAX_SHOWN = 15;

/** True if the release has the datasets and scores of the previous one. */
export function isUnchanged({ records, rubrics }: ReleaseDiff): boolean {
  return records.added + records.removed === 0 && rubrics.every(({ moved }) => moved === 0);
}

/** Returns the section about the changes; null if there is no previous release. */
export function movementSections({ diff }: Pick<ReportData, "diff">): Html | null {
  if (diff.from === null) return null;
  return html`<section aria-labelledby="moved"><h2 id="moved">Since ${diff.from.scoreReleaseVersion}</h2>
<p>${
    isUnchanged(diff)
      ? "No score changed, and no record was added or removed."
      : "To distinguish the causes, the earlier evidence is scored again with one part of the new release after the other, in the order of the table."
  }</p>
${reasonSection(diff, 3)}
${readerSection(diff, 3)}
${isUnchanged(diff) ? null : diff.rubrics.map((rubric) => rubricMovement(diff, rubric))}
</section>`;
}

function rubricMovement(diff: ReleaseDiff, figures: ReleaseDiff["rubrics"][number]): Html {
  const { rubric, researchers, byCause } = figures;
  const records = diff.largest.filter((record) => record.rubric === rubric).slice(0, MAX_SHOWN);
  const sources = diff.sources.filter(
    (source) => source.rubric === rubric && source.added + source.removed + source.moved > 0,
  );
  if (byCause.length + sources.length === 0)
    return html`<h3>SHARE ${rubric}</h3><p>No score changed, and no record was added or removed.</p>`;
  return html`${
    byCause.length === 0
      ? html`<h3>SHARE ${rubric}</h3><p>No score changed.</p>`
      : html`<h3>Causes under SHARE ${rubric}</h3>
${colourKey([
  ["lost", "points lost"],
  ["gained", "points gained"],
])}
${causeTable(figures)}`
  }
${
  sources.length === 0
    ? null
    : html`<h3>Sources with changes under SHARE ${rubric}</h3>
${colourKey([
  ["hollow", "mean before"],
  ["full", "mean now"],
])}
${sourceTable(sources, rubric)}`
}
${
  records.length === 0
    ? null
    : html`<h3>Largest changes under SHARE ${rubric}</h3>
${changeTable(
  `Largest changes of scores under SHARE ${rubric}`,
  records,
  ({ id, title, identifier }) =>
    html`<a href="${datasetHref(id)}"><bdi>${title ?? identifier}</bdi></a><span class="hint">${identifier}</span>`,
)}`
}
<h3>Researchers under SHARE ${rubric}</h3>
<p>S-Index: ${integer(researchers.up)} up, ${integer(researchers.down)} down. S-Impact: ${integer(researchers.sImpactUp)} up, ${integer(researchers.sImpactDown)} down. ${countText(researchers.added, "researcher was", "researchers were")} added, and ${integer(researchers.removed)} were removed.</p>`;
}

function sourceTable(sources: ReleaseDiff["sources"], rubric: string): Html {
  return table(
    `Records and means by source under SHARE ${rubric}`,
    [
      "Source",
      ...["Records", "Added", "Removed", "Changed", "Mean", "Change"].map(numberColumn),
      { name: "0 to 100", isBar: true },
    ],
    sources.map(({ source, after, added, removed, moved, meanBefore, meanAfter }) => [
      source,
      integer(after),
      signedNumber(added),
      signedNumber(-removed),
      integer(moved),
      fixed(meanAfter),
      change(meanBefore, meanAfter),
      dumbbell(meanBefore, meanAfter, 100),
    ]),
  );
}
