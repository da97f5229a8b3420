/**
 * The frame of every chart: a heading that states the result, the drawing, the table of its data, and downloads.
 *
 * A drawing has no view box. Its horizontal positions are percentages, so that the text keeps its size at every width,
 * and the padding of the SVG is the space for labels. Values appear on hover and on focus by CSS alone. A script adds
 * arrow keys, and saves the drawing as SVG and PNG.
 */

import { ticks } from "d3-array";
import { type Html, type HtmlPart, html } from "../html.ts";
import { hundredths, integer } from "./figures.ts";
import { numberColumn, table } from "./table.ts";

/** A cell of the data, which is the same in the table and in the CSV file. Null is an empty cell. */
type Cell = string | number | null;

interface DataColumn {
  readonly name: string;
  /** Formats a figure of the column. A column of words does not have this function. */
  readonly write?: (value: number | null) => string;
}

export interface DataRow {
  readonly cells: readonly Cell[];
  /** The link to a list of the datasets that the row counts; null if there is no such list. */
  readonly href: string | null;
}

export interface Chart {
  /** The id of the chart in the document, which is also the name of its files. */
  readonly id: string;
  /** The subject of the chart, above its result. */
  readonly subject: string;
  /** A sentence that states the result that the chart shows. It is computed from the data. */
  readonly finding: HtmlPart;
  /** A note below the heading: the unit, the datasets that are counted, and further figures. */
  readonly basis: HtmlPart;
  readonly level?: 2 | 3;
  /** The number of rows of labels above the plot, or the kind of drawing. */
  readonly look: "one" | "two" | "three" | "four" | "bars" | "curve" | "map";
  /** Controls above the drawing. */
  readonly controls?: Html;
  readonly drawing: HtmlPart;
  readonly columns: readonly DataColumn[];
  readonly rows: readonly DataRow[];
  /** True if the page has another table of the same data. */
  readonly hasOwnTable?: boolean;
}

export const COUNT = (name: string): DataColumn => ({ name, write: integer });
export const MEAN = (name: string): DataColumn => ({ name, write: hundredths });

export function chart(about: Chart): Html {
  const { id, subject, finding, basis, level = 2, look, controls = null, drawing, hasOwnTable } = about;
  const heading = html`<span class="subject">${subject}</span> ${finding}`;
  return html`<figure class="chart" id="${id}" data-chart aria-labelledby="${id}-finding">
${level === 2 ? html`<h2 id="${id}-finding">${heading}</h2>` : html`<h3 id="${id}-finding">${heading}</h3>`}
<p class="basis">${basis}</p>
${controls}<svg class="drawing ${look}" role="group" aria-labelledby="${id}-finding">${drawing}</svg>
<div class="data">${
    hasOwnTable === true ? html`<span></span>` : html`<details><summary>Table</summary>${dataTable(about)}</details>`
  }<p class="save">${csvDownload(about)}<button type="button" data-save="svg" hidden>SVG</button><button type="button" data-save="png" hidden>PNG</button></p></div>
</figure>`;
}

/** Returns the values of a chart as a table. */
export function dataTable({ subject, columns, rows }: Pick<Chart, "subject" | "columns" | "rows">): Html {
  return table(
    subject,
    columns.map(({ name, write }) => (write === undefined ? { name } : numberColumn(name))),
    rows.map(({ cells, href }) =>
      cells.map((cell, i) => {
        const text = cellText(cell, columns[i]);
        return i === 0 && href !== null ? html`<a href="${href}">${text}</a>` : text;
      }),
    ),
  );
}

/** Returns a link that saves the values of a chart as a CSV file. */
export function csvDownload({ id, columns, rows }: Pick<Chart, "id" | "columns" | "rows">): Html {
  return html`<a download="${id}.csv" href="data:text/csv;charset=utf-8,${encodeURIComponent(csv(columns, rows))}">CSV</a>`;
}

function cellText(cell: Cell, column: DataColumn | undefined): string {
  if (column?.write === undefined) return String(cell ?? "");
  return column.write(typeof cell === "string" ? Number(cell) : cell);
}

/** Returns the data as CSV (RFC 4180). */
function csv(columns: readonly DataColumn[], rows: readonly DataRow[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map(({ cells }) => cells)];
  return lines.map((cells) => `${cells.map(csvField).join(",")}\r\n`).join("");
}

function csvField(cell: Cell): string {
  const text = String(cell ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns a position or length in percent of the plot, for example `12.5%`. `of` is the value of the full length. */
export function part(value: number, of: number): string {
  return `${of === 0 ? 0 : Math.round((10_000 * value) / of) / 100}%`;
}

/** Returns the vertical position, in pixels, of a row of labels above the plot. Row 0 is the lowest. */
export function labelRow(row: number): number {
  return -8 - 20 * row;
}

/** Returns the point of a label that is at its position, so that the label has room: its start, its middle, or its end. */
export function anchorAt(percent: number): "start" | "middle" | "end" {
  return percent < 34 ? "start" : percent > 66 ? "end" : "middle";
}

interface Datum {
  /** The value in words. They appear when the pointer is over the value, or when the value has the focus. */
  readonly words: string;
  readonly href: string | null;
  /** The horizontal position of the words in percent of the width. `row` is their row of labels above the plot. */
  readonly at: number;
  readonly row: number;
  /** The area that reacts to the pointer; `mark` is the visible part. */
  readonly hit: Html;
  readonly mark: Html;
}

/** Returns a value that users can point at and focus, and that links to the list of its datasets, if there is one. */
export function datum({ words, href, at, row, hit, mark }: Datum): Html {
  const content = html`${hit}${mark}<text class="tip" x="${at}%" y="${labelRow(row)}" text-anchor="${anchorAt(at)}">${words}</text>`;
  return href === null
    ? html`<g class="datum" tabindex="0" role="img" aria-label="${words}">${content}</g>`
    : html`<a href="${href}"><g class="datum">${content}</g></a>`;
}

/** Returns horizontal lines with labels at round values. `low` and `high` are the values at the edges of the plot. */
export function gridLines(low: number, high: number, write: (value: number) => string): Html[] {
  return ticks(low, high, 4)
    .filter((value) => Number.isInteger(value))
    .map((value) => {
      const y = part(high - value, high - low);
      return html`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}"/><text x="-8" y="${y}" dy=".32em" text-anchor="end">${write(value)}</text>`;
    });
}

/** Returns a label below the plot, at a position in percent. */
export function xLabel(at: number, text: HtmlPart): Html {
  return html`<text x="${Math.round(100 * at) / 100}%" y="100%" dy="1.5em" text-anchor="middle">${text}</text>`;
}

/** Returns the name of the horizontal axis, below its labels. */
export function xName(text: string): Html {
  return html`<text class="name" x="100%" y="100%" dy="3em" text-anchor="end">${text}</text>`;
}

export interface Flag {
  /** The horizontal position of the line in percent. */
  readonly at: number;
  readonly row: number;
  readonly text: string;
  /** The end of the text that is beside the line: `start` puts the text right of the line, `end` left of it. */
  readonly side: "start" | "end";
  readonly kind: string;
  /** The vertical position of the lower end of the line; the axis if there is none. */
  readonly until?: string;
}

/** Returns vertical lines, each with a label at its top. A label covers the lines behind it. */
export function flags(all: readonly Flag[]): Html {
  return html`${all.map(({ at, row, kind, until = "100%" }) => html`<line class="flag ${kind}" x1="${at}%" x2="${at}%" y1="${labelRow(row) - 12}" y2="${until}"/>`)}${all.map(
    ({ at, row, side, text, kind }) =>
      html`<text class="flag ${kind}" x="${at}%" dx="${side === "start" ? 6 : -6}" y="${labelRow(row)}" text-anchor="${side}">${text}</text>`,
  )}`;
}
