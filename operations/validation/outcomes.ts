/** Totals under 2.0 against citations and downloads that came after the deposit, within a source and year of publication. */

import type { Database } from "../../pipeline/engine/open.ts";
import { LEAST_RECORDS, type Outcome, validation } from "../../schemas/public/validation.ts";
import { added, type Cell, NO_PAIRS, type PairSums, pairSums } from "./statistics/kendall.ts";
import { tauInterval } from "./statistics/tau-interval.ts";

interface Pooled {
  readonly strata: number;
  readonly sums: PairSums;
}

/** Only datasets of one source and year are compared with each other; nothing where no such group is large enough. */
export async function outcomesOf(db: Database): Promise<Outcome[]> {
  const pooled = new Map<string, Pooled>();
  for await (const { outcome, source, cells } of strata(db)) {
    const sums = pairSums(cells);
    // A group in which all are alike tells nothing.
    if (sums.n < LEAST_RECORDS || sums.differX === 0 || sums.differY === 0) continue;
    for (const name of [`${outcome} `, `${outcome} ${source}`]) {
      const { strata: before, sums: own } = pooled.get(name) ?? { strata: 0, sums: NO_PAIRS };
      pooled.set(name, { strata: before + 1, sums: added(own, sums) });
    }
  }
  return [...pooled.keys()].sort().map((name) => {
    const [outcome, source = ""] = name.split(" ");
    const { strata: groups, sums } = pooled.get(name) ?? { strata: 0, sums: NO_PAIRS };
    return validation.shape.outcomes.element.parse({
      outcome,
      source: source === "" ? null : source,
      strata: groups,
      n: sums.n,
      ...tauInterval(sums),
    });
  });
}

/** The datasets of one source and year, by total and by what came after. */
interface Stratum {
  readonly outcome: string;
  readonly source: string;
  readonly cells: readonly Cell[];
}

/** One after the other: only one is in memory. */
async function* strata(db: Database): AsyncGenerator<Stratum> {
  let [outcome, source, year] = ["", "", ""];
  let cells: Cell[] = [];
  const rows = db.stream("select outcome, source, year, class, passed, records from outcome_count");
  for await (const batch of rows) {
    for (const [of, from, then, value, passed, records] of batch) {
      if (of !== outcome || from !== source || then !== year) {
        if (cells.length > 0) yield { outcome, source, cells };
        cells = [];
        [outcome, source, year] = [String(of), String(from), String(then)];
      }
      cells.push({ x: Number(passed), y: Number(value), n: Number(records) });
    }
  }
  if (cells.length > 0) yield { outcome, source, cells };
}
