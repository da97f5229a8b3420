/** How far two sources agree on the same datasets, signal by signal. */

import type { Database } from "../../pipeline/engine/open.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { type Agreement, LEAST_RECORDS, validation } from "../../schemas/public/validation.ts";
import { agreement, kappa } from "./statistics/association.ts";
import { rounded } from "./statistics/rounded.ts";

/** Pairs of sources with enough datasets in common, the one whose record is published first. */
export async function agreements(db: Database): Promise<Agreement[]> {
  const rows = await db.rows("select * from agreement_count");
  const byPair = Map.groupBy(rows, ({ taken, other, rubric }) => `${rubric} ${taken} ${other}`);
  return [...byPair.values()].flatMap((own) => {
    const [first] = own;
    const records = Number(first?.records ?? 0);
    if (first === undefined || records < LEAST_RECORDS) return [];
    const signals = own.map((row) => {
      const n = Number(row.n);
      const answers = {
        n,
        one: Number(row.passed_taken),
        other: Number(row.passed_other),
        both: Number(row.passed_both),
      };
      const known = n >= LEAST_RECORDS;
      return {
        signal: SIGNAL_IDS[Number(row.bit)],
        n,
        agreement: known ? rounded(agreement(answers)) : null,
        kappa: known ? rounded(kappa(answers)) : null,
      };
    });
    const { taken, other, rubric } = first;
    return [validation.shape.sources.element.parse({ taken, other, rubric, records, signals })];
  });
}
