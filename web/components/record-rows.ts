/** Lists of datasets, each with score and possible points, title, repository, date and DOI. */

import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { english, sign, t } from "../languages/translate.ts";
import { meter } from "./bars.ts";
import { timeElement } from "./figures.ts";
import { underVersion } from "./navigation.ts";
import { findTier, shareCell, tierMark } from "./score.ts";
import { compareSelected, selectBox } from "./selecting.ts";
import { columnSort, type ListOrder, type TableColumn, table } from "./table.ts";

/** The part of a row that a list shows. */
export type ShownRow = Pick<
  RecordRow,
  "id" | "title" | "doi" | "repository" | "pubDate" | "versionFamily" | "scoreStatus" | "score" | "cap" | "range"
>;

/** The reasons why a dataset has no score. */
const NO_SCORE: Readonly<Record<RecordRow["scoreStatus"], string>> = {
  scored: "",
  insufficient_evidence: english("too few signals"),
  failed: english("unreadable metadata"),
};

/** Longest identifier, in characters, that fits on one line of a phone. */
export const MAX_UNBROKEN = 32;

/** Returns the title of a dataset; without a title, its DOI or another identifier. */
export function datasetName({
  id,
  title,
  doi,
  versionFamily,
}: Pick<RecordRow, "id" | "title" | "doi" | "versionFamily">): string {
  return title ?? doi ?? versionFamily ?? id;
}

/** Returns a short list of datasets for a section of a page. */
export function recordRows(rows: readonly ShownRow[], version: PublicVersion): Html {
  return html`<ul class="rows">${rows.map((row) => {
    const link = html`<a href="${underVersion(`/datasets/${row.id}`, version)}" dir="auto">${datasetName(row)}</a>`;
    return html`<li><div class="figure">${scoreText(row)}</div><div><h3>${link}</h3><p class="muted small">${[row.repository, row.pubDate === null ? null : timeElement(row.pubDate), row.doi].filter((text) => text !== null).map((text, i) => html`${i === 0 ? "" : " · "}<bdi>${text}</bdi>`)}</p></div></li>\n`;
  })}</ul>`;
}

const CAPTIONS: Readonly<Record<string, string>> = {
  title: english("Datasets by title"),
  pubDate: english("Datasets by date"),
  score: english("Datasets by points"),
  shareOfCap: english("Datasets by share of the possible points"),
  relevance: english("Datasets by relevance"),
};

function readOrder(text: string): ListOrder {
  const [by = "", direction] = text.split(" ");
  return { by, direction: direction === "desc" ? "desc" : "asc" };
}

/**
 * Returns a list of datasets as a table in which the user can select rows to compare. The column heads are links that
 * change the order. `order` is a sort key and direction, such as `score desc`. A row for which `isOtherVersion` is true says
 * that another version of the dataset counts.
 */
export function recordTable(
  rows: readonly ShownRow[],
  version: PublicVersion,
  order: string,
  href: (order: string) => string,
  isOtherVersion: (row: ShownRow) => boolean = () => false,
): Html {
  const now = readOrder(order);
  const sort = (by: string, usual: ListOrder["direction"]) => ({
    sort: columnSort(by, usual, now, (next) => href(`${next.by} ${next.direction}`)),
  });
  return selectableTable(t(CAPTIONS[now.by] ?? "Datasets"), rows, version, { sort, isOtherVersion });
}

/** Returns a table of datasets with all rows selected, and without links that change the order. */
export function selectedRecords(rows: readonly ShownRow[], version: PublicVersion): Html {
  return selectableTable("Datasets", rows, version, { sort: () => ({}), areSelected: true });
}

interface SelectableTable {
  readonly sort: (by: string, usual: ListOrder["direction"]) => Pick<TableColumn, "sort">;
  readonly areSelected?: boolean;
  readonly isOtherVersion?: (row: ShownRow) => boolean;
}

function selectableTable(
  caption: string,
  rows: readonly ShownRow[],
  version: PublicVersion,
  { sort, areSelected = false, isOtherVersion = () => false }: SelectableTable,
): Html {
  const listed = table(
    caption,
    [
      { name: t("Title"), ...sort("title", "asc") },
      { name: t("Repository") },
      { name: t("Published"), ...sort("pubDate", "desc") },
      { name: t("Points"), isNumber: true, ...sort("score", "desc") },
      { name: t("Share of possible"), isNumber: true, ...sort("shareOfCap", "desc") },
    ],
    rows.map((row) => [
      html`${rows.length < 2 ? null : selectBox("dataset", row.doi ?? row.id, `title-${row.id}`, areSelected)}<a href="${underVersion(`/datasets/${row.id}`, version)}" id="title-${row.id}" dir="auto">${datasetName(row)}</a>${row.doi === null ? null : html`<br><span class="muted small"><bdi${row.doi.length > MAX_UNBROKEN ? null : html` class="nowrap"`}>${row.doi}</bdi></span>`}${isOtherVersion(row) ? html`<br><span class="muted small">another version counts</span>` : null}`,
      row.repository === null ? null : html`<bdi>${row.repository}</bdi>`,
      row.pubDate === null ? null : timeElement(row.pubDate),
      ...pointsAndShare(row),
    ]),
  );
  return html`${listed}${rows.length < 2 ? null : compareSelected("dataset", version)}`;
}

function pointsAndShare(row: ShownRow): readonly HtmlPart[] {
  const { score, scoreStatus, cap } = row;
  if (score === null)
    return [
      html`<span class="muted">${t("No score")}</span>`,
      html`<span class="band few">${t(NO_SCORE[scoreStatus])}</span>`,
    ];
  const most = cap ?? 100;
  return [
    html`<data value="${score.total}">${score.total} of ${most}</data>${meter(score.total, { most: 100, cap, tier: findTier(row) })}`,
    shareCell(row),
  ];
}

function scoreText(row: ShownRow): Html {
  const { score, scoreStatus, cap } = row;
  return score === null
    ? html`<span aria-hidden="true">–</span><small>${t("No score")}${sign(": ")}${t(NO_SCORE[scoreStatus])}</small>`
    : html`${score.total}<small>of ${cap ?? 100}</small>${meter(score.total, { most: 100, cap, tier: findTier(row) })}${tierMark(row)}`;
}
