/** The figures of a release's report, read from the database of a comparison. */

import type { Cell, Database } from "../../pipeline/engine/open.ts";
import type { PublicVersion, ReleasedRubric } from "../../schemas/public/rubric.ts";
import { STATES } from "../../schemas/public/signal.ts";
import { DISTRIBUTION, TOTALS } from "../../schemas/public/tables.ts";
import type { Figures, RubricFigures, SignalFigures } from "../../web/report/data.ts";
import type { Side } from "../diff/side.ts";

type Row = Readonly<Record<string, Cell>>;

/** One entry a public version of the later release. */
export async function rubricFigures(db: Database, after: Side): Promise<RubricFigures[]> {
  await db.runFile(new URL("./report.sql", import.meta.url));
  const figures = await db.rows("select * from figure");
  const states = await db.rows("select * from state_count");
  return after.receipt.rubrics.map(({ version, contract }) => {
    const found = (release: string) => figures.find((row) => row.rubric === version && row.release === release);
    const [before, now] = [found("before"), found("after")];
    if (now === undefined) throw new Error(`the release has no metrics under ${version}`);
    return {
      version,
      contract,
      before: before === undefined ? null : figuresOf(before),
      after: figuresOf(now),
      signals: signalsOf(version, after.rules?.contracts.get(contract), states),
    };
  });
}

function figuresOf(row: Row): Figures {
  const mean = (name: string) => (row[name] === null ? null : Number(row[name]));
  return {
    scored: Number(row.scored_records),
    insufficient: Number(row.insufficient_records ?? 0),
    cap: mean("mean_cap"),
    passedOfEvaluable: mean("passed_of_evaluable"),
    mean: mean("mean_score"),
    median: mean("median_score"),
    above70: mean("pct_above_70"),
    buckets: { S: mean("mean_s"), H: mean("mean_h"), A: mean("mean_a"), R: mean("mean_r"), E: mean("mean_e") },
    distribution: DISTRIBUTION.map((name) => Number(row[name])),
    totals: row.t0 === null ? null : TOTALS.map((name) => Number(row[name])),
  };
}

function signalsOf(
  version: PublicVersion,
  contract: ReleasedRubric | undefined,
  counts: readonly Row[],
): SignalFigures[] {
  return (contract?.signals ?? []).map(({ id, bit, name }) => {
    const ofSignal = counts.filter((row) => row.rubric === version && row.bit === bit);
    const count = (state: string) => Number(ofSignal.find((row) => row.state === state)?.records ?? 0);
    return { id, name, states: Object.fromEntries(STATES.map((state) => [state, count(state)])) };
  });
}
