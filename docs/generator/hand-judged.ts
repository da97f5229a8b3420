/** Precision and recall of each signal over the cases that were judged by hand, from the counts kept beside the documents. */

import { rounded, wilson } from "../../pipeline/validation/statistics.ts";
import { handJudged as schema } from "../../schemas/internal/rows.ts";
import counts from "../hand-judged.json" with { type: "json" };
import { contractNamed } from "./contracts.ts";
import { blocks, table } from "./markdown.ts";

/** One row a signal of the public version named. */
export async function handJudged(version: string): Promise<string> {
  const { asOf, datasets, signals } = schema.parse(counts);
  const { signals: names } = await contractNamed(version);
  const rows = signals
    .filter(({ rubric }) => rubric === version)
    .map(({ signal, ...own }) => {
      const precision = cells(own.presentPassed, own.presentPassed + own.absentPassed);
      const recall = cells(own.presentPassed, own.presentPassed + own.presentAbsent);
      const name = names.find(({ id }) => id === signal)?.name ?? "";
      const absent = own.absentPassed + own.absentAbsent + own.absentUnjudged;
      const present = own.presentPassed + own.presentAbsent + own.presentUnjudged;
      return [`**${signal}** ${name}`, String(present), String(absent), ...precision, ...recall];
    });
  return blocks(
    `${datasets} datasets, as of ${asOf}.`,
    table(["signal", "present", "absent", "precision", "n", "recall", "n"], rows),
  );
}

/** The share of `n` with its Wilson interval, and `n`. */
function cells(count: number, n: number): string[] {
  if (n === 0) return ["–", "0"];
  const { low, high } = wilson(count, n);
  return [`${text(count / n)} (${text(low)}–${text(high)})`, String(n)];
}

function text(value: number): string {
  return (rounded(value) ?? 0).toFixed(2);
}
