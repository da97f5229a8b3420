/** A list of datasets: score and cap, title, repository, date and DOI. */

import type { RecordRow } from "../../schemas/public/api/record.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { type Html, html } from "../html.ts";
import { meter } from "./bars.ts";
import { timeElement } from "./figures.ts";
import { underVersion } from "./navigation.ts";
import { tierMark } from "./score.ts";

const NO_SCORE: Readonly<Record<RecordRow["scoreStatus"], string>> = {
  scored: "",
  insufficient_evidence: "too little evidence",
  failed: "unreadable record",
};

/** `level` is the level of the headings, one below that of the section. */
export function recordRows(
  rows: readonly RecordRow[],
  level: 2 | 3,
  version: PublicVersion,
  more: (row: RecordRow) => Html | null = () => null,
): Html {
  return html`<ul class="rows">${rows.map((row) => {
    const link = html`<a href="${underVersion(`/datasets/${row.id}`, version)}" dir="auto">${row.title ?? row.doi ?? row.id}</a>`;
    return html`<li><div class="figure">${scoreText(row)}</div><div>${
      level === 2 ? html`<h2>${link}</h2>` : html`<h3>${link}</h3>`
    }<p class="muted small">${[row.repository, row.pubDate === null ? null : timeElement(row.pubDate), row.doi].filter((text) => text !== null).map((text, i) => html`${i === 0 ? "" : " · "}<bdi>${text}</bdi>`)}</p>${more(row)}</div></li>\n`;
  })}</ul>`;
}

function scoreText({ score, scoreStatus, cap }: RecordRow): Html {
  return score === null
    ? html`<span aria-hidden="true">–</span><small>${NO_SCORE[scoreStatus]}</small>`
    : html`${score.total}<small>of ${cap ?? 100}</small>${meter(score.total, 100, cap)}${tierMark(score.total, cap)}`;
}
