/** The view of one release: the changes of scores and their causes, its citation and its files. */

import { movedText, type RecordChange, type ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { type RetractionNotice, retractedNote, type View } from "../components/document.ts";
import { countText, hundredths, integer, plural } from "../components/figures.ts";
import { causeTable, changeTable, readerFold, reasonList } from "../components/movement.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { downloadSection, type ReleaseContents } from "./downloads.ts";

/** Number of datasets in each list. The tables of the release have all. */
const MAX_SHOWN = 15;

export interface ReleasePage {
  readonly contents: ReleaseContents;
  /** The changes of the release; null for a release that was built without a comparison. */
  readonly diff: ReleaseDiff | null;
  /** The digest of the release as in the URL of the view, for example `sha256-80ed…`. */
  readonly digest: string;
  /** The retraction of the release; null if it is not retracted, or if the banner already shows it. */
  readonly retraction: RetractionNotice | null;
  /** The names of sources by their ids. */
  readonly sources: ReadonlyMap<string, string>;
  /** Origin of the site, for URLs in examples. */
  readonly origin: string;
}

export function movementView({ contents, diff, digest, retraction, sources, origin }: ReleasePage): View {
  const { scoreReleaseVersion: version } = contents.receipt;
  return {
    title: diff?.from == null ? `Release ${version}` : `Changes in release ${version}`,
    description: `Changes of scores in release ${version} and their causes, its citation and its files.`,
    apiPath: diff === null ? `/releases/${digest}` : `/releases/${digest}/diff`,
    body: html`<p class="crumbs"><a href="/history">Releases and downloads</a></p>
<h1>Release ${version}</h1>
${retraction === null ? null : html`${retractedNote(version, retraction)}\n`}<p class="lead">${finding(diff)}</p>
<div class="actions"><a class="button" href="#download">Cite and download</a><a class="button quiet" href="/releases/${digest}/report.html">Full report</a><a class="button quiet" href="/releases/${digest}/validation.html">Validation of the scores</a></div>
${diff === null ? null : diff.from === null ? firstRelease(diff) : renderChanges(diff, sources)}
${downloadSection(contents, digest, origin)}`,
  };
}

/** Returns the result of the comparison in one or two sentences. */
function finding(diff: ReleaseDiff | null): HtmlPart {
  if (diff === null) return "This release was built without a comparison.";
  const { from, records } = diff;
  if (from === null)
    return plural(
      records.after,
      "The first release: its only dataset is new.",
      "The first release: all {0} datasets are new.",
    );
  const [version] = PUBLIC_VERSIONS;
  const since = `since release ${from.scoreReleaseVersion}`;
  const figures = diff.rubrics.find(({ rubric }) => rubric === version);
  if (figures === undefined)
    return html`${countText(records.added, "dataset")} added and ${integer(records.removed)} removed ${since}.`;
  const none =
    figures.moved > 0
      ? ""
      : records.added + records.removed > 0
        ? " No score changed."
        : ` No score changed, and no dataset was added or removed: the release has the same ${countText(records.after, "dataset")}.`;
  const [opposed, average] = [opposedWords(figures, records), averageWords(figures)];
  return html`${opposed}${opposed === "" ? average : average.replace("The", "the")} ${since}.${none}`;
}

/**
 * Returns the beginning of a sentence about changed datasets whose points changed in the other direction than the average; an
 * empty text if the directions do not differ.
 */
function opposedWords(
  { meanBefore, meanAfter, contractBefore, contractAfter, byCause }: RubricDiff,
  { added, removed }: ReleaseDiff["records"],
): string {
  const points = byCause.reduce((sum, { gained, lost }) => sum + gained - lost, 0);
  if (meanBefore === null || meanAfter === null || contractBefore !== contractAfter) return "";
  if (points * (meanAfter - meanBefore) >= 0 || added + removed === 0) return "";
  const others = [
    ...(added === 0 ? [] : [`${integer(added)} new`]),
    ...(removed === 0 ? [] : [`${integer(removed)} removed`]),
  ];
  return `The changed datasets ${points > 0 ? "gained" : "lost"} ${countText(Math.abs(points), "point")} together, but with ${others.join(" and ")} datasets, `;
}

/** Returns words for the change of the average. Averages under different rules are not compared. */
function averageWords({ meanBefore, meanAfter, contractBefore, contractAfter }: RubricDiff): string {
  const now = hundredths(meanAfter);
  if (meanBefore === null || meanAfter === null) return `The average is ${now}`;
  if (contractBefore !== contractAfter) return `The average is ${now} under rules that are new`;
  if (meanBefore === meanAfter) return `The average is ${now}, unchanged`;
  return `The average ${meanAfter > meanBefore ? "rose" : "fell"} from ${hundredths(meanBefore)} to ${now}`;
}

type RubricDiff = ReleaseDiff["rubrics"][number];

function renderChanges(diff: ReleaseDiff, sources: ReadonlyMap<string, string>): Html {
  const { records } = diff;
  const [version] = PUBLIC_VERSIONS;
  const figures = diff.rubrics.find(({ rubric }) => rubric === version);
  const isUnchanged = figures?.moved === 0 && records.added + records.removed === 0;
  return html`${
    isUnchanged
      ? null
      : html`<ul class="figures">${
          figures === undefined
            ? null
            : html`<li><b>${integer(figures.up)}</b> ${figures.up === 1 ? "dataset scores" : "datasets score"} higher</li><li><b>${integer(figures.down)}</b> ${figures.down === 1 ? "scores" : "score"} lower</li>`
        }<li><b>${integer(records.added)}</b> new, of ${countText(records.after, "dataset")}</li><li><b>${integer(records.removed)}</b> removed</li></ul>`
  }
${figures === undefined || figures.byCause.length === 0 ? null : html`<h2>Why scores changed</h2>${causeTable(figures)}`}
${readerFold(diff, sources)}
${changedScores(diff, figures, sources)}
${records.added + records.removed === 0 ? null : html`<h2>New and removed datasets</h2>${reasonList(diff)}`}
${changeFold(countText(records.added, "new dataset"), diff.added, sources, ["After"])}
${changeFold(countText(records.removed, "removed dataset"), diff.removed, sources, ["Before"])}
${diff.rubrics.filter(({ rubric }) => rubric !== version).map(olderFold)}
<p class="small"><a href="#download">The tables</a> whose names begin with “diff” have every change.</p>`;
}

/** Returns the datasets whose score changed, and a fold with those that have other signals but the same score. */
function changedScores(
  { largest }: ReleaseDiff,
  figures: RubricDiff | undefined,
  sources: ReadonlyMap<string, string>,
): Html | null {
  if (figures === undefined || figures.moved === 0) return null;
  const isSame = ({ totalBefore, totalAfter }: RecordChange) => totalBefore === totalAfter;
  const changed = largest.filter((change) => !isSame(change));
  const same = figures.moved - figures.up - figures.down;
  return html`${listedChanges(changed).length === 0 ? null : html`<h2>Largest changes</h2>${changeTable("Largest changes of scores, under SHARE 2.0", listedChanges(changed), renderName, sources)}`}
${changeFold(`${countText(same, "dataset")} with other signals but no change in points`, largest.filter(isSame), sources, ["After"])}`;
}

/** Returns a fold with datasets; null without any. */
function changeFold(
  subject: string,
  all: readonly RecordChange[],
  sources: ReadonlyMap<string, string>,
  sides: readonly ["Before" | "After"],
): Html | null {
  const listed = listedChanges(all);
  if (listed.length === 0) return null;
  const caption =
    all.filter(({ rubric }) => rubric === PUBLIC_VERSIONS[0]).length > listed.length
      ? `The ${listed.length} with the highest scores`
      : "With their scores";
  return html`<details><summary>${subject}</summary>${changeTable(`${caption}, under SHARE 2.0`, listed, renderName, sources, sides)}</details>`;
}

/** Number of datasets that the page of the first release lists. */
const MAX_HIGHEST = 5;

/** Returns the figures and the highest scores of the first release, which cannot be compared with an earlier one. */
function firstRelease({ records, rubrics, added }: ReleaseDiff): Html {
  const highest = listedChanges(added).slice(0, MAX_HIGHEST);
  return html`<ul class="figures"><li><b>${integer(records.after)}</b> ${records.after === 1 ? "dataset" : "datasets"}</li>${rubrics.map(
    ({ rubric, meanAfter }) => html`<li><b>${hundredths(meanAfter)}</b> average score under SHARE ${rubric}</li>`,
  )}</ul>
${
  highest.length === 0
    ? null
    : html`<h2>The highest scores</h2>${table(
        "Datasets with the highest scores, under SHARE 2.0",
        ["Dataset", numberColumn("Score")],
        highest.map((change) => [renderName(change), change.totalAfter ?? "–"]),
      )}`
}`;
}

/** Returns a fold about the scores under an older version. */
function olderFold(figures: RubricDiff): Html {
  const { rubric, moved, meanBefore, byCause } = figures;
  const changed =
    moved === 0 ? " No score changed." : ` ${countText(moved, "dataset")} changed: ${movedText(figures)}.`;
  return html`<details><summary>Changes under SHARE ${rubric}</summary><p>${averageWords(figures)}.${meanBefore === null ? "" : changed}</p>${byCause.length === 0 ? null : causeTable(figures)}</details>`;
}

function renderName({ id, identifier, title, kind }: RecordChange): Html {
  const name = title ?? identifier;
  return kind === "removed" ? html`<bdi>${name}</bdi>` : html`<a href="/datasets/${id}" dir="auto">${name}</a>`;
}

function listedChanges(all: readonly RecordChange[]): RecordChange[] {
  return all.filter(({ rubric }) => rubric === PUBLIC_VERSIONS[0]).slice(0, MAX_SHOWN);
}
