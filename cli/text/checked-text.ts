/** Drafts that were checked: for people, and as a table in Markdown for where changes are reviewed. */

import type { Improvement } from "../../pipeline/evaluate/evaluation.ts";
import { shown } from "./wrapped.ts";

export interface Checked {
  readonly path: string;
  readonly source: string | null;
  /** Null where there is none: `problem` says why. */
  readonly total: number | null;
  /** The most that a record of the source can reach. */
  readonly cap: number | null;
  readonly passed: boolean;
  readonly problem: string | null;
  readonly improvements: readonly Improvement[];
}

/** Improvements that are told of each file. */
const TOLD = 3;

export function checkedText(checked: readonly Checked[], least: number | null): string {
  const lines = checked.flatMap(({ path, source, total, cap, passed, problem, improvements }) => [
    `${passed ? "ok " : "low"} ${shown(path)}: ${total === null ? shown(problem ?? "") : `${total} of at most ${cap} as a record of ${source}`}`,
    ...best(improvements).map((each) => `      +${each.points} ${each.names}: ${shown(each.advice)}`),
  ]);
  const failed = checked.filter(({ passed }) => !passed).length;
  return [...lines, summaryOf(checked.length, failed, least)].join("\n");
}

export function checkedMarkdown(checked: readonly Checked[], least: number | null): string {
  const rows = checked.map(({ path, source, total, cap, passed, problem, improvements }) =>
    [
      passed ? "✅" : "❌",
      cell(path),
      cell(source ?? "–"),
      total === null ? cell(problem ?? "–") : `**${total}** of at most ${cap}`,
      best(improvements)
        .map((each) => cell(`+${each.points} ${each.names}: ${each.advice}`))
        .join("<br>"),
    ].join(" | "),
  );
  const failed = checked.filter(({ passed }) => !passed).length;
  return [
    "### SHARE",
    "",
    "| | file | as a record of | score | what would add most |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map((row) => `| ${row} |`),
    "",
    summaryOf(checked.length, failed, least),
    "",
  ].join("\n");
}

function best(improvements: readonly Improvement[]): { points: number; names: string; advice: string }[] {
  return improvements
    .flatMap(({ points, signals, advice, field }) =>
      points === null
        ? []
        : [{ points, names: signals.map(({ id, name }) => `${id} ${name}`).join(", "), advice: advice[0] ?? field }],
    )
    .slice(0, TOLD);
}

function summaryOf(files: number, failed: number, least: number | null): string {
  const bar = least === null ? "" : `, ${least} points or more each`;
  return failed === 0 ? `${files} checked${bar}` : `${failed} of ${files} fall short${bar}`;
}

/** Text of a file in a cell: nothing in it ends the cell, or is read as markup. */
function cell(text: string): string {
  return shown(text).replace(/[\\`*_[\]<>|&~]/g, (letter) => `\\${letter}`);
}
