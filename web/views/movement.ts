/** One release: what moved in it, and what moved it. */

import { CAUSES, REASONS, type RecordChange, type ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { readerChange } from "../../schemas/public/api/reader-change.ts";
import type { View } from "../components/document.ts";
import { type RetractionSaid, retractedNote } from "../components/document.ts";
import { counted, decimal, when, whole } from "../components/figures.ts";
import { table } from "../components/table.ts";
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
${
  diff.reasons.length === 0
    ? null
    : html`<h2>Why datasets came and went</h2>${table(
        "By reason",
        [{ name: "Reason" }, { name: "Datasets", isNumber: true }],
        diff.reasons.map(({ kind, reason, records: count }) => [
          `${kind === "added" ? "Came" : "Went"}: ${REASONS[reason]}`,
          whole(count),
        ]),
      )}`
}
${
  diff.readers.length === 0
    ? null
    : html`<h2>Read in another way</h2><p>What moved because of that is told by its cause.</p>${table(
        "Sources whose reader changed",
        [{ name: "Source" }, { name: "Reader" }],
        diff.readers.map((reader) => [reader.source, readerChange(reader)]),
      )}`
}
${diff.rubrics.map(rubricOf)}
${changes("Moved most", diff.largest)}
${changes("New", diff.added, ["After"])}
${changes("Gone", diff.removed, ["Before"])}
<p class="small">All of it is in the files of the release: ${diff.files.map((file, i) => html`${i === 0 ? "" : ", "}<a href="/releases/${digest}/${file}">${file}</a>`)}.</p>`,
  };
}

function rubricOf({ rubric, moved, up, down, meanBefore, meanAfter, byCause }: ReleaseDiff["rubrics"][number]): Html {
  return html`<h2>SHARE ${rubric}</h2><p>${
    meanBefore === null
      ? html`The average is ${decimal(meanAfter)}.`
      : html`${counted(moved, "dataset")} moved: ${whole(up)} up, ${whole(down)} down. The average was ${decimal(meanBefore)} and is ${decimal(meanAfter)}.`
  }</p>${
    byCause.length === 0
      ? null
      : table(
          `What moved scores under SHARE ${rubric}, with the points gained and lost`,
          [
            { name: "Cause" },
            { name: "Datasets", isNumber: true },
            { name: "Gained", isNumber: true },
            { name: "Lost", isNumber: true },
          ],
          byCause.map(({ cause, records, gained, lost }) => [
            CAUSES[cause],
            whole(records),
            whole(gained),
            whole(lost),
          ]),
        )
  }`;
}

function linkTo(id: string, title: string | null): Html {
  return html`<a href="/datasets/${id}" dir="auto">${title ?? id}</a>`;
}

type Sides = readonly ("Before" | "After")[];

/** `sides`: of what has just come there is nothing before, of what has gone nothing after. */
function changes(caption: string, all: readonly RecordChange[], sides: Sides = ["Before", "After"]): Html | null {
  const shown = all.filter(({ rubric }) => rubric === "2.0").slice(0, MOST_SHOWN);
  if (shown.length === 0) return null;
  const score = ({ totalBefore, totalAfter }: RecordChange, side: Sides[number]) =>
    (side === "Before" ? totalBefore : totalAfter) ?? "–";
  return html`<h2>${caption}</h2>${table(
    `${caption}, under SHARE 2.0`,
    [{ name: "Dataset, and why", isLong: true }, ...sides.map((name) => ({ name, isNumber: true }))],
    shown.map((change) => {
      const { id, title, causes, reason, kind } = change;
      const name = kind === "removed" ? html`<bdi>${title ?? id}</bdi>` : linkTo(id, title);
      const why = reason === null ? causes.map((cause) => CAUSES[cause]).join("; ") : REASONS[reason];
      return [html`${name}<span class="hint">${why}</span>`, ...sides.map((side) => score(change, side))];
    }),
  )}`;
}
