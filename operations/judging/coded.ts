/** A person's coding against the states of a release: precision and recall of each signal. */

import type { Cell, Database, DuckDBOptions } from "../../pipeline/engine/open.ts";
import type { TablePaths } from "../../pipeline/pages/tables.ts";
import { type PublicVersion, publicVersion } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { type CodedCounts, type CodedFigures, codedFigures } from "./coded-figures.ts";
import { runSql, withRelease } from "./judged-release.ts";
import { type Fault, JudgementsUnreadable } from "./reading/judgements-unreadable.ts";
import { readCoded } from "./reading/read-judgements.ts";

export interface CodedSignal extends CodedFigures {
  readonly rubric: PublicVersion;
  readonly signal: string;
  readonly counts: CodedCounts;
}

export interface Coded {
  /** Lines of the file; those of no dataset of the release, and of generated records; those compared. */
  readonly lines: number;
  readonly unknown: number;
  readonly generated: number;
  readonly coded: number;
  readonly signals: readonly CodedSignal[];
}

/** @throws JudgementsUnreadable where the file is at fault */
export function validateCoded(tables: TablePaths, path: string, options: DuckDBOptions): Promise<Coded> {
  return withRelease(tables, options, async (db) => {
    await readCoded(db, path);
    await db.fill(
      { name: "signal_bit", columns: { bit: "int" } },
      SIGNAL_IDS.map((_, bit) => ({ bit })),
    );
    await runSql(db, "10-found");
    await runSql(db, "30-coded");
    await refuseTwice(db, path);
    const [total] = await db.rows("select * from coded_total");
    return {
      lines: Number(total?.lines),
      unknown: Number(total?.unknown),
      generated: Number(total?.generated),
      coded: Number(total?.coded),
      signals: (await db.rows("select * from coded_count")).map(signalOf),
    };
  });
}

/** Two codings of one dataset are not two datasets. */
async function refuseTwice(db: Database, path: string): Promise<void> {
  const twice = await db.rows("select first, last from coded_twice limit 1000");
  const faults = twice.map(({ first, last }): Fault => {
    return { line: Number(last), field: "identifier", what: `is the dataset of line ${first}, under the same version` };
  });
  if (faults.length > 0) throw new JudgementsUnreadable(path, faults);
}

function signalOf(row: Readonly<Record<string, Cell>>): CodedSignal {
  const counts = {
    presentPassed: Number(row.present_passed),
    presentAbsent: Number(row.present_absent),
    presentUnjudged: Number(row.present_unjudged),
    absentPassed: Number(row.absent_passed),
    absentAbsent: Number(row.absent_absent),
    absentUnjudged: Number(row.absent_unjudged),
  };
  const signal = SIGNAL_IDS[Number(row.bit)] ?? "";
  return { rubric: publicVersion.parse(row.rubric), signal, counts, ...codedFigures(counts) };
}
