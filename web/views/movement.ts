/** The view of one release: the changes of scores and their causes, its citation and its files. */

import { movedText, type RecordChange, type ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { type RetractionNotice, retractedNote, type View } from "../components/document.ts";
import { countText, hundredths, integer, timeElement } from "../components/figures.ts";
import { causeTable, changeTable, readerSection, reasonSection } from "../components/movement.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { downloadSection, type ReleaseContents } from "./downloads.ts";

const MAX_SHOWN = 25;

export interface ReleasePage {
  readonly contents: ReleaseContents;
  /** The changes of the release; null for a release that was built without a comparison. */
  readonly diff: ReleaseDiff | null;
  /** The digest of the URL. */
  readonly digest: string;
  /** The retraction of the release; null if it is not retracted, or if the banner already shows it. */
  readonly retraction: RetractionNotice | null;
  /** Origin of the site, for URLs in examples. */
  readonly origin: string;
}

export function movementView({ contents, diff, digest, retraction, origin }: ReleasePage): View {
  const { scoreReleaseVersion: version } = contents.receipt;
  return {
    title: `Release ${version}`,
    description: `Changes of scores in release ${version} and their causes, its citation and its files.`,
    apiPath: diff === null ? `/releases/${digest}` : `/releases/${digest}/diff`,
    body: html`<p class="crumbs"><a href="/history">Releases and downloads</a></p>
<h1>Release ${version}</h1>
${retraction === null ? null : html`${retractedNote(version, retraction)}\n`}<p>${comparison(diff)} <a href="/releases/${digest}/report.html">The full report</a>. <a href="/releases/${digest}/validation.html">Validation of the scores</a>. <a href="#download">Cite and download</a></p>
${diff === null ? null : renderChanges(diff)}
${downloadSection(contents, digest, origin)}`,
  };
}

function comparison(diff: ReleaseDiff | null): HtmlPart {
  if (diff === null) return "This release was built without a comparison.";
  if (diff.from === null) return "The first release: every dataset is new.";
  return html`Compared with release ${diff.from.scoreReleaseVersion}, as of ${timeElement(diff.from.asOf)}.`;
}

function renderChanges(diff: ReleaseDiff): Html {
  const { records } = diff;
  return html`<ul class="figures"><li><b>${integer(records.before)}</b> datasets before</li><li><b>${integer(records.after)}</b> now</li><li><b>${integer(records.added)}</b> added</li><li><b>${integer(records.removed)}</b> removed</li></ul>
${reasonSection(diff, 2)}
${readerSection(diff, 2)}
${diff.rubrics.map(renderRubric)}
${changes("Largest changes", diff.largest)}
${changes("New", diff.added, ["After"])}
${changes("Removed", diff.removed, ["Before"])}
<p class="small"><a href="#download">The tables</a> whose names begin with “diff” have every change.</p>`;
}

function renderRubric(figures: ReleaseDiff["rubrics"][number]): Html {
  const { rubric, moved, meanBefore, meanAfter } = figures;
  return html`<h2>SHARE ${rubric}</h2><p>${
    meanBefore === null
      ? html`The average is ${hundredths(meanAfter)}.`
      : html`${countText(moved, "dataset")} changed: ${movedText(figures)}. A dataset can have several causes. The average was ${hundredths(meanBefore)} and is ${hundredths(meanAfter)}, also because of added and removed datasets.`
  }</p>${figures.byCause.length === 0 ? null : causeTable(figures)}`;
}

function renderName({ id, identifier, title, kind }: RecordChange): Html {
  const name = title ?? identifier;
  return kind === "removed" ? html`<bdi>${name}</bdi>` : html`<a href="/datasets/${id}" dir="auto">${name}</a>`;
}

function changes(caption: string, all: readonly RecordChange[], sides?: readonly ("Before" | "After")[]): Html | null {
  const listed = all.filter(({ rubric }) => rubric === "2.0").slice(0, MAX_SHOWN);
  if (listed.length === 0) return null;
  return html`<h2>${caption}</h2>${changeTable(`${caption}, under SHARE 2.0`, listed, renderName, sides)}`;
}
