/** One score that another judge gave a dataset: a line of CSV or JSON, or an answer of F-UJI as it is. */

import { z } from "zod";
import { datasetOf, type JudgedDataset, judgedDataset } from "./judged-dataset.ts";
import type { JudgementLine } from "./judgement-lines.ts";
import type { Faults } from "./judgements-unreadable.ts";

export interface JudgeScore extends JudgedDataset {
  readonly line: number;
  /** A decimal number, as text: no digit of it is lost. */
  readonly score: string;
}

/** Any scale: only the order that the scores give counts. */
const NUMBER = /^[+-]?\d{1,12}(?:\.\d{1,20})?$/;

/** The members of an answer of F-UJI (`POST /evaluate`) that are read. */
const fuji = z.object({
  request: z.object({ object_identifier: z.string() }),
  summary: z.object({ score_percent: z.object({ FAIR: z.number() }) }),
});

/** Null where the line is at fault. */
export function judgeScore(line: JudgementLine, faults: Faults): JudgeScore | null {
  const answer = fuji.safeParse(Object.fromEntries(line.fields)).data;
  if (answer !== undefined) return ofFuji(line.line, answer, faults);
  const dataset = judgedDataset(line, faults);
  const score = scoreOf(line.fields.get("score"), line.line, "score", faults);
  return dataset === null || score === null ? null : { line: line.line, ...dataset, score };
}

function ofFuji(line: number, { request, summary }: z.infer<typeof fuji>, faults: Faults): JudgeScore | null {
  const dataset = datasetOf(request.object_identifier, line, "request.object_identifier", faults);
  const score = scoreOf(summary.score_percent.FAIR, line, "summary.score_percent.FAIR", faults);
  return dataset === null || score === null ? null : { line, ...dataset, score };
}

function scoreOf(value: unknown, line: number, field: string, faults: Faults): string | null {
  if (value === undefined || value === "") return faults.add(line, field, "is missing");
  const text = String(value);
  return NUMBER.test(text) ? text : faults.add(line, field, `"${text.slice(0, 40)}" is no number such as 54.17`);
}
