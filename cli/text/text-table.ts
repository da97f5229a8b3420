/** Rows under headings, each column as wide as what stands in it, for a terminal. */

import type { Paint } from "./terminal-text.ts";

const GAP = "  ";

/** Lines of a table. Cells are shown as they are: what came from outside has been through shown(). */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const widths = headings.map((heading, i) => Math.max(...[heading, ...rows.map((row) => row[i] ?? "")].map(widthOf)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - widthOf(cell)))
      .join(GAP)
      .trimEnd();
  return [paint("dim", line(headings)), ...rows.map(line)];
}

/** Places a text takes: letters of East Asia take two, marks on other letters none. */
export function widthOf(text: string): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/gu);
  const marks = text.match(/\p{M}/gu);
  return Array.from(text).length + (wide?.length ?? 0) - (marks?.length ?? 0);
}
