/** Changes from one release to the next as tables: the page of a release and its report show the same. */

import { CAUSES, REASONS, type RecordChange, type ReleaseDiff, readerChange } from "../../schemas/public/api/diff.ts";
import { type Html, html, type Part } from "../html.ts";
import { divergingBar } from "./bars.ts";
import { signed, whole } from "./figures.ts";
import { numbers, table } from "./table.ts";

type RubricDiff = ReleaseDiff["rubrics"][number];

/** A section with a heading of this level, or null if it has no rows. */
function section(level: 2 | 3, heading: string, isEmpty: boolean, body: Part): Html | null {
  if (isEmpty) return null;
  return html`${level === 2 ? html`<h2>${heading}</h2>` : html`<h3>${heading}</h3>`}${body}`;
}

export function reasonSection({ reasons }: Pick<ReleaseDiff, "reasons">, level: 2 | 3): Html | null {
  const rows = reasons.map(({ kind, reason, records }) => [
    `${kind === "added" ? "Came" : "Went"}: ${REASONS[reason]}`,
    whole(records),
  ]);
  return section(
    level,
    "Why datasets came and went",
    rows.length === 0,
    table("By reason", ["Reason", numbers("Datasets")], rows),
  );
}

export function readerSection({ readers }: Pick<ReleaseDiff, "readers">, level: 2 | 3): Html | null {
  const rows = readers.map((reader) => [reader.source, readerChange(reader)]);
  return section(
    level,
    "Read in another way",
    rows.length === 0,
    html`<p>The code or the word lists that read these sources changed. The table of causes counts its effects as “reading”.</p>${table("Sources whose reader changed", ["Source", "Reader"], rows)}`,
  );
}

export function causeTable({ rubric, byCause }: Pick<RubricDiff, "rubric" | "byCause">): Html {
  const most = Math.max(0, ...byCause.flatMap(({ gained, lost }) => [gained, lost]));
  return table(
    `Causes of changed scores under SHARE ${rubric}, with the points gained and lost`,
    [
      "Cause",
      numbers("Datasets"),
      numbers("Signals"),
      numbers("Gained"),
      numbers("Lost"),
      { name: "Points", isBar: true },
    ],
    byCause.map(({ cause, records, signals, gained, lost }) => [
      html`${cause.replaceAll("_", "-")}<span class="hint">${CAUSES[cause]}</span>`,
      whole(records),
      whole(signals),
      whole(gained),
      whole(lost),
      divergingBar(lost, gained, most),
    ]),
  );
}

type Side = "Before" | "After";

/**
 * `nameOf`: a link, or the words of a page that links to nothing. `sides`: an added dataset has no score before, a removed
 * one none after.
 */
export function changeTable(
  caption: string,
  changes: readonly RecordChange[],
  nameOf: (change: RecordChange) => Part,
  sides: readonly Side[] = ["Before", "After"],
): Html {
  return table(
    caption,
    [{ name: "Dataset, and why", isLong: true }, ...sides.map(numbers)],
    changes.map((change) => [
      html`${nameOf(change)}<span class="hint">${causesOf(change)}</span>`,
      ...sides.map((side) => scoreOf(change, side)),
    ]),
  );
}

function scoreOf(change: RecordChange, side: Side): number | string {
  const [total, status] =
    side === "Before" ? [change.totalBefore, change.statusBefore] : [change.totalAfter, change.statusAfter];
  return total ?? (status ?? "–").replaceAll("_", " ");
}

/** The causes and the signals they moved. Another source moves nearly all signals, so that its name says more. */
function causesOf({ causes, reason, signals, previousSource, source }: RecordChange): string {
  if (reason !== null) return REASONS[reason];
  if (previousSource !== null) return `${source} describes it instead of ${previousSource}`;
  const moved = signals.filter(({ points }) => points !== 0).map(({ signal, points }) => `${signal} ${signed(points)}`);
  return [...causes.map((cause) => CAUSES[cause]), ...(moved.length === 0 ? [] : [moved.join(", ")])].join("; ");
}
