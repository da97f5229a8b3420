/** A file of judgements into a table of the engine, a row a line; nothing of it stays in memory. */

import type { Database } from "../../../pipeline/engine/open.ts";
import { RowAppender } from "../../../pipeline/engine/row-appender.ts";
import type { Table, TableRow } from "../../../schemas/public/tables.ts";
import { checkCodedHeader, codedLine } from "./coded-line.ts";
import { judgeScore } from "./judge-score.ts";
import { DATASET_FIELDS } from "./judged-dataset.ts";
import { type JudgementLine, judgementLines, type OnHeader } from "./judgement-lines.ts";
import { Faults, JudgementsUnreadable } from "./judgements-unreadable.ts";

const DATASET = { line: "int", identifier: "text", doi: "text" } as const;

const JUDGE_SCORE = {
  name: "given",
  grain: "one score of another judge",
  key: ["line"],
  columns: { ...DATASET, score: "text" },
} as const satisfies Table;

const CODED = {
  name: "given",
  grain: "one dataset that a person coded under one public version",
  key: ["line"],
  columns: { ...DATASET, rubric: "text", present: "int", absent: "int" },
} as const satisfies Table;

/**
 * Makes `given` of another judge's scores; gives the number of them.
 * @throws JudgementsUnreadable with every fault
 */
export function readScores(db: Database, path: string): Promise<number> {
  return readInto(db, JUDGE_SCORE, path, judgeScore, (names, faults) => {
    if (!DATASET_FIELDS.some((name) => names.includes(name))) faults.add(1, "doi", "there is no such column");
    if (!names.includes("score")) faults.add(1, "score", "there is no such column");
  });
}

/**
 * Makes `given` of a person's coding; gives the number of lines.
 * @throws JudgementsUnreadable with every fault
 */
export async function readCoded(db: Database, path: string): Promise<number> {
  const lines = await readInto(db, CODED, path, codedLine, checkCodedHeader);
  const [row] = await db.rows("select count(*) as coded from given where present + absent <> 0");
  if (Number(row?.coded) > 0) return lines;
  throw new JudgementsUnreadable(path, [{ line: 2, field: "S1", what: "no signal of any line is coded yet" }]);
}

async function readInto<T extends Table>(
  db: Database,
  table: T,
  path: string,
  read: (line: JudgementLine, faults: Faults) => TableRow<T> | null,
  check: (names: readonly string[], faults: Faults) => void,
): Promise<number> {
  const faults = new Faults(path);
  // What the header lacks, every line lacks.
  const onHeader: OnHeader = (names) => {
    check(names, faults);
    faults.throwAny();
  };
  await db.create(table);
  const rows = new RowAppender(await db.appender(table), table);
  let lines = 0;
  for await (const line of judgementLines(path, faults, onHeader)) {
    const row = read(line, faults);
    if (row !== null) rows.append(row);
    lines += 1;
  }
  rows.close();
  faults.throwAny();
  if (lines === 0) faults.add(1, "", "the file has no line that judges a dataset");
  faults.throwAny();
  return lines;
}
