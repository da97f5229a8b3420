/** Precision and recall of each signal over the cases that were judged by hand, from the counts kept beside the documents. */

import { codedFigures, type Share } from "../../operations/judging/coded-figures.ts";
import { handJudged as schema } from "../../schemas/internal/hand-judged.ts";
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
      const { precision, recall } = codedFigures(own);
      const name = names.find(({ id }) => id === signal)?.name ?? "";
      const absent = own.absentPassed + own.absentAbsent + own.absentUnjudged;
      const present = own.presentPassed + own.presentAbsent + own.presentUnjudged;
      return [`**${signal}** ${name}`, String(present), String(absent), ...cells(precision), ...cells(recall)];
    });
  return blocks(
    `${datasets} datasets, as of ${asOf}.`,
    table(["signal", "present", "absent", "precision", "n", "recall", "n"], rows),
  );
}

function cells({ n, share, low, high }: Share): string[] {
  const figure = share === null ? "–" : `${text(share)} (${text(low)}–${text(high)})`;
  return [figure, String(n)];
}

function text(value: number | null): string {
  return (value ?? 0).toFixed(2);
}
