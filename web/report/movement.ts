/** The movements since the release before: by cause, by source, and the largest movements one by one. */

import type { ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { colourKey, dumbbell } from "../components/bars.ts";
import { change, fixed, integer, signedNumber } from "../components/figures.ts";
import { causeTable, changeTable, readerSection, reasonSection } from "../components/movement.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, html } from "../html.ts";
import type { ReportData } from "./data.ts";

/** Movements shown one by one, of each version; the files have all. */
const SHOWN = 15;

/** Null if there is no release before. */
export function movementSections({ diff }: Pick<ReportData, "diff">): Html | null {
  if (diff.from === null) return null;
  return html`<section aria-labelledby="moved"><h2 id="moved">Since ${diff.from.scoreReleaseVersion}</h2>
<p>Causes are distinguished by recomputing: the earlier evidence is scored with one part of the new release after the other, in the order of the table.</p>
${reasonSection(diff, 3)}
${readerSection(diff, 3)}
${diff.rubrics.map((rubric) => rubricMovement(diff, rubric))}
</section>`;
}

function rubricMovement(diff: ReleaseDiff, figures: ReleaseDiff["rubrics"][number]): Html {
  const { rubric, researchers } = figures;
  const records = diff.largest.filter((record) => record.rubric === rubric).slice(0, SHOWN);
  const people = diff.researchers.filter((person) => person.rubric === rubric).slice(0, SHOWN);
  return html`<h3>Causes under SHARE ${rubric}</h3>
${colourKey([
  ["lost", "points lost"],
  ["gained", "points gained"],
])}
${causeTable(figures)}
<h3>Sources under SHARE ${rubric}</h3>
${colourKey([
  ["hollow", "mean before"],
  ["full", "mean now"],
])}
${sourceTable(diff, rubric)}
<h3>Largest movements under SHARE ${rubric}</h3>
${changeTable(
  `Datasets that moved most under SHARE ${rubric}`,
  records,
  ({ title, identifier }) => html`<bdi>${title ?? identifier}</bdi><span class="hint">${identifier}</span>`,
)}
<h3>Researchers under SHARE ${rubric}</h3>
<p>S-Index: ${integer(researchers.up)} up, ${integer(researchers.down)} down. S-Impact: ${integer(researchers.sImpactUp)} up, ${integer(researchers.sImpactDown)} down. Tier: ${integer(researchers.tierUp)} up, ${integer(researchers.tierDown)} down. ${integer(researchers.quadrantMoved)} are in another quadrant; ${integer(researchers.added)} are new, ${integer(researchers.removed)} gone.</p>
${table(
  `Researchers whose figures moved most under SHARE ${rubric}`,
  ["Researcher", ...["S-Index", "S-Impact", "Tier", "Quadrant", "Datasets"].map(numberColumn)],
  people.map((person) => [
    person.name,
    moved(person.sIndexBefore, person.sIndexAfter),
    moved(person.sImpactBefore, person.sImpactAfter),
    moved(person.tierBefore, person.tierAfter),
    moved(person.quadrantBefore, person.quadrantAfter),
    moved(person.datasetCountBefore, person.datasetCountAfter),
  ]),
)}`;
}

/** A figure or word before and now, or the one that stayed. */
function moved(before: number | string | null, after: number | string | null): string {
  const words = (value: number | string | null) => String(value ?? "none").replaceAll("_", " ");
  return before === after ? words(after) : `${words(before)} → ${words(after)}`;
}

function sourceTable({ sources }: ReleaseDiff, rubric: string): Html {
  return table(
    `Records and means by source under SHARE ${rubric}`,
    [
      "Source",
      ...["Records", "Came", "Went", "Moved", "Mean", "Change"].map(numberColumn),
      { name: "0 to 100", isBar: true },
    ],
    sources
      .filter((source) => source.rubric === rubric)
      .map(({ source, after, added, removed, moved, meanBefore, meanAfter }) => [
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
