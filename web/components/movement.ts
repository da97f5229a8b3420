/** Changes between two releases: tables for the view of a release and its report, and sentences for feeds and mails. */

import type { ChangeRow } from "../../schemas/public/api/changes.ts";
import {
  CAUSES,
  movedText,
  REASONS,
  type RecordChange,
  type ReleaseDiff,
  readerChange,
} from "../../schemas/public/api/diff.ts";
import type { Movement } from "../../schemas/public/site/queries.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { divergingBar, dumbbell } from "./bars.ts";
import { countText, integer } from "./figures.ts";
import { capitalised } from "./state-words.ts";
import { numberColumn, table } from "./table.ts";

type RubricDiff = ReleaseDiff["rubrics"][number];

/** Returns how many datasets were added and removed for each reason; null if there are none. */
export function reasonList({ reasons }: Pick<ReleaseDiff, "reasons">): Html | null {
  if (reasons.length === 0) return null;
  const words = reasons.map(({ kind, reason, records }) => `${integer(records)} ${kind}: ${REASONS[reason]}`);
  return words.length === 1
    ? html`<p>${words[0] ?? ""}.</p>`
    : html`<ul>${words.map((each) => html`<li>${each}</li>`)}</ul>`;
}

/** Returns a fold about the sources that are read in another way, grouped by the change; null if there are none. */
export function readerFold(
  { readers, rubrics }: Pick<ReleaseDiff, "readers" | "rubrics">,
  names: ReadonlyMap<string, string>,
): Html | null {
  if (readers.length === 0) return null;
  const changed = Map.groupBy(readers, readerChange);
  const hasEffect = rubrics.some(({ byCause }) => byCause.some(({ cause }) => cause === "reading"));
  return html`<details><summary>We read the metadata of ${countText(readers.length, "source")} with other code or word lists${hasEffect ? "" : ", which changed no score"}</summary><ul>${[
    ...changed,
  ].map(
    ([words, same]) => html`<li>${same.map(({ source }) => names.get(source) ?? source).join(", ")}: ${words}</li>`,
  )}</ul></details>`;
}

export function causeTable({ rubric, byCause }: Pick<RubricDiff, "rubric" | "byCause">): Html {
  const most = Math.max(0, ...byCause.flatMap(({ gained, lost }) => [gained, lost]));
  return table(
    `Causes under SHARE ${rubric}, with the points lost and gained. A dataset can have several.`,
    [
      { name: "Cause", isLong: true },
      ...["Datasets", "Lost", "Gained"].map(numberColumn),
      { name: "Points", isBar: true },
    ],
    byCause.map(({ cause, records, gained, lost }) => [
      capitalised(CAUSES[cause]),
      integer(records),
      integer(lost),
      integer(gained),
      divergingBar(lost, gained, most),
    ]),
  );
}

type ChangeSide = "Before" | "After";

/**
 * Returns a table of changed scores. `renderName` returns the name of a dataset, as a link if the dataset has a view.
 * `names` has the names of sources by id. `sides` says which scores exist: added datasets have none before, and removed datasets none after.
 */
export function changeTable(
  caption: string,
  changes: readonly RecordChange[],
  renderName: (change: RecordChange) => HtmlPart,
  names: ReadonlyMap<string, string>,
  sides: readonly ChangeSide[] = ["Before", "After"],
): Html {
  // Datasets with one title differ in their identifiers.
  const place = ({ repository, title, identifier }: RecordChange) =>
    [repository, ...(changes.filter((other) => other.title === title).length > 1 ? [identifier] : [])].flatMap(
      (part) => (part === null ? [] : [html`<bdi>${part}</bdi>: `]),
    );
  return table(
    caption,
    [
      { name: "Dataset and cause", isLong: true },
      ...sides.map(numberColumn),
      ...(sides.length < 2 ? [] : [{ name: "From 0 to 100", isBar: true }]),
    ],
    changes.map((change) => [
      html`${renderName(change)}<span class="hint">${place(change)}${renderCauses(change, names)}</span>`,
      ...sides.map((side) => formatScore(change, side)),
      ...(sides.length < 2 ? [] : [dumbbell(change.totalBefore, change.totalAfter, 100)]),
    ]),
  );
}

function formatScore(change: RecordChange, side: ChangeSide): number | string {
  const [total, status] =
    side === "Before" ? [change.totalBefore, change.statusBefore] : [change.totalAfter, change.statusAfter];
  return total ?? (status ?? "–").replaceAll("_", " ");
}

/**
 * Returns the causes of a change, with the numbers of signals that changed. If the metadata come from another source than before,
 * returns only the names of the two sources, because nearly all signals change then.
 */
function renderCauses(
  { causes, reason, signals, previousSource, source }: RecordChange,
  names: ReadonlyMap<string, string>,
): string {
  if (reason !== null) return REASONS[reason];
  if (previousSource !== null) {
    return `now described by ${names.get(source) ?? source}, before by ${names.get(previousSource) ?? previousSource}`;
  }
  const gained = signals.filter(({ points }) => points > 0).length;
  const lost = signals.filter(({ points }) => points < 0).length;
  const moved = [
    ...(gained === 0 ? [] : [`passes ${countText(gained, "more signal")}`]),
    ...(lost === 0 ? [] : [`no longer passes ${integer(lost)}`]),
  ].join(", ");
  return [...causes.map((cause) => CAUSES[cause]), ...(moved === "" ? [] : [moved])].join("; ");
}

/** Returns the figures of a movement in sentences. */
export function movementSentences(movement: Movement): string[] {
  const { previousVersion, rubric, byCause } = movement;
  const causes = byCause.map(({ cause, datasets }) => `${CAUSES[cause]} (${integer(datasets)})`);
  return [
    `Compared with release ${previousVersion}, under SHARE ${rubric}.`,
    ...countSentences(movement),
    ...(causes.length === 0
      ? []
      : [`Causes, with their datasets: ${causes.join("; ")}. A dataset can have several causes.`]),
  ];
}

/** Returns sentences with the change of the S-Index and the numbers of added, removed and changed datasets. */
export function countSentences({ added, removed, up, down, all, sIndex }: Movement): string[] {
  const moved = all - added - removed;
  return [
    ...(sIndex === null ? [] : [`S-Index: ${sIndex.before} before, ${sIndex.after} now.`]),
    ...(added + removed === 0 ? [] : [`${countText(added, "dataset")} added and ${integer(removed)} removed.`]),
    ...(moved === 0 ? [] : [`${countText(moved, "dataset")} changed: ${movedText({ moved, up, down })}.`]),
  ];
}

/** Changes that have the same causes, so that a list states the causes once. */
interface SameCauses {
  readonly causes: string;
  readonly changes: readonly ChangeRow[];
}

/** Groups changes by their causes. The changes keep their order, and the groups are in the order of their first changes. */
export function byCauses(changes: readonly ChangeRow[]): SameCauses[] {
  return [...Map.groupBy(changes, causesText)].map(([causes, same]) => ({ causes, changes: same }));
}

function causesText({ kind, causes, reason }: ChangeRow): string {
  if (reason !== null) return capitalised(`${kind}: ${REASONS[reason]}`);
  return capitalised(
    causes
      .split(" ")
      .flatMap((each) => (isCause(each) ? [CAUSES[each]] : []))
      .join("; "),
  );
}

/** Returns the scores of a dataset before and after a change. */
export function scoresText({ kind, totalBefore, totalAfter, statusAfter }: ChangeRow): string {
  const before = `${totalBefore ?? "no score"} before`;
  const after = `${totalAfter ?? (statusAfter ?? "no score").replaceAll("_", " ")} now`;
  return kind === "added" ? after : kind === "removed" ? before : `${before}, ${after}`;
}

function isCause(text: string): text is keyof typeof CAUSES {
  return Object.hasOwn(CAUSES, text);
}

/** Returns the largest changes of a movement as lists with links. */
export function largestList({ largest, all }: Movement, origin: string): Html {
  return html`${changeLists(largest, origin)}${all > largest.length ? html`<p>These are the largest ${largest.length} of ${countText(all, "change")}.</p>` : null}`;
}

/** Returns changes as lists with links, one list for each cause. */
export function changeLists(changes: readonly ChangeRow[], origin: string): Html[] {
  return byCauses(changes).map(
    (same) => html`<p>${same.causes}:</p><ul>${same.changes.map((change) => changeItem(change, origin))}</ul>`,
  );
}

function changeItem(change: ChangeRow, origin: string): Html {
  const name = change.title ?? change.identifier;
  const link =
    change.kind === "removed"
      ? html`<bdi>${name}</bdi>`
      : html`<a href="${origin}/datasets/${change.id}"><bdi>${name}</bdi></a>`;
  return html`<li>${link}: ${scoresText(change)}</li>`;
}
