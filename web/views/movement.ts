/** The view of one release: the changes of scores and their causes. */

import type { RecordChange, ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { type RetractionNotice, retractedNote, type View } from "../components/document.ts";
import { countText, decimal, integer, timeElement } from "../components/figures.ts";
import { causeTable, changeTable, readerSection, reasonSection } from "../components/movement.ts";
import { type Html, html } from "../html.ts";

const MOST_SHOWN = 25;

/** `digest` is that of the URL. `retraction` is null if the release is not retracted, or if the banner already shows it. */
export function movementView(diff: ReleaseDiff, digest: string, retraction: RetractionNotice | null): View {
  const { from, to, records } = diff;
  return {
    title: `Release ${to.scoreReleaseVersion}`,
    description: `Changes of scores in release ${to.scoreReleaseVersion} and their causes.`,
    apiPath: `/releases/${digest}/diff`,
    body: html`<p class="crumbs"><a href="/history">Releases and downloads</a></p>
<h1>Release ${to.scoreReleaseVersion}</h1>
${retraction === null ? null : html`${retractedNote(to.scoreReleaseVersion, retraction)}\n`}<p>${from === null ? "The first release: every dataset is new." : html`Compared with release ${from.scoreReleaseVersion}, as of ${timeElement(from.asOf)}.`} <a href="/releases/${digest}/report.html">The full report</a>. <a href="/releases/${digest}/validation.html">Validation of the scores</a></p>
<ul class="figures"><li><b>${integer(records.before)}</b> datasets before</li><li><b>${integer(records.after)}</b> now</li><li><b>${integer(records.added)}</b> added</li><li><b>${integer(records.removed)}</b> removed</li></ul>
${reasonSection(diff, 2)}
${readerSection(diff, 2)}
${diff.rubrics.map(rubricOf)}
${changes("Largest changes", diff.largest)}
${changes("New", diff.added, ["After"])}
${changes("Removed", diff.removed, ["Before"])}
<p class="small">The files of the release have every change: ${diff.files.map((file, i) => html`${i === 0 ? "" : ", "}<a href="/releases/${digest}/${file}">${file}</a>`)}.</p>`,
  };
}

function rubricOf(figures: ReleaseDiff["rubrics"][number]): Html {
  const { rubric, moved, up, down, meanBefore, meanAfter } = figures;
  return html`<h2>SHARE ${rubric}</h2><p>${
    meanBefore === null
      ? html`The average is ${decimal(meanAfter)}.`
      : html`${countText(moved, "score")} changed: ${integer(up)} up, ${integer(down)} down. The average was ${decimal(meanBefore)} and is ${decimal(meanAfter)}.`
  }</p>${figures.byCause.length === 0 ? null : causeTable(figures)}`;
}

function nameOf({ id, title, kind }: RecordChange): Html {
  const name = title ?? id;
  return kind === "removed" ? html`<bdi>${name}</bdi>` : html`<a href="/datasets/${id}" dir="auto">${name}</a>`;
}

function changes(caption: string, all: readonly RecordChange[], sides?: readonly ("Before" | "After")[]): Html | null {
  const listed = all.filter(({ rubric }) => rubric === "2.0").slice(0, MOST_SHOWN);
  if (listed.length === 0) return null;
  return html`<h2>${caption}</h2>${changeTable(`${caption}, under SHARE 2.0`, listed, nameOf, sides)}`;
}
