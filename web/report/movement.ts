/** The movements since the release before: by cause, by source, by signal, and the largest movements one by one. */

import { CAUSES, REASONS, type RecordChange, type ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { readerChange } from "../../schemas/public/api/reader-change.ts";
import { type Html, html } from "../html.ts";
import { divergingBar, dumbbell } from "./bars.ts";
import type { ReportData } from "./data.ts";
import { change, decimal, signed, whole } from "./numbers.ts";
import { table } from "./table.ts";

/** Movements shown one by one, of each version; the files have all. */
const SHOWN = 15;

/** Nothing where there is no release before. */
export function movementSections({ diff }: Pick<ReportData, "diff">): Html | null {
  if (diff.from === null) return null;
  return html`<section aria-labelledby="moved"><h2 id="moved">Since ${diff.from.scoreReleaseVersion}</h2>
<p>Causes are told apart by recomputing: the old evidence is scored with one part of the new after the other, in the order of the table.</p>
<h3>Came and went</h3>
${table(
  "Records that came and went",
  ["What", "Records", "Why"],
  diff.reasons.map(({ kind, reason, records }) => [kind, whole(records), REASONS[reason]]),
  "text",
)}
${readersRead(diff)}
${diff.rubrics.map((rubric) => rubricMovement(diff, rubric))}
</section>`;
}

/** Nothing where every source is read as it was. */
function readersRead({ readers }: ReleaseDiff): Html | null {
  if (readers.length === 0) return null;
  return html`<h3>Read in another way</h3>
<p>The normaliser or the word lists of these sources are others than before. What moved because of that has the cause “reading”.</p>
${table(
  "Sources whose reader changed",
  ["Source", "Reader"],
  readers.map((reader) => [reader.source, readerChange(reader)]),
  "text",
)}`;
}

function rubricMovement(diff: ReleaseDiff, figures: ReleaseDiff["rubrics"][number]): Html {
  const { rubric, byCause, researchers } = figures;
  const most = Math.max(0, ...byCause.flatMap(({ gained, lost }) => [gained, lost]));
  const records = diff.largest.filter((record) => record.rubric === rubric).slice(0, SHOWN);
  const people = diff.researchers.filter((person) => person.rubric === rubric).slice(0, SHOWN);
  return html`<h3>What moved scores under SHARE ${rubric}</h3>
<p class="keys"><span class="key"><i class="swatch lost"></i> points lost</span> <span class="key"><i class="swatch gained"></i> points gained</span></p>
${table(
  "Points by cause",
  ["Cause", "Records", "Signals", "Lost", "Gained", "Points"],
  byCause.map(({ cause, records: count, signals, gained, lost }) => [
    html`${cause.replace("_", "-")}<small>${CAUSES[cause]}</small>`,
    whole(count),
    whole(signals),
    signed(-lost),
    signed(gained),
    divergingBar(lost, gained, most),
  ]),
)}
<h3>Sources under SHARE ${rubric}</h3>
<p class="keys"><span class="key"><i class="swatch hollow"></i> mean before</span> <span class="key"><i class="swatch full"></i> mean now</span></p>
${sourceTable(diff, rubric)}
<h3>Largest movements under SHARE ${rubric}</h3>
${table(
  "Records that moved most",
  ["Record", "Before", "Now", "Points", "Moved by"],
  records.map((record) => [
    html`${record.title ?? record.identifier}<small>${record.identifier}</small>`,
    record.totalBefore ?? (record.statusBefore ?? "none").replace("_", " "),
    record.totalAfter ?? (record.statusAfter ?? "none").replace("_", " "),
    record.points === null ? "–" : signed(record.points),
    why(record),
  ]),
  "text",
)}
<h3>Researchers under SHARE ${rubric}</h3>
<p>S-Index: ${whole(researchers.up)} up, ${whole(researchers.down)} down. S-Impact: ${whole(researchers.sImpactUp)} up, ${whole(researchers.sImpactDown)} down. Tier: ${whole(researchers.tierUp)} up, ${whole(researchers.tierDown)} down. ${whole(researchers.quadrantMoved)} are in another quadrant; ${whole(researchers.added)} are new, ${whole(researchers.removed)} gone.</p>
${table(
  "Researchers whose figures moved most",
  ["Researcher", "S-Index", "S-Impact", "Tier", "Quadrant", "Datasets"],
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
    "Records and means by source",
    ["Source", "Records", "Came", "Went", "Moved", "Mean", "Change", "0 to 100"],
    sources
      .filter((source) => source.rubric === rubric)
      .map(({ source, after, added, removed, moved, meanBefore, meanAfter }) => [
        source,
        whole(after),
        signed(added),
        signed(-removed),
        whole(moved),
        decimal(meanAfter),
        change(meanBefore, meanAfter),
        dumbbell(meanBefore, meanAfter, 100),
      ]),
  );
}

/** The signals by cause; where another source speaks nearly all of them moved, and a count says more. */
function why({ causes, signals, previousSource, source }: RecordChange): Html {
  if (previousSource !== null) return html`source<small>${source} speaks for it, no longer ${previousSource}</small>`;
  const moved = signals.filter(({ points }) => points !== 0);
  return html`${causes.map((cause) => cause.replace("_", "-")).join(", ")}<small>${moved
    .map(({ signal, points }) => `${signal} ${signed(points)}`)
    .join(", ")}</small>`;
}
