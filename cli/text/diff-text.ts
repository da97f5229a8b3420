/** Movements between two releases, in words for a terminal. */

import { plural } from "../../pipeline/reading/text.ts";
import { CAUSES, type RecordChange, type ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { readerLines } from "./reader-text.ts";
import { shown } from "./wrapped.ts";

/** Movements shown of each version; the rest is in --csv and --json. */
const SHOWN = 10;

export function diffText(diff: ReleaseDiff): string {
  const from = diff.from === null ? "nothing" : `${diff.from.scoreReleaseVersion} ${diff.from.releaseDigest}`;
  return [
    `from        ${from}`,
    `to          ${diff.to.scoreReleaseVersion} ${diff.to.releaseDigest}`,
    `records     ${diff.records.before} → ${diff.records.after}: ${diff.records.added} added, ${diff.records.removed} removed`,
    ...readerLines(diff.readers),
    ...diff.reasons.map(({ kind, reason, records }) => `            ${records} ${kind}: ${reason}`),
    ...diff.rubrics.flatMap((rubric) => rubricLines(diff, rubric)),
  ].join("\n");
}

function rubricLines(diff: ReleaseDiff, rubric: ReleaseDiff["rubrics"][number]): string[] {
  const { moved, up, down, meanBefore, meanAfter, byCause, researchers } = rubric;
  const sources = diff.sources.filter((source) => source.rubric === rubric.rubric);
  return [
    "",
    `SHARE ${rubric.rubric}   mean ${fixed(meanBefore)} → ${fixed(meanAfter)}; ${moved} moved, ${up} up, ${down} down`,
    ...byCause.map(
      ({ cause, records, signals, gained, lost }) =>
        `  ${cause.padEnd(10)}+${gained} −${lost} points, ${plural(signals, "signal")} of ${plural(records, "record")}: ${CAUSES[cause]}`,
    ),
    ...sources.map(
      ({ source, before, after, ...figures }) =>
        `  ${source.padEnd(16)}${before} → ${after} records, mean ${fixed(figures.meanBefore)} → ${fixed(figures.meanAfter)}, ${figures.moved} moved`,
    ),
    `  S-Index         ${researchers.up} up, ${researchers.down} down, ${researchers.added} researchers new, ${researchers.removed} gone`,
    `  S-Impact        ${researchers.sImpactUp} up, ${researchers.sImpactDown} down`,
    `  tier            ${researchers.tierUp} up, ${researchers.tierDown} down; ${researchers.quadrantMoved} in another quadrant`,
    ...diff.largest
      .filter((record) => record.rubric === rubric.rubric)
      .slice(0, SHOWN)
      .map(recordLine),
  ];
}

function recordLine(record: RecordChange): string {
  const { id, identifier, totalBefore, totalAfter, statusBefore, statusAfter, causes, signals } = record;
  const moved = signals.filter(({ points }) => points !== 0).map(({ signal, points }) => `${signal} ${signed(points)}`);
  const signalText = moved.length === 0 ? "no points moved" : moved.join(", ");
  return `  ${id} ${totalText(totalBefore, statusBefore)} → ${totalText(totalAfter, statusAfter)} by ${causes.join(", ")}: ${signalText} (${shown(identifier)})`;
}

function totalText(total: number | null, status: RecordChange["statusBefore"]): string {
  return String(total ?? (status ?? "none").replace("_", " "));
}

function signed(points: number): string {
  return points < 0 ? `−${-points}` : `+${points}`;
}

function fixed(mean: number | null): string {
  return mean === null ? "none" : mean.toFixed(2);
}
