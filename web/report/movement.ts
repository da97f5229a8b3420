/** Shows the changes since the previous release: by cause, by source, and the largest changes one by one. */

import type { ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { changeText, countText, fixed, integer, signedNumber } from "../components/figures.ts";
import { causeTable, changeTable, readerFold, reasonList } from "../components/movement.ts";
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
export function movementSections(data: Pick<ReportData, "diff" | "sources" | "sourceMeans">): Html | null {
  const { diff, sources } = data;
  if (diff.from === null) return null;
  const [first, ...others] = diff.rubrics;
  return html`<section aria-labelledby="moved"><h2 id="moved">Since ${diff.from.scoreReleaseVersion}</h2>
${isUnchanged(diff) ? html`<p>No score changed, and no dataset was added or removed.</p>` : null}
${reasonList(diff)}
${readerFold(diff, sources)}
${isUnchanged(diff) || first === undefined ? null : rubricMovement(data, first)}
${
  isUnchanged(diff)
    ? null
    : others.map(
        (figures) =>
          html`<details><summary>Changes under SHARE ${figures.rubric}</summary>${rubricMovement(data, figures)}</details>`,
      )
}
</section>`;
}

function rubricMovement(
  { diff, sources: names, sourceMeans }: Pick<ReportData, "diff" | "sources" | "sourceMeans">,
  figures: ReleaseDiff["rubrics"][number],
): Html {
  const { rubric, researchers, byCause } = figures;
  const changed = diff.largest.filter((record) => record.rubric === rubric && record.points !== 0).slice(0, MAX_SHOWN);
  const sources = diff.sources.filter(
    (source) => source.rubric === rubric && source.added + source.removed + source.moved > 0,
  );
  if (byCause.length + sources.length === 0)
    return html`<p>Under SHARE ${rubric}, no score changed, and no dataset was added or removed.</p>`;
  return html`<h3>${byCause.length === 0 ? "No score changed" : "Why scores changed"}</h3>
${
  byCause.length === 0
    ? null
    : html`<p>To distinguish the causes, the earlier evidence is scored again with one part of the new release after the other, in the order of the table.</p>
${causeTable(figures)}`
}
${
  changed.length === 0
    ? null
    : html`<h3>Largest changes</h3>
${changeTable(
  `Largest changes of scores under SHARE ${rubric}`,
  changed,
  ({ id, title, identifier }) => html`<a href="${datasetHref(id)}"><bdi>${title ?? identifier}</bdi></a>`,
  names,
)}`
}
${sources.length === 0 ? null : html`<h3>Changes by source</h3>${sourceTable(sources, rubric, { sources: names, sourceMeans })}`}
<h3>Changes of researchers</h3>
<p>S-Index: ${integer(researchers.up)} up, ${integer(researchers.down)} down. S-Impact: ${integer(researchers.sImpactUp)} up, ${integer(researchers.sImpactDown)} down. ${countText(researchers.added, "researcher was", "researchers were")} added, and ${countText(researchers.removed, "was", "were")} removed.</p>`;
}

function sourceTable(
  sources: ReleaseDiff["sources"],
  rubric: string,
  { sources: names, sourceMeans }: Pick<ReportData, "sources" | "sourceMeans">,
): Html {
  const readChange = (source: string) => {
    const found = sourceMeans.find((each) => each.source === source && each.rubric === rubric);
    return found === undefined ? "" : changeText(found.before, found.after);
  };
  return table(
    `Datasets and averages by source under SHARE ${rubric}`,
    ["Source", ...["Datasets", "Added", "Removed", "Changed", "Average", "Change"].map(numberColumn)],
    sources.map(({ source, after, added, removed, moved, meanAfter }) => [
      names.get(source) ?? source,
      integer(after),
      signedNumber(added),
      signedNumber(-removed),
      integer(moved),
      fixed(meanAfter),
      readChange(source),
    ]),
  );
}
