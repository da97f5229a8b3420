/** One release: what moved in it, and what moved it. */

import type { RecordChange, ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { type RetractionSaid, retractedNote, type View } from "../components/document.ts";
import { counted, decimal, when, whole } from "../components/figures.ts";
import { causeTable, changeTable, readerSection, reasonSection } from "../components/movement.ts";
import { type Html, html } from "../html.ts";

const MOST_SHOWN = 25;

/** `digest`: as addresses write it; `said`: when it was withdrawn, unless the page says that already of the active one. */
export function movementView(diff: ReleaseDiff, digest: string, said: RetractionSaid | null): View {
  const { from, to, records } = diff;
  return {
    title: `Release ${to.scoreReleaseVersion}`,
    description: `What moved in release ${to.scoreReleaseVersion}, and why.`,
    twin: `/releases/${digest}/diff`,
    body: html`<p class="crumbs"><a href="/history">Releases and downloads</a></p>
<h1>Release ${to.scoreReleaseVersion}</h1>
${said === null ? null : html`${retractedNote(to.scoreReleaseVersion, said)}\n`}<p>${from === null ? "The first release: every dataset is new." : html`Against release ${from.scoreReleaseVersion}, as of ${when(from.asOf)}.`} <a href="/releases/${digest}/report.html">The full report</a>. <a href="/releases/${digest}/validation.html">Whether its scores mean something</a></p>
<ul class="figures"><li><b>${whole(records.before)}</b> datasets before</li><li><b>${whole(records.after)}</b> now</li><li><b>${whole(records.added)}</b> came</li><li><b>${whole(records.removed)}</b> went</li></ul>
${reasonSection(diff, 2)}
${readerSection(diff, 2)}
${diff.rubrics.map(rubricOf)}
${changes("Moved most", diff.largest)}
${changes("New", diff.added, ["After"])}
${changes("Gone", diff.removed, ["Before"])}
<p class="small">All of it is in the files of the release: ${diff.files.map((file, i) => html`${i === 0 ? "" : ", "}<a href="/releases/${digest}/${file}">${file}</a>`)}.</p>`,
  };
}

function rubricOf(figures: ReleaseDiff["rubrics"][number]): Html {
  const { rubric, moved, up, down, meanBefore, meanAfter } = figures;
  return html`<h2>SHARE ${rubric}</h2><p>${
    meanBefore === null
      ? html`The average is ${decimal(meanAfter)}.`
      : html`${counted(moved, "dataset")} moved: ${whole(up)} up, ${whole(down)} down. The average was ${decimal(meanBefore)} and is ${decimal(meanAfter)}.`
  }</p>${figures.byCause.length === 0 ? null : causeTable(figures)}`;
}

/** The page of a removed dataset is gone. */
function nameOf({ id, title, kind }: RecordChange): Html {
  const name = title ?? id;
  return kind === "removed" ? html`<bdi>${name}</bdi>` : html`<a href="/datasets/${id}" dir="auto">${name}</a>`;
}

function changes(caption: string, all: readonly RecordChange[], sides?: readonly ("Before" | "After")[]): Html | null {
  const shown = all.filter(({ rubric }) => rubric === "2.0").slice(0, MOST_SHOWN);
  if (shown.length === 0) return null;
  return html`<h2>${caption}</h2>${changeTable(`${caption}, under SHARE 2.0`, shown, nameOf, sides)}`;
}
